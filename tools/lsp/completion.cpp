// SPDX-License-Identifier: Apache-2.0
// Completion at a place, and signatures of calls. Both use the present text and the index of the last text without
// syntax errors, since an unfinished statement does not parse.
#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "tools/lsp/features.h"
#include "tools/lsp/scan.h"

namespace mbc::lsp {

namespace {

enum ItemKind {
  kItemFunction = 3,
  kItemVariable = 6,
  kItemClass = 7,
  kItemModule = 9,
  kItemProperty = 10,
  kItemUnit = 11,
  kItemKeyword = 14,
  kItemEnum = 20,
  kItemConstant = 21
};

// Returns the kind of a completion item; the default is a variable.
int item_kind(SymbolKind kind) {
  if (kind == SymbolKind::function) return kItemFunction;
  if (kind == SymbolKind::joint || kind == SymbolKind::model) return kItemClass;
  return kind == SymbolKind::parameter ? kItemConstant : kItemVariable;
}

// A list without duplicates: of items with the same label, the first counts.
class Items {
 public:
  void add(const std::string& label, int kind, const std::string& detail, const std::string& description = "") {
    if (!seen_.insert(label).second) return;
    Json item = {{"label", label}, {"kind", kind}};
    if (!detail.empty()) item["detail"] = detail;
    if (!description.empty()) item["documentation"] = markdown(description);
    out_.push_back(std::move(item));
  }
  void add(const IndexSymbol& s) { add(s.name, item_kind(s.kind), s.head, s.description); }
  void edit_too(const Json& edit) { out_.back()["additionalTextEdits"] = Json::array({edit}); }
  [[nodiscard]] bool has(const std::string& label) const { return seen_.contains(label); }
  [[nodiscard]] Json list() { return {{"isIncomplete", false}, {"items", std::move(out_)}}; }

