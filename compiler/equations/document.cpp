// SPDX-License-Identifier: Apache-2.0
#include "compiler/equations/document.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "compiler/equations/drafts.h"
#include "compiler/equations/families.h"
#include "compiler/reading/named.h"

namespace mbc::equations {

namespace {

using reading::Expression;

// A section with more equations than this is only counted when a model has more than kMostEquations.
constexpr std::size_t kMostOfSection = 60, kMostEquations = 400;

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ') out += c;
  return out;
}

std::string label_of(const Draft& d) { return reading::typeset(d.left, reading::Language::ascii); }

// "M[2,1]" is M[1,2], which may also be asked for by the names of the two speeds.
bool is_entry(const Draft& d, const std::string& wanted) {
  if (d.left.index.size() != 2) return false;
  const auto entry = [&](const std::string& i, const std::string& j) { return d.left.name + "[" + i + "," + j + "]"; };
  const std::string &i = d.left.index[0], &j = d.left.index[1];
  if (d.left.name == "M" && wanted == entry(j, i)) return true;
  if (d.left.name != "M") return false;
  return wanted == entry(d.about[0], d.about[1]) || wanted == entry(d.about[1], d.about[0]);
}

bool selects(const std::string& wanted, const DraftSection& section, const Draft& d) {
  const std::string label = label_of(d);
  if (label == wanted) return true;
  if (!d.on_request && (wanted == section.key || is_entry(d, wanted) || label.starts_with(wanted + "["))) return true;
  return std::any_of(d.about.begin(), d.about.end(), [&](const std::string& name) {
    return name == wanted || name.starts_with(wanted + ".") || name.starts_with(wanted + "[") || name == wanted + "'";
  });
}

// A draft whose left side stands in others; entries of rotation matrices are shown only where they are asked for.
bool is_name(const DraftSection& s, const Draft& d) { return d.leaf.valid() && s.key != "R"; }

// Names that stand in equations of a selection, D of a solved form, come with them. The others go unless `wanted`.
template <class Wanted>
void drop_unused_names(std::vector<DraftSection>& sections, const Graph& graph, Wanted&& wanted) {
  std::vector<NodeId> values;
  for (const DraftSection& s : sections)
    for (const Draft& d : s.drafts)
      if (d.value.valid() && (!is_name(s, d) || wanted(s, d))) values.push_back(d.value);
  std::set<std::uint32_t> used;
  for (const NodeId id : graph::reachable(graph, values)) used.insert(id.value);
  for (DraftSection& s : sections)
    std::erase_if(s.drafts,
                  [&](const Draft& d) { return is_name(s, d) && !used.contains(d.leaf.value) && !wanted(s, d); });
}

void select(std::vector<DraftSection>& sections, const std::vector<std::string>& of, const Graph& graph,
            std::optional<UnknownSelection>& unknown) {
  if (of.empty()) {
    for (DraftSection& s : sections) std::erase_if(s.drafts, [](const Draft& d) { return d.on_request; });
    return;
  }
  std::vector<std::string> wanted;
  for (const std::string& name : of) wanted.push_back(without_blanks(name));
  for (const std::string& name : wanted) {
    bool found = false;
    std::vector<std::string> known;
    for (const DraftSection& s : sections) {
      known.push_back(s.key);
      for (const Draft& d : s.drafts) {
        found |= selects(name, s, d);
        known.push_back(label_of(d));
        known.insert(known.end(), d.about.begin(), d.about.end());
      }
    }
    if (!found && !unknown) unknown = {name, std::move(known)};
  }
  const auto asked_for = [&](const DraftSection& s, const Draft& d) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return selects(name, s, d); });
  };
  for (DraftSection& s : sections) {
    std::erase_if(s.drafts, [&](const Draft& d) { return !is_name(s, d) && !asked_for(s, d); });
    s.notes.clear();
  }
  drop_unused_names(sections, graph, asked_for);
  std::erase_if(sections, [](const DraftSection& s) { return s.drafts.empty(); });
}

// A model that is too large to be printed says how large it is.
void count_long_sections(std::vector<DraftSection>& sections) {
  std::size_t all = 0;
  for (const DraftSection& s : sections) all += s.drafts.size();
  if (all <= kMostEquations) return;
  for (DraftSection& s : sections) {
    if (s.drafts.size() <= kMostOfSection) continue;
    const Draft& last = s.drafts.back();
    s.notes.push_back(counted(s.drafts.size(), "equation") + ", too many to be printed: select some of them, " +
                      label_of(s.drafts.front()) + " to " + label_of(last) + ", or by a name of the model, such as " +
                      (last.about.empty() ? s.key : last.about.back()));
    s.drafts.clear();
  }
}

