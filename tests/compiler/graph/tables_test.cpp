// SPDX-License-Identifier: Apache-2.0
// Tests tables in expressions: equal tables are one node, copies keep them, they fold on literals, are printed, and are
// differentiated with respect to their argument.
#include "compiler/graph/tables.h"

#include <doctest/doctest.h>

#include <cmath>

#include "compiler/ad/forward.h"
#include "compiler/graph/evaluate.h"

using namespace mbc;
using graph::Graph;
using graph::LeafKind;
using graph::Node;
using graph::NodeId;
using graph::Op;
using kernel::DataTable;

namespace {

std::shared_ptr<const DataTable> points(double last, DataTable::Method method = DataTable::Method::cubic) {
  const std::vector<double> x{-2, -0.5, 0.5, 2}, y{1, -0.3, 2, last};
  return std::make_shared<const DataTable>(x, y, method, DataTable::Beyond::error);
}

double value(const Graph& g, NodeId node, double q) {
  return graph::evaluate(g, {&node, 1}, [q](const Node&) { return q; })[0];
}

std::string text(const Graph& g, NodeId node) {
  return graph::to_text(
      g, node, [](const Node&, const void*) { return std::string("q"); }, nullptr);
}

}  // namespace

TEST_CASE("equal tables of equal arguments are one node") {
  Graph g;
  const NodeId q = g.leaf(LeafKind::coordinate, 0);
  CHECK(graph::table(g, q, points(3)) == graph::table(g, q, points(3)));
  CHECK(graph::table(g, q, points(3)) != graph::table(g, q, points(4)));
  CHECK(graph::table(g, q, points(3)) != graph::table(g, q, points(3, DataTable::Method::linear)));
  CHECK(text(g, graph::table(g, q, points(4))) == "table1(q)");
  CHECK(text(g, graph::table_derivative(g, graph::table(g, q, points(3)), 2)) == "table0''(q)");
}

TEST_CASE("tables on literals fold, outside of their points they stay") {
  Graph g;
  const auto t = points(3);
  const NodeId inside = graph::table(g, g.constant(0.25), t), outside = graph::table(g, g.constant(2.5), t);
  REQUIRE(g.is_constant(inside));
  CHECK(g.constant_value(inside) == t->value(0.25, 0));
  CHECK(!g.is_constant(outside));
  CHECK(std::isnan(value(g, outside, 0)));
}

TEST_CASE("derivatives of order beyond the last vanish") {
  Graph g;
  const NodeId q = g.leaf(LeafKind::coordinate, 0);
  const NodeId line = graph::table(g, q, points(3, DataTable::Method::linear)), cubic = graph::table(g, q, points(3));
  CHECK(!g.is_zero(graph::table_derivative(g, line, 1)));
  CHECK(g.is_zero(graph::table_derivative(g, line, 2)));
  CHECK(!g.is_zero(graph::table_derivative(g, graph::table_derivative(g, cubic, 1), 2)));
  CHECK(g.is_zero(graph::table_derivative(g, cubic, 4)));
}

TEST_CASE("first and second derivatives through a table") {
  Graph g;
  const NodeId q = g.leaf(LeafKind::coordinate, 0);
  const NodeId e = g.mul(g.unary(Op::exp, graph::table(g, g.unary(Op::sin, q), points(3))), q);
  const ad::LeafRule by_q = [&](const Node&) { return g.one(); };
  const ad::TwoDerivatives d = ad::two_derivatives(g, {&e, 1}, by_q, [&](const Node&) { return g.zero(); });
  for (double at = -1.4; at < 1.4; at += 0.13) {
    constexpr double kStep = 1e-4;
    const double first = (value(g, e, at + kStep) - value(g, e, at - kStep)) / (2 * kStep);
    const double second = (value(g, d.first[0], at + kStep) - value(g, d.first[0], at - kStep)) / (2 * kStep);
    CHECK(value(g, d.first[0], at) == doctest::Approx(first).epsilon(1e-6));
    CHECK(value(g, d.second[0], at) == doctest::Approx(second).epsilon(1e-5));
  }
}

TEST_CASE("copies take their tables along") {
  Graph from;
  const NodeId q = from.leaf(LeafKind::coordinate, 0);
  const NodeId e = from.add(graph::table(from, q, points(3)), graph::table(from, from.mul(q, q), points(4)));
  Graph to;
  const NodeId other = to.leaf(LeafKind::coordinate, 5);
  const NodeId copy = graph::copy_into(from, {&e, 1}, to, [&](const Node&) { return other; })[0];
  CHECK(value(to, copy, 0.7) == value(from, e, 0.7));
}
