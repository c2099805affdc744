// SPDX-License-Identifier: Apache-2.0
// Tests the expression graph: hash-consing, order, copies, sizes and the printer. simplify_test.cpp tests
// simplification.
#include "compiler/graph/graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "compiler/ad/forward.h"
#include "tests/compiler/ad/tree.h"

namespace mbc::test {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;

NodeId q(Graph& g, std::uint32_t i) { return g.leaf(LeafKind::coordinate, i); }

std::string text(const Graph& g, NodeId id, std::size_t limit = 400) {
  const auto name = [](const Node& n, const void*) {
    return std::string(graph::leaf_text(n.leaf)) + std::to_string(n.a);
  };
  return graph::to_text(g, id, name, nullptr, limit);
}

TEST_CASE("equal nodes are one node") {
  Graph g;
  CHECK(q(g, 0) == q(g, 0));
  CHECK(q(g, 0) != q(g, 1));
  CHECK(q(g, 0) != g.leaf(LeafKind::speed, 0));
  CHECK(g.constant(2.5) == g.constant(2.5));
  CHECK(g.constant(2.5) != g.constant(std::nextafter(2.5, 3)));
  CHECK(g.constant(-0.0) == g.zero());
  CHECK(g.constant(1) == g.one());
  const NodeId a = g.unary(Op::sin, g.mul(q(g, 0), q(g, 1)));
  const std::uint32_t size = g.size();
  CHECK(g.unary(Op::sin, g.mul(q(g, 0), q(g, 1))) == a);
  CHECK(g.size() == size);
}

TEST_CASE("operands of commutative operations are in one order, those of the others are not touched") {
  Graph g;
  const NodeId x = q(g, 0), y = q(g, 1);
  for (Op op : {Op::add, Op::mul, Op::min, Op::max, Op::eq, Op::ne, Op::logical_and, Op::logical_or}) {
    CAPTURE(graph::op_text(op));
    CHECK(g.binary(op, x, y) == g.binary(op, y, x));
  }
  for (Op op : {Op::sub, Op::div, Op::pow, Op::atan2, Op::lt, Op::le}) {
    CAPTURE(graph::op_text(op));
    CHECK(g.binary(op, x, y) != g.binary(op, y, x));
  }
}

TEST_CASE("a constant keeps all its bits") {
  Graph g;
  for (double v : {1e-320, -1.0 / 3, 1.7976931348623157e308, 0.1, -4e-324}) CHECK(g.constant_value(g.constant(v)) == v);
}

TEST_CASE("the table of nodes grows without losing any") {
  Graph g;
  std::vector<NodeId> made;
  for (std::uint32_t i = 0; i < 100000; ++i) made.push_back(g.add(q(g, i), g.constant(i + 0.5)));
  const std::uint32_t size = g.size();
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i < 100000; ++i) wrong += g.add(g.constant(i + 0.5), q(g, i)) != made[i];
  CHECK(wrong == 0);
  CHECK(g.size() == size);
}

TEST_CASE("the first maker's span stays") {
  Graph g;
  NodeId product;
  {
    graph::SpanScope scope(g, {0, 10, 15});
    product = g.mul(q(g, 0), q(g, 1));
    {
      graph::SpanScope inner(g, {0, 20, 25});
      CHECK(g.origin(g.unary(Op::sin, product)) == Span{0, 20, 25});
    }
    CHECK(g.origin(g.unary(Op::cos, product)) == Span{0, 10, 15});
  }
  CHECK_FALSE(g.origin(q(g, 5)).known());
  graph::SpanScope later(g, {0, 30, 35});
  CHECK(g.origin(g.mul(q(g, 1), q(g, 0))) == Span{0, 10, 15});
}

