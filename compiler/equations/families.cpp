// SPDX-License-Identifier: Apache-2.0
#include "compiler/equations/families.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/digits.h"

namespace mbc::equations {

namespace {

using graph::Node;
using reading::SymbolName;

constexpr std::size_t kFewest = 3;              // members of a family
constexpr std::size_t kMostCompared = 4000000;  // pairs of nodes in all comparisons of a document
constexpr std::uint32_t kFirstLeaf = 0x80000000u;
constexpr char kBetween = '\x1f';  // between a name and the indices of its symbol

// A text with the numbers between its brackets taken out: "p[3].x" has the number 3.
struct IndexedText {
  std::vector<std::string> between;
  std::vector<long> numbers;

  explicit IndexedText(std::string_view text) : between(1) {
    int depth = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
      depth += text[k] == '[' ? 1 : text[k] == ']' ? -1 : 0;
      std::size_t end = k;
      while (end < text.size() && is_digit(text[end])) ++end;
      const bool begins = k > 0 && (text[k - 1] == '[' || text[k - 1] == ',');
      const bool ends = end < text.size() && (text[end] == ']' || text[end] == ',');
      if (depth > 0 && begins && ends && end > k && end - k < 10) {
        numbers.push_back(std::stol(std::string(text.substr(k, end - k))));
        between.emplace_back();
        k = end - 1;
      } else {
        between.back() += text[k];
      }
    }
  }
};

std::string flat(const SymbolName& s) {
  std::string out = s.name;
  for (const std::string& index : s.index) out += kBetween + index;
  return out;
}

SymbolName unflat(const SymbolName& like, const std::string& text) {
  SymbolName out{"", {}, like.bold};
  std::size_t begin = text.find(kBetween);
  out.name = text.substr(0, begin);
  while (begin != std::string::npos) {
    const std::size_t end = text.find(kBetween, begin + 1);
    out.index.push_back(text.substr(begin + 1, end == std::string::npos ? end : end - begin - 1));
    begin = end;
  }
  return out;
}

// A text of the first member: which of its numbers move with which position of the index.
struct Moving {
  IndexedText text;
  std::vector<std::vector<char>> with;  // by number, by position

  Moving(std::string_view of, std::size_t positions)
      : text(of), with(text.numbers.size(), std::vector<char>(positions, 0)) {}
  [[nodiscard]] bool moves() const {
    return std::any_of(with.begin(), with.end(), [](const auto& w) { return std::count(w.begin(), w.end(), 1) > 0; });
  }
  // Takes the text of the member that is k further in this position; `first`: the first one there.
  bool follow(const IndexedText& other, std::size_t position, long k, bool first) {
    if (other.between != text.between) return false;
    for (std::size_t n = 0; n < with.size(); ++n) {
      const long by = other.numbers[n] - text.numbers[n];
      const char moves = by != 0 ? 1 : 0;
      if (by != 0 && by != k) return false;
      if (first) with[n][position] = moves;
      if (with[n][position] != moves) return false;
    }
    return true;
  }
};

// A number of the left side, such as that of a speed: it grows by the same step with a position of the index.
struct Numbered {
  long first = 0;
  std::vector<long> step;
};

// The struct holds what the first member of a family has in its texts, its numbers and the leaves of its right side.
struct Pattern {
  std::vector<Moving> texts{};
  std::vector<Numbered> numbers{};
  std::map<std::uint32_t, Moving> leaves{};
};

// Members of a family so far. A position of the index is a number of the name that the equations are about.
struct Family {
  std::vector<Draft> members;  // the first one stands for all
  std::vector<long> at;        // the index of the first member
  std::vector<long> count;     // members in each position
  Pattern pattern;
  std::size_t place = 0;  // in the section
};

// A name with the mark '#' in the place of each number that the left side of the draft has as well.
std::string marked(const SymbolName& s, const Draft& d) {
  SymbolName out = s;
  for (std::string& index : out.index) {
    const auto at = std::find(d.left.index.begin(), d.left.index.end(), index);
    if (all_digits(index) && at != d.left.index.end()) index = "#" + std::to_string(at - d.left.index.begin());
  }
  return flat(out);
}

std::vector<std::string> texts_of(const Draft& d) {
  std::vector<std::string> out{marked(d.left, d), d.remark};
  for (const SymbolName& name : d.names) out.push_back(marked(name, d));
  return out;
}

// The numbers of M[3,4] or f[rod,4]: positions in the list of indices that are digits only.
std::vector<Numbered> numbers_of(const Draft& d, std::size_t positions) {
  std::vector<Numbered> out;
  for (const std::string& index : d.left.index)
    if (all_digits(index)) out.push_back({std::stol(index), std::vector<long>(positions, 0)});
  return out;
}

// Two drafts can be of one family only if this is the same: the names without indices, and how far their indices are
// from that of the equation.
std::string kind_of(const Draft& d, const std::vector<long>& at) {
  std::string out = d.unit + (d.derivation ? "'" : "") + (d.value.valid() ? "=" : "");
  const auto add = [&](const std::string& text) {
    const IndexedText t(text);
    for (const std::string& part : t.between) out += kBetween + part;
    for (std::size_t n = 0; n < t.numbers.size(); ++n)
      out += ' ' + std::to_string(t.numbers.size() == at.size() ? t.numbers[n] - at[n] : 0);
  };
  SymbolName left = d.left;
  std::erase_if(left.index, all_digits);
  add(flat(left));
  for (const std::string& name : d.about) add(name);
  for (const std::string& name : d.numbered) add(name);
  return out + std::to_string(d.names.size());
}

class Families {
 public:
  Families(WrittenSystem& written, const LeafNames& names)
      : graph_(written.graph()), model_(written.model()), names_(names) {
    choose_letters();
  }

