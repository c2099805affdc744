// SPDX-License-Identifier: Apache-2.0
// The index of a text: declarations, uses, and the compiler's facts on its expressions.
#include "mbc/source_index.h"

#include <algorithm>
#include <cmath>

#include "api/index/uses.h"
#include "api/model/family.h"
#include "api/model/guard.h"
#include "api/model/info.h"
#include "base/text.h"

namespace mbc {

namespace {

const char* level_text(ad::Level level) { return level == ad::Level::constant ? "" : to_text(api::level_of(level)); }

bool written_whole(const Compilation& c) {
  return std::any_of(c.times.begin(), c.times.end(), [](const PassTime& t) { return t.name == "elaborate"; });
}

// The facts that the elaboration kept.
class Facts {
 public:
  Facts(const Compilation& c, const sema::Observed& observed)
      : model_(c.model), observed_(observed), sound_(!c.sink.has_errors()) {}

  void add_to(SourceIndex& out) const {
    std::vector<double> params;
    if (sound_) params = sema::parameter_values(model_);
    for (const sema::ObservedValue& v : observed_.values()) out.facts.push_back(fact(v));
    add_values(params, out.facts);
    std::sort(out.facts.begin(), out.facts.end(), [](const IndexFact& a, const IndexFact& b) {
      return a.place.begin != b.place.begin ? a.place.begin < b.place.begin : a.place.end < b.place.end;
    });
    for (const sema::Equation& row : model_.equations) add_row(row, out);
    out.understood = true;
  }

 private:
  static bool is_numeric(const sema::ObservedValue& v) {
    return v.type.shape == sema::Shape::scalar || v.type.shape == sema::Shape::vector ||
           v.type.shape == sema::Shape::matrix;
  }

  [[nodiscard]] IndexFact fact(const sema::ObservedValue& v) const {
    IndexFact made;
    made.place = {v.span.file, v.span.begin, v.span.end};
    made.shape = v.shown;
    if (!is_numeric(v)) return made;
    if (model_.has_units && !v.type.any_dimension) made.unit = sema::to_text(v.type.dimension);
    made.level = level_text(v.level);
    return made;
  }

  // All values are evaluated in one pass, so that their common parts are evaluated once.
  void add_values(const std::vector<double>& params, std::vector<IndexFact>& facts) const {
    if (!sound_) return;
    const auto has_value = [](const sema::ObservedValue& v) { return is_numeric(v) && v.level == ad::Level::constant; };
    std::vector<graph::NodeId> nodes;
    for (const sema::ObservedValue& v : observed_.values())
      if (has_value(v)) nodes.insert(nodes.end(), v.nodes.begin(), v.nodes.end());
    const std::vector<double> values = sema::constant_values(model_, nodes, params);
    auto next = values.begin();
    for (std::size_t k = 0; k < facts.size(); ++k) {
      const sema::ObservedValue& v = observed_.values()[k];
      if (!has_value(v)) continue;
      const auto end = next + static_cast<std::ptrdiff_t>(v.nodes.size());
      if (std::all_of(next, end, [](double x) { return std::isfinite(x); })) facts[k].value.assign(next, end);
      next = end;
    }
  }

  static void add_row(const sema::Equation& row, SourceIndex& out) {
    if (row.of_body || row.span.file != 0) return;
    const TextRange place{row.span.file, row.span.begin, row.span.end};
    const auto known =
        std::find_if(out.rows.rbegin(), out.rows.rend(), [&](const IndexRows& r) { return r.place == place; });
    if (known != out.rows.rend())
      ++known->rows;
    else
      out.rows.push_back({place, level_text(row.level), 1});
  }

  const sema::Model& model_;
  const sema::Observed& observed_;
  bool sound_;
};

void add_files(const SourceSet& sources, const sema::ModuleSet& modules, SourceIndex& out) {
  for (std::uint32_t k = 0; k < sources.size(); ++k)
    out.files.push_back({sources[k].name(), k == 0 ? "" : std::string(sources[k].text()), false});
  for (const auto& module : modules.all())
    if (module->file.version_span.known()) out.files.at(module->file.version_span.file).standard = module->standard;
}

SourceIndex index_of(const api::AnalysedText& analysis, const Compilation& c, bool facts) {
  SourceIndex out;
  out.whole = written_whole(c);
  SourceSet own_sources;
  sema::ModuleSet own_modules;
  if (!out.whole) {  // modules were not read
    own_sources = c.sources;
    Sink said;
    own_modules.load(c.file, analysis.library(), own_sources, said);
  }
  const SourceSet& sources = out.whole ? c.sources : own_sources;
  const sema::ModuleSet& modules = out.whole ? c.modules : own_modules;
  api::Declarations declarations(sources, modules, out);
  api::NameScope& scope = declarations.file(c.file);
  api::link_instances(declarations, out);
  for (const auto& [name, symbol] : scope.names) out.visible.push_back(symbol);
  for (const api::NameScope* module : scope.imports)
    for (const auto& [name, symbol] : module->names)
      if (scope.here(name) == kNoSymbol) out.visible.push_back(symbol);
  api::find_uses(sources, modules, c.file, scope, declarations, out);
  const auto key = [](const IndexUse& u) { return std::pair{u.place.file, u.place.begin}; };
  std::sort(out.uses.begin(), out.uses.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  add_files(sources, modules, out);
  out.space = out.whole ? c.model.space : out.space;
  if (out.whole && facts) Facts(c, analysis.observed()).add_to(out);
  return out;
}

}  // namespace

Result<SourceIndex> source_index(const Model& model) {
  if (!model.state()->variant || model.state()->variant->sources().size() == 0)
    return Error{ErrorCode::model_error, "there is no text"};
  api::AnalysedText& analysis = model.state()->variant->analysis();
  if (analysis.text().size() > kMostIndexedBytes)
    return Error{ErrorCode::too_large, "texts of more than " + counted(kMostIndexedBytes, "byte") + " have no index"};
  return api::guarded([&]() -> Result<SourceIndex> {
    const api::AnalysedText::Tree tree = analysis.tree();
    return index_of(analysis, tree.compilation, analysis.keeps_facts());
  });
}

}  // namespace mbc
