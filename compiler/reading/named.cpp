// SPDX-License-Identifier: Apache-2.0
#include "compiler/reading/named.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_set>

#include "base/check.h"

namespace mbc::reading {

using graph::NodeId;

namespace {

constexpr std::size_t kWorthAName = 20;  // length() of what is given a name

// Nodes to be named so that all that is left can be written: what is used more than once, and pieces of what is too
// large.
std::vector<NodeId> pieces(const graph::Graph& graph, std::span<const NodeId> roots, const Symbols& symbols) {
  std::unordered_map<std::uint32_t, std::size_t> uses;
  std::vector<NodeId> order;
  std::unordered_set<std::uint32_t> seen;
  for (const auto& [id, s] : symbols.of_nodes()) seen.insert(id);
  for (const NodeId root : roots) {
    const auto done = [&](NodeId id) { return seen.contains(id.value); };
    graph::each_below(graph, root, done, [&](NodeId id) {
      seen.insert(id.value);
      order.push_back(id);
      for (const NodeId x : graph::Operands(graph.node(id))) ++uses[x.value];
    });
    ++uses[root.value];
  }
  std::vector<NodeId> found;
  std::unordered_map<std::uint32_t, Extent> extent;
  const auto of = [&](NodeId id) {
    const auto it = extent.find(id.value);
    return it == extent.end() ? Extent{3, 1} : it->second;
  };
  for (const NodeId id : order) {
    Extent e = extent_of(graph, id, of);
    const bool repeats = uses[id.value] > 1 && e.length > kWorthAName && !kernel::is_truth(graph.node(id).op);
    const bool is_root = std::find(roots.begin(), roots.end(), id) != roots.end() && uses[id.value] == 1;
    if (!is_root && (repeats || e.depth >= kDeepest / 2 || e.length >= kLongest / 4)) {
      found.push_back(id);
      e = {3, 1};
    }
    extent[id.value] = e;
  }
  return found;
}

// Subtrees of expressions, equal ones once; parts come before what they are parts of.
class Subtrees {
 public:
  explicit Subtrees(std::span<const std::size_t> widths) : widths_(widths) {}

  void add_root(const Expression& e) {
    const std::uint32_t root = add(e);
    ++list_[root].uses;
    if (length(e, widths_) > kLine) list_[root].in_long = true;
  }
  // Gives names to what repeats; afterwards nothing is added.
  void name(const std::function<std::uint32_t()>& new_symbol) {
    for (std::size_t k = list_.size(); k-- > 0;)
      if (list_[k].in_long)
        for (const std::uint32_t p : std::get<4>(*list_[k].key)) list_[p].in_long = true;
    for (Subtree& s : list_)
      if (s.uses > 1 && s.in_long && s.length >= kWorthAName && !is_condition(s)) s.name = new_symbol();
  }
  [[nodiscard]] Expression with_names(const Expression& e) const { return rebuilt(id_.at(key_of(e))); }
  [[nodiscard]] std::vector<std::pair<std::uint32_t, Expression>> definitions() const {
    std::vector<std::pair<std::uint32_t, Expression>> all;
    for (const Subtree& s : list_)
      if (s.name) all.emplace_back(*s.name, opened(s));
    return all;
  }

 private:
  using Key = std::tuple<Form, kernel::Op, std::uint32_t, std::uint64_t, std::vector<std::uint32_t>>;
  struct Subtree {
    const Key* key;
    std::size_t length, uses = 0;
    bool in_long = false;
    std::optional<std::uint32_t> name = {};
  };

  // Names are numbers: a condition is written out.
  [[nodiscard]] static bool is_condition(const Subtree& s) {
    return std::get<0>(*s.key) == Form::call && kernel::is_truth(std::get<1>(*s.key));
  }

