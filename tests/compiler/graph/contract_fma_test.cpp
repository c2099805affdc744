// SPDX-License-Identifier: Apache-2.0
// Tests graph::contract_fma: fewer operations and the same values.
#include "compiler/graph/contract_fma.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/merge_reciprocals.h"
#include "compiler/graph/reassociate.h"

namespace mbc::test {
namespace {

using graph::Graph;
using graph::LeafKind;
using graph::Node;
using graph::NodeId;
using graph::Op;
using graph::RootedGraph;

NodeId q(Graph& g, std::uint32_t i) { return g.leaf(LeafKind::coordinate, i); }

int count(const RootedGraph& f, Op op) {
  int n = 0;
  for (NodeId id : graph::reachable(f.graph, f.roots)) n += f.graph.node(id).op == op;
  return n;
}

std::vector<double> values(const Graph& g, const std::vector<NodeId>& roots, const std::vector<double>& at) {
  return graph::evaluate(g, roots, [&](const Node& n) { return at[n.a]; });
}

TEST_CASE("a product that is only added is fused, one that is needed elsewhere is not") {
  Graph g;
  const NodeId product = g.mul(q(g, 0), q(g, 1)), sum = g.add(product, q(g, 2));
  const RootedGraph alone = graph::contract_fma(g, std::vector{sum});
  CHECK(count(alone, Op::fma) == 1);
  CHECK(count(alone, Op::mul) == 0);
  const RootedGraph shared = graph::contract_fma(g, std::vector{sum, g.sqrt(product)});
  CHECK(count(shared, Op::fma) == 0);
  CHECK(count(shared, Op::mul) == 1);
}

TEST_CASE("a product that is added and subtracted is fused twice") {
  Graph g;
  const NodeId a = g.mul(q(g, 0), q(g, 1)), b = g.mul(q(g, 2), q(g, 3));
  const RootedGraph f = graph::contract_fma(g, std::vector{g.add(a, b), g.sub(a, b)});
  CHECK(count(f, Op::fma) == 2);
  CHECK(count(f, Op::mul) == 1);
}

TEST_CASE("reciprocals of two squared lengths share a division, where none waits for the other and none is chosen") {
  Graph g;
  const auto length2 = [&](std::uint32_t k) { return g.add(g.mul(q(g, k), q(g, k)), g.mul(q(g, k + 1), q(g, k + 1))); };
  const auto reciprocal = [&](NodeId x) { return g.div(g.one(), x); };
  const NodeId a = length2(0), b = length2(2), c = length2(4);
  const std::vector<NodeId> roots{g.mul(q(g, 6), reciprocal(a)), g.sub(q(g, 7), reciprocal(b)), reciprocal(c)};
  const RootedGraph f = graph::merge_reciprocals(g, roots, 3);
  CHECK(count(f, Op::div) == 2);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-3, 3);
  for (int n = 0; n < 100; ++n) {
    std::vector<double> at(8);
    for (double& x : at) x = number(random);
    const std::vector<double> expected = values(g, roots, at), found = values(f.graph, f.roots, at);
    for (std::size_t k = 0; k < roots.size(); ++k) CHECK(found[k] == doctest::Approx(expected[k]).epsilon(1e-14));
  }
  // The cases are 1/b of a length that contains 1/a, a pivot whose reciprocal may not be selected, and a length and a
  // number.
  const NodeId later = g.add(g.mul(reciprocal(a), reciprocal(a)), g.mul(q(g, 2), q(g, 2)));
  const NodeId chosen = g.select(g.binary(Op::lt, g.zero(), q(g, 6)), reciprocal(b), g.zero());
  // These expressions can become finite again.
  const NodeId bounded = g.unary(Op::exp, g.neg(reciprocal(b))), saturated = reciprocal(g.add(g.one(), reciprocal(b)));
  for (const std::vector<NodeId>& apart :
       {std::vector{reciprocal(a), bounded}, std::vector{reciprocal(a), reciprocal(later)},
        std::vector{reciprocal(a), chosen}, std::vector{reciprocal(a), reciprocal(q(g, 3))}})
    CHECK(count(graph::merge_reciprocals(g, apart, 2), Op::div) == 2);
  CHECK(count(graph::merge_reciprocals(g, std::vector{reciprocal(a), saturated}, 2), Op::div) == 3);
}

TEST_CASE("a gap that is exact is not taken apart for being known late") {
  Graph g;
  const NodeId gap = g.sub(g.unary(Op::abs, q(g, 0)), q(g, 1)), sum = g.add(gap, q(g, 2));
  const RootedGraph f = graph::contract_fma_cheapest(g, std::vector{sum}, 1);
  CHECK(values(f.graph, f.roots, {1e6, 1e6, 1e-10})[0] == 1e-10);
}

TEST_CASE("differences of either sign are one node, and cancel exactly") {
  Graph g;
  const NodeId x = q(g, 0), y = q(g, 1), d = g.sub(x, y), e = g.sub(y, x);
  const RootedGraph squares = graph::contract_fma(g, std::vector{g.mul(d, d), g.mul(e, e), g.mul(d, e)});
  CHECK(squares.roots[0] == squares.roots[1]);
  CHECK(count(squares, Op::mul) == 1);
  CHECK(count(squares, Op::sub) == 1);
  const RootedGraph nothing = graph::contract_fma(g, std::vector{g.add(g.mul(q(g, 2), d), g.mul(q(g, 2), e))});
  CHECK(nothing.graph.is_zero(nothing.roots[0]));
}

TEST_CASE("a difference that vanishes is a positive zero, as it was") {
  Graph g;
  const NodeId d = g.sub(q(g, 0), q(g, 1)), e = g.sub(q(g, 1), q(g, 0));
  const std::vector<NodeId> roots{g.binary(Op::atan2, d, g.constant(-1)), g.binary(Op::atan2, e, g.constant(-1))};
  const std::vector<double> at{0.3, 0.3};
  const RootedGraph f = graph::contract_fma(g, roots);
  CHECK(values(f.graph, f.roots, at) == values(g, roots, at));
}

TEST_CASE("literal powers of two are carried outwards and meet there") {
  Graph g;
  const NodeId p = g.mul(q(g, 0), q(g, 1)), x = g.mul(g.constant(4), p), y = g.mul(g.constant(0.5), q(g, 2));
  const NodeId sum = g.add(g.mul(g.constant(-0.5), g.mul(x, y)), q(g, 3));
  const RootedGraph f = graph::contract_fma_cheapest(g, std::vector{sum}, 100);  // The expression is q3 - p q2.
  CHECK(count(f, Op::mul) == 1);
  CHECK(count(f, Op::fma) == 1);
  const NodeId d = g.sub(q(g, 0), q(g, 1)), e = g.mul(g.constant(-2), g.sub(q(g, 0), q(g, 1)));
  const std::vector<NodeId> roots{g.binary(Op::atan2, g.mul(d, g.constant(-2)), g.constant(-1)),
                                  g.binary(Op::atan2, e, g.constant(-1))};
  const std::vector<double> at{0.3, 0.3};
  const RootedGraph zeros = graph::contract_fma_cheapest(g, roots, 100);
  CHECK(values(zeros.graph, zeros.roots, at) == values(g, roots, at));  // The sign of a zero decides here.
}

TEST_CASE("what is known last is added last") {
  Graph g;
  const NodeId late = g.div(q(g, 0), g.add(g.mul(q(g, 1), q(g, 1)), q(g, 2)));
  const NodeId sum = g.sub(g.add(g.sub(q(g, 3), g.mul(late, q(g, 1))), g.mul(q(g, 2), q(g, 3))), q(g, 4));
  const RootedGraph before = graph::contract_fma(g, std::vector{sum}),
                    f = graph::contract_fma_cheapest(g, std::vector{sum}, 100);
  const graph::Work work = graph::work_of(f.graph, f.roots), was = graph::work_of(before.graph, before.roots);
  CHECK(work.operations == was.operations);
  CHECK(work.path == 4 + 14 + 4);
  CHECK(was.path > work.path);
  const std::vector<double> at{0.3, -0.7, 1.1, 0.9, 0.2};
  CHECK(values(f.graph, f.roots, at)[0] == doctest::Approx(values(g, {sum}, at)[0]).epsilon(1e-15));
}

TEST_CASE("random sums of products have the same values") {
  std::mt19937_64 random(5);
  const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  std::uniform_real_distribution<double> value(-2, 2);
  constexpr Op kOps[] = {Op::add, Op::sub, Op::mul, Op::neg, Op::mul, Op::sub, Op::min, Op::select, Op::div, Op::sin};
  for (int n = 0; n < 2000; ++n) {
    Graph g;
    std::vector<NodeId> nodes;
    for (std::uint32_t i = 0; i < 5; ++i) nodes.push_back(q(g, i));
    for (double c : {-0.5, 3.0, -1.0}) nodes.push_back(g.constant(c));
    for (int k = 0; k < 25; ++k) {
      const Op op = kOps[pick(std::size(kOps))];
      const NodeId a = nodes[pick(nodes.size())], b = nodes[pick(nodes.size())], c = nodes[pick(nodes.size())];
      nodes.push_back(g.make(op, a, graph::arity(op) > 1 ? b : NodeId{}, graph::arity(op) > 2 ? c : NodeId{}));
    }
    const std::vector<NodeId> roots(nodes.end() - 6, nodes.end());
    const RootedGraph f = n % 2 == 0 ? graph::contract_fma(g, roots) : graph::contract_fma_cheapest(g, roots, 100);
    std::vector<double> at(5), nearby(5);
    for (std::size_t i = 0; i < 5; ++i) nearby[i] = (at[i] = value(random)) * (1 + 1e-12);
    const std::vector<double> plain = values(g, roots, at), fused = values(f.graph, f.roots, at),
                              moved = values(g, roots, nearby);
    for (std::size_t k = 0; k < roots.size(); ++k) {
      // Ill-conditioned values and values on the other side of a jump prove nothing.
      const double size = std::fabs(plain[k]), sensitivity = std::fabs(moved[k] - plain[k]);
      if (!std::isfinite(plain[k]) || !(sensitivity < 1e-9 * (1 + size)) || size > 1e6) continue;
      CAPTURE(n);
      CHECK(std::fabs(fused[k] - plain[k]) <= 1e-12 * (1 + size) + 100 * sensitivity);
    }
  }
}

}  // namespace
}  // namespace mbc::test