  IndexedLeaves run(std::vector<DraftSection>& sections) {
    for (DraftSection& s : sections) merge(s);
    return std::move(leaves_);
  }

 private:
  void choose_letters() {
    std::set<std::string> taken;
    const auto take = [&](const auto& list) {
      for (const auto& one : list) taken.insert(std::string(one.name));
    };
    take(model_.params), take(model_.coordinates), take(model_.speeds), take(model_.states), take(model_.inputs);
    for (const char* letter : {"i", "j", "k", "l", "m", "n", "ii", "jj", "kk", "ll"})
      if (!taken.contains(letter)) letters_.emplace_back(letter);
  }

  void merge(DraftSection& section) {
    std::map<std::string, std::vector<Family>> kinds;
    std::vector<Family> done;
    for (std::size_t k = 0; k < section.drafts.size(); ++k) {
      Draft& d = section.drafts[k];
      const auto indexed = std::find_if(d.about.begin(), d.about.end(),
                                        [](const std::string& name) { return !IndexedText(name).numbers.empty(); });
      Family one;
      one.place = k;
      if (indexed != d.about.end()) one.at = IndexedText(*indexed).numbers;
      if (one.at.empty() || one.at.size() > letters_.size() || d.leaf.valid()) {
        one.members.push_back(std::move(d));
        done.push_back(std::move(one));
        continue;
      }
      one.count.assign(one.at.size(), 1);
      for (const std::string& text : texts_of(d)) one.pattern.texts.emplace_back(text, one.at.size());
      one.pattern.numbers = numbers_of(d, one.at.size());
      std::vector<Family>& kind = kinds[kind_of(d, one.at)];
      one.members.push_back(std::move(d));
      kind.push_back(std::move(one));
    }
    for (auto& [name, list] : kinds) {
      for (std::size_t position = list[0].at.size(); position-- > 0;) list = merged(std::move(list), position);
      std::move(list.begin(), list.end(), std::back_inserter(done));
    }
    section.drafts.clear();
    std::vector<std::pair<std::size_t, Draft>> out;
    for (Family& f : done) {
      if (f.members.size() >= kFewest) {
        out.emplace_back(f.place, written(f));
        continue;
      }
      for (Draft& d : f.members) out.emplace_back(f.place, std::move(d));
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [place, d] : out) section.drafts.push_back(std::move(d));
  }

  std::vector<Family> merged(std::vector<Family> list, std::size_t position) {
    std::vector<Family> out;
    for (Family& f : list) {
      if (out.empty() || !joins(out.back(), f, position))
        out.push_back(std::move(f));
      else
        std::move(f.members.begin(), f.members.end(), std::back_inserter(out.back().members));
    }
    return out;
  }

  // Returns whether the members of `next` are those of `family`, one further in this position; they are counted then.
  bool joins(Family& family, const Family& next, std::size_t position) {
    const long k = family.count[position];
    for (std::size_t p = 0; p < family.at.size(); ++p) {
      if (next.at[p] - family.at[p] != (p == position ? k : 0)) return false;
      if (next.count[p] != (p == position ? 1 : family.count[p])) return false;
    }
    Pattern tried = family.pattern;
    const std::vector<std::string> texts = texts_of(next.members[0]);
    if (texts.size() != tried.texts.size() || next.pattern.numbers.size() != tried.numbers.size()) return false;
    for (std::size_t n = 0; n < texts.size(); ++n)
      if (!follows(tried.texts[n], next.pattern.texts[n], IndexedText(texts[n]), position, k)) return false;
    for (std::size_t n = 0; n < tried.numbers.size(); ++n)
      if (!follows(tried.numbers[n], next.pattern.numbers[n], position, k)) return false;
    if (!same(tried, family, next, position, k)) return false;
    ++family.count[position];
    family.pattern = std::move(tried);
    return true;
  }

