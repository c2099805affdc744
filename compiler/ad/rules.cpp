// SPDX-License-Identifier: Apache-2.0
// v = op(a, b); the second derivatives are written with the first where that saves work. Forms are chosen for accuracy:
// 1/cosh^2 and not 1 - tanh^2 (which loses all digits for large arguments), (1-a)(1+a) and not 1 - a^2.
#include "compiler/ad/rules.h"

#include "compiler/graph/tables.h"
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
  Partials arc_sine(double sign) const {
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
  Partials area_sine() const {
    const NodeId d = g.div(num(1), g.sqrt(g.add(square(a), num(1))));
    return one(d, second ? g.neg(g.mul(a, cube(d))) : NodeId{});
  }
  Partials area_cosine() const {
    const NodeId d = g.div(num(1), g.sqrt(g.mul(g.sub(a, num(1)), g.add(a, num(1)))));
    return one(d, second ? g.neg(g.mul(a, cube(d))) : NodeId{});
  }
  Partials area_tangent() const {
    const NodeId d = g.div(num(1), one_minus_square());
    return one(d, second ? g.mul(num(2), g.mul(a, square(d))) : NodeId{});
  }

  Partials make(Op op) const {
    switch (op) {
      case Op::neg:
        return one(num(-1), {});
      case Op::add:
        return {num(1), num(1), {}, {}, {}};
      case Op::sub:
        return {num(1), num(-1), {}, {}, {}};
      case Op::mul:
        return {b, a, {}, num(1), {}};
      case Op::div:
        return division();
      case Op::pow:
        return power();
      case Op::sqrt:
        return root();
      case Op::sin:
        return one(g.unary(Op::cos, a), g.neg(v));
      case Op::cos:
        return one(g.neg(g.unary(Op::sin, a)), g.neg(v));
      case Op::tan:
        return tangent();
      case Op::asin:
        return arc_sine(1);
      case Op::acos:
        return arc_sine(-1);
      case Op::atan:
        return arc_tangent();
      case Op::atan2:
        return arc_tangent_2();
      case Op::exp:
        return one(v, v);
      case Op::ln:
        return logarithm(1);
      case Op::log10:
        return logarithm(0.43429448190325182765);
      case Op::sinh:
        return one(g.unary(Op::cosh, a), v);
      case Op::cosh:
        return one(g.unary(Op::sinh, a), v);
      case Op::tanh:
        return hyperbolic_tangent();
      case Op::asinh:
        return area_sine();
      case Op::acosh:
        return area_cosine();
      case Op::atanh:
        return area_tangent();
      case Op::table:
        return one(table_derivative(g, v, 1), second ? table_derivative(g, v, 2) : NodeId{});
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

}  // namespace mbc::ad