  [[nodiscard]] Key key_of(const Expression& e) const {
    std::vector<std::uint32_t> parts;
    for (const Expression& p : e.parts) parts.push_back(id_.at(key_of(p)));
    return {e.form, e.op, e.symbol, std::bit_cast<std::uint64_t>(e.number), std::move(parts)};
  }
  std::uint32_t add(const Expression& e) {
    std::vector<std::uint32_t> parts;
    for (const Expression& p : e.parts) parts.push_back(add(p));
    Key key{e.form, e.op, e.symbol, std::bit_cast<std::uint64_t>(e.number), parts};
    const auto [it, is_new] = id_.try_emplace(std::move(key), static_cast<std::uint32_t>(list_.size()));
    if (!is_new) return it->second;
    list_.push_back({&it->first, length(e)});
    for (const std::uint32_t p : parts) ++list_[p].uses;
    return it->second;
  }
  [[nodiscard]] Expression rebuilt(std::uint32_t id) const {
    return list_[id].name ? symbol(*list_[id].name) : opened(list_[id]);
  }
  [[nodiscard]] Expression opened(const Subtree& s) const {
    const auto& [form, op, index, bits, parts] = *s.key;
    Expression e{form, std::bit_cast<double>(bits), index, op, {}};
    for (const std::uint32_t p : parts) e.parts.push_back(rebuilt(p));
    return e;
  }

  std::span<const std::size_t> widths_;
  std::map<Key, std::uint32_t> id_;
  std::vector<Subtree> list_;
};

// Definitions by their symbols, and how often each symbol is used.
using Definitions = std::map<std::uint32_t, Simplified>;

void count(const Expression& e, std::map<std::uint32_t, std::size_t>& uses) {
  if (e.form == Form::symbol) ++uses[e.symbol];
  for (const Expression& p : e.parts) count(p, uses);
}

void count(const Simplified& s, std::map<std::uint32_t, std::size_t>& uses) {
  count(s.expression, uses);
  for (const Expression& c : s.conditions) count(c, uses);
}

// Definitions in the place of their symbols, and what they were simplified with.
class Substitution {
 public:
  Substitution(const Definitions& definitions, const Symbols& symbols) : definitions_(definitions), symbols_(symbols) {}

  void apply(Simplified& s) {
    conditions_ = std::move(s.conditions);
    s.expression = replaced(s.expression);
    // The conditions of definitions that conditions use are added while they are gone through.
    for (std::size_t k = 0; k < conditions_.size(); ++k) {
      Expression c = replaced(conditions_[k]);
      conditions_[k] = std::move(c);
    }
    std::sort(conditions_.begin(), conditions_.end(),
              [&](const Expression& a, const Expression& b) { return compare(a, b, symbols_) < 0; });
    conditions_.erase(std::unique(conditions_.begin(), conditions_.end()), conditions_.end());
    s.conditions = std::move(conditions_);
  }

 private:
  Expression replaced(const Expression& e) {
    if (e.form == Form::symbol)
      if (const auto it = definitions_.find(e.symbol); it != definitions_.end()) {
        conditions_.insert(conditions_.end(), it->second.conditions.begin(), it->second.conditions.end());
        return replaced(it->second.expression);
      }
    std::vector<Expression> parts;
    for (const Expression& p : e.parts) parts.push_back(replaced(p));
    switch (e.form) {
      case Form::number:
      case Form::symbol:
        return e;
      case Form::sum:
        return arranged(sum(std::move(parts)), symbols_);
      case Form::product:
        return arranged(product(std::move(parts)), symbols_);
      case Form::power:
        return power(std::move(parts[0]), std::move(parts[1]));
      case Form::call:
        return arranged(call(e.op, std::move(parts)), symbols_);
    }
    return e;
  }