// The symbol of a name that is written by hand: "A^T lambda" is two symbols, "-V" the negative of one.
Expression by_hand(SymbolList& symbols, const reading::SymbolName& name) {
  if (name.name.starts_with('-')) return reading::negative(by_hand(symbols, {name.name.substr(1), {}, name.bold}));
  const std::size_t blank = name.name.find(' ');
  if (blank == std::string::npos) return reading::symbol(symbols.add(name));
  std::vector<Expression> factors{by_hand(symbols, {name.name.substr(0, blank), {}, name.bold}),
                                  by_hand(symbols, {name.name.substr(blank + 1), {}, name.bold})};
  return {.form = reading::Form::product, .parts = std::move(factors)};
}

Expression left_of(const Draft& d, SymbolList& symbols) {
  if (d.leaf.valid())
    if (const auto known = symbols.symbols().of(d.leaf)) return reading::symbol(*known);
  return by_hand(symbols, d.left);
}

// The right side is zero wherever it has a value.
bool is_zero(const Draft& d, const reading::Page& page) {
  if (d.written == Draft::kNotWritten) return false;
  const reading::Simplified& value = page.expressions[d.written];
  return value.conditions.empty() && reading::is_number(value.expression, 0);
}

// Entries of M, A and f that turn out to be zero are not written, nor are they terms of others. Sums whose terms cancel
// each other are written as long as they have terms.
void drop_zeros(std::vector<DraftSection>& drafts, const reading::Page& page) {
  std::set<std::string> dropped;
  const auto is_dropped = [&](const reading::SymbolName& name) {
    return dropped.contains(reading::typeset(name, reading::Language::ascii));
  };
  for (DraftSection& s : drafts) {
    std::erase_if(s.drafts, [&](const Draft& d) {
      const bool listed = s.key == "M" || s.key == "f" || s.key == "B" || s.key == "projected" || d.left.name == "A";
      const bool zero = listed && d.names.empty() && is_zero(d, page);
      if (zero) dropped.insert(label_of(d));
      return zero;
    });
    std::erase_if(s.drafts,
                  [&](const Draft& d) { return d.product && std::any_of(d.names.begin(), d.names.end(), is_dropped); });
    for (Draft& d : s.drafts) std::erase_if(d.names, is_dropped);
    std::erase_if(s.drafts, [&](const Draft& d) {
      return s.key == "f" && d.names.empty() && (d.written == Draft::kNotWritten || is_zero(d, page));
    });
  }
}

// The right side of an equation between names, and that of no names: zero.
std::optional<Expression> of_names(const Draft& d, SymbolList& symbols) {
  if (d.alone) return std::nullopt;
  std::vector<Expression> parts;
  for (const reading::SymbolName& name : d.names) parts.push_back(by_hand(symbols, name));
  if (d.product) return Expression{.form = reading::Form::product, .parts = std::move(parts)};
  return reading::sum(std::move(parts));
}

bool holds(const Expression& e, const std::set<std::uint32_t>& symbols) {
  if (e.form == reading::Form::symbol) return symbols.contains(e.symbol);
  return std::any_of(e.parts.begin(), e.parts.end(), [&](const Expression& p) { return holds(p, symbols); });
}

// The sections with their simplified right sides; symbols that are `indexed` have names in the index of a family. Names
// of subexpressions come before what uses them.
void fill(Document& out, std::vector<DraftSection>& drafts, const reading::Page& page,
          std::set<std::uint32_t> indexed) {
  Section names{"names", "Abbreviations"};
  for (const reading::Definition& d : page.definitions) {
    const std::string& name = out.symbols.name(d.symbol).name;
    names.equations.push_back({name, {}, reading::symbol(d.symbol), d.value.expression, {}, {}, d.value.conditions});
    if (holds(d.value.expression, indexed)) {  // also what uses it is one of each member of a family
      indexed.insert(d.symbol);
      names.equations.back().range = "each member";
    }
  }
  drop_zeros(drafts, page);
  for (DraftSection& s : drafts) {
    const bool has_values =
        std::any_of(s.drafts.begin(), s.drafts.end(), [](const Draft& d) { return d.written != Draft::kNotWritten; });
    if (has_values && !names.equations.empty()) out.sections.push_back(std::exchange(names, {}));
    Section& made = out.sections.emplace_back(Section{std::move(s.key), std::move(s.title), {}, std::move(s.notes)});
    for (Draft& d : s.drafts) {
      Equation e{label_of(d), std::move(d.about), left_of(d, out.symbols), {}, std::move(d.unit), std::move(d.remark),
                 {},          std::move(d.range)};
      const bool has_value = d.written != Draft::kNotWritten;
      if (!has_value || !d.names.empty()) e.right = of_names(d, out.symbols);
      if (has_value) {
        (d.names.empty() ? e.right : e.total) = page.expressions[d.written].expression;
        e.conditions = page.expressions[d.written].conditions;
      }
      made.equations.push_back(std::move(e));
    }
  }
}

