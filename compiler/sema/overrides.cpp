// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/overrides.h"

#include <algorithm>

#include "base/settings.h"
#include "base/text.h"
#include "compiler/sema/scope.h"
#include "compiler/sema/signal_texts.h"

namespace mbc::sema {

namespace {

// "`a`, `b`, ..."
std::string listed(const std::vector<std::string>& names, std::size_t most) {
  std::string list;
  for (std::size_t k = 0; k < names.size() && k < most; ++k) list += (k == 0 ? "`" : ", `") + printable(names[k]) + "`";
  return names.size() > most ? list + ", ..." : list;
}

}  // namespace

const Override* Overrides::use(const std::string& path) const {
  const Override* last = nullptr;
  for (const Override& o : all_)
    if (o.path == path) {
      o.used = true;
      last = &o;
    }
  return last;
}

bool Overrides::has(const std::string& path) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Override& o) { return o.path == path; });
}

bool Overrides::sets_start(const std::string& path) const {
  const VariedStart* asked = start(path);
  return asked && std::any_of(all_.begin(), all_.end(), [&](const Override& o) {
           const VariedStart* set = start(o.path);
           return set && set->target == asked->target;
         });
}

void Overrides::check_used(const Model& model, const Scope& file, Sink& sink) const {
  for (const Override& o : all_) {
    const bool declared = file.find_here(o.path) != nullptr;
    if (o.used || (declared && sink.has_errors())) continue;  // a refused declaration takes no value
    std::vector<std::string> known;
    for (const Param& p : model.params) known.push_back(p.name);
    known.insert(known.end(), structural_.begin(), structural_.end());
    for (const Input& i : model.inputs) known.push_back(i.name);
    for (const Simulation& s : model.simulations)
      for (const std::string& key : settings::keys_to_set()) known.push_back(s.name.empty() ? key : s.name + "." + key);
    if (o.path.starts_with(kInputPrefix)) {
      const std::string name = o.path.substr(std::string_view(kInputPrefix).size());
      const bool twice = std::any_of(all_.begin(), all_.end(),
                                     [&](const Override& other) { return &other != &o && other.path == o.path; });
      sink.report(twice ? Kind::input_twice : Kind::input_unknown, o.span, printable(name));
      continue;
    }
    Diagnostic& d = sink.report(Kind::unknown_override, o.span, printable(o.path));
    if (const VariedStart* begun = start(o.path))
      d.hint(begun->why + (begun->help.empty() ? "" : ": " + begun->help));
    else if (declared)
      d.hint("it is declared, but not with `param` or `input`");
    else
      d.hint(did_you_mean(o.path, known, known.empty() ? "" : "what can be set: " + listed(known, 4)));
  }
}

void Overrides::check_data(const Model& model, const std::vector<std::string>& wanted, Sink& sink) const {
  if (sink.has_errors() || wanted.empty()) return;
  std::vector<std::string> known(structural_.begin(), structural_.end());
  for (const Param& p : model.params) known.push_back(p.name);
  for (const std::string& path : wanted) {
    if (std::any_of(model.params.begin(), model.params.end(), [&](const Param& p) { return p.name == path; })) continue;
    if (std::find(structural_.begin(), structural_.end(), path) != structural_.end()) {
      sink.report(Kind::vary_unfit, Span{}, printable(path),
                  numbers_.contains(path) ? "it shapes the model" : "it is no number known before the run")
          .hint("give it a value, and compile the model for each");
      continue;
    }
    sink.report(Kind::vary_unknown, Span{}, printable(path)).hint(did_you_mean(path, known));
  }
}

}  // namespace mbc::sema
