// SPDX-License-Identifier: Apache-2.0
// Tests graph::reduce_sin_cos: it uses sin^2 + cos^2 = 1 in sums of products and loses no digit.
#include "compiler/graph/reduce_sin_cos.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "compiler/graph/evaluate.h"

namespace mbc::test {
namespace {

using graph::Graph;
using graph::LeafKind;
using graph::Node;
using graph::NodeId;
using graph::Op;

NodeId q(Graph& g, std::uint32_t i) { return g.leaf(LeafKind::coordinate, i); }

std::size_t operations(const Graph& g, NodeId root) {
  std::size_t n = 0;
  for (NodeId id : graph::reachable(g, {&root, 1})) n += graph::arity(g.node(id).op) > 0;
  return n;
}

NodeId simplified(Graph& g, NodeId e) { return graph::reduce_sin_cos(g, {e})[0]; }

struct Angle {
  NodeId s, c;
};
Angle angle(Graph& g, NodeId phi) { return {g.unary(Op::sin, phi), g.unary(Op::cos, phi)}; }

TEST_CASE("squares of a sine and a cosine with the same factor are that factor") {
  Graph g;
  const NodeId x = q(g, 0);
  const auto [s, c] = angle(g, q(g, 1));
  CHECK(simplified(g, g.add(g.mul(s, s), g.mul(c, c))) == g.one());
  CHECK(simplified(g, g.add(g.mul(g.mul(s, x), g.mul(s, x)), g.mul(g.mul(x, c), g.mul(x, c)))) == g.mul(x, x));
  const NodeId fourth = g.power(g.add(g.mul(s, s), g.mul(c, c)), 2);
  CHECK(simplified(g, fourth) == g.one());
}

TEST_CASE("a point of a turning frame moves as fast as in the frame") {
  Graph g;
  const auto [s, c] = angle(g, q(g, 0));
  const auto [sb, cb] = angle(g, q(g, 1));
  const NodeId u = g.leaf(LeafKind::speed, 2), across = g.mul(g.constant(0.15), sb), along = g.constant(-0.2);
  const NodeId x = g.mul(u, g.add(g.mul(s, along), g.mul(c, across)));
  const NodeId y = g.mul(u, g.sub(g.mul(c, along), g.mul(s, across)));
  const NodeId square = simplified(g, g.add(g.mul(x, x), g.mul(y, y)));
  for (NodeId id : graph::reachable(g, {&square, 1})) CHECK(id != s);
  CHECK(operations(g, square) <= 8);  // The result is u^2 (0.04 + 0.0225 sin^2).
}

TEST_CASE("unequal squares of one sign leave the rest, those of different signs stay") {
  Graph g;
  const auto [s, c] = angle(g, q(g, 0));
  const NodeId two = g.constant(2), three = g.constant(3), five = g.constant(5);
  const NodeId unequal = g.add(g.mul(g.mul(two, s), g.mul(three, s)), g.mul(g.mul(c, c), five));
  const NodeId e = simplified(g, unequal);
  CHECK(operations(g, e) < operations(g, unequal));
  const auto value = [&](NodeId id, double phi) { return graph::evaluate(g, {&id, 1}, [&](auto&) { return phi; })[0]; };
  for (const double phi : {-2.0, 0.0, 1e-9, 0.7, 1.5707963267948966})
    CHECK(value(e, phi) == doctest::Approx(value(unequal, phi)).epsilon(1e-15));
  const NodeId difference = g.sub(g.mul(c, c), g.mul(s, s));
  CHECK(simplified(g, difference) == difference);
  const NodeId from_one = g.sub(g.one(), g.mul(c, c));
  CHECK(simplified(g, from_one) == from_one);
}

TEST_CASE("powers of small differences of literals, and literals near the ends of the range, stay what they are") {
  Graph g;
  const auto [s, c] = angle(g, q(g, 0));
  const NodeId r = q(g, 1), squares = g.add(g.mul(s, s), g.mul(c, c));
  const NodeId strain = g.sub(g.mul(g.constant(1.0001), r), r), e4 = g.power(strain, 4);
  const NodeId fourth = g.add(g.mul(e4, squares), g.mul(g.constant(0.7), e4));
  const NodeId little = g.add(g.mul(squares, r), g.mul(g.constant(-0.999999999999999), r));
  const NodeId tiny = g.mul(g.mul(g.constant(1e-200), r), g.mul(g.mul(g.constant(1e-200), r), g.constant(1e300)));
  const std::vector<NodeId> given{fourth, little, g.add(tiny, squares)};
  const std::vector<NodeId> made = graph::reduce_sin_cos(g, given);
  const auto at = [&](const std::vector<NodeId>& roots) {
    return graph::evaluate(g, roots, [](const Node& n) { return n.a == 0 ? 0.6 : 0.2; });
  };
  const double e = 1e-4 * 0.2;
  CHECK(at(made)[0] == doctest::Approx(1.7 * e * e * e * e).epsilon(1e-10));
  CHECK(at(made)[1] == doctest::Approx(1e-15 * 0.2).epsilon(0.2));
  CHECK(at(made)[2] == doctest::Approx(1 + 4e-102).epsilon(1e-14));
}

TEST_CASE("a difference of two leaves stays one factor") {
  Graph g;
  const NodeId d = g.sub(q(g, 0), q(g, 1));
  const auto [s, c] = angle(g, q(g, 2));
  const NodeId e = g.add(g.mul(g.mul(s, d), g.mul(s, d)), g.mul(g.mul(c, d), g.mul(c, d)));
  CHECK(simplified(g, e) == g.mul(d, d));
}

// A Bounded is a value with a first-order bound of its rounding error.
struct Bounded {
  long double value = 0, error = 0;
};

Bounded evaluate(const Graph& g, NodeId root, const std::vector<double>& at) {
  constexpr long double kUnit = std::numeric_limits<double>::epsilon() / 2;
  std::vector<Bounded> v(g.size());
  for (NodeId id : graph::reachable(g, {&root, 1})) {
    const Node& n = g.node(id);
    const auto rounded = [](long double value, long double error) {
      return Bounded{value, error + kUnit * std::fabs(value)};
    };
    const Bounded a = graph::arity(n.op) > 0 ? v[n.a] : Bounded{}, b = graph::arity(n.op) > 1 ? v[n.b] : Bounded{};
    switch (n.op) {
      case Op::constant:
        v[id.value] = {g.constant_value(id), 0};
        break;
      case Op::leaf:
        v[id.value] = {at[n.a], 0};
        break;
      case Op::neg:
        v[id.value] = {-a.value, a.error};
        break;
      case Op::add:
        v[id.value] = rounded(a.value + b.value, a.error + b.error);
        break;
      case Op::sub:
        v[id.value] = rounded(a.value - b.value, a.error + b.error);
        break;
      case Op::mul:
        v[id.value] = rounded(a.value * b.value, std::fabs(a.value) * b.error + std::fabs(b.value) * a.error);
        break;
      case Op::sin:
        v[id.value] = rounded(std::sin(a.value), std::fabs(std::cos(a.value)) * a.error);
        break;
      case Op::cos:
        v[id.value] = rounded(std::cos(a.value), std::fabs(std::sin(a.value)) * a.error);
        break;
      default:
        FAIL("an operation that is not made here");
    }
  }
  return v[root.value];
}

// The reduced form of a random expression is as accurate as the expression, even if terms nearly cancel.
TEST_CASE("random sums of products keep their values and their digits") {
  std::mt19937_64 random(11);
  const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  std::uniform_real_distribution<double> value(-2, 2);
  std::size_t changed = 0;
  for (int n = 0; n < 3000; ++n) {
    Graph g;
    std::vector<NodeId> nodes;
    for (std::uint32_t i = 0; i < 4; ++i) nodes.push_back(q(g, i));
    for (std::uint32_t i = 0; i < 2; ++i) {
      const auto [s, c] = angle(g, q(g, i));
      nodes.insert(nodes.end(), {s, c, g.mul(s, s), g.mul(c, c), s, c});
    }
    nodes.insert(nodes.end(), {g.constant(0.3), g.constant(-1), g.constant(2)});
    for (int k = 0; k < 12; ++k) {
      constexpr Op kOps[] = {Op::mul, Op::add, Op::sub, Op::mul, Op::add};
      nodes.push_back(g.make(kOps[pick(5)], nodes[pick(nodes.size())], nodes[pick(nodes.size())], {}));
    }
    // This is the square of a vector in rotated axes.
    const auto [s, c] = angle(g, q(g, 1));
    const NodeId a = nodes[pick(nodes.size())], b = nodes[pick(nodes.size())];
    const NodeId x = g.sub(g.mul(c, a), g.mul(s, b)), y = g.add(g.mul(s, a), g.mul(c, b));
    const NodeId root = g.add(nodes.back(), g.add(g.mul(x, x), g.mul(y, y)));
    const NodeId made = simplified(g, root);
    if (made == root) continue;
    ++changed;
    for (int k = 0; k < 6; ++k) {
      std::vector<double> at{value(random), value(random), value(random), value(random)};
      if (k == 1) at[1] = at[0] + 1e-10 * at[2];
      if (k == 2) at[0] = at[1] = 1e-7 * at[2];
      if (k == 3) at[0] = 1.5707963267948966 + 1e-8 * at[2];
      if (k == 4) at = {at[0], -at[0] + 1e-9, at[2], at[2] * (1 + 1e-12)};
      if (k == 5) at = {0.3, std::asin(0.3), at[2], -at[2]};
      const Bounded wanted = evaluate(g, root, at), got = evaluate(g, made, at);
      CAPTURE(n);
      CAPTURE(k);
      CHECK(std::fabs(got.value - wanted.value) + got.error <= 8 * wanted.error);  // Literals are also rounded.
    }
  }
  CHECK(changed > 200);
}

}  // namespace
}  // namespace mbc::test
