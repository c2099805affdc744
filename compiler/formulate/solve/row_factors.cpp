// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/solve/row_factors.h"

#include <cmath>

namespace mbc::formulate {

namespace {

bool power_of_two(double c) {
  int exponent = 0;
  return std::isnormal(c) && std::frexp(std::fabs(c), &exponent) == 0.5 && std::isnormal(1 / c);
}

bool reciprocal(const Graph& g, NodeId e) {
  const Node& n = g.node(e);
  return n.op == Op::div && g.is_constant({n.a}) && !g.is_zero({n.a}) && !g.is_constant({n.b});
}

// Returns a factor c/x of a product, which may be negated; invalid if there is none.
NodeId factor_of(const Graph& g, NodeId e) {
  Node n = g.node(e);
  if (n.op == Op::neg) n = g.node({n.a});
  if (n.op != Op::mul) return {};
  return reciprocal(g, {n.a}) ? NodeId{n.a} : reciprocal(g, {n.b}) ? NodeId{n.b} : NodeId{};
}

// Quotients by a factor d. Expressions share parts, so the number of visited nodes is bounded; the rest is multiplied
// by the reciprocal.
class Quotient {
 public:
  Quotient(Graph& g, NodeId d, NodeId inverse) : g_(g), d_(d), inverse_(inverse) {}

  // Returns e / d if d is a factor of e, otherwise an invalid id.
  NodeId exact(NodeId e) {
    if (e == d_) return g_.one();
    if (g_.is_zero(e)) return e;
    if (++looked_at_ > kMost) return {};
    const Node n = g_.node(e);
    if (n.op != Op::neg && n.op != Op::mul && n.op != Op::div) return {};
    const NodeId a = exact({n.a});
    if (a.valid()) return n.op == Op::neg ? g_.neg(a) : g_.make(n.op, a, {n.b}, {});
    const NodeId b = n.op == Op::mul ? exact({n.b}) : NodeId{};
    return b.valid() ? g_.mul({n.a}, b) : b;
  }

  // Divides term by term.
  NodeId of(NodeId e) {
    const Node n = g_.node(e);
    if (++looked_at_ <= kMost) {
      if (n.op == Op::neg) return g_.neg(of({n.a}));
      if (n.op == Op::add) return g_.add(of({n.a}), of({n.b}));
      if (n.op == Op::sub) return g_.sub(of({n.a}), of({n.b}));
    }
    const NodeId quotient = exact(e);
    return quotient.valid() ? quotient : g_.mul(e, inverse_);
  }

 private:
  static constexpr int kMost = 1000;
  Graph& g_;
  NodeId d_, inverse_;
  int looked_at_ = 0;
};

}  // namespace

Scaled split(const Graph& g, NodeId e) {
  const Node& n = g.node(e);
  if (n.op == Op::constant) return g.is_zero(e) ? Scaled{1, e} : Scaled{g.constant_value(e), g.one()};
  if (n.op == Op::neg) {
    const Scaled inner = split(g, {n.a});
    return {-inner.c, inner.x};
  }
  if (n.op == Op::mul)
    for (const auto& [c, x] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}})
      if (g.is_constant({c}) && std::isnormal(g.constant_value({c}))) return {g.constant_value({c}), {x}};
  return {1, e};
}

RowFactor divide_by_common_factor(Graph& g, SparseRow& row, NodeId& right_side) {
  if (row.empty()) return {};
  RowFactor factor;
  const NodeId d = factor_of(g, row.begin()->second);
  const graph::SpanScope scope(g, g.origin(d.valid() ? d : right_side));  // errors refer to the row
  bool shared = d.valid();
  for (const auto& [i, e] : row) shared = shared && factor_of(g, e) == d;
  if (shared) {
    const Node n = g.node(d), x = g.node({n.b});
    const double c = g.constant_value({n.a});
    factor.inverse = g.mul({n.b}, g.constant(1 / c));
    factor.square = x.op == Op::sqrt ? g.mul(g.constant(c * c), g.div(g.one(), {x.a})) : g.mul(d, d);
    for (auto& [i, e] : row) e = Quotient(g, d, factor.inverse).exact(e);
    right_side = Quotient(g, d, factor.inverse).of(right_side);
  }
  const double c = std::fabs(split(g, row.begin()->second).c);
  bool equal = c != 1 && power_of_two(c);
  for (const auto& [i, e] : row) equal = equal && std::fabs(split(g, e).c) == c;
  if (!equal) return factor;
  const NodeId part = g.constant(1 / c), square = g.constant(c * c);
  for (auto& [i, e] : row) e = g.mul(part, e);
  right_side = Quotient(g, g.constant(c), part).of(right_side);
  return {factor.inverse.valid() ? g.mul(part, factor.inverse) : part,
          factor.square.valid() ? g.mul(square, factor.square) : square};
}

}  // namespace mbc::formulate