TEST_CASE("reachable nodes come once, ascending, operands first, nothing else") {
  Graph g;
  const NodeId x = q(g, 0), y = q(g, 1), unused = g.unary(Op::exp, y);
  const NodeId shared = g.mul(x, y);
  const NodeId roots[] = {g.select(g.binary(Op::lt, x, y), g.unary(Op::sin, shared), g.add(shared, g.constant(7))),
                          shared, NodeId{}, shared};
  const std::vector<NodeId> order = graph::reachable(g, roots);
  std::set<std::uint32_t> seen;
  for (NodeId id : order) {
    const Node& n = g.node(id);
    const std::uint32_t operands[] = {n.a, n.b, n.c};
    for (std::uint32_t k = 0; k < graph::arity(n.op); ++k) CHECK(seen.count(operands[k]) == 1);
    CHECK(seen.insert(id.value).second);
  }
  CHECK(order.size() == 8);  // The nodes are x, y, x*y, x<y, sin, 7, + and select.
  CHECK(std::is_sorted(order.begin(), order.end(), [](NodeId a, NodeId b) { return a.value < b.value; }));
  CHECK(seen.count(unused.value) == 0);
  CHECK(graph::leaves(g, roots) == std::vector<Node>{g.node(x), g.node(y)});
  CHECK(graph::reachable(g, {}).empty());
}

TEST_CASE("a copy maps the leaves, keeps sharing and spans, and simplifies with what it knows now") {
  Graph from, to;
  from.set_current_span({0, 3, 9});
  const NodeId x = q(from, 0), y = q(from, 1);
  const NodeId roots[] = {from.add(from.mul(x, y), from.unary(Op::sin, x)), from.unary(Op::sin, x)};
  int asked = 0;
  const auto renamed = graph::copy_into(from, roots, to, [&](const Node& n) {
    ++asked;
    return to.leaf(LeafKind::speed, n.a + 4);
  });
  CHECK(asked == 2);
  const NodeId u4 = to.leaf(LeafKind::speed, 4), u5 = to.leaf(LeafKind::speed, 5);
  CHECK(renamed[0] == to.add(to.mul(u4, u5), to.unary(Op::sin, u4)));
  CHECK(renamed[1] == to.unary(Op::sin, u4));
  CHECK(to.origin(renamed[0]) == Span{0, 3, 9});

  const auto known =
      graph::copy_into(from, roots, to, [&](const Node& n) { return n.a == 0 ? to.zero() : to.leaf(n.leaf, n.a); });
  CHECK(to.is_zero(known[0]));
}

TEST_CASE("a copy into the same graph") {
  Graph g;
  const NodeId e = g.mul(g.unary(Op::sin, q(g, 0)), g.unary(Op::cos, q(g, 1)));
  const auto swapped = graph::copy_into(g, {&e, 1}, g, [&](const Node& n) { return q(g, 1 - n.a); });
  CHECK(swapped[0] == g.mul(g.unary(Op::cos, q(g, 0)), g.unary(Op::sin, q(g, 1))));
  const auto itself = graph::copy_into(g, {&e, 1}, g, [&](const Node& n) { return g.leaf(n.leaf, n.a); });
  CHECK(itself[0] == e);
}

TEST_CASE("sums are balanced, dot products and powers are products") {
  Graph g;
  std::vector<NodeId> x;
  for (std::uint32_t i = 0; i < 5; ++i) x.push_back(q(g, i));
  CHECK(g.is_zero(g.sum({})));
  CHECK(g.sum({x.data(), 1}) == x[0]);
  CHECK(g.sum(x) == g.add(g.add(g.add(x[0], x[1]), g.add(x[2], x[3])), x[4]));
  CHECK(g.dot({x.data(), 2}, {x.data() + 2, 2}) == g.add(g.mul(x[0], x[2]), g.mul(x[1], x[3])));
  CHECK(g.power(x[0], 0) == g.one());
  CHECK(g.power(x[0], 1) == x[0]);
  CHECK(g.power(x[0], 3) == g.mul(x[0], g.mul(x[0], x[0])));
  CHECK(g.power(x[0], -2) == g.div(g.one(), g.mul(x[0], x[0])));
}

TEST_CASE("a sum of a million terms is built, differentiated and freed") {
  constexpr std::uint32_t kTerms = 1000000;
  Graph g;
  std::vector<NodeId> terms;
  for (std::uint32_t i = 0; i < kTerms; ++i) terms.push_back(q(g, i));
  const NodeId sum = g.sum(terms);
  const NodeId all = ad::derivative(g, {&sum, 1}, [&](const Node&) { return g.one(); })[0];
  CHECK(g.is_constant(all, kTerms));
  const NodeId last =
      ad::derivative(g, {&sum, 1}, [&](const Node& n) { return n.a == kTerms - 1 ? g.one() : NodeId{}; })[0];
  CHECK(g.is_constant(last, 1));
  CHECK(graph::reachable(g, {&sum, 1}).size() == 2 * kTerms - 1);
  CHECK(text(g, sum).size() <= 403);
}

