// SPDX-License-Identifier: Apache-2.0
// Compares normal forms with values, and tests the directions that sparse forms map to zero.
#include "compiler/lower/normal_form.h"

#include <cmath>
#include <random>

#include "compiler/graph/evaluate.h"
#include "compiler/lower/null_directions.h"
#include "doctest/doctest.h"

using namespace mbc;
using namespace mbc::lower;
using graph::Graph;
using graph::LeafKind;
using graph::NodeId;
using graph::Op;

namespace {

struct Letters {
  Graph g;
  NodeId x = g.leaf(LeafKind::coordinate, 0), y = g.leaf(LeafKind::coordinate, 1), z = g.leaf(LeafKind::param, 0);
  NodeId sin(NodeId a) { return g.unary(Op::sin, a); }
  NodeId cos(NodeId a) { return g.unary(Op::cos, a); }
  NodeId two(Op op, NodeId a, NodeId b) { return g.binary(op, a, b); }
  bool zero(NodeId e) { return NormalForms(g).of(e).empty(); }
};

}  // namespace

TEST_CASE("identities are seen") {
  Letters l;
  Graph& g = l.g;
  const NodeId x = l.x, y = l.y, z = l.z;
  const NodeId sum = g.add(x, y), difference = g.sub(x, y);
  CHECK(l.zero(g.sub(g.mul(sum, difference), g.sub(g.mul(x, x), g.mul(y, y)))));
  CHECK(l.zero(g.add(l.sin(difference), l.sin(g.sub(y, x)))));
  CHECK(l.zero(g.sub(l.cos(difference), l.cos(g.sub(y, x)))));
  CHECK(l.zero(g.sub(g.unary(Op::abs, difference), g.unary(Op::abs, g.sub(y, x)))));
  CHECK(l.zero(g.sub(g.add(g.power(l.sin(x), 2), g.power(l.cos(x), 2)), g.one())));
  CHECK(l.zero(g.sub(g.power(l.sin(x), 4), g.power(g.sub(g.one(), g.power(l.cos(x), 2)), 2))));
  CHECK(l.zero(g.sub(g.div(sum, z), g.add(g.div(x, z), g.div(y, z)))));
  CHECK(l.zero(g.sub(g.div(z, difference), g.neg(g.div(z, g.sub(y, x))))));
  CHECK(l.zero(g.sub(g.mul(g.constant(0.1), x), g.sub(g.mul(g.constant(0.3), x), g.mul(g.constant(0.2), x)))));
  const NodeId below = l.two(Op::lt, x, y);
  CHECK(l.zero(g.add(g.select(below, sum, z), g.select(below, g.neg(sum), g.neg(z)))));
  CHECK(l.zero(g.sub(g.mul(below, below), below)));
  CHECK(l.zero(g.sub(g.sub(g.ternary(Op::fma, x, y, z), g.mul(x, y)), z)));
}

TEST_CASE("what is not zero is not called zero") {
  Letters l;
  Graph& g = l.g;
  const NodeId x = l.x, y = l.y;
  const NodeId below = l.two(Op::lt, x, y);
  CHECK_FALSE(l.zero(g.add(l.sin(x), l.sin(y))));
  CHECK_FALSE(l.zero(g.sub(l.cos(x), l.sin(x))));
  CHECK_FALSE(l.zero(g.select(below, g.zero(), x)));
  CHECK_FALSE(l.zero(g.sub(g.div(x, y), g.div(y, x))));
  CHECK_FALSE(l.zero(g.sub(g.mul(g.constant(1 + 1e-9), x), x)));
  CHECK_FALSE(l.zero(g.sub(g.div(g.one(), below), below)));
}

