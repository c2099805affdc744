// SPDX-License-Identifier: Apache-2.0
// Tests the ranges of expressions: random expressions at random values lie in their range, and they are finite if they
// are said to be defined. Operations of the text add a test only if an operand can be infinite.
#include "compiler/graph/ranges.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "compiler/sema/expressions/definedness.h"
#include "kernel/op_semantics.h"
#include "tests/compiler/ad/rng.h"

using namespace mbc;
using namespace mbc::graph;
using test::Rng;

namespace {

double some_value(Rng& rng) {
  const double size = rng.chance(0.2) ? 0 : rng.log_between(1e-20, kLargestLeaf);
  return rng.chance(0.3) ? rng.between(-2, 2) : rng.sign() * size;
}

// Makes an unsimplified graph of `count` operations on a few leaves and literals.
std::vector<NodeId> random_nodes(Graph& g, Rng& rng, int count) {
  std::vector<NodeId> nodes;
  for (std::uint32_t k = 0; k < 4; ++k) nodes.push_back(g.leaf(k < 2 ? LeafKind::coordinate : LeafKind::param, k));
  for (const double c : {0.0, 1.0, 2.0, -1.0, 0.5, 3.0}) nodes.push_back(g.constant(c));
  const auto any = [&] { return nodes[rng.below(nodes.size())].value; };
  for (int k = 0; k < count; ++k) {
    const Op op = static_cast<Op>(2 + rng.below(static_cast<std::uint32_t>(kOpCount) - 2));
    if (op == Op::table) continue;  // The second operand of a table is not a value.
    Node n{op, LeafKind::time, any(), 0, 0};
    if (arity(op) > 1) n.b = rng.chance(0.2) ? n.a : any();
    if (arity(op) > 2) n.c = any();
    nodes.push_back(g.raw(n));
  }
  return nodes;
}

std::vector<double> values(const Graph& g, const double* leaves) {
  std::vector<double> v;
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const Node n = g.node({i});
    const auto at = [&](std::uint32_t k) { return k < v.size() ? v[k] : 0.0; };
    v.push_back(n.op == Op::constant ? g.constant_value({i})
                : n.op == Op::leaf   ? leaves[n.a]
                                     : kernel::apply(n.op, at(n.a), at(n.b), at(n.c)));
  }
  return v;
}

bool is_condition(Op op) { return op >= Op::lt && op <= Op::logical_not; }

}  // namespace

TEST_CASE("ranges: random expressions lie in theirs, and what is defined is finite") {
  Rng rng(17);
  int defined = 0, undefined = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Graph g;
    const std::vector<NodeId> nodes = random_nodes(g, rng, 12);
    Ranges ranges(g);
    for (int point = 0; point < 5; ++point) {
      const double leaves[] = {some_value(rng), some_value(rng), some_value(rng), some_value(rng)};
      const std::vector<double> v = values(g, leaves);
      bool sound = true;  // Conditions are 0 or 1 if the language makes them.
      for (std::uint32_t i = 0; i < g.size(); ++i) {
        const Node n = g.node({i});
        const Range& r = ranges.of({i});
        if (n.op == Op::logical_and || n.op == Op::logical_or || n.op == Op::logical_not)
          sound =
              sound && is_condition(g.node({n.a}).op) && (n.op == Op::logical_not || is_condition(g.node({n.b}).op));
        if (!sound) break;
        INFO(op_text(n.op), " gives ", v[i], " in ", r.low, " .. ", r.high);
        if (r.defined) REQUIRE(std::isfinite(v[i]));
        if (!std::isfinite(v[i])) ++undefined;
        if (std::isfinite(v[i]) && r.finite()) {
          const double slack = 1e-12 * std::fabs(v[i]);
          REQUIRE(v[i] >= r.low - slack);
          REQUIRE(v[i] <= r.high + slack);
          defined += r.defined ? 1 : 0;
        }
      }
    }
  }
  CHECK(defined > 100000);
  CHECK(undefined > 10000);
}

TEST_CASE("operations of the text add a test where an operand can be infinite, and nowhere else") {
  Graph g;
  sema::Definedness d(g);
  const NodeId x = g.leaf(LeafKind::coordinate, 0), y = g.leaf(LeafKind::coordinate, 1), k = g.leaf(LeafKind::param, 0);
  const NodeId length = g.sqrt(g.add(g.mul(x, x), g.mul(y, y)));
  const NodeId regular[] = {x,
                            k,
                            g.mul(x, y),
                            length,
                            g.add(g.one(), g.mul(x, x)),
                            g.unary(Op::sin, x),
                            g.power(length, 13),
                            g.div(x, g.add(g.one(), g.unary(Op::exp, g.unary(Op::sin, x))))};
  for (const NodeId a : regular) {
    for (const Op op : {Op::atan, Op::tanh, Op::exp, Op::sign}) CHECK(d.unary(op, a) == g.unary(op, a));
    for (const Op op : {Op::div, Op::min, Op::max, Op::lt, Op::le, Op::eq, Op::atan2})
      CHECK(d.binary(op, y, a) == g.binary(op, y, a));
  }
  CHECK(d.binary(Op::mul, g.zero(), length) == g.zero());
  CHECK(d.binary(Op::sub, length, length) == g.zero());
  for (const NodeId a : {g.div(x, k), g.div(g.one(), length), g.unary(Op::exp, x), g.power(length, 40)}) {
    CHECK(d.unary(Op::atan, a) != g.unary(Op::atan, a));
    CHECK(d.binary(Op::min, y, a) != g.binary(Op::min, y, a));
    CHECK(d.binary(Op::sub, a, a) != g.zero());
    CHECK(d.unary(Op::sqrt, a) == g.unary(Op::sqrt, a));  // The root of infinity is infinite.
  }
  CHECK(d.binary(Op::mul, g.zero(), g.sqrt(x)) != g.zero());
  CHECK(d.binary(Op::pow, g.sqrt(x), g.zero()) != g.one());
}
