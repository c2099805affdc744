// SPDX-License-Identifier: Apache-2.0
#include "compiler/ad/forward.h"

#include <unordered_set>
#include <utility>

#include "compiler/ad/rules.h"

namespace mbc::ad {

using kernel::Piecewise;

namespace {

// Computes v1 and v2 of every node below the roots; v2 only if second derivatives are wanted.
class Pass {
 public:
  Pass(Graph& g, std::span<const NodeId> roots, const LeafRule& d1, const LeafRule* d2, const Known& known)
      : g_(g),
        d1_(d1),
        d2_(d2),
        known_(known),
        order_(reachable_above(g, roots, known)),
        first_(take(scratch(0))),
        second_(take(scratch(1))) {
    for (std::vector<NodeId>* v : {&first_, &second_})
      if (v->size() < g.size()) v->resize(g.size() + g.size() / 2);
    for (NodeId id : order_) {
      graph::SpanScope scope(g_, g_.origin(id));
      visit(id);
    }
  }
  // Hands the scratch back clean, so that a pass costs what it differentiates, not the whole graph.
  ~Pass() {
    for (NodeId id : order_) first_[id.value] = second_[id.value] = NodeId{};
    scratch(0) = std::move(first_);
    scratch(1) = std::move(second_);
  }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  NodeId first(NodeId id) const { return or_zero(first_[id.value]); }
  NodeId second(NodeId id) const { return or_zero(second_[id.value]); }

 private:
  static std::vector<NodeId> take(std::vector<NodeId>& v) { return std::exchange(v, {}); }
  static std::vector<NodeId>& scratch(int k) {
    thread_local std::vector<NodeId> kept[2];
    return kept[k];
  }
  NodeId or_zero(NodeId id) const { return id.valid() ? id : g_.zero(); }
  static NodeId drop_zero(const Graph& g, NodeId id) { return id.valid() && g.is_zero(id) ? NodeId{} : id; }
  NodeId product(NodeId x, NodeId y) const { return x.valid() && y.valid() ? drop_zero(g_, g_.mul(x, y)) : NodeId{}; }
  NodeId total(NodeId x, NodeId y) const {
    if (!x.valid()) return y;
    if (!y.valid()) return x;
    return drop_zero(g_, g_.add(x, y));
  }

  void visit(NodeId id) {
    const Node n = g_.node(id);
    if (n.op == Op::constant) return;
    if (const auto it = known_.first.find(id.value); it != known_.first.end()) {
      first_[id.value] = drop_zero(g_, it->second);
      if (d2_) second_[id.value] = drop_zero(g_, known_.second.at(id.value));
    } else if (n.op == Op::leaf) {
      first_[id.value] = drop_zero(g_, d1_(n));
      if (d2_) second_[id.value] = drop_zero(g_, (*d2_)(n));
    } else if (kernel::is_piecewise(n.op)) {
      first_[id.value] = piece(n, first_);
      if (d2_) second_[id.value] = piece(n, second_);
    } else if (n.op == Op::fma) {
      fused(id, n);
    } else {
      smooth(id, n);
    }
  }

  // The chain rule and its second order:
  //   v1 = fa a1 + fb b1,   v2 = faa a1^2 + 2 fab a1 b1 + fbb b1^2 + fa a2 + fb b2.
  void smooth(NodeId id, const Node& n) {
    const bool two = graph::arity(n.op) == 2;
    const NodeId a1 = first_[n.a], b1 = two ? first_[n.b] : NodeId{};
    const NodeId a2 = d2_ ? second_[n.a] : NodeId{}, b2 = d2_ && two ? second_[n.b] : NodeId{};
    if (!a1.valid() && !b1.valid() && !a2.valid() && !b2.valid()) return;
    const Partials p = partials(g_, id, d2_ != nullptr);
    first_[id.value] = total(product(p.a, a1), product(p.b, b1));
    if (!d2_) return;
    NodeId v2 = total(product(p.aa, product(a1, a1)), product(p.bb, product(b1, b1)));
    if (const NodeId mixed = product(p.ab, product(a1, b1)); mixed.valid())
      v2 = total(v2, g_.mul(g_.constant(2), mixed));
    second_[id.value] = total(v2, total(product(p.a, a2), product(p.b, b2)));
  }

