// SPDX-License-Identifier: Apache-2.0
// Texts for the name under the pointer, and beside the text: inferred units, levels of rows.
#include <algorithm>

#include "base/joined.h"
#include "base/numbers.h"
#include "base/text.h"
#include "tools/lsp/features.h"

namespace mbc::lsp {

namespace {

constexpr std::size_t kMostNumbers = 9;  // numbers of a value that are shown

std::string code(const std::string& text) { return "```mbd\n" + text + "\n```\n"; }

std::string value_text(const std::vector<double>& value) {
  if (value.empty() || value.size() > kMostNumbers) return "";
  const std::string out = joined_by(value, [](double x) { return text::short_number(x, 10); });
  return value.size() == 1 ? out : "(" + out + ")";
}

const BuiltinInfo* find(const std::vector<BuiltinInfo>& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const BuiltinInfo& b) { return b.name == name; });
  return found == list.end() ? nullptr : &*found;
}

std::string of_builtin(std::string_view name) {
  if (const BuiltinInfo* f = find(vocabulary().functions, name))
    return code(f->name + "(" + joined(f->arguments) + ")") + "built in: " + f->meaning + "\n";
  if (const BuiltinInfo* v = find(vocabulary().values, name)) return code(v->name) + "built in: " + v->meaning + "\n";
  return "";
}

std::string of_setting(std::string_view key) {
  for (const SettingInfo& s : vocabulary().settings) {
    if (s.key != key) continue;
    std::string out = "setting `" + s.key + "`";
    for (const SettingInfo::Choice& c : s.choices) out += "\n- `" + call_text(c.name, c.arguments) + "`";
    return out + "\n";
  }
  return "";
}

// Returns the description of a built-in member of that name.
std::string of_member(std::string_view name, unsigned space) {
  for (const char* what : {"body", "particle", "frame", "inequality", "event", "energy", "momentum"})
    for (const MemberInfo& m : members_of(what, space))
      if (m.name == name) return "`." + m.name + "`: " + m.meaning + "\n";
  return "";
}

const IndexRows* rows_of(const Document& d, const IndexSymbol& s) {
  if (s.kind != SymbolKind::constraint || s.place.file != 0) return nullptr;
  for (const IndexRows& r : d.index.rows)
    if (r.place.begin >= s.statement.begin && r.place.end <= s.statement.end) return &r;
  return nullptr;
}

std::string rows_text(const IndexRows& rows) {
  const bool one = rows.rows == 1;
  return one ? rows.level : std::to_string(rows.rows) + " rows, " + rows.level;
}

std::string of_symbol(const Document& d, const IndexSymbol& s) {
  std::string out = code(s.head.empty() ? s.name : s.head) + to_text(s.kind);
  if (s.owner != kNoSymbol) out += " of `" + d.symbol(s.owner).name + "`";
  if (const IndexFact* fact = d.fact_of(s.value)) out += ": " + fact_text(*fact);
  if (const IndexRows* rows = rows_of(d, s)) out += ": " + rows_text(*rows) + " level";
  if (s.place.file != 0) out += ", in " + d.index.files.at(s.place.file).name;
  out += "\n";
  if (!s.description.empty()) out += "\n" + s.description + "\n";
  if (s.component != kNoSymbol) {
    const IndexSymbol& c = d.symbol(s.component);
    out += "\n" + code(c.head) + c.description + "\n";
  }
  return out;
}

std::string of_use(const Document& d, const IndexUse& use) {
  const std::string_view word = d.text_of(use.place);
  switch (use.kind) {
    case UseKind::module:
      return use.symbol < d.index.files.size() ? "module " + d.index.files[use.symbol].name + "\n" : "";
    case UseKind::unit:
      return "unit `" + std::string(word) + "`\n";
    case UseKind::type:
      return "type `" + std::string(word) + "`\n";
    case UseKind::setting:
      return of_setting(word);
    case UseKind::choice:
      return "choice `" + std::string(word) + "`\n";
    case UseKind::argument:
      for (const MemberInfo& a : vocabulary().body_arguments)
        if (use.symbol == kNoSymbol && a.name == word) return "`" + a.name + "`: " + a.meaning + "\n";
      break;
    case UseKind::declaration:
    case UseKind::name:
    case UseKind::member:
      break;
  }
  if (use.symbol != kNoSymbol) return of_symbol(d, d.symbol(use.symbol));
  return use.kind == UseKind::member ? of_member(word, d.index.space) : of_builtin(word);
}

// Returns the fact of a name whose declaration does not show it: members, elements, loop indices.
std::string fact_there(const Document& d, const IndexUse& use) {
  if (use.kind != UseKind::member && use.kind != UseKind::name) return "";
  if (use.symbol != kNoSymbol && d.fact_of(d.symbol(use.symbol).value)) return "";
  const IndexFact* fact = d.fact_ending(use.place);
  return fact ? "\nhere: " + fact_text(*fact) + "\n" : "";
}

}  // namespace

std::string fact_text(const IndexFact& fact) {
  std::string out = fact.shape;
  if (!fact.unit.empty()) out += fact.unit == "1" ? ", a pure number" : " [" + fact.unit + "]";
  if (const std::string value = value_text(fact.value); !value.empty()) out += " = " + value;
  if (!fact.level.empty()) out += ", " + fact.level + " level";
  return out;
}

Json hover(const Document& document, std::uint32_t offset) {
  const IndexUse* use = document.use_at(offset);
  if (!use) return nullptr;
  const std::string text = of_use(document, *use) + fact_there(document, *use);
  if (text.empty()) return nullptr;
  return {{"contents", markdown(text)}, {"range", range_json(document.text, use->place.begin, use->place.end)}};
}

Json inlay_hints(Document& document, std::uint32_t begin, std::uint32_t end) {
  Json out = Json::array();
  const auto put = [&](std::uint32_t at, const std::string& label) {
    if (at < begin || at > end) return;
    out.push_back({{"position", to_json(document.text.point(at))}, {"label", label}, {"paddingLeft", true}});
  };
  for (const IndexSymbol& s : document.index.symbols) {
    if (s.kind != SymbolKind::value && s.kind != SymbolKind::output) continue;
    const IndexFact* fact = document.fact_of(s.value);
    // A value that ends with a unit needs no hint.
    if (!fact || fact->unit.empty() || fact->unit == "1" || document.text_of(s.value).ends_with(']')) continue;
    put(s.place.end, "[" + fact->unit + "]");
  }
  for (const IndexRows& rows : document.index.rows) put(rows.place.end, rows_text(rows));
  const std::size_t head = document.text.str().find("mbd ");
  const std::uint32_t line =
      document.text.line_of(static_cast<std::uint32_t>(std::min(head, document.text.str().size())));
  const auto head_end = static_cast<std::uint32_t>(document.text.line_begin(line) + document.text.line(line).size());
  if (head != std::string::npos && head_end >= begin && head_end <= end)
    if (const std::optional<int> freedoms = document.degrees_of_freedom())
      put(head_end, counted(static_cast<std::uint64_t>(std::max(*freedoms, 0)), "degree") + " of freedom");
  return out;
}

}  // namespace mbc::lsp
