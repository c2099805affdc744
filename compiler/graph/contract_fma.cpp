// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/contract_fma.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "compiler/graph/merge_reciprocals.h"
#include "compiler/graph/reassociate.h"

namespace mbc::graph {

namespace {

// The number of cycles of the longest chain that one operation weighs: about four operations wait for each other at any
// time.
constexpr std::uint64_t kCyclesInFlight = 4;

Node node_of(Op op, NodeId a, NodeId b = {0}, NodeId c = {0}) {
  return {op, LeafKind::time, a.value, b.value, c.value};
}

// The first half writes every value as a node with a sign, and with `powers` also with a power of two. Both are exact
// (except for values next to the largest and the smallest doubles), so that no rounding changes.
class Signs {
 public:
  Signs(const Graph& from, std::span<const NodeId> roots, bool powers)
      : from_(from), powers_(powers), image_(from.size()) {
    to_.share_tables(from.tables());
    for (NodeId id : reachable(from, roots)) {
      to_.set_current_span(from.origin(id));
      image_[id.value] = visit(from.node(id), id);
    }
    for (NodeId root : roots) roots_.push_back(plain(image_[root.value]));
  }
  RootedGraph take() { return {std::move(to_), std::move(roots_)}; }

 private:
  struct Signed {
    NodeId node;
    bool negative = false;
    int power = 0;
  };
  static constexpr int kLargestPower = 16;

  // Returns the value itself. It is b - a and not -(a - b), whose zeros for equal operands have another sign.
  NodeId plain(Signed s) {
    if (s.power != 0) {
      if (s.negative && to_.node(s.node).op == Op::sub) return plain({plain({s.node, true}), false, s.power});
      const double factor = std::ldexp(s.negative ? -1.0 : 1.0, s.power);
      if (to_.is_constant(s.node)) return to_.constant(factor * to_.constant_value(s.node));
      return to_.raw(node_of(Op::mul, to_.constant(factor), s.node));
    }
    if (!s.negative) return s.node;
    const Node n = to_.node(s.node);
    if (n.op == Op::constant) return to_.constant(-to_.constant_value(s.node));
    return to_.raw(n.op == Op::sub ? node_of(Op::sub, {n.b}, {n.a}) : node_of(Op::neg, s.node));
  }

  Signed bounded(Signed s) {
    if (std::abs(s.power) <= kLargestPower) return s;
    const bool negative = std::exchange(s.negative, false);
    return {plain(s), negative};
  }

  // Takes the difference of the powers into the value with the larger one; the power nearer to 0 stays outside.
  void make_equal(Signed& a, Signed& b) {
    if (a.power == b.power) return;
    Signed& inner = std::abs(a.power) > std::abs(b.power) ? a : b;
    const int outside = &inner == &a ? b.power : a.power;
    const bool negative = std::exchange(inner.negative, false);
    inner.power -= outside;
    inner = {plain(inner), negative, outside};
  }

  Signed total(Signed a, Signed b) {
    if (to_.is_zero(a.node)) return b;
    if (to_.is_zero(b.node)) return a;
    make_equal(a, b);
    if (a.node == b.node) {
      if (a.negative != b.negative) return {to_.zero()};
      return product({to_.constant(2)}, a);
    }
    if (b.node.value < a.node.value) std::swap(a, b);
    return {to_.raw(node_of(a.negative == b.negative ? Op::add : Op::sub, a.node, b.node)), a.negative, a.power};
  }

  Signed product(Signed a, Signed b) {
    if (b.node.value < a.node.value) std::swap(a, b);
    const bool negative = a.negative != b.negative;
    const int power = a.power + b.power;
    if (powers_ && to_.is_constant(a.node, 1)) return bounded({b.node, negative, power});
    if (powers_ && to_.is_constant(b.node, 1)) return bounded({a.node, negative, power});
    return bounded({to_.raw(node_of(Op::mul, a.node, b.node)), negative, power});
  }

  Signed literal(double c) {
    int power = 0;
    if (powers_ && std::frexp(std::fabs(c), &power) == 0.5 && std::abs(power - 1) <= kLargestPower)
      return {to_.one(), c < 0, power - 1};
    return c < 0 ? Signed{to_.constant(-c), true} : Signed{to_.constant(c)};
  }

  Signed visit(const Node& n, NodeId id) {
    const auto at = [&](std::uint32_t operand) { return image_[operand]; };
    if (n.op == Op::select && at(n.b).negative == at(n.c).negative && at(n.b).power == at(n.c).power)
      return {to_.raw(node_of(Op::select, plain(at(n.a)), at(n.b).node, at(n.c).node)), at(n.b).negative,
              at(n.b).power};
    if (n.op == Op::constant) return literal(from_.constant_value(id));
    if (n.op == Op::leaf) return {to_.raw(n)};
    if (n.op == Op::neg) return {at(n.a).node, !at(n.a).negative, at(n.a).power};
    if (n.op == Op::add) return total(at(n.a), at(n.b));
    if (n.op == Op::sub) return total(at(n.a), {at(n.b).node, !at(n.b).negative, at(n.b).power});
    if (n.op == Op::mul) return product(at(n.a), at(n.b));
    if (n.op == Op::div)
      return bounded({to_.raw(node_of(Op::div, at(n.a).node, at(n.b).node)), at(n.a).negative != at(n.b).negative,
                      at(n.a).power - at(n.b).power});
    const std::uint32_t k = arity(n.op);
    return {
        to_.raw(node_of(n.op, plain(at(n.a)), k > 1 ? plain(at(n.b)) : NodeId{0}, k > 2 ? plain(at(n.c)) : NodeId{0}))};
  }

