// SPDX-License-Identifier: Apache-2.0
// Tests the Lipschitz bound: values of random expressions at two places differ by no more than the bound times the
// largest change of a coordinate or of the time. For a distance the bound is the root of the sum of the squares of its
// components' bounds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/graph/lipschitz_bounds.h"
#include "kernel/op_semantics.h"
#include "tests/compiler/ad/rng.h"

using namespace mbc;
using namespace mbc::graph;
using test::Rng;

namespace {

constexpr std::uint32_t kLeaves = 5;  // two coordinates, the time, a parameter, and one entry of a unit vector

NodeId leaf_of(Graph& g, std::uint32_t k) {
  if (k == 2) return g.leaf(LeafKind::time, 0);
  return k == 3 ? g.leaf(LeafKind::param, 0) : g.leaf(LeafKind::coordinate, k == 4 ? 2 : k);
}

std::vector<NodeId> steep_or_not(Graph& g, Rng& rng, int count) {
  std::vector<NodeId> nodes;
  for (std::uint32_t k = 0; k < kLeaves; ++k) nodes.push_back(leaf_of(g, k));
  for (const double c : {0.0, 1.0, -2.0, 0.5}) nodes.push_back(g.constant(c));
  const auto any = [&] { return nodes[rng.below(nodes.size())].value; };
  for (int k = 0; k < count; ++k) {
    const Op op = static_cast<Op>(2 + rng.below(static_cast<std::uint32_t>(kOpCount) - 2));
    const bool logical = op == Op::logical_and || op == Op::logical_or || op == Op::logical_not;
    // The second operand of a table is not a value, and logical operations need conditions.
    if (op == Op::table || logical) continue;
    Node n{op, LeafKind::time, any(), 0, 0};
    if (arity(op) > 1) n.b = rng.chance(0.3) ? n.a : any();
    if (arity(op) > 2) n.c = any();
    nodes.push_back(g.raw(n));
  }
  return nodes;
}

std::vector<double> at_place(const Graph& g, const double* leaves) {
  std::vector<double> v;
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const Node n = g.node({i});
    const auto at = [&](std::uint32_t k) { return k < v.size() ? v[k] : 0.0; };
    const std::uint32_t leaf = n.leaf == LeafKind::time ? 2 : n.leaf == LeafKind::param ? 3 : n.a == 2 ? 4 : n.a;
    v.push_back(n.op == Op::constant ? g.constant_value({i})
                : n.op == Op::leaf   ? leaves[leaf]
                                     : kernel::apply(n.op, at(n.a), at(n.b), at(n.c)));
  }
  return v;
}

}  // namespace

TEST_CASE("lipschitz: random expressions change by no more") {
  Rng rng(29);
  int looked = 0, flat = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    Graph g;
    const std::vector<NodeId> nodes = steep_or_not(g, rng, 10);
    LipschitzBounds lipschitz(g);
    lipschitz.assume(leaf_of(g, 4), {-1, 1});
    for (int pair = 0; pair < 4; ++pair) {
      const double param = rng.between(-3, 3), far = rng.log_between(1e-3, 10);
      double a[kLeaves], b[kLeaves], way = 0;
      for (std::uint32_t k = 0; k < kLeaves; ++k) {
        a[k] = k == 4 ? rng.between(-1, 1) : rng.between(-5, 5);
        b[k] = k == 4 ? rng.between(-1, 1) : a[k] + rng.between(-far, far);
        if (k == 3) a[k] = b[k] = param;
        way = std::max(way, std::fabs(a[k] - b[k]));
      }
      const std::vector<double> here = at_place(g, a), there = at_place(g, b);
      for (const NodeId id : nodes) {
        const double s = lipschitz.of(id), x = here[id.value], y = there[id.value];
        if (!std::isfinite(s) || !std::isfinite(x) || !std::isfinite(y)) continue;
        INFO(op_text(g.node(id).op), " goes from ", x, " to ", y, " over ", way, " with ", s);
        REQUIRE(std::fabs(x - y) <= s * way * (1 + 1e-12) + 1e-12 * (std::fabs(x) + std::fabs(y)));
        ++looked;
        flat += s < 100 && g.node(id).op != Op::leaf ? 1 : 0;
      }
    }
  }
  CHECK(looked > 100000);
  CHECK(flat > 20000);
}

TEST_CASE("lipschitz of distances, of walls that move, and of what has none") {
  Graph g;
  LipschitzBounds lipschitz(g);
  NodeId apart[3], square = g.zero();
  for (std::uint32_t k = 0; k < 3; ++k) {
    apart[k] = g.sub(g.leaf(LeafKind::coordinate, k), g.leaf(LeafKind::coordinate, k + 3));
    square = g.add(square, g.mul(apart[k], apart[k]));
  }
  const NodeId gap = g.sub(g.sqrt(square), g.leaf(LeafKind::param, 0));
  CHECK(lipschitz.of(gap) == doctest::Approx(std::sqrt(12.0)));
  const NodeId t = g.leaf(LeafKind::time, 0);
  const NodeId wall = g.sub(apart[0], g.mul(g.constant(3), g.unary(Op::sin, g.mul(g.constant(2), t))));
  CHECK(lipschitz.of(wall) == 8);
  CHECK(lipschitz.of(g.mul(apart[0], apart[1])) > kLargestLeaf);
  CHECK(std::isinf(lipschitz.of(g.leaf(LeafKind::speed, 0))));
  CHECK(std::isinf(lipschitz.of(g.unary(Op::sign, t))));
  CHECK(lipschitz.of(g.leaf(LeafKind::param, 1)) == 0);
}