  static bool follows(Numbered& own, const Numbered& other, std::size_t position, long k) {
    const long by = other.first - own.first;
    if (k == 1) own.step[position] = by;
    for (std::size_t p = position + 1; p < own.step.size(); ++p)
      if (own.step[p] != other.step[p]) return false;
    return by == k * own.step[position];
  }

  // Inner positions have been joined before: their numbers move in the same way.
  static bool follows(Moving& own, const Moving& other, const IndexedText& text, std::size_t position, long k) {
    for (std::size_t n = 0; n < own.with.size() && n < other.with.size(); ++n)
      for (std::size_t p = position + 1; p < own.with[n].size(); ++p)
        if (own.with[n][p] != other.with[n][p]) return false;
    return own.follow(text, position, k, k == 1);
  }

  // Numbers that are the same for nodes of one shape: operations, and names by how far their indices are from `at`. The
  // operands of a commutative operation stand in the order in which they were made, which shapes tell apart.
  using Shapes = std::unordered_map<std::uint32_t, std::uint64_t>;
  std::uint64_t shape(NodeId root, const std::vector<long>& at, Shapes& known) {
    const auto mixed = [](std::uint64_t a, std::uint64_t b) {
      return (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
    };
    graph::each_below(
        graph_, root, [&](NodeId id) { return known.contains(id.value); },
        [&](NodeId id) {
          const Node& n = graph_.node(id);
          std::uint64_t all = mixed(static_cast<std::uint64_t>(n.op), static_cast<std::uint64_t>(n.leaf));
          if (n.op == graph::Op::constant) all = mixed(all, id.value);
          if (n.op == graph::Op::leaf) {
            const IndexedText text(flat(name(id)));
            for (const std::string& part : text.between) all = mixed(all, std::hash<std::string>{}(part));
            for (std::size_t k = 0; k < text.numbers.size(); ++k)
              all = mixed(all,
                          static_cast<std::uint64_t>(text.numbers.size() == at.size() ? text.numbers[k] - at[k] : 0));
          }
          std::uint64_t operands = 0;
          for (const NodeId x : graph::Operands(n))
            operands = kernel::traits(n.op).order == kernel::OpTraits::Order::commutative
                           ? operands + mixed(1, known.at(x.value))
                           : mixed(operands, known.at(x.value));
          known[id.value] = mixed(all, operands);
        });
    return known.at(root.value);
  }

  // Compares the right sides node by node, a pair of nodes once.
  bool same(Pattern& own, const Family& family, const Family& next, std::size_t position, long k) {
    const NodeId a = family.members[0].value, b = next.members[0].value;
    const std::vector<long>& own_at = family.at;
    Shapes own_shapes, shapes;
    if (!a.valid()) return !b.valid();
    std::vector<std::pair<NodeId, NodeId>> open{{a, b}};
    std::unordered_set<std::uint64_t> seen;
    std::map<std::uint32_t, std::uint32_t> image;
    while (!open.empty()) {
      const auto [x, y] = open.back();
      open.pop_back();
      if (!seen.insert((std::uint64_t{x.value} << 32) + y.value).second) continue;
      if (++compared_ > kMostCompared) return false;
      const Node &m = graph_.node(x), &n = graph_.node(y);
      if (m.op != n.op) return false;
      if (m.op == graph::Op::constant && x != y) return false;  // equal constants are one node
      if (m.op == graph::Op::leaf) {
        if (image.try_emplace(x.value, y.value).first->second != y.value) return false;
        if (m.leaf != n.leaf) return false;
        const Moving fresh(flat(name(y)), next.at.size());
        const auto known = next.pattern.leaves.find(y.value);
        Moving& first = own.leaves.try_emplace(x.value, flat(name(x)), next.at.size()).first->second;
        if (!follows(first, known == next.pattern.leaves.end() ? fresh : known->second, fresh.text, position, k))
          return false;
      }
      const graph::Operands of_own(m), of_next(n);
      const std::vector<NodeId> left(of_own.begin(), of_own.end());
      std::vector<NodeId> right(of_next.begin(), of_next.end());
      const bool exchanged = kernel::traits(m.op).order == kernel::OpTraits::Order::commutative &&
                             shape(left[0], own_at, own_shapes) != shape(right[0], next.at, shapes) &&
                             shape(left[0], own_at, own_shapes) == shape(right[1], next.at, shapes);
      if (exchanged) std::swap(right[0], right[1]);
      for (std::size_t o = 0; o < left.size(); ++o) open.emplace_back(left[o], right[o]);
    }
    return true;
  }

  const SymbolName& name(NodeId leaf) {
    auto it = known_.find(leaf.value);
    if (it != known_.end()) return it->second;
    const auto other = names_.find(leaf.value);
    const Node& n = graph_.node(leaf);
    return known_.emplace(leaf.value, other != names_.end() ? other->second : name_of_leaf(model_, n.leaf, n.a))
        .first->second;
  }

  // "i-1", "2i+1": the sum over positions of steps times indices, and a number.
  [[nodiscard]] std::string in_index(const std::vector<long>& steps, long constant) const {
    std::string out;
    for (std::size_t p = 0; p < steps.size(); ++p) {
      if (steps[p] == 0) continue;
      const long size = steps[p] < 0 ? -steps[p] : steps[p];
      out += steps[p] < 0 ? "-" : out.empty() ? "" : "+";
      out += (size == 1 ? "" : std::to_string(size)) + letters_[p];
    }
    if (out.empty() || constant < 0) return out + std::to_string(constant);
    return constant == 0 ? out : out + "+" + std::to_string(constant);
  }

  [[nodiscard]] std::string renamed(const Moving& m, const std::vector<long>& at) const {
    std::string out = m.text.between[0];
    for (std::size_t n = 0; n < m.with.size(); ++n) {
      const std::vector<long> steps(m.with[n].begin(), m.with[n].end());
      long constant = m.text.numbers[n];
      for (std::size_t p = 0; p < at.size(); ++p) constant -= steps[p] * at[p];
      out += in_index(steps, constant) + m.text.between[n + 1];
    }
    return out;
  }

  // The first member, with the index in its names.
  Draft written(const Family& f) {
    Draft d = f.members[0];
    std::map<std::string, std::string> numbers;  // of the left side, in the index
    const auto with_numbers = [&](const SymbolName& of_first, const Moving& m) {
      SymbolName s = unflat(of_first, renamed(m, f.at));
      for (std::size_t k = 0; k < s.index.size(); ++k)
        if (s.index[k].starts_with('#')) s.index[k] = numbers.at(of_first.index[k]);
      return s;
    };
    for (const Numbered& n : f.pattern.numbers) {
      long constant = n.first;
      for (std::size_t p = 0; p < f.at.size(); ++p) constant -= n.step[p] * f.at[p];
      numbers[std::to_string(n.first)] = in_index(n.step, constant);
    }
    d.left = with_numbers(d.left, f.pattern.texts[0]);
    d.remark = renamed(f.pattern.texts[1], f.at);
    for (std::size_t k = 0; k < d.names.size(); ++k) d.names[k] = with_numbers(d.names[k], f.pattern.texts[k + 2]);
    Replacement with_index(graph_);
    for (const auto& [leaf, m] : f.pattern.leaves)
      if (m.moves()) with_index.set(NodeId{leaf}, leaf_of(unflat(name(NodeId{leaf}), renamed(m, f.at))));
    if (d.value.valid()) d.value = with_index.of(d.value);
    for (std::size_t p = 0; p < f.at.size(); ++p)
      if (f.count[p] > 1)
        d.range += (d.range.empty() ? "" : ", ") + letters_[p] + " = " + std::to_string(f.at[p]) + ".." +
                   std::to_string(f.at[p] + f.count[p] - 1);
    return d;
  }

  NodeId leaf_of(SymbolName s) {
    const auto [it, is_new] = made_.try_emplace(flat(s), NodeId{});
    if (is_new) {
      it->second = graph_.leaf(LeafKind::slot_constant, kFirstLeaf + static_cast<std::uint32_t>(leaves_.size()));
      leaves_.emplace_back(it->second, std::move(s));
    }
    return it->second;
  }

  Graph& graph_;
  const sema::Model& model_;
  const LeafNames& names_;
  std::vector<std::string> letters_;
  std::unordered_map<std::uint32_t, SymbolName> known_;
  std::map<std::string, NodeId> made_;
  IndexedLeaves leaves_;
  std::size_t compared_ = 0;
};

}  // namespace

IndexedLeaves merge_families(std::vector<DraftSection>& sections, WrittenSystem& written, const LeafNames& names) {
  return Families(written, names).run(sections);
}

}  // namespace mbc::equations
