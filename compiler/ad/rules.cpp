// SPDX-License-Identifier: Apache-2.0
// The rules for v = op(a, b). The second derivatives use the first ones where that saves work. Forms are chosen for
// accuracy: 1/cosh^2 and not 1 - tanh^2 (which loses all digits for large arguments), (1-a)(1+a) and not 1 - a^2.
#include "compiler/ad/rules.h"

#include "compiler/graph/tables.h"
namespace mbc::ad {

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

  Partials of(kernel::Arithmetic op) const {
    using kernel::Arithmetic;
    switch (op) {
      case Arithmetic::neg:
        return one(num(-1), {});
      case Arithmetic::add:
        return {num(1), num(1), {}, {}, {}};
      case Arithmetic::sub:
        return {num(1), num(-1), {}, {}, {}};
      case Arithmetic::mul:
        return {b, a, {}, num(1), {}};
      case Arithmetic::div:
        return division();
      case Arithmetic::constant:
      case Arithmetic::leaf:
      case Arithmetic::fma:  // three operands: forward.cpp
        break;
    }
    return {};
  }

  Partials of(kernel::Elementary op) const {
    using kernel::Elementary;
    switch (op) {
      case Elementary::pow:
        return power();
      case Elementary::sqrt:
        return root();
      case Elementary::sin:
        return one(g.unary(Op::cos, a), g.neg(v));
      case Elementary::cos:
        return one(g.neg(g.unary(Op::sin, a)), g.neg(v));
      case Elementary::tan:
        return tangent();
      case Elementary::asin:
        return arc_sine(1);
      case Elementary::acos:
        return arc_sine(-1);
      case Elementary::atan:
        return arc_tangent();
      case Elementary::atan2:
        return arc_tangent_2();
      case Elementary::exp:
        return one(v, v);
      case Elementary::ln:
        return logarithm(1);
      case Elementary::log10:
        return logarithm(0.43429448190325182765);
      case Elementary::sinh:
        return one(g.unary(Op::cosh, a), v);
      case Elementary::cosh:
        return one(g.unary(Op::sinh, a), v);
      case Elementary::tanh:
        return hyperbolic_tangent();
      case Elementary::asinh:
        return area_sine();
      case Elementary::acosh:
        return area_cosine();
      case Elementary::atanh:
        return area_tangent();
      case Elementary::table:
        return one(table_derivative(g, v, 1), second ? table_derivative(g, v, 2) : NodeId{});
    }
    return {};
  }
};

}  // namespace

Partials partials(Graph& g, NodeId node, bool second) {
  const Node n = g.node(node);
  const Rule rule{g, node, {n.a}, {n.b}, second};
  if (kernel::is_arithmetic(n.op)) return rule.of(kernel::arithmetic(n.op));
  return kernel::is_elementary(n.op) ? rule.of(kernel::elementary(n.op)) : Partials{};
}

}  // namespace mbc::ad