TEST_CASE("a chain of a hundred thousand operations is built, differentiated twice, copied, printed and freed") {
  constexpr int kSteps = 100000;
  Graph g;
  const NodeId x = q(g, 0);
  NodeId chain = x, sum = x;
  for (int i = 0; i < kSteps; ++i) chain = g.unary(Op::sin, g.add(chain, x));
  // This chain is equally deep along the other operand.
  for (std::uint32_t i = 1; i < kSteps; ++i) sum = g.sub(q(g, i), sum);
  const NodeId roots[] = {chain, sum};
  const auto d = ad::two_derivatives(
      g, roots, [&](const Node& n) { return n.a == 0 ? g.one() : NodeId{}; }, [](const Node&) { return NodeId{}; });
  CHECK(g.is_constant(d.first[1], -1));
  CHECK(g.is_zero(d.second[1]));
  CHECK(graph::reachable(g, {&d.second[0], 1}).size() > 5 * kSteps);
  Point point;
  point.q.assign(kSteps, 0.25);
  const NodeId outputs[] = {chain, d.first[0], d.second[0]};
  const std::vector<double> at = evaluate_graph(g, outputs, point);
  // At the fixed point y = sin(y + x) the derivatives are y' = c/(1 - c) and y'' = -y (1 + y')^2/(1 - c) with c = cos(y
  // + x).
  const double y = at[0], c = std::cos(y + 0.25), slope = c / (1 - c);
  CHECK(y == doctest::Approx(std::sin(y + 0.25)).epsilon(1e-14));
  CHECK(at[1] == doctest::Approx(slope).epsilon(1e-12));
  CHECK(at[2] == doctest::Approx(-y * (1 + slope) * (1 + slope) / (1 - c)).epsilon(1e-12));
  Graph other;
  const auto copy = graph::copy_into(g, outputs, other, [&](const Node& n) { return other.leaf(n.leaf, n.a); });
  CHECK(evaluate_graph(other, copy, point) == at);
  CHECK(text(g, chain, 100).size() <= 103);
  CHECK(text(g, sum).size() < 5000);
}

TEST_CASE("expressions as text") {
  Graph g;
  const NodeId x = q(g, 0), y = q(g, 1), z = q(g, 2);
  CHECK(text(g, g.add(x, g.mul(y, z))) == "q0 + q1*q2");
  CHECK(text(g, g.mul(z, g.add(x, y))) == "q2*(q0 + q1)");
  CHECK(text(g, g.sub(x, g.sub(y, z))) == "q0 - (q1 - q2)");
  CHECK(text(g, g.sub(g.sub(x, y), z)) == "q0 - q1 - q2");
  CHECK(text(g, g.div(x, g.mul(y, z))) == "q0/(q1*q2)");
  CHECK(text(g, g.div(g.div(x, y), z)) == "q0/q1/q2");
  CHECK(text(g, g.neg(g.mul(x, y))) == "-(q0*q1)");
  CHECK(text(g, g.neg(x)) == "-q0");
  CHECK(text(g, g.binary(Op::pow, x, y)) == "pow(q0, q1)");
  CHECK(text(g, g.select(g.binary(Op::lt, x, y), g.constant(1.5), g.unary(Op::log10, z))) ==
        "select(q0 < q1, 1.5, log(q2))");
  CHECK(text(g, g.unary(Op::logical_not, g.binary(Op::le, x, y))) == "not(q0 <= q1)");
  CHECK(text(g, g.constant(1e-300)) == "1e-300");
  CHECK(text(g, g.constant(0.1)) == "0.1");
  CHECK(text(g, g.leaf(LeafKind::multiplier, 3)) == "lambda3");
}

TEST_CASE("long text is cut") {
  Graph g;
  NodeId e = q(g, 0);
  for (int i = 0; i < 60; ++i) e = g.mul(e, g.unary(Op::sin, e));  // Written out, this expression has 2^60 leaves.
  const std::string cut = text(g, e, 50);
  CHECK(cut.size() == 53);
  CHECK(cut.substr(50) == "...");
}

}  // namespace
}  // namespace mbc::test