  const Graph& from_;
  bool powers_;
  Graph to_;
  std::vector<Signed> image_;
  std::vector<NodeId> roots_;
};

// The second half fuses a product into each of its users, if all of them add or subtract it, and no longer computes it.
// Of two such products in one sum the one known later is fused, so that the other is computed meanwhile.
class Products {
 public:
  Products(const Graph& from, std::span<const NodeId> roots)
      : from_(from),
        order_(reachable(from, roots)),
        image_(from.size()),
        kept_(from.size()),
        fused_(from.size()),
        depth_(from.size()) {
    to_.share_tables(from.tables());
    for (NodeId root : roots) kept_[root.value] = true;
    for (NodeId id : order_) look_at(id);
    for (NodeId id : order_) choose(id);
    for (NodeId id : order_) {
      const Node& n = from.node(id);
      if (n.op == Op::mul && !kept_[id.value] && fused_[id.value]) continue;  // its users have fused it
      to_.set_current_span(from.origin(id));
      image_[id.value] = make(n, id);
    }
    for (NodeId root : roots) roots_.push_back(image_[root.value]);
  }
  RootedGraph take() { return {std::move(to_), std::move(roots_)}; }

 private:
  static bool sum(const Node& n) { return n.op == Op::add || n.op == Op::sub; }

  void look_at(NodeId id) {
    const Node& n = from_.node(id);
    std::uint32_t depth = 0;
    for (const NodeId x : Operands(n)) {
      depth = std::max(depth, depth_[x.value]);
      if (!sum(n)) kept_[x.value] = true;
    }
    const bool slow = n.op == Op::div || n.op == Op::sqrt;
    depth_[id.value] = depth + (arity(n.op) == 0 || n.op == Op::neg ? 0 : slow ? 4 : 1);
  }

  bool candidate(std::uint32_t k) const { return from_.node({k}).op == Op::mul && !kept_[k]; }

  // Chooses the operand of a sum that is fused; selected_ tells whether it is the first. A product that one of its
  // users cannot fuse is kept.
  void choose(NodeId id) {
    const Node& n = from_.node(id);
    if (!sum(n)) return;
    const bool a = candidate(n.a), b = candidate(n.b);
    if (!a && !b) return;
    bool first = a;
    if (a && b) first = fused_[n.a] != fused_[n.b] ? fused_[n.a] : depth_[n.a] >= depth_[n.b];
    fused_[first ? n.a : n.b] = true;
    selected_.emplace_back(id.value, first);
    if (a && b) kept_[first ? n.b : n.a] = true;
  }

  NodeId make(const Node& n, NodeId id) {
    if (sum(n))
      if (const auto at = std::ranges::lower_bound(selected_, id.value, {}, &std::pair<std::uint32_t, bool>::first);
          at != selected_.end() && at->first == id.value)
        return fused_sum(n, at->second);
    return to_.raw(with_operands(n, image_));
  }

  // x*y + c, x*y - c = fma(x, y, -c), c - x*y = fma(-x, y, c)
  NodeId fused_sum(const Node& n, bool first) {
    const Node& product = from_.node({first ? n.a : n.b});
    NodeId x = image_[product.a], c = image_[first ? n.b : n.a];
    if (n.op == Op::sub) (first ? c : x) = negated(first ? c : x);
    return to_.raw(node_of(Op::fma, x, image_[product.b], c));
  }

  NodeId negated(NodeId x) {
    if (to_.is_constant(x)) return to_.constant(-to_.constant_value(x));
    return to_.raw(node_of(Op::neg, x));
  }

  const Graph& from_;
  Graph to_;
  std::vector<NodeId> order_, image_, roots_;
  std::vector<bool> kept_, fused_;  // by product: a user needs its value; some sum has fused it
  std::vector<std::uint32_t> depth_;
  std::vector<std::pair<std::uint32_t, bool>>
      selected_;  // sums with a fused operand, ascending; whether it is the first
};

}  // namespace

RootedGraph contract_fma(const Graph& graph, std::span<const NodeId> roots) {
  const RootedGraph plain = Signs(graph, roots, false).take();
  return Products(plain.graph, plain.roots).take();
}

RootedGraph contract_fma_cheapest(const Graph& graph, std::span<const NodeId> roots, std::size_t vital) {
  std::optional<RootedGraph> best;
  std::uint64_t least = 0;
  const auto look_at = [&](const RootedGraph& plain) {
    RootedGraph made = Products(plain.graph, plain.roots).take();
    const Work work = work_of(made.graph, made.roots);
    const std::uint64_t cost = kCyclesInFlight * work.operations + work.path;
    if (best && cost >= least) return;
    best = std::move(made);
    least = cost;
  };
  for (const bool powers : {false, true}) {
    const RootedGraph plain = Signs(graph, roots, powers).take();
    const RootedGraph shared = merge_reciprocals(plain.graph, plain.roots, vital);
    for (const RootedGraph* way : {&plain, &shared}) {
      look_at(*way);
      look_at(reassociate(way->graph, way->roots));
    }
  }
  return std::move(*best);
}

}  // namespace mbc::graph
