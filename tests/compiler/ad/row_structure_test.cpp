// SPDX-License-Identifier: Apache-2.0
// Compares rows of well-known constraints with formulas derived by hand, and tests structural zeros, levels and primes.
#include <doctest/doctest.h>

#include "tests/compiler/ad/motion_oracle.h"

namespace mbc::test {
namespace {

using ad::Level;
using graph::Graph;
using graph::NodeId;

double value_of(const Graph& g, NodeId id, const Point& point) { return evaluate_graph(g, {&id, 1}, point)[0]; }

// The coordinates are r = (q0, q1, q2) and the speeds v = (u0, u1, u2).
struct Particle {
  Graph g;
  std::vector<NodeId> r, v;
  Kinematics kinematics = cartesian(3);
  ad::Motion motion = build_motion(g, kinematics);
  Point point{0.3, {0.6, -0.48, 0.64}, {1.5, -2, 0.25}, {0.7, 0.1, -3}, {}, {2, 5}};

  Particle() {
    for (std::uint32_t i = 0; i < 3; ++i) {
      r.push_back(g.leaf(LeafKind::coordinate, i));
      v.push_back(g.leaf(LeafKind::speed, i));
    }
  }
};

TEST_CASE("sphere: r.r - 1") {
  Particle p;
  const NodeId e = p.g.sub(p.g.dot(p.r, p.r), p.g.one());
  CHECK(ad::level_of(p.g, e) == Level::position);
  const ad::Row row = ad::differentiate(p.g, e, Level::position, p.motion);
  REQUIRE(row.jacobian.size() == 3);
  double speed = 0, square = 0;
  for (std::uint32_t i = 0; i < 3; ++i) {
    CHECK(row.jacobian[i].first == i);
    CHECK(row.jacobian[i].second == p.g.mul(p.g.constant(2), p.r[i]));  // The product is simplified to one node.
    speed += 2 * p.point.q[i] * p.point.u[i];
    square += 2 * p.point.u[i] * p.point.u[i];
  }
  CHECK(value_of(p.g, row.rate, p.point) == doctest::Approx(speed).epsilon(1e-15));
  CHECK(value_of(p.g, row.bias, p.point) == doctest::Approx(square).epsilon(1e-15));
}

TEST_CASE("rotating meridian: x sin(w t) - y cos(w t), w a parameter") {
  Particle p;
  Graph& g = p.g;
  const NodeId angle = g.mul(g.leaf(LeafKind::param, 0), g.leaf(LeafKind::time, 0));
  const NodeId s = g.unary(Op::sin, angle), c = g.unary(Op::cos, angle);
  const NodeId e = g.sub(g.mul(p.r[0], s), g.mul(p.r[1], c));
  const ad::Row row = ad::differentiate(g, e, Level::position, p.motion);
  REQUIRE(row.jacobian.size() == 2);  // z does not appear.
  const double w = 2, x = p.point.q[0], y = p.point.q[1], vx = p.point.u[0], vy = p.point.u[1];
  const double sn = std::sin(w * p.point.t), cs = std::cos(w * p.point.t);
  CHECK(row.jacobian[0].second == s);
  CHECK(value_of(g, row.jacobian[1].second, p.point) == -cs);
  CHECK(value_of(g, row.rate, p.point) == doctest::Approx(vx * sn - vy * cs + w * (x * cs + y * sn)).epsilon(1e-14));
  const double bias = 2 * w * (vx * cs + vy * sn) + w * w * (-x * sn + y * cs);
  CHECK(value_of(g, row.bias, p.point) == doctest::Approx(bias).epsilon(1e-14));
}

TEST_CASE("knife edge: z vx - vy") {
  Particle p;
  Graph& g = p.g;
  const NodeId e = g.sub(g.mul(p.r[2], p.v[0]), p.v[1]);
  CHECK(ad::level_of(g, e) == Level::velocity);
  const ad::Row row = ad::differentiate(g, e, Level::velocity, p.motion);
  REQUIRE(row.jacobian.size() == 2);
  CHECK(row.jacobian[0].second == p.r[2]);
  CHECK(g.is_constant(row.jacobian[1].second, -1));
  CHECK(row.bias == g.mul(p.v[0], p.v[2]));
  CHECK_FALSE(row.rate.valid());
}

TEST_CASE("levels, from what an expression holds") {
  Particle p;
  Graph& g = p.g;
  const NodeId a = g.leaf(LeafKind::accel, 0), t = g.leaf(LeafKind::time, 0), s = g.leaf(LeafKind::state, 0);
  CHECK(ad::level_of(g, g.constant(3)) == Level::constant);
  CHECK(ad::level_of(g, g.leaf(LeafKind::param, 0)) == Level::constant);
  CHECK(ad::level_of(g, t) == Level::position);
  CHECK(ad::level_of(g, s) == Level::position);
  CHECK(ad::level_of(g, g.mul(p.r[0], p.v[0])) == Level::velocity);
  CHECK(ad::level_of(g, g.add(a, p.v[0])) == Level::acceleration);
  CHECK(ad::level_of(g, g.add(p.v[0], a)) == Level::acceleration);
}

TEST_CASE("an expression of parameters alone has an empty row") {
  Particle p;
  const NodeId e = p.g.unary(Op::sin, p.g.leaf(LeafKind::param, 0));
  for (Level level : {Level::position, Level::velocity, Level::acceleration}) {
    const ad::Row row = ad::differentiate(p.g, e, level, p.motion);
    CHECK(row.jacobian.empty());
    CHECK((level == Level::acceleration ? row.bias == e : p.g.is_zero(row.bias)));
  }
  CHECK(p.g.is_zero(ad::time_derivative(p.g, e, p.motion)));
}

TEST_CASE("primes: of position, velocity and time") {
  Particle p;
  CHECK(ad::time_derivative(p.g, p.r[1], p.motion) == p.v[1]);
  CHECK(ad::time_derivative(p.g, p.v[1], p.motion) == p.g.leaf(LeafKind::accel, 1));
  CHECK(ad::time_derivative(p.g, p.g.leaf(LeafKind::time, 0), p.motion) == p.g.one());
}

TEST_CASE("acceleration level: coefficients and remainder") {
  Particle p;
  Graph& g = p.g;
  const NodeId a0 = g.leaf(LeafKind::accel, 0), a2 = g.leaf(LeafKind::accel, 2);
  const NodeId rest = g.mul(p.v[0], p.r[1]);
  const NodeId e = g.add(g.sub(g.mul(p.r[0], a0), g.mul(g.constant(3), a2)), rest);
  const ad::Row row = ad::differentiate(g, e, Level::acceleration, p.motion);
  REQUIRE(row.jacobian.size() == 2);
  CHECK(row.jacobian[0].first == 0);
  CHECK(row.jacobian[0].second == p.r[0]);
  CHECK(row.jacobian[1].first == 2);
  CHECK(g.is_constant(row.jacobian[1].second, -3));
  CHECK(row.bias == rest);
}

TEST_CASE("the second derivative of a quaternion at constant angular velocity is -|w|^2 q / 4") {
  Graph g;
  const Kinematics k = rigid_body();
  const ad::Motion motion = build_motion(g, k);
  const Point point{0, {0.5, -0.1, 0.7, 0.5, 1, 2, 3}, {0.3, -2, 1.1, 0, 0, 0}, {}, {}, {}};
  const double w2 = 0.3 * 0.3 + 2 * 2 + 1.1 * 1.1;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const ad::Row row = ad::differentiate(g, g.leaf(LeafKind::coordinate, i), Level::position, motion);
    CHECK(value_of(g, row.bias, point) == doctest::Approx(-w2 * point.q[i] / 4).epsilon(1e-14));
    CHECK(row.jacobian.size() == 3);
  }
}

TEST_CASE("the norm of the quaternion moves with no angular velocity and has no bias") {
  Graph g;
  const Kinematics k = rigid_body();
  const ad::Motion motion = build_motion(g, k);
  std::vector<NodeId> q;
  for (std::uint32_t i = 0; i < 4; ++i) q.push_back(g.leaf(LeafKind::coordinate, i));
  const ad::Row row = ad::differentiate(g, g.dot(q, q), Level::position, motion);
  const Point point{0, {0.5, -0.1, 0.7, 0.5, 1, 2, 3}, {0.3, -2, 1.1, 4, 5, 6}, {}, {}, {}};
  CHECK(std::fabs(value_of(g, row.bias, point)) <= 1e-14);
  CHECK(std::fabs(value_of(g, row.rate, point)) <= 1e-15);
  for (const auto& entry : row.jacobian) CHECK(std::fabs(value_of(g, entry.second, point)) <= 1e-15);
}

}  // namespace
}  // namespace mbc::test
