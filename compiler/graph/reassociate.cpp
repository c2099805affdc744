// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/reassociate.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mbc::graph {

namespace {

bool is_sum(const Node& n) { return n.op == Op::add || n.op == Op::sub; }

class Reordering {
 public:
  Reordering(const Graph& from, std::span<const NodeId> roots)
      : from_(from), order_(reachable(from, roots)), uses_(from.size()), in_sums_(from.size()), image_(from.size()) {
    to_.share_tables(from.tables());
    for (NodeId root : roots) ++uses_[root.value];
    for (NodeId id : order_) count_uses(from.node(id));
    for (NodeId id : order_) {
      to_.set_current_span(from.origin(id));
      if (!inner(id)) image_[id.value] = make(id);
    }
    for (NodeId root : roots) roots_.push_back(image_[root.value]);
  }
  RootedGraph take() { return {std::move(to_), std::move(roots_)}; }

 private:
  struct Term {
    NodeId node;  // of the new graph
    bool negative = false, product = false;
    std::uint32_t known = 0;  // the time at which it can be added; the factors count if a fused operation adds it
  };

  void count_uses(const Node& n) {
    for (const NodeId x : Operands(n)) {
      ++uses_[x.value];
      in_sums_[x.value] += is_sum(n);
    }
  }

  // Returns whether a sum is used only as a term of another sum.
  [[nodiscard]] bool inner(NodeId id) const {
    return is_sum(from_.node(id)) && uses_[id.value] == 1 && in_sums_[id.value] == 1;
  }
  [[nodiscard]] bool fusible(NodeId id) const {
    return from_.node(id).op == Op::mul && uses_[id.value] == in_sums_[id.value];
  }

  NodeId make(NodeId id) {
    const Node n = from_.node(id);
    if (is_sum(n) && (inner({n.a}) || inner({n.b}))) return sum(id);
    return copy(n);
  }

  NodeId copy(const Node& n) { return known_at(to_.raw(with_operands(n, image_))); }

  NodeId known_at(NodeId made) {
    if (known_.size() < to_.size()) known_.resize(to_.size(), 0);
    const Node& n = to_.node(made);
    std::uint32_t at = 0;
    for (const NodeId x : Operands(n)) at = std::max(at, known_[x.value]);
    known_[made.value] = at + latency(n.op);
    return made;
  }

  // Collects the terms below a sum in their order. Returns the time at which the sum is known as it stands.
  std::uint32_t collect(NodeId id, bool negative, std::vector<Term>& terms, bool top) {
    const Node& n = from_.node(id);
    if (!top && !inner(id)) {
      const NodeId made = image_[id.value];
      const Node& m = to_.node(made);
      const bool product = fusible(id) && m.op == Op::mul;
      terms.push_back({made, negative, product, product ? std::max(known_[m.a], known_[m.b]) : known_[made.value]});
      return terms.back().known;
    }
    const auto term = [&](std::uint32_t operand) { return !inner({operand}) && fusible({operand}); };
    const std::uint32_t a = collect({n.a}, negative, terms, false);
    const std::uint32_t b = collect({n.b}, negative != (n.op == Op::sub), terms, false);
    return joined(a, b, term(n.a) && term(n.b));
  }

  // If both terms are products, the one that is known first is computed by itself.
  static std::uint32_t joined(std::uint32_t a, std::uint32_t b, bool products) {
    const std::uint32_t step = latency(Op::fma);
    return std::max(std::min(a, b) + (products ? step : 0), std::max(a, b)) + step;
  }

  static bool exact(Op op) { return kernel::is_piecewise(op) && !kernel::is_truth(op); }

  NodeId sum(NodeId id) {
    std::vector<Term> terms;
    const std::uint32_t as_it_stands = collect(id, false, terms, true);
    // a difference with such a term is kept, since it is written that way to be exact
    if (std::ranges::any_of(terms, [this](const Term& t) { return exact(to_.node(t.node).op); })) return unchanged(id);
    std::vector<Term> sorted = terms;
    std::ranges::stable_sort(sorted, {}, &Term::known);
    std::uint32_t at = sorted[0].known;
    for (std::size_t k = 1; k < sorted.size(); ++k)
      at = joined(at, sorted[k].known, k == 1 && sorted[0].product && sorted[1].product);
    return at < as_it_stands ? chain(sorted) : unchanged(id);
  }

  NodeId chain(const std::vector<Term>& terms) {
    Term total = terms[0];
    for (std::size_t k = 1; k < terms.size(); ++k) {
      const Term& next = terms[k];
      const bool differ = total.negative != next.negative;
      NodeId a = total.node, b = next.node;
      if (differ && total.negative) std::swap(a, b);
      total.negative = total.negative && next.negative;
      total.node = known_at(to_.raw({differ ? Op::sub : Op::add, LeafKind::time, a.value, b.value, 0}));
    }
    if (!total.negative) return total.node;
    return known_at(to_.raw({Op::neg, LeafKind::time, total.node.value, 0, 0}));
  }

  // Copies a sum that stays as it is, with its inner sums, operands before users.
  NodeId unchanged(NodeId id) {
    std::vector<NodeId> inside{id};
    for (std::size_t k = 0; k < inside.size(); ++k) {
      const Node& n = from_.node(inside[k]);
      for (std::uint32_t operand : {n.a, n.b})
        if (inner({operand})) inside.push_back({operand});
    }
    std::ranges::sort(inside, {}, &NodeId::value);
    for (NodeId part : inside) image_[part.value] = copy(from_.node(part));
    return image_[id.value];
  }

  const Graph& from_;
  Graph to_;
  std::vector<NodeId> order_;
  std::vector<std::uint32_t> uses_, in_sums_;  // by node of from_
  std::vector<std::uint32_t> known_;           // by node of to_: the time at which it is known
  std::vector<NodeId> image_, roots_;
};

}  // namespace

std::uint32_t latency(Op op) { return kernel::traits(op).latency; }

Work work_of(const Graph& graph, std::span<const NodeId> roots) {
  Work work;
  std::vector<std::uint32_t> known(graph.size());
  for (NodeId id : reachable(graph, roots)) {
    const Node& n = graph.node(id);
    for (const NodeId x : Operands(n)) known[id.value] = std::max(known[id.value], known[x.value]);
    known[id.value] += latency(n.op);
    if (arity(n.op) > 0 && n.op != Op::neg) work.operations += n.op == Op::div ? kDivision : 1;
    work.path = std::max<std::uint64_t>(work.path, known[id.value]);
  }
  return work;
}

RootedGraph reassociate(const Graph& graph, std::span<const NodeId> roots) { return Reordering(graph, roots).take(); }

}  // namespace mbc::graph
