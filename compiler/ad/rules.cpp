// SPDX-License-Identifier: Apache-2.0
// v = op(a, b); the second derivatives are written with the first where that saves work. Forms are chosen for accuracy:
// 1/cosh^2 and not 1 - tanh^2 (which loses all digits for large arguments), (1-a)(1+a) and not 1 - a^2.
#include "compiler/ad/rules.h"

namespace mbc::ad {

using graph::Op;

namespace {

struct Rule {
  Graph& g;
  NodeId v, a, b;
  bool second;

  NodeId num(double x) const { return g.constant(x); }
  NodeId square(NodeId x) const { return g.mul(x, x); }
  NodeId cube(NodeId x) const { return g.mul(g.mul(x, x), x); }
  NodeId one_minus_square() const { return g.mul(g.sub(num(1), a), g.add(num(1), a)); }

  Partials one(NodeId first, NodeId second_derivative) const { return {first, {}, second_derivative, {}, {}}; }

  Partials division() const {  // v = a/b
    const NodeId inv = g.div(num(1), b);
    const NodeId vb = g.mul(v, inv);
    Partials p{inv, g.neg(vb), {}, {}, {}};
    if (second) {
      p.ab = g.neg(square(inv));
      p.bb = g.mul(num(2), g.mul(vb, inv));
    }
    return p;
  }

  Partials power() const {  // v = a^b
    Partials p;
    const NodeId reduced = g.binary(Op::pow, a, g.sub(b, num(1)));  // a^(b-1)
    p.a = g.mul(b, reduced);
    if (second) p.aa = g.mul(g.mul(b, g.sub(b, num(1))), g.binary(Op::pow, a, g.sub(b, num(2))));
    if (g.is_constant(b)) return p;
    const NodeId log_a = g.unary(Op::ln, a);
    p.b = g.mul(v, log_a);
    if (second) {
      p.ab = g.mul(reduced, g.add(num(1), g.mul(b, log_a)));
      p.bb = g.mul(p.b, log_a);
    }
    return p;
  }

  Partials arc_tangent_2() const {  // v = atan2(a, b): angle of the point (b, a)
    const NodeId r2 = g.add(square(a), square(b));
    const NodeId x = g.div(b, r2), y = g.div(a, r2);
    Partials p{x, g.neg(y), {}, {}, {}};
    if (second) {
      const NodeId cross = g.mul(num(2), g.mul(x, y));
      p.aa = g.neg(cross);
      p.bb = cross;
      p.ab = g.sub(square(y), square(x));
    }
    return p;
  }

  Partials root() const {
    const NodeId d = g.div(num(0.5), v);
    return one(d, second ? g.mul(num(-0.5), g.div(d, a)) : NodeId{});
  }

  Partials tangent() const {
    const NodeId d = g.add(num(1), square(v));
    return one(d, second ? g.mul(num(2), g.mul(v, d)) : NodeId{});
  }

  Partials arc_sine(double sign) const {  // arc cosine: -1
    const NodeId d = g.div(num(sign), g.sqrt(one_minus_square()));
    return one(d, second ? g.mul(a, g.div(d, one_minus_square())) : NodeId{});
  }

  Partials arc_tangent() const {
    const NodeId d = g.div(num(1), g.add(num(1), square(a)));
    return one(d, second ? g.mul(num(-2), g.mul(g.mul(a, d), d)) : NodeId{});  // a d^2; d^2 alone may underflow
  }

  Partials logarithm(double factor) const {
    const NodeId d = g.div(num(factor), a);
    return one(d, second ? g.neg(g.div(d, a)) : NodeId{});
  }

  Partials hyperbolic_tangent() const {
    const NodeId d = g.div(num(1), square(g.unary(Op::cosh, a)));
    return one(d, second ? g.mul(num(-2), g.mul(v, d)) : NodeId{});
  }

  // asinh and acosh: 1/sqrt(r)
  Partials inverse_hyperbolic(NodeId r) const {
    const NodeId d = g.div(num(1), g.sqrt(r));
    return one(d, second ? g.neg(g.mul(a, cube(d))) : NodeId{});
  }

  Partials inverse_hyperbolic_tangent() const {
    const NodeId d = g.div(num(1), one_minus_square());
    return one(d, second ? g.mul(num(2), g.mul(a, square(d))) : NodeId{});
  }

  Partials arithmetic(Op op) const {
    if (op == Op::neg) return one(num(-1), {});
    if (op == Op::add) return {num(1), num(1), {}, {}, {}};
    if (op == Op::sub) return {num(1), num(-1), {}, {}, {}};
    if (op == Op::mul) return {b, a, {}, num(1), {}};
    if (op == Op::div) return division();
    return op == Op::pow ? power() : root();
  }

  Partials trigonometric(Op op) const {
    if (op == Op::sin) return one(g.unary(Op::cos, a), g.neg(v));
    if (op == Op::cos) return one(g.neg(g.unary(Op::sin, a)), g.neg(v));
    if (op == Op::tan) return tangent();
    if (op == Op::asin) return arc_sine(1);
    if (op == Op::acos) return arc_sine(-1);
    return op == Op::atan ? arc_tangent() : arc_tangent_2();
  }

  Partials exponential(Op op) const {
    if (op == Op::exp) return one(v, v);
    if (op == Op::ln) return logarithm(1);
    if (op == Op::log10) return logarithm(0.43429448190325182765);
    if (op == Op::sinh) return one(g.unary(Op::cosh, a), v);
    if (op == Op::cosh) return one(g.unary(Op::sinh, a), v);
    if (op == Op::tanh) return hyperbolic_tangent();
    if (op == Op::asinh) return inverse_hyperbolic(g.add(square(a), num(1)));
    if (op == Op::acosh) return inverse_hyperbolic(g.mul(g.sub(a, num(1)), g.add(a, num(1))));
    return inverse_hyperbolic_tangent();
  }

  Partials make(Op op) const {
    switch (op) {
      case Op::neg:
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::div:
      case Op::pow:
      case Op::sqrt:
        return arithmetic(op);
      case Op::sin:
      case Op::cos:
      case Op::tan:
      case Op::asin:
      case Op::acos:
      case Op::atan:
      case Op::atan2:
        return trigonometric(op);
      case Op::exp:
      case Op::ln:
      case Op::log10:
      case Op::sinh:
      case Op::cosh:
      case Op::tanh:
      case Op::asinh:
      case Op::acosh:
      case Op::atanh:
        return exponential(op);
      case Op::constant:
      case Op::leaf:
      case Op::fma:  // three operands: forward.cpp
      case Op::abs:
      case Op::sign:
      case Op::floor:
      case Op::min:
      case Op::max:
      case Op::lt:
      case Op::le:
      case Op::eq:
      case Op::ne:
      case Op::logical_and:
      case Op::logical_or:
      case Op::logical_not:
      case Op::select:
        return {};
    }
    return {};
  }
};

}  // namespace

Partials partials(Graph& g, NodeId node, bool second) {
  const graph::Node n = g.node(node);
  return Rule{g, node, {n.a}, {n.b}, second}.make(n.op);
}

bool piecewise(Op op) {
  switch (op) {
    case Op::abs:
    case Op::sign:
    case Op::floor:
    case Op::min:
    case Op::max:
    case Op::lt:
    case Op::le:
    case Op::eq:
    case Op::ne:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
    case Op::select:
      return true;
    default:
      return false;
  }
}

}  // namespace mbc::ad