 private:
  std::set<std::string> seen_;
  Json out_ = Json::array();
};

// ---- meaning of names before a dot, by the last index

// A kind as in members_of(); "instance" and "labels" have a symbol.
struct What {
  std::string of;
  std::uint32_t symbol = kNoSymbol;
};

std::uint32_t named(const SourceIndex& index, const std::vector<std::uint32_t>& list, const std::string& name) {
  for (const std::uint32_t id : list)
    if (index.symbols.at(id).name == name) return id;
  return kNoSymbol;
}

std::uint32_t component_named(const SourceIndex& index, const std::string& name) {
  const std::uint32_t id = name.empty() ? kNoSymbol : named(index, index.visible, name);
  return id != kNoSymbol && !index.symbols[id].members.empty() ? id : kNoSymbol;
}

// Returns the kind from the compiler's fact on the value of a symbol: "an instance of `Chain`" becomes "instance".
What of_fact(const Document& d, const IndexSymbol& s) {
  for (const IndexFact& f : d.known().facts) {
    if (!(f.place == s.value)) continue;
    const std::size_t word = f.shape.find(' ');
    const std::string what = word == std::string::npos ? f.shape : f.shape.substr(word + 1);
    const std::size_t begin = f.shape.find('`'), end = f.shape.rfind('`');
    if (what.starts_with("instance") && begin < end)
      return {"instance", component_named(d.known(), f.shape.substr(begin + 1, end - begin - 1))};
    return {what.substr(0, what.find(' ')), kNoSymbol};
  }
  return {};
}

What of_symbol(const Document& d, std::uint32_t id) {
  const IndexSymbol& s = d.known().symbols.at(id);
  if (s.kind == SymbolKind::instance) return {"instance", s.component};
  if (s.kind == SymbolKind::state) return s.members.empty() ? What{} : What{"labels", id};
  if (s.kind == SymbolKind::constraint) return {s.type.empty() ? to_text(s.kind) : s.type, kNoSymbol};
  if (s.kind == SymbolKind::argument) return {s.type == "entity" ? "point" : s.type, kNoSymbol};
  if (s.kind == SymbolKind::value || s.kind == SymbolKind::output) return of_fact(d, s);
  return {to_text(s.kind), kNoSymbol};
}

What of_chain(const Document& d, const Surroundings& at) {
  const SourceIndex& index = d.known();
  const std::uint32_t component = component_named(index, at.component);
  What what;
  for (std::size_t k = 0; k < at.chain.size(); ++k) {
    const std::string& name = at.chain[k];
    std::uint32_t id = kNoSymbol;
    if (k == 0) {
      if (component != kNoSymbol) id = named(index, index.symbols[component].members, name);
      if (id == kNoSymbol) id = named(index, index.visible, name);
      what = id == kNoSymbol ? What{name, kNoSymbol} : of_symbol(d, id);
      continue;
    }
    if (what.of == "instance" && what.symbol != kNoSymbol) id = named(index, index.symbols[what.symbol].members, name);
    const bool vector = std::set<std::string>{"pos",      "vel",    "acc",   "omega",    "omega_space", "alpha",  "com",
                                              "reaction", "moment", "ideal", "momentum", "linear",      "angular"}
                            .contains(name);
    what = id != kNoSymbol ? of_symbol(d, id) : What{name == "at" ? "frame" : vector ? "vector" : "", kNoSymbol};
  }
  return what;
}

// Returns whether the place is in `input.u = ` of a `simulate` block: the inputs and their members are offered.
bool is_input_setting(const Surroundings& at) {
  return at.block == "simulate" && at.setting.empty() && !at.chain.empty() && at.chain.front() == "input";
}

void members(const Document& d, const Surroundings& written, Items& items) {
  Surroundings at = written;
  if (is_input_setting(at)) at.chain.erase(at.chain.begin());
  if (at.chain.empty()) {
    for (const std::uint32_t id : d.known().visible)
      if (const IndexSymbol& s = d.known().symbols.at(id);
          s.kind == SymbolKind::input || s.kind == SymbolKind::instance)
        items.add(s);
    return;
  }
  const What what = of_chain(d, at);
  if ((what.of == "instance" || what.of == "labels") && what.symbol != kNoSymbol) {
    for (const std::uint32_t id : d.known().symbols[what.symbol].members) {
      const IndexSymbol& s = d.known().symbols[id];
      if (s.kind != SymbolKind::joint && s.kind != SymbolKind::model && s.kind != SymbolKind::function) items.add(s);
    }
    return;
  }
  for (const MemberInfo& m : members_of(what.of, d.known().space)) items.add(m.name, kItemProperty, m.meaning);
}

// ---- names

Json use_edit(const Document& d, const std::string& module) {
  const Insertion use = use_line(d.text, "use " + module);
  return edit_json(d.text, use.place, use.place, use.text);
}

void library(const Document& d, bool statement, Items& items) {
  for (const LibraryPart& part : library_parts()) {
    const bool component = part.symbol.kind == SymbolKind::joint || part.symbol.kind == SymbolKind::model;
    if (component != statement || items.has(part.symbol.name)) continue;
    if (part.module.starts_with("planar") != (d.known().space == 2) && part.module.find("joints") != std::string::npos)
      continue;
    items.add(part.symbol.name, item_kind(part.symbol.kind), part.symbol.head + " (" + part.module + ")",
              part.symbol.description);
    items.edit_too(use_edit(d, part.module));
  }
}

void names(const Document& d, const Surroundings& at, bool statement, Items& items) {
  const SourceIndex& index = d.known();
  const auto add = [&](std::uint32_t id) {
    const IndexSymbol& s = index.symbols.at(id);
    const bool component = s.kind == SymbolKind::joint || s.kind == SymbolKind::model;
    if (component == statement && !s.name.empty()) items.add(s);
  };
  if (const std::uint32_t component = component_named(index, at.component); component != kNoSymbol)
    for (const std::uint32_t id : index.symbols[component].members) add(id);
  for (const std::uint32_t id : index.visible) add(id);
  for (std::uint32_t id = 0; id < index.symbols.size() && !statement; ++id)
    if (index.symbols[id].local) items.add(index.symbols[id].name, kItemVariable, index.symbols[id].head);
}

const IndexSymbol* callee(const Document& d, const Surroundings& at, std::vector<IndexSymbol>& arguments) {
  if (at.called.empty()) return nullptr;
  // In `Revolute hinge(` the first word is called, in `let a = f(` the last.
  for (const std::string& name : {at.called.front(), at.called.back()}) {
    const std::uint32_t id = named(d.known(), d.known().visible, name);
    if (id != kNoSymbol && !d.known().symbols[id].head.empty() &&
        (d.known().symbols[id].kind == SymbolKind::function || d.known().symbols[id].kind == SymbolKind::joint ||
         d.known().symbols[id].kind == SymbolKind::model)) {
      for (const std::uint32_t a : d.known().symbols[id].arguments) arguments.push_back(d.known().symbols[a]);
      return &d.known().symbols[id];
    }
    for (const LibraryPart& part : library_parts())
      if (part.symbol.name == name && id == kNoSymbol && part.symbol.kind != SymbolKind::value) {
        arguments = part.arguments;
        return &part.symbol;
      }
  }
  return nullptr;
}

void argument_names(const Document& d, const Surroundings& at, Items& items) {
  std::vector<IndexSymbol> arguments;
  if (callee(d, at, arguments))
    for (const IndexSymbol& a : arguments) items.add(a.name + " = ", kItemProperty, a.head);
  if (!at.called.empty() && at.called.back() == "table") {
    items.add("method = ", kItemProperty, "linear, cubic");
    items.add("smooth = ", kItemProperty, "derivatives that are continuous: 0, 1, 2");
    items.add("beyond = ", kItemProperty, "error, hold, line");
    items.add("column = ", kItemProperty, "of the values, in a file");
    items.add("argument = ", kItemProperty, "the column of x, in a file");
  }
  if (!at.called.empty() && at.called.front() == "body")
    for (const MemberInfo& m : vocabulary().body_arguments) items.add(m.name + " = ", kItemProperty, m.meaning);
}

void choices(const Surroundings& at, Items& items) {
  for (const SettingInfo& s : vocabulary().settings)
    if (s.key == at.setting)
      for (const SettingInfo::Choice& c : s.choices)
        items.add(c.name, kItemEnum, c.arguments.empty() ? "" : "(" + joined(c.arguments) + ")");
}

void choice_arguments(const Surroundings& at, Items& items) {
  for (const SettingInfo& s : vocabulary().settings)
    for (const SettingInfo::Choice& c : s.choices)
      if (!at.called.empty() && s.key == at.setting && c.name == at.called.back())
        for (const std::string& a : c.arguments) items.add(a, kItemProperty, "argument of `" + c.name + "`");
}

void expression(const Document& d, const Surroundings& at, Items& items) {
  if (!at.setting.empty()) {
    choice_arguments(at, items);
    if (at.called.empty()) choices(at, items);
  }
  if (!at.called.empty() && at.argument.empty()) argument_names(d, at, items);
  for (const StatementInfo& s : vocabulary().statements)
    if (s.word == at.head)
      for (const std::string& m : s.modifiers) items.add(m, kItemKeyword, "");
  names(d, at, false, items);
  for (const BuiltinInfo& v : vocabulary().values) items.add(v.name, kItemConstant, v.meaning);
  for (const BuiltinInfo& f : vocabulary().functions)
    items.add(f.name, kItemFunction, f.name + "(" + joined(f.arguments) + ")", f.meaning);
  for (const char* word : {"if", "then", "else", "and", "or", "not", "in", "step", "count", "within", "always", "at"})
    items.add(word, kItemKeyword, "");
  for (const std::string& word : vocabulary().types)
    if (at.head == "joint" || at.head == "model") items.add(word, kItemKeyword, "type of a parameter");
  library(d, false, items);
}

void statements(const Document& d, const Surroundings& at, Items& items) {
  if (at.block == "test") items.add("check", kItemKeyword, "a condition that has to hold");
  if (at.block == "sweep") items.add("record", kItemKeyword, "a column of the result");
  if (at.block == "init") items.add("disable", kItemKeyword, "switches a constraint or load off");
  if (at.block == "when" || at.block == "at" || at.block == "every")
    for (const std::string& word : vocabulary().actions) items.add(word, kItemKeyword, "");
  const bool entries = at.block == "test" || at.block == "sweep" || at.block == "init" || at.block == "when" ||
                       at.block == "at" || at.block == "every";
  if (entries) return names(d, at, false, items);
  for (const StatementInfo& s : vocabulary().statements) items.add(s.word, kItemKeyword, "statement");
  names(d, at, true, items);
  library(d, true, items);
}

// ---- signatures

Json signature(const std::string& label, const std::vector<std::string>& arguments, const std::string& description,
               std::size_t active) {
  Json list = Json::array();
  for (const std::string& a : arguments) list.push_back({{"label", a}});
  Json made = {{"label", label}, {"parameters", std::move(list)}};
  if (!description.empty()) made["documentation"] = markdown(description);
  return {{"signatures", Json::array({made})},
          {"activeSignature", 0},
          {"activeParameter", std::min(active, arguments.empty() ? 0 : arguments.size() - 1)}};
}

}  // namespace

Json completion(const Document& document, std::uint32_t offset) {
  const Surroundings at = surroundings(document.text.str(), offset);
  Items items;
  switch (at.where) {
    case Surroundings::Where::nothing:
      break;
    case Surroundings::Where::statement:
      statements(document, at, items);
      break;
    case Surroundings::Where::member:
      members(document, at, items);
      break;
    case Surroundings::Where::unit:
      for (const std::string& u : vocabulary().units) items.add(u, kItemUnit, "");
      for (const char* u : {"mm", "cm", "km", "ms", "kN", "MPa", "GPa", "kW", "kHz"}) items.add(u, kItemUnit, "");
      break;
    case Surroundings::Where::module:
      for (const std::string& m : vocabulary().modules) items.add(m, kItemModule, "module of the library");
      break;
    case Surroundings::Where::setting:
      for (const SettingInfo& s : vocabulary().settings) items.add(s.key, kItemProperty, "setting");
      items.add("plot", kItemKeyword, "curves that are drawn after the run");
      for (const std::uint32_t id : document.known().visible)
        if (const IndexSymbol& s = document.known().symbols.at(id); s.kind == SymbolKind::input)
          items.add("input." + s.name, kItemProperty, "the signal of `" + s.name + "`");
      break;
    case Surroundings::Where::expression:
      expression(document, at, items);
      break;
  }
  return items.list();
}

Json signature_help(const Document& document, std::uint32_t offset) {
  const Surroundings at = surroundings(document.text.str(), offset);
  std::vector<IndexSymbol> arguments;
  if (const IndexSymbol* s = callee(document, at, arguments)) {
    std::vector<std::string> shown;
    std::size_t active = at.argument_index;
    for (const IndexSymbol& a : arguments) {
      if (a.name == at.argument) active = shown.size();
      shown.push_back(a.head);
    }
    return signature(s->name + "(" + joined(shown) + ")", shown, s->description, active);
  }
  for (const BuiltinInfo& f : vocabulary().functions)
    if (!at.called.empty() && f.name == at.called.back())
      return signature(f.name + "(" + joined(f.arguments) + ")", f.arguments, f.meaning, at.argument_index);
  return nullptr;
}

}  // namespace mbc::lsp