  // v = a b + c, the one smooth operation of three operands.
  void fused(NodeId id, const Node& n) {
    const NodeId a{n.a}, b{n.b}, a1 = first_[n.a], b1 = first_[n.b];
    first_[id.value] = total(total(product(b, a1), product(a, b1)), first_[n.c]);
    if (!d2_) return;
    NodeId v2 = total(product(b, second_[n.a]), product(a, second_[n.b]));
    if (const NodeId mixed = product(a1, b1); mixed.valid()) v2 = total(v2, g_.mul(g_.constant(2), mixed));
    second_[id.value] = total(v2, second_[n.c]);
  }

  // Piecewise operations: any derivative is that of the chosen piece; constant pieces have none.
  NodeId piece(const Node& n, const std::vector<NodeId>& d) {
    const NodeId a{n.a}, b{n.b}, c{n.c};
    switch (kernel::piecewise(n.op)) {
      case Piecewise::abs:
        return product(g_.unary(Op::sign, a), d[n.a]);
      case Piecewise::min:
      case Piecewise::max: {
        if (!d[n.a].valid() && !d[n.b].valid()) return {};
        const NodeId take_a = n.op == Op::min ? g_.binary(Op::lt, a, b) : g_.binary(Op::lt, b, a);
        return drop_zero(g_, g_.select(take_a, or_zero(d[n.a]), or_zero(d[n.b])));
      }
      case Piecewise::select:
        if (!d[n.b].valid() && !d[n.c].valid()) return {};
        return drop_zero(g_, g_.select(a, or_zero(d[b.value]), or_zero(d[c.value])));
      case Piecewise::sign:
      case Piecewise::floor:
      case Piecewise::lt:
      case Piecewise::le:
      case Piecewise::eq:
      case Piecewise::ne:
      case Piecewise::logical_and:
      case Piecewise::logical_or:
      case Piecewise::logical_not:
        return {};
    }
    return {};
  }

  Graph& g_;
  const LeafRule& d1_;
  const LeafRule* d2_;
  const Known& known_;
  std::vector<NodeId> order_;
  std::vector<NodeId> first_, second_;  // by node
};

}  // namespace

std::vector<NodeId> reachable_above(const Graph& g, std::span<const NodeId> roots, const Known& known) {
  std::vector<NodeId> order = graph::reachable(g, roots);
  if (known.first.empty()) return order;
  std::unordered_set<std::uint32_t> needed;
  for (NodeId root : roots) needed.insert(root.value);
  for (std::size_t k = order.size(); k-- > 0;) {
    const Node& n = g.node(order[k]);
    if (!needed.contains(order[k].value) || known.first.contains(order[k].value)) continue;
    for (const NodeId x : graph::Operands(n)) needed.insert(x.value);
  }
  std::erase_if(order, [&](NodeId id) { return !needed.contains(id.value); });
  return order;
}

std::vector<NodeId> derivative(Graph& g, std::span<const NodeId> roots, const LeafRule& d, const Known& known) {
  const Pass pass(g, roots, d, nullptr, known);
  std::vector<NodeId> result;
  for (NodeId root : roots) result.push_back(pass.first(root));
  return result;
}

TwoDerivatives two_derivatives(Graph& g, std::span<const NodeId> roots, const LeafRule& d1, const LeafRule& d2,
                               const Known& known) {
  const Pass pass(g, roots, d1, &d2, known);
  TwoDerivatives result;
  for (NodeId root : roots) {
    result.first.push_back(pass.first(root));
    result.second.push_back(pass.second(root));
  }
  return result;
}

}  // namespace mbc::ad
