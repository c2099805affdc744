// SPDX-License-Identifier: Apache-2.0
#include "compiler/equations/document.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "compiler/equations/drafts.h"
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
  if (wanted == section.key || is_entry(d, wanted)) return true;
  const std::string label = label_of(d);
  if (label == wanted || label.starts_with(wanted + "[")) return true;
  return std::any_of(d.about.begin(), d.about.end(), [&](const std::string& name) {
    return name == wanted || name.starts_with(wanted + ".") || name.starts_with(wanted + "[") || name == wanted + "'";
  });
}

void select(std::vector<DraftSection>& sections, const std::vector<std::string>& of,
            std::optional<UnknownSelection>& unknown) {
  if (of.empty()) return;
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
  for (DraftSection& s : sections) {
    std::erase_if(s.drafts, [&](const Draft& d) {
      return std::none_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return selects(name, s, d); });
    });
    s.notes.clear();
  }
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

// Entries of rotation matrices are replaced by their names.
class WithRotations {
 public:
  explicit WithRotations(WrittenSystem& written) : graph_(written.graph()) {
    for (const NamedRotation& r : rotations_of(written))
      known_.try_emplace(r.entry.value, r.negated ? graph_.neg(r.leaf) : r.leaf);
  }
  NodeId of(NodeId root) {
    graph::each_below(
        graph_, root, [&](NodeId id) { return known_.contains(id.value); },
        [&](NodeId id) {
          const graph::Node n = graph_.node(id);
          known_[id.value] =
              kernel::arity(n.op) == 0 ? id : graph_.remake(n, [&](std::uint32_t of) { return known_.at(of); });
        });
    return known_.at(root.value);
  }

 private:
  Graph& graph_;
  std::unordered_map<std::uint32_t, NodeId> known_;
};

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

// Entries of M, A and f that turn out to be zero are not written, nor are they terms of others.
void drop_zeros(std::vector<DraftSection>& drafts, const reading::Page& page) {
  for (DraftSection& s : drafts) {
    std::set<std::string> dropped;
    std::erase_if(s.drafts, [&](const Draft& d) {
      const bool listed = s.key == "M" || s.key == "f" || d.left.name == "A";
      const bool zero =
          listed && d.written != Draft::kNotWritten && reading::is_number(page.expressions[d.written].expression, 0);
      if (zero) dropped.insert(label_of(d));
      return zero;
    });
    for (Draft& d : s.drafts)
      std::erase_if(d.names, [&](const reading::SymbolName& name) {
        return dropped.contains(reading::typeset(name, reading::Language::ascii));
      });
    std::erase_if(s.drafts,
                  [&](const Draft& d) { return s.key == "f" && d.written == Draft::kNotWritten && d.names.empty(); });
  }
}

// The sections with their simplified right sides. Names of subexpressions come before what uses them.
void fill(Document& out, std::vector<DraftSection>& drafts, const reading::Page& page) {
  Section names{"names", "Abbreviations"};
  for (const reading::Definition& d : page.definitions) {
    const std::string& name = out.symbols.name(d.symbol).name;
    names.equations.push_back({name, {}, reading::symbol(d.symbol), d.value.expression, {}, {}, d.value.conditions});
  }
  drop_zeros(drafts, page);
  for (DraftSection& s : drafts) {
    const bool has_values =
        std::any_of(s.drafts.begin(), s.drafts.end(), [](const Draft& d) { return d.written != Draft::kNotWritten; });
    if (has_values && !names.equations.empty()) out.sections.push_back(std::exchange(names, {}));
    Section& made = out.sections.emplace_back(Section{std::move(s.key), std::move(s.title), {}, std::move(s.notes)});
    for (Draft& d : s.drafts) {
      Equation e{label_of(d), std::move(d.about), left_of(d, out.symbols), {}, std::move(d.unit), std::move(d.remark),
                 {}};
      if (d.written != Draft::kNotWritten) {
        e.right = page.expressions[d.written].expression;
        e.conditions = page.expressions[d.written].conditions;
      } else {  // no names: zero
        std::vector<Expression> terms;
        for (const reading::SymbolName& name : d.names) terms.push_back(by_hand(out.symbols, name));
        e.right = reading::sum(std::move(terms));
      }
      made.equations.push_back(std::move(e));
    }
  }
}

}  // namespace

Document document_of(const Sources& sources, const Request& request, std::optional<UnknownSelection>& unknown) {
  WrittenSystem written(sources.model, sources.system, request.numbers);
  std::vector<DraftSection> drafts = drafts_of(written, sources);
  Document out;
  select(drafts, request.of, unknown);
  if (unknown) return out;
  if (!request.derivation)
    for (DraftSection& s : drafts) std::erase_if(s.drafts, [](const Draft& d) { return d.derivation; });
  count_long_sections(drafts);
  WithRotations rotations(written);
  std::vector<NodeId> read;
  for (DraftSection& s : drafts)
    for (Draft& d : s.drafts) {
      if (!d.value.valid()) continue;
      d.written = read.size();
      read.push_back(s.key == "R" ? d.value : rotations.of(d.value));  // the entries themselves are written out
    }
  for (const NamedRotation& r : rotations_of(written))
    if (!r.negated) out.symbols.add(r.leaf, r.name);
  for (const DraftSection& s : drafts)
    for (const Draft& d : s.drafts)
      if (d.leaf.valid() && !out.symbols.symbols().of(d.leaf)) out.symbols.add(d.leaf, d.left);
  out.symbols.add_leaves(written.graph(), read, sources.model);
  const reading::Page page = reading::named(written.graph(), read, out.symbols.growing());
  out.symbols.name_new_symbols();
  fill(out, drafts, page);
  return out;
}

}  // namespace mbc::equations