  const Definitions& definitions_;
  const Symbols& symbols_;
  std::vector<Expression> conditions_;
};

void substitute(Page& page, const Definitions& definitions, const Symbols& symbols) {
  Substitution substitution(definitions, symbols);
  for (Definition& d : page.definitions) substitution.apply(d.value);
  for (Simplified& s : page.expressions) substitution.apply(s);
}

// Writes out the names that are used once, as far as that does not nest too deeply.
void write_out_single_uses(Page& page, const Symbols& symbols) {
  std::map<std::uint32_t, std::size_t> uses;
  for (const Simplified& s : page.expressions) count(s, uses);
  for (const Definition& d : page.definitions) count(d.value, uses);
  Definitions single;
  for (const Definition& d : page.definitions) {
    const Expression& e = d.value.expression;
    if (e.form == Form::symbol || (uses[d.symbol] < 2 && depth(e) < kDeepest / 2 && length(e) < kLongest / 4))
      single[d.symbol] = d.value;
  }
  std::erase_if(page.definitions, [&](const Definition& d) { return single.contains(d.symbol); });
  substitute(page, single, symbols);
}

// Definitions in the order in which they are needed.
std::vector<Definition> in_order(const Page& page) {
  std::map<std::uint32_t, const Definition*> open;
  for (const Definition& d : page.definitions) open[d.symbol] = &d;
  std::vector<Definition> sorted;
  const std::function<void(const Expression&)> visit = [&](const Expression& e) {
    for (const Expression& p : e.parts) visit(p);
    if (e.form != Form::symbol || !open.contains(e.symbol)) return;
    const Definition* d = open[e.symbol];
    open.erase(e.symbol);
    visit(d->value.expression);
    for (const Expression& c : d->value.conditions) visit(c);
    sorted.push_back(*d);
  };
  for (const Simplified& s : page.expressions) {
    visit(s.expression);
    for (const Expression& c : s.conditions) visit(c);
  }
  return sorted;
}

std::string free_prefix(std::string prefix, const Symbols& symbols) {
  const auto taken = [&] {
    for (std::uint32_t s = 0; s < symbols.size(); ++s)
      if (const std::string& name = symbols.name(s); name.starts_with(prefix) && name.size() > prefix.size() &&
                                                     name.find_first_not_of("0123456789", prefix.size()) == name.npos)
        return true;
    return false;
  };
  const std::string more = prefix;
  while (taken()) prefix += more;
  return prefix;
}

// All nodes simplified, in pieces where they are too large; the pieces are definitions.
Page simplified(const graph::Graph& graph, std::span<const NodeId> nodes, Symbols& symbols,
                const std::function<std::string()>& new_name) {
  Page page;
  std::vector<NodeId> too_large;
  Simplifier whole(graph, symbols);
  std::vector<std::optional<Simplified>> found;
  for (const NodeId node : nodes) {
    found.push_back(whole.simplify(node));
    if (!found.back()) too_large.push_back(node);
  }
  const std::vector<NodeId> parts = pieces(graph, too_large, symbols);
  for (const NodeId piece : parts) symbols.add(piece, new_name());
  Simplifier in_pieces(graph, symbols);
  const auto written = [&](NodeId node) {
    auto s = in_pieces.simplify(node);
    CHECK(s.has_value(), "the pieces of an expression can be written");
    return std::move(*s);
  };
  for (const NodeId piece : parts) page.definitions.push_back({*symbols.of(piece), written(piece)});
  for (std::size_t k = 0; k < nodes.size(); ++k)
    page.expressions.push_back(found[k] ? std::move(*found[k]) : written(nodes[k]));
  return page;
}

void name_what_repeats(Page& page, Symbols& symbols, const std::function<std::string()>& new_name) {
  std::vector<std::size_t> widths;
  for (std::uint32_t s = 0; s < symbols.size(); ++s) widths.push_back(symbols.name(s).size());
  Subtrees subtrees(widths);
  const auto each_root = [&](auto&& visit) {
    const auto visit_all = [&](Simplified& s) {
      visit(s.expression);
      for (Expression& c : s.conditions) visit(c);
    };
    for (Definition& d : page.definitions) visit_all(d.value);
    for (Simplified& s : page.expressions) visit_all(s);
  };
  each_root([&](const Expression& e) { subtrees.add_root(e); });
  subtrees.name([&] { return symbols.add(new_name()); });
  each_root([&](Expression& e) { e = subtrees.with_names(e); });
  for (auto& [s, e] : subtrees.definitions()) page.definitions.push_back({s, {std::move(e), {}}});
}

}  // namespace

Page named(const graph::Graph& graph, std::span<const NodeId> nodes, Symbols& symbols, const std::string& prefix) {
  const std::string stem = free_prefix(prefix, symbols);
  std::size_t names = 0;
  const auto new_name = [&] { return stem + std::to_string(++names); };
  Page page = simplified(graph, nodes, symbols, new_name);
  name_what_repeats(page, symbols, new_name);
  write_out_single_uses(page, symbols);
  page.definitions = in_order(page);
  for (std::size_t k = 0; k < page.definitions.size(); ++k)
    symbols.rename(page.definitions[k].symbol, stem + std::to_string(k + 1));
  substitute(page, {}, symbols);  // Terms are sorted by the new names.
  return page;
}

}  // namespace mbc::reading
