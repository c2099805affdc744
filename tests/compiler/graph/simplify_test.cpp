// SPDX-License-Identifier: Apache-2.0
// Tests every simplification: its form, its value (bit for bit where this is promised), and expressions that it does
// not change.
#include <doctest/doctest.h>

#include <cfloat>

#include "compiler/graph/graph.h"
#include "kernel/op_semantics.h"
#include "tests/compiler/ad/tree.h"

namespace mbc::test {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;

// A Builder builds the same expression with the simplifying builders or node by node as written.
struct Builder {
  Graph& g;
  bool plain;
  NodeId x = g.leaf(LeafKind::coordinate, 0), y = g.leaf(LeafKind::coordinate, 1), z = g.leaf(LeafKind::coordinate, 2);

  NodeId c(double v) const { return g.constant(v); }
  NodeId op(Op op, NodeId a, NodeId b = {}, NodeId d = {}) const {
    if (!plain) return g.make(op, a, b, d);
    const std::uint32_t n = graph::arity(op);
    return g.raw({op, LeafKind::time, a.value, n > 1 ? b.value : 0, n > 2 ? d.value : 0});
  }
  NodeId neg(NodeId a) const { return op(Op::neg, a); }
  NodeId add(NodeId a, NodeId b) const { return op(Op::add, a, b); }
  NodeId sub(NodeId a, NodeId b) const { return op(Op::sub, a, b); }
  NodeId mul(NodeId a, NodeId b) const { return op(Op::mul, a, b); }
  NodeId div(NodeId a, NodeId b) const { return op(Op::div, a, b); }
  NodeId less() const { return op(Op::lt, x, y); }
};

using Make = NodeId (*)(const Builder&);

struct Rule {
  const char* name;
  Make written, simplified;
  double ulps = 0;  // 0 means the same number for all finite operands.
};

#define MBC_FORM(expression) [](const Builder& b) -> NodeId { return expression; }

const Rule kRules[] = {
    {"x + 0", MBC_FORM(b.add(b.x, b.c(0))), MBC_FORM(b.x)},
    {"0 + x", MBC_FORM(b.add(b.c(0), b.x)), MBC_FORM(b.x)},
    {"x + (-y)", MBC_FORM(b.add(b.x, b.neg(b.y))), MBC_FORM(b.sub(b.x, b.y))},
    {"-x + y", MBC_FORM(b.add(b.neg(b.x), b.y)), MBC_FORM(b.sub(b.y, b.x))},
    {"-x + (-y)", MBC_FORM(b.add(b.neg(b.x), b.neg(b.y))), MBC_FORM(b.neg(b.add(b.x, b.y)))},
    {"x + x", MBC_FORM(b.add(b.x, b.x)), MBC_FORM(b.mul(b.c(2), b.x))},
    {"x + (-x)", MBC_FORM(b.add(b.x, b.neg(b.x))), MBC_FORM(b.c(0))},
    {"2x + 2y", MBC_FORM(b.add(b.mul(b.c(2), b.x), b.mul(b.y, b.c(2)))), MBC_FORM(b.mul(b.c(2), b.add(b.x, b.y))), 0.5},
    {"2x - 2y", MBC_FORM(b.sub(b.mul(b.c(2), b.x), b.mul(b.c(2), b.y))), MBC_FORM(b.mul(b.c(2), b.sub(b.x, b.y))), 0.5},
    {"(2x)^2", MBC_FORM(b.mul(b.mul(b.c(2), b.x), b.mul(b.c(2), b.x))), MBC_FORM(b.mul(b.c(4), b.mul(b.x, b.x))), 0.5},
    {"x - 0", MBC_FORM(b.sub(b.x, b.c(0))), MBC_FORM(b.x)},
    {"0 - x", MBC_FORM(b.sub(b.c(0), b.x)), MBC_FORM(b.neg(b.x))},
    {"x - x", MBC_FORM(b.sub(b.x, b.x)), MBC_FORM(b.c(0))},
    {"x - (-y)", MBC_FORM(b.sub(b.x, b.neg(b.y))), MBC_FORM(b.add(b.x, b.y))},
    {"-x - y", MBC_FORM(b.sub(b.neg(b.x), b.y)), MBC_FORM(b.neg(b.add(b.x, b.y)))},
    {"-x - (-y)", MBC_FORM(b.sub(b.neg(b.x), b.neg(b.y))), MBC_FORM(b.sub(b.y, b.x))},
    {"-(-x)", MBC_FORM(b.neg(b.neg(b.x))), MBC_FORM(b.x)},
    {"-(x - y)", MBC_FORM(b.neg(b.sub(b.x, b.y))), MBC_FORM(b.sub(b.y, b.x))},
    {"x * 0", MBC_FORM(b.mul(b.x, b.c(0))), MBC_FORM(b.c(0))},
    {"0 * x", MBC_FORM(b.mul(b.c(0), b.x)), MBC_FORM(b.c(0))},
    {"x * 1", MBC_FORM(b.mul(b.x, b.c(1))), MBC_FORM(b.x)},
    {"1 * x", MBC_FORM(b.mul(b.c(1), b.x)), MBC_FORM(b.x)},
    {"x * -1", MBC_FORM(b.mul(b.x, b.c(-1))), MBC_FORM(b.neg(b.x))},
    {"-1 * x", MBC_FORM(b.mul(b.c(-1), b.x)), MBC_FORM(b.neg(b.x))},
    {"-x * -y", MBC_FORM(b.mul(b.neg(b.x), b.neg(b.y))), MBC_FORM(b.mul(b.x, b.y))},
    {"-x * y", MBC_FORM(b.mul(b.neg(b.x), b.y)), MBC_FORM(b.neg(b.mul(b.x, b.y)))},
    {"x * -y", MBC_FORM(b.mul(b.x, b.neg(b.y))), MBC_FORM(b.neg(b.mul(b.x, b.y)))},
    {"-x * 3", MBC_FORM(b.mul(b.neg(b.x), b.c(3))), MBC_FORM(b.mul(b.c(-3), b.x))},
    {"3 * -x", MBC_FORM(b.mul(b.c(3), b.neg(b.x))), MBC_FORM(b.mul(b.c(-3), b.x))},
    {"3*(0.1*x)", MBC_FORM(b.mul(b.c(3), b.mul(b.c(0.1), b.x))), MBC_FORM(b.mul(b.c(3 * 0.1), b.x)), 3},
    {"(x*0.1)*3", MBC_FORM(b.mul(b.mul(b.x, b.c(0.1)), b.c(3))), MBC_FORM(b.mul(b.c(3 * 0.1), b.x)), 3},
    {"-3*(x - y)", MBC_FORM(b.mul(b.c(-3), b.sub(b.x, b.y))), MBC_FORM(b.mul(b.c(3), b.sub(b.y, b.x)))},
    {"x / 1", MBC_FORM(b.div(b.x, b.c(1))), MBC_FORM(b.x)},
    {"x / -1", MBC_FORM(b.div(b.x, b.c(-1))), MBC_FORM(b.neg(b.x))},
    {"x / 8", MBC_FORM(b.div(b.x, b.c(8))), MBC_FORM(b.mul(b.c(0.125), b.x))},
    {"x / -0.25", MBC_FORM(b.div(b.x, b.c(-0.25))), MBC_FORM(b.mul(b.c(-4), b.x))},
    {"0 / 3", MBC_FORM(b.div(b.c(0), b.c(3))), MBC_FORM(b.c(0))},
    {"-x / -y", MBC_FORM(b.div(b.neg(b.x), b.neg(b.y))), MBC_FORM(b.div(b.x, b.y))},
    {"-x / y", MBC_FORM(b.div(b.neg(b.x), b.y)), MBC_FORM(b.neg(b.div(b.x, b.y)))},
    {"x / -y", MBC_FORM(b.div(b.x, b.neg(b.y))), MBC_FORM(b.neg(b.div(b.x, b.y)))},
    {"pow(x, 0)", MBC_FORM(b.op(Op::pow, b.x, b.c(0))), MBC_FORM(b.c(1))},
    {"pow(x, 1)", MBC_FORM(b.op(Op::pow, b.x, b.c(1))), MBC_FORM(b.x)},
    {"pow(x, 2)", MBC_FORM(b.op(Op::pow, b.x, b.c(2))), MBC_FORM(b.mul(b.x, b.x)), 1},
    {"pow(x, 3)", MBC_FORM(b.op(Op::pow, b.x, b.c(3))), MBC_FORM(b.mul(b.x, b.mul(b.x, b.x))), 2},
    {"pow(x, 13)", MBC_FORM(b.op(Op::pow, b.x, b.c(13))), MBC_FORM(b.g.power(b.x, 13)), 12},
    {"pow(x, 16)", MBC_FORM(b.op(Op::pow, b.x, b.c(16))), MBC_FORM(b.g.power(b.x, 16)), 15},
    {"pow(x, -2)", MBC_FORM(b.op(Op::pow, b.x, b.c(-2))), MBC_FORM(b.div(b.c(1), b.mul(b.x, b.x))), 3},
    {"pow(x, 0.5)", MBC_FORM(b.op(Op::pow, b.op(Op::abs, b.x), b.c(0.5))), MBC_FORM(b.g.sqrt(b.op(Op::abs, b.x))), 1},
    {"abs(-x)", MBC_FORM(b.op(Op::abs, b.neg(b.x))), MBC_FORM(b.op(Op::abs, b.x))},
    {"abs(abs(x))", MBC_FORM(b.op(Op::abs, b.op(Op::abs, b.x))), MBC_FORM(b.op(Op::abs, b.x))},
    {"cos(-x)", MBC_FORM(b.op(Op::cos, b.neg(b.x))), MBC_FORM(b.op(Op::cos, b.x))},
    {"sin(-x)", MBC_FORM(b.op(Op::sin, b.neg(b.x))), MBC_FORM(b.neg(b.op(Op::sin, b.x)))},
    {"min(x, x)", MBC_FORM(b.op(Op::min, b.x, b.x)), MBC_FORM(b.x)},
    {"max(x, x)", MBC_FORM(b.op(Op::max, b.x, b.x)), MBC_FORM(b.x)},
    {"c and c", MBC_FORM(b.op(Op::logical_and, b.less(), b.less())), MBC_FORM(b.less())},
    {"1 and c", MBC_FORM(b.op(Op::logical_and, b.c(1), b.less())), MBC_FORM(b.less())},
    {"c and 1", MBC_FORM(b.op(Op::logical_and, b.less(), b.c(1))), MBC_FORM(b.less())},
    {"c or c", MBC_FORM(b.op(Op::logical_or, b.less(), b.less())), MBC_FORM(b.less())},
    {"select(c, x, x)", MBC_FORM(b.op(Op::select, b.less(), b.x, b.x)), MBC_FORM(b.x)},
    {"select(1, x, y)", MBC_FORM(b.op(Op::select, b.c(1), b.x, b.y)), MBC_FORM(b.x)},
    {"select(0, x, y)", MBC_FORM(b.op(Op::select, b.c(0), b.x, b.y)), MBC_FORM(b.y)},
    {"fma(0, x, y)", MBC_FORM(b.op(Op::fma, b.c(0), b.x, b.y)), MBC_FORM(b.y)},
    {"fma(x, 0, y)", MBC_FORM(b.op(Op::fma, b.x, b.c(0), b.y)), MBC_FORM(b.y)},
    {"fma(x, y, 0)", MBC_FORM(b.op(Op::fma, b.x, b.y, b.c(0))), MBC_FORM(b.mul(b.x, b.y))},
    {"fma(1, x, y)", MBC_FORM(b.op(Op::fma, b.c(1), b.x, b.y)), MBC_FORM(b.add(b.x, b.y))},
    {"fma(x, 1, y)", MBC_FORM(b.op(Op::fma, b.x, b.c(1), b.y)), MBC_FORM(b.add(b.x, b.y))},
    {"3 + 4", MBC_FORM(b.add(b.c(3), b.c(4))), MBC_FORM(b.c(7))},
    {"ln(2)", MBC_FORM(b.op(Op::ln, b.c(2))), MBC_FORM(b.c(std::log(2.0)))},
    {"3 < 4", MBC_FORM(b.op(Op::lt, b.c(3), b.c(4))), MBC_FORM(b.c(1))},
};

// Returns finite doubles of every kind: ordinary, tiny, huge, whole and zero.
double some_operand(Rng& rng) {
  switch (rng.below(8u)) {
    case 0:
      return rng.sign() * rng.log_between(1e-300, 1e300);
    case 1:
      return rng.sign() * rng.log_between(1e-320, 1e-300);
    case 2:
      return std::floor(rng.between(-10, 10));
    case 3:
      return rng.chance(0.5) ? 0.0 : rng.sign() * DBL_MAX;
    default:
      return rng.between(-3, 3);
  }
}

void check_values(const Graph& g, NodeId plain, NodeId built, double ulps) {
  Rng rng(5);
  const NodeId roots[] = {plain, built};
  int finite = 0, wrong = 0;
  for (int k = 0; k < 5000; ++k) {
    const Point point{0, {some_operand(rng), some_operand(rng), some_operand(rng)}, {}, {}, {}, {}};
    const std::vector<double> v = evaluate_graph(g, roots, point);
    const bool in_range = std::isfinite(v[0]) && (ulps == 0 || std::fabs(v[0]) > 1e-290);
    finite += in_range;
    if (in_range) wrong += !(std::fabs(v[1] - v[0]) <= ulps * DBL_EPSILON * std::fabs(v[0]));
    if (ulps == 0) wrong += std::isfinite(v[0]) != std::isfinite(v[1]);
  }
  CHECK(finite > 1000);
  CHECK(wrong == 0);
}

TEST_CASE("every simplification gives its form and keeps the value") {
  for (const Rule& rule : kRules) {
    CAPTURE(rule.name);
    Graph g;
    const NodeId plain = rule.written({g, true}), built = rule.written({g, false}),
                 expected = rule.simplified({g, false});
    CHECK(built == expected);
    CHECK(plain != built);
    check_values(g, plain, built, rule.ulps);
  }
}

TEST_CASE("all small powers stay within a few units in the last place") {
  for (int e = -16; e <= 16; ++e) {
    CAPTURE(e);
    Graph g;
    const Builder plain{g, true}, built{g, false};
    check_values(g, plain.op(Op::pow, plain.x, g.constant(e)), built.op(Op::pow, built.x, g.constant(e)),
                 1 + std::abs(e));
  }
  Graph g;
  CHECK(g.node(g.binary(Op::pow, g.leaf(LeafKind::time, 0), g.constant(17))).op == Op::pow);
  CHECK(g.node(g.binary(Op::pow, g.leaf(LeafKind::time, 0), g.constant(1.5))).op == Op::pow);
}

TEST_CASE("division by a power of two is exact, by anything else it stays a division") {
  for (double divisor : {3.0, 10.0, 0.1, 0x1p-1074, 0x1p-1023, 0x1p1023}) {
    CAPTURE(divisor);
    Graph g;
    const NodeId x = g.leaf(LeafKind::coordinate, 0);
    CHECK(g.node(g.div(x, g.constant(divisor))).op == Op::div);
  }
  for (int exponent = -1022; exponent <= 1022; exponent += 7) {
    Graph g;
    const Builder plain{g, true}, built{g, false};
    const NodeId divisor = g.constant(std::ldexp(1.0, exponent));
    const NodeId roots[] = {plain.div(plain.x, divisor), built.div(built.x, divisor)};
    CHECK(g.node(roots[1]).op != Op::div);
    for (double x : {1.0, 0.1, -3e5, 1e-310, 1.5e308}) {
      const std::vector<double> v = evaluate_graph(g, roots, Point{0, {x}, {}, {}, {}, {}});
      CHECK(v[0] == v[1]);
    }
  }
}

TEST_CASE("constants are not merged where their product would overflow or underflow") {
  Graph g;
  const Builder b{g, false};
  for (double c : {1e200, 1e-200, -1e200}) {
    CAPTURE(c);
    const NodeId e = b.mul(b.c(c), b.mul(b.c(std::fabs(c)), b.x));
    const double x = std::fabs(c) > 1 ? 1e-300 : 1e300;
    CHECK(evaluate_graph(g, {&e, 1}, Point{0, {x}, {}, {}, {}, {}})[0] == c * (std::fabs(c) * x));
  }
}

TEST_CASE("an operation on literals whose result is not finite is left for the run") {
  struct Case {
    Op op;
    double a, b;
  };
  const Case cases[] = {
      {Op::div, 1, 0},          {Op::div, 0, 0},         {Op::ln, 0, 0},          {Op::ln, -1, 0},
      {Op::log10, 0, 0},        {Op::sqrt, -1, 0},       {Op::asin, 2, 0},        {Op::acos, -2, 0},
      {Op::acosh, 0.5, 0},      {Op::atanh, 1, 0},       {Op::exp, 1000, 0},      {Op::sinh, 1000, 0},
      {Op::cosh, 1e3, 0},       {Op::pow, -1, 0.3},      {Op::pow, 0, -1},        {Op::pow, 0, -0.5},
      {Op::pow, -4, 0.5},       {Op::mul, 1e200, 1e200}, {Op::add, 1e308, 1e308}, {Op::sub, -1e308, 1e308},
      {Op::div, 1e300, 1e-300}, {Op::pow, 1e100, 8},     {Op::pow, 10, 1000}};
  for (const Case& item : cases) {
    Graph g;
    CAPTURE(graph::op_text(item.op));
    CAPTURE(item.a);
    CAPTURE(item.b);
    const NodeId e = g.make(item.op, g.constant(item.a), g.constant(item.b), {});
    CHECK_FALSE(g.is_constant(e));
    CHECK_FALSE(std::isfinite(evaluate_graph(g, {&e, 1}, Point{})[0]));
  }
}

TEST_CASE("quotients and roots that fail somewhere are not cancelled") {
  Graph g;
  const Builder b{g, false};
  CHECK(g.node(b.div(b.x, b.x)).op == Op::div);
  CHECK(g.node(b.div(b.c(0), b.x)).op == Op::div);
  CHECK(g.node(b.mul(g.sqrt(b.x), g.sqrt(b.x))).op == Op::mul);
  CHECK(g.node(b.op(Op::exp, b.op(Op::ln, b.x))).op == Op::exp);
  CHECK(g.node(b.mul(b.x, b.div(b.c(1), b.x))).op == Op::mul);
}

TEST_CASE("every operation on literals folds to what the run would compute") {
  Rng rng(11);
  for (std::size_t k = 0; k < graph::kOpCount; ++k) {
    const auto op = static_cast<Op>(k);
    if (graph::arity(op) == 0 || op == Op::table) continue;
    CAPTURE(graph::op_text(op));
    int folded = 0;
    for (int n = 0; n < 200; ++n) {
      Graph g;
      const double a = rng.between(-2, 2), b = rng.between(-2, 2), c = rng.between(-2, 2);
      const double expected = kernel::apply(op, a, b, c);
      const NodeId e = g.make(op, g.constant(a), g.constant(b), g.constant(c));
      CHECK(g.is_constant(e) == std::isfinite(expected));
      if (!std::isfinite(expected)) continue;
      ++folded;
      CHECK(g.constant_value(e) == expected);
    }
    CHECK(folded > 20);
  }
}

}  // namespace
}  // namespace mbc::test
