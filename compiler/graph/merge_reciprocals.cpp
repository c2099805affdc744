// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/merge_reciprocals.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/graph/reassociate.h"

namespace mbc::graph {

namespace {

class Sharing {
 public:
  Sharing(const Graph& from, std::span<const NodeId> roots, std::size_t vital)
      : from_(from), order_(reachable(from, roots)), known_(from.size()), fatal_(from.size()), partner_(from.size()) {
    to_.share_tables(from.tables());
    for (std::size_t k = 0; k < std::min(vital, roots.size()); ++k) fatal_[roots[k].value] = true;
    for (NodeId id : order_) look_at(id);
    for (std::size_t k = order_.size(); k-- > 0;) spread(order_[k]);
    pair_up();
    std::vector<NodeId> image(from.size());
    for (NodeId id : order_) {
      to_.set_current_span(from.origin(id));
      image[id.value] = made(id, image);
    }
    for (NodeId root : roots) roots_.push_back(image[root.value]);
  }
  RootedGraph take() { return {std::move(to_), std::move(roots_)}; }

 private:
  void look_at(NodeId id) {
    const Node& n = from_.node(id);
    std::uint32_t at = 0;
    for (const NodeId x : Operands(n)) at = std::max(at, known_[x.value]);
    known_[id.value] = at + latency(n.op);
  }

  // Marks the operands of operations whose result is infinite or undefined if the operand is infinite.
  void spread(NodeId id) {
    const Node& n = from_.node(id);
    if (!fatal_[id.value]) return;
    const bool both = n.op == Op::add || n.op == Op::sub || n.op == Op::mul || n.op == Op::fma;
    if (n.op == Op::fma) fatal_[n.c] = true;
    if (both) fatal_[n.b] = true;
    if (both || n.op == Op::neg || n.op == Op::sqrt || n.op == Op::div) fatal_[n.a] = true;  // a: the numerator
  }

  // Returns true for x*x and for sums of squares.
  [[nodiscard]] bool squares(NodeId id) const {
    const Node& n = from_.node(id);
    if (n.op == Op::mul) return n.a == n.b;
    return n.op == Op::add && squares({n.a}) && squares({n.b});
  }

  [[nodiscard]] bool reciprocal_of_length(NodeId id) const {
    const Node& n = from_.node(id);
    return n.op == Op::div && fatal_[id.value] && from_.is_constant({n.a}, 1) && from_.node({n.b}).op == Op::add &&
           squares({n.b});
  }

  // Pairs reciprocals that are known at about the same time. One that needs the reciprocal of the other is known at
  // least a division later, so that no pair depends on itself.
  void pair_up() {
    std::vector<NodeId> candidates;
    for (NodeId id : order_)
      if (reciprocal_of_length(id)) candidates.push_back(id);
    std::ranges::stable_sort(candidates, {}, [this](NodeId id) { return known_[id.value]; });
    for (std::size_t k = 0; k + 1 < candidates.size(); ++k) {
      const NodeId a = candidates[k], b = candidates[k + 1];
      if (known_[b.value] - known_[a.value] >= latency(Op::div)) continue;
      partner_[a.value] = b;
      partner_[b.value] = a;
      ++k;
    }
  }

  NodeId made(NodeId id, const std::vector<NodeId>& image) {
    const Node& n = from_.node(id);
    if (partner_[id.value].valid()) return shared(id, image);
    return to_.raw(with_operands(n, image));
  }

  // The first of the two makes the division. The length of the other one may come later in the order, and is then made
  // here.
  NodeId shared(NodeId id, const std::vector<NodeId>& image) {
    const NodeId partner = partner_[id.value];
    const NodeId own = image[from_.node(id).b], other = length_of(partner, image);
    NodeId first = own, second = other;
    if (partner.value < id.value) std::swap(first, second);
    const NodeId product = to_.raw({Op::mul, LeafKind::time, first.value, second.value, 0});
    const NodeId inverse = to_.raw({Op::div, LeafKind::time, to_.one().value, product.value, 0});
    return to_.raw({Op::mul, LeafKind::time, other.value, inverse.value, 0});
  }

  NodeId length_of(NodeId reciprocal, const std::vector<NodeId>& image) {
    const NodeId length{from_.node(reciprocal).b};
    if (image[length.value].valid()) return image[length.value];
    std::vector<NodeId> copy = image;  // raw nodes are found again, not made twice
    for (NodeId id : reachable(from_, {&length, 1})) {
      const SpanScope scope(to_, from_.origin(id));
      if (!copy[id.value].valid()) copy[id.value] = made(id, copy);
    }
    return copy[length.value];
  }

  const Graph& from_;
  Graph to_;
  std::vector<NodeId> order_, roots_;
  std::vector<std::uint32_t> known_;  // cycles
  std::vector<bool> fatal_;           // an infinite value here makes a root infinite or undefined
  std::vector<NodeId> partner_;       // by reciprocal
};

}  // namespace

RootedGraph merge_reciprocals(const Graph& graph, std::span<const NodeId> roots, std::size_t vital) {
  return Sharing(graph, roots, vital).take();
}

}  // namespace mbc::graph
