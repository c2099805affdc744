// SPDX-License-Identifier: Apache-2.0
// Tests graph::outer_rotation, which recognises vectors written in turning axes, and the expressions made from its
// result.
#include "compiler/graph/planar_rotation.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "compiler/graph/evaluate.h"
#include "compiler/lower/rotating_frame_rows.h"
#include "compiler/sema/rotations.h"

namespace mbc::test {
namespace {

using graph::Graph;
using graph::LeafKind;
using graph::Node;
using graph::NodeId;
using graph::Op;
using Nodes = std::vector<NodeId>;

NodeId q(Graph& g, std::uint32_t i) { return g.leaf(LeafKind::coordinate, i); }
NodeId u(Graph& g, std::uint32_t i) { return g.leaf(LeafKind::speed, i); }

// Returns the matrix of a rotation about an axis by an angle.
Nodes turning(Graph& g, std::size_t axis, NodeId angle) {
  Nodes R(9, g.zero());
  const std::size_t i = (axis + 1) % 3, j = (axis + 2) % 3;
  R[4 * axis] = g.one();
  R[4 * i] = R[4 * j] = g.unary(Op::cos, angle);
  R[3 * j + i] = g.unary(Op::sin, angle);
  R[3 * i + j] = g.neg(R[3 * j + i]);
  return R;
}

Nodes times(Graph& g, const Nodes& A, const Nodes& B) {
  const std::size_t columns = B.size() / 3;
  Nodes product;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < columns; ++k) {
      NodeId total = g.zero();
      for (std::size_t j = 0; j < 3; ++j) total = g.add(total, g.mul(A[3 * i + j], B[columns * j + k]));
      product.push_back(total);
    }
  return product;
}

constexpr double kAt[] = {0.7, -0.4, 1.3, 0.9, -1.1, 0.6};  // values of q and u

double value(const Graph& g, NodeId e) {
  return graph::evaluate(g, {&e, 1}, [](const Node& n) { return kAt[n.a + (n.leaf == LeafKind::speed ? 3 : 0)]; })[0];
}

ad::Motion motion(Graph& g) {
  return {[&g](std::uint32_t i) { return u(g, i); }, {}, {}};
}

TEST_CASE("a vector in turning axes is found, in any plane and direction") {
  Graph g;
  const Nodes inside{g.constant(-0.2), g.mul(g.constant(0.3), q(g, 1)), g.sub(q(g, 1), q(g, 2))};
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const bool back : {false, true}) {
      const NodeId angle = g.mul(g.constant(2), q(g, 0));
      const Nodes r = times(g, turning(g, axis, back ? g.neg(angle) : angle), inside);
      const auto turn = graph::outer_rotation(g, r, 3);
      REQUIRE(turn);
      CHECK(turn->inside == inside);
      CHECK(turn->angle == angle);
      CHECK(turn->j == (turn->i + (back ? 2 : 1)) % 3);
    }
  CHECK_FALSE(graph::outer_rotation(g, inside, 3));
  Nodes shifted = times(g, turning(g, 2, q(g, 0)), inside);
  shifted[0] = g.add(shifted[0], g.one());
  CHECK_FALSE(graph::outer_rotation(g, shifted, 3));
  // The angle also occurs inside the vector.
  shifted = times(g, turning(g, 2, q(g, 0)), {q(g, 0), g.unary(Op::sin, q(g, 0)), g.one()});
  CHECK_FALSE(graph::outer_rotation(g, shifted, 3));
}

TEST_CASE("rows in turning axes have the products of those in space") {
  Graph g;
  const Nodes inside = times(g, turning(g, 0, q(g, 1)), {q(g, 2), g.constant(0.4), g.constant(-0.7)});
  const Nodes r = times(g, turning(g, 2, g.mul(q(g, 0), q(g, 0))), inside);
  const ad::Motion m = motion(g);
  std::vector<ad::Row> space;
  for (NodeId e : r) space.push_back(ad::differentiate(g, e, ad::Level::position, m));
  std::vector<ad::Row> turned = space;
  const Nodes down{g.constant(0.2), g.constant(-0.5), g.constant(-9.81)};
  Nodes weight = down;
  lower::use_turning_axes(g, r, m, turned, weight);
  CHECK(turned[0].rate != space[0].rate);
  struct Numbers {
    std::array<double, 3> partial{};
    double rate = 0, bias = 0, weight = 0;
  };
  const auto numbers = [&](const std::vector<ad::Row>& rows, const Nodes& g_of, std::size_t k) {
    Numbers n;
    for (const auto& [i, J] : rows[k].jacobian) n.partial[i] = value(g, J);
    n.rate = value(g, rows[k].rate);
    n.bias = value(g, rows[k].bias);
    n.weight = value(g, g_of[k]);
    return n;
  };
  std::array<std::array<double, 6>, 6> products{};
  for (const double sign : {1.0, -1.0})
    for (std::size_t k = 0; k < 3; ++k) {
      const Numbers n = sign > 0 ? numbers(space, down, k) : numbers(turned, weight, k);
      const double all[] = {n.partial[0], n.partial[1], n.partial[2], n.rate, n.bias, n.weight};
      for (std::size_t a = 0; a < 6; ++a)
        for (std::size_t b = 0; b < 6; ++b) products[a][b] += sign * all[a] * all[b];
    }
  for (const auto& row : products)
    for (const double difference : row) CHECK(std::fabs(difference) < 1e-13);
}

TEST_CASE("the angular velocity of turns one after the other is that of R^T R'") {
  Graph g;
  const ad::Motion m = motion(g);
  const auto rates_of = [&](const Nodes& e) {
    Nodes rates;
    for (NodeId x : e) rates.push_back(ad::time_derivative(g, x, m));
    return rates;
  };
  for (const auto& axes : {std::array<std::size_t, 3>{2, 0, 1}, {2, 0, 2}, {1, 0, 2}}) {
    Nodes R = turning(g, axes[0], q(g, 0));
    for (std::size_t k = 1; k < 3; ++k) R = times(g, R, turning(g, axes[k], q(g, static_cast<std::uint32_t>(k))));
    const Nodes omega = sema::angular_velocity_of(g, R, rates_of, 3), rate = rates_of(R);
    for (std::size_t k = 0; k < 3; ++k) {
      double wanted = 0;
      for (std::size_t i = 0; i < 3; ++i)
        wanted += value(g, R[3 * i + (k + 2) % 3]) * value(g, rate[3 * i + (k + 1) % 3]);
      CHECK(value(g, omega[k]) == doctest::Approx(wanted).epsilon(1e-13));
    }
    CHECK(graph::reachable(g, omega).size() < 20);  // The result has a few products and no sums of squares.
  }
}

}  // namespace
}  // namespace mbc::test