// Drafts with rotation matrices by their names, and families as one equation each. The symbols of the document get the
// names that the model does not know; those in the index of a family are returned.
std::set<std::uint32_t> name_leaves(Document& out, std::vector<DraftSection>& drafts, WrittenSystem& written,
                                    bool families) {
  std::set<std::uint32_t> indexed;
  LeafNames names;
  Replacement rotations(written.graph());
  for (const NamedRotation& r : rotations_of(written)) {
    rotations.set(r.entry, r.negated ? written.graph().neg(r.leaf) : r.leaf);
    if (!r.negated) names.try_emplace(r.leaf.value, r.name);
  }
  for (DraftSection& s : drafts)
    for (Draft& d : s.drafts) {
      if (d.leaf.valid()) names.try_emplace(d.leaf.value, d.left);
      if (d.value.valid() && s.key != "R") d.value = rotations.of(d.value);  // the entries themselves are written out
    }
  if (families)
    for (auto& [leaf, name] : merge_families(drafts, written, names))
      indexed.insert(out.symbols.add(leaf, std::move(name)));
  for (auto& [leaf, name] : std::map<std::uint32_t, reading::SymbolName>(names.begin(), names.end()))
    out.symbols.add(NodeId{leaf}, name);
  return indexed;
}

// Sums of named parts are added up where that is shorter than the parts.
void choose_totals(std::vector<DraftSection>& drafts, const Graph& graph, const reading::Symbols& symbols) {
  reading::Simplifier simplifier(graph, symbols);
  const auto length = [&](NodeId value) {
    const std::optional<reading::Simplified> s = simplifier.simplify(value);
    return s ? reading::length(s->expression) : reading::kLongest;
  };
  for (DraftSection& s : drafts)
    for (Draft& d : s.drafts) {
      if (!d.value.valid() || d.names.empty()) continue;
      std::size_t parts = 0;
      for (const Draft& part : s.drafts)
        if (std::any_of(d.names.begin(), d.names.end(), [&](const reading::SymbolName& name) {
              return name.name == part.left.name && name.index == part.left.index;
            }))
          parts += length(part.value) + 3;
      if (length(d.value) + 3 >= parts) d.value = {};
    }
}

}  // namespace

Document document_of(const Sources& sources, const Request& request, std::optional<UnknownSelection>& unknown) {
  WrittenSystem written(sources.model, sources.system, request.numbers);
  std::vector<DraftSection> drafts = drafts_of(written, sources);
  Document out;
  select(drafts, request.of, written.graph(), unknown);
  if (unknown) return out;
  if (!request.derivation)
    for (DraftSection& s : drafts) std::erase_if(s.drafts, [](const Draft& d) { return d.derivation; });
  std::set<std::uint32_t> indexed = name_leaves(out, drafts, written, request.families);
  count_long_sections(drafts);
  std::vector<NodeId> read;
  for (const DraftSection& s : drafts)
    for (const Draft& d : s.drafts)
      if (d.value.valid()) read.push_back(d.value);
  out.symbols.add_leaves(written.graph(), read, sources.model);
  choose_totals(drafts, written.graph(), out.symbols.symbols());
  read.clear();
  for (DraftSection& s : drafts)
    for (Draft& d : s.drafts) {
      if (!d.value.valid()) continue;
      d.written = read.size();
      read.push_back(d.value);
    }
  const StartValues start(sources.model, request.start);
  for (const NodeId id : graph::reachable(written.graph(), read)) {
    const graph::Node& n = written.graph().node(id);
    if (n.op == graph::Op::leaf && n.leaf != LeafKind::time && n.leaf != LeafKind::slot_constant &&
        n.leaf != LeafKind::mask)
      out.given.push_back({*out.symbols.symbols().of(id), start.of(n), n.leaf == LeafKind::param});
  }
  const reading::Page page = reading::named(written.graph(), read, out.symbols.growing());
  out.symbols.name_new_symbols();
  fill(out, drafts, page, std::move(indexed));
  return out;
}

}  // namespace mbc::equations
