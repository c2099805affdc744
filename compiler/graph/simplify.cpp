// SPDX-License-Identifier: Apache-2.0
// The simplifications done while building. Each is an identity of the reals that holds for finite operands. It removes
// structural zeros and ones of derivatives, folds literals, or gives equal expressions one form so that they share a
// node. No simplification hides a failure that the user would want to see: x/x, 0/x, sqrt(x)^2 stay, and a constant
// operation with a non-finite result is left for the run, which reports it.
#include <cmath>

#include "compiler/graph/graph.h"
#include "compiler/graph/tables.h"

namespace mbc::graph {

namespace {
bool commutative(Op op) { return kernel::traits(op).order == kernel::OpTraits::Order::commutative; }
// c * (1/d) equals c / d for every c exactly when d is a power of two in range.
bool exact_reciprocal(double d) {
  int exponent = 0;
  return std::isnormal(d) && std::frexp(std::fabs(d), &exponent) == 0.5 && std::isnormal(1 / d);
}
// Returns whether c1*c2 neither overflows nor loses digits: 1e200*(1e200*x) must stay as it is, since x may be 1e-300.
bool safe_product(const Graph& g, NodeId c1, NodeId c2) {
  return g.is_constant(c1) && g.is_constant(c2) && std::isnormal(g.constant_value(c1) * g.constant_value(c2));
}
// Returns the node 2 if both are 2*x: 2*x + 2*y = 2*(x + y) to the last bit, unless 2*x or 2*y alone is too large for a
// double. With 1/2 this does not hold: the sum of x and y may be too large where x/2 + y/2 is not.
NodeId shared_two(const Graph& g, NodeId a, NodeId b) {
  const Node &m = g.node(a), &n = g.node(b);
  if (m.op != Op::mul || n.op != Op::mul) return {};
  for (const NodeId c : {NodeId{m.a}, NodeId{m.b}})
    if ((c.value == n.a || c.value == n.b) && g.is_constant(c, 2)) return c;
  return {};
}
// Returns the other operand of a product.
NodeId other(const Graph& g, NodeId product, NodeId operand) {
  const Node& n = g.node(product);
  return {n.a == operand.value ? n.b : n.a};
}
}  // namespace

NodeId Graph::fold(Op op, NodeId a, NodeId b, NodeId c) {
  const NodeId operands[] = {a, b, c};
  double v[3] = {0, 0, 0};
  for (std::uint32_t k = 0; k < arity(op); ++k) {
    if (!is_constant(operands[k])) return {};
    v[k] = constant_value(operands[k]);
  }
  const double result = graph::apply(*this, {op, LeafKind::time, a.value, b.value, c.value}, v[0], v[1], v[2]);
  return std::isfinite(result) ? constant(result) : NodeId{};
}

NodeId Graph::unary(Op op, NodeId a) {
  if (NodeId folded = fold(op, a, {}, {}); folded.valid()) return folded;
  const Node& n = node(a);
  if (op == Op::neg) {
    if (n.op == Op::neg) return {n.a};
    if (n.op == Op::sub) return sub({n.b}, {n.a});
  }
  if (op == Op::abs && n.op == Op::neg) return unary(Op::abs, {n.a});
  if (op == Op::abs && n.op == Op::abs) return a;
  if (op == Op::cos && n.op == Op::neg) return unary(Op::cos, {n.a});
  if (op == Op::sin && n.op == Op::neg) return neg(unary(Op::sin, {n.a}));
  return intern({op, LeafKind::time, a.value, 0, 0});
}

NodeId Graph::simplify_add(NodeId a, NodeId b) {
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  if (node(b).op == Op::neg) return sub(a, {node(b).a});
  if (node(a).op == Op::neg) return sub(b, {node(a).a});
  if (a == b) return mul(constant(2), a);
  if (const NodeId c = shared_two(*this, a, b); c.valid()) return mul(c, add(other(*this, a, c), other(*this, b, c)));
  return {};
}

NodeId Graph::simplify_sub(NodeId a, NodeId b) {
  if (is_zero(b)) return a;
  if (is_zero(a)) return neg(b);
  if (a == b) return zero_;
  if (node(b).op == Op::neg) return add(a, {node(b).a});
  if (node(a).op == Op::neg) return neg(add({node(a).a}, b));
  if (const NodeId c = shared_two(*this, a, b); c.valid()) return mul(c, sub(other(*this, a, c), other(*this, b, c)));
  return {};
}

NodeId Graph::simplify_mul(NodeId a, NodeId b) {
  if (is_zero(a) || is_zero(b)) return zero_;
  if (is_constant(a, 1)) return b;
  if (is_constant(b, 1)) return a;
  if (is_constant(a, -1)) return neg(b);
  if (is_constant(b, -1)) return neg(a);
  const Op op_a = node(a).op, op_b = node(b).op;
  if (op_a == Op::neg && op_b == Op::neg) return mul({node(a).a}, {node(b).a});
  if (op_a == Op::neg)
    return is_constant(b) ? mul({node(a).a}, constant(-constant_value(b))) : neg(mul({node(a).a}, b));
  if (op_b == Op::neg)
    return is_constant(a) ? mul(constant(-constant_value(a)), {node(b).a}) : neg(mul(a, {node(b).a}));
  if (is_constant(b)) std::swap(a, b);
  if (a == b && op_a == Op::mul)  // (2x)^2 = 4 x^2, to the last bit where x^2 is no denormal number
    for (const NodeId c : {NodeId{node(a).a}, NodeId{node(a).b}})
      if (is_constant(c, 2)) {
        const NodeId x = other(*this, a, c);
        return mul(mul(c, c), mul(x, x));
      }
  if (is_constant(a)) {  // c1*(c2*x) = (c1*c2)*x
    const Node m = node(b);
    if (m.op == Op::mul && safe_product(*this, a, {m.a})) return mul(mul(a, {m.a}), {m.b});
    if (m.op == Op::mul && safe_product(*this, a, {m.b})) return mul(mul(a, {m.b}), {m.a});
    if (constant_value(a) < 0 && m.op == Op::sub) return mul(constant(-constant_value(a)), sub({m.b}, {m.a}));
  }
  return {};
}

NodeId Graph::simplify_div(NodeId a, NodeId b) {
  if (is_constant(b, 1)) return a;
  if (is_constant(b, -1)) return neg(a);
  if (is_zero(a) && is_constant(b) && constant_value(b) != 0) return zero_;
  if (is_constant(b) && exact_reciprocal(constant_value(b))) return mul(a, constant(1 / constant_value(b)));
  if (node(a).op == Op::neg && node(b).op == Op::neg) return div({node(a).a}, {node(b).a});
  if (node(a).op == Op::neg) return neg(div({node(a).a}, b));
  if (node(b).op == Op::neg) return neg(div(a, {node(b).a}));
  return {};
}

// Small integer powers are products (libm's pow(x, 2) differs from x*x in the last bit and costs forty times as much).
NodeId Graph::simplify_pow(NodeId a, NodeId b) {
  if (!is_constant(b)) return {};
  const double e = constant_value(b);
  if (e == 0) return one_;
  if (e == 0.5) return sqrt(a);
  if (e == std::floor(e) && std::fabs(e) <= 16) return power(a, static_cast<int>(e));
  return {};
}

NodeId Graph::binary(Op op, NodeId a, NodeId b) {
  if (NodeId folded = fold(op, a, b, {}); folded.valid()) return folded;
  NodeId simpler;
  if (op == Op::add) simpler = simplify_add(a, b);
  if (op == Op::sub) simpler = simplify_sub(a, b);
  if (op == Op::mul) simpler = simplify_mul(a, b);
  if (op == Op::div) simpler = simplify_div(a, b);
  if (op == Op::pow) simpler = simplify_pow(a, b);
  const bool idempotent = op == Op::min || op == Op::max || op == Op::logical_and || op == Op::logical_or;
  if (idempotent && a == b) simpler = a;
  if (op == Op::logical_and && is_constant(a, 1)) simpler = b;
  if (op == Op::logical_and && is_constant(b, 1)) simpler = a;
  if (simpler.valid()) return simpler;
  if (commutative(op) && b.value < a.value) std::swap(a, b);
  return intern({op, LeafKind::time, a.value, b.value, 0});
}

NodeId Graph::ternary(Op op, NodeId a, NodeId b, NodeId c) {
  if (NodeId folded = fold(op, a, b, c); folded.valid()) return folded;
  if (op == Op::select) {
    if (is_constant(a)) return constant_value(a) != 0 ? b : c;
    if (b == c) return b;
  }
  if (op == Op::fma) {
    if (is_zero(a) || is_zero(b)) return c;
    if (is_zero(c)) return mul(a, b);
    if (is_constant(a, 1)) return add(b, c);
    if (is_constant(b, 1)) return add(a, c);
  }
  return intern({op, LeafKind::time, a.value, b.value, c.value});
}

}  // namespace mbc::graph