// An empty form promises the value zero everywhere. The test makes expressions that are zero or nearly zero:
// differences of random expressions written in two ways, sometimes with an error.
TEST_CASE("random expressions: an empty form means the value zero") {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  int empty = 0;
  for (int round = 0; round < 400; ++round) {
    Letters l;
    Graph& g = l.g;
    // b has the same values in other forms.
    std::vector<NodeId> a{l.x, l.y, l.z, g.constant(2), g.constant(-0.5)}, b = a;
    for (int k = 0; k < 12; ++k) {
      const std::uint32_t i = below(static_cast<std::uint32_t>(a.size())),
                          j = below(static_cast<std::uint32_t>(a.size()));
      switch (below(8)) {
        case 0:
          a.push_back(g.add(a[i], a[j]));
          b.push_back(g.sub(b[j], g.neg(b[i])));
          break;
        case 1:
          a.push_back(g.sub(a[i], a[j]));
          b.push_back(g.neg(g.sub(b[j], b[i])));
          break;
        case 2:
          a.push_back(g.mul(a[i], g.add(a[j], l.x)));
          b.push_back(g.add(g.mul(b[j], b[i]), g.mul(b[i], l.x)));
          break;
        case 3:
          a.push_back(g.div(a[i], a[j]));
          b.push_back(g.neg(g.div(b[i], g.sub(g.zero(), b[j]))));
          break;
        case 4:
          a.push_back(l.sin(a[i]));
          b.push_back(g.neg(l.sin(g.mul(g.constant(-1), b[i]))));
          break;
        case 5:
          a.push_back(g.mul(l.cos(a[i]), l.cos(a[i])));
          b.push_back(g.sub(g.one(), g.power(l.sin(b[i]), 2)));
          break;
        case 6: {
          const NodeId c = l.two(Op::lt, a[i], a[j]), d = l.two(Op::lt, b[i], b[j]);
          a.push_back(g.select(c, a[i], a[j]));
          b.push_back(g.add(b[j], g.select(d, g.sub(b[i], b[j]), g.zero())));
          break;
        }
        default:
          a.push_back(g.unary(Op::abs, a[i]));
          b.push_back(g.unary(Op::abs, b[i]));
      }
    }
    const bool slip = below(2) == 0;
    const NodeId other = slip ? b[b.size() - 2] : b.back();
    const NodeId difference = g.sub(g.mul(a.back(), l.y), g.mul(other, l.y));
    if (!NormalForms(g).of(difference).empty()) continue;
    ++empty;
    const NodeId roots[] = {difference, g.mul(a.back(), l.y)};
    for (int k = 0; k < 5; ++k) {
      double values[] = {0, 0, 0};
      for (double& v : values) v = 0.3 + static_cast<double>(below(1000)) / 500;
      const auto at = graph::evaluate(
          g, roots, [&](const graph::Node& n) { return n.leaf == LeafKind::param ? values[2] : values[n.a]; });
      if (std::isfinite(at[1])) CHECK(std::fabs(at[0]) <= 1e-9 * (1 + std::fabs(at[1])));
    }
  }
  CHECK(empty > 100);  // The form recognises most pairs of equal expressions.
}

TEST_CASE("directions that sparse forms send to zero") {
  using Forms = std::vector<SparseForm>;
  CHECK(null_directions(3, {}).empty());  // Without a form the result is empty.
  CHECK(null_directions(2, {{{0, 2.0}, {1, -2.0}}}) == Forms{{{0, 1.0}, {1, 1.0}}});
  CHECK(null_directions(2, {{{0, 2.0}, {1, -2.0}}, {{1, 3.0}}}).empty());
  CHECK(null_directions(2, {{{0, 1.0}, {1, -2.0}}, {{0, 1.0}, {1, -2.0000001}}}).empty());
  CHECK(null_directions(2, {{{0, 1.0}, {1, -3.0}}, {{0, 0.1}, {1, -0.3}}}) == Forms{{{0, 1.0}, {1, 1.0 / 3}}});
  // There are two chains, one of which is fixed.
  CHECK(null_directions(5, {{{0, 1.0}, {1, -1.0}}, {{1, 1.0}, {2, -1.0}}, {{3, 1.0}, {4, 1.0}}, {{4, 7.0}}}) ==
        Forms{{{0, 1.0}, {1, 1.0}, {2, 1.0}}});
  // x1 + x2 + x3 = 0 leaves a plane.
  CHECK(null_directions(3, {{{0, 1.0}, {1, 1.0}, {2, 1.0}}}) == Forms{{{0, 1.0}, {2, -1.0}}, {{1, 1.0}, {2, -1.0}}});
}
