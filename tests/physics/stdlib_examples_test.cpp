// SPDX-License-Identifier: Apache-2.0
// Compares the examples that use the standard library with a closed form or an independent integration. Both engines
// must give the same bytes.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/oracles/closed_forms.h"
#include "tests/physics/stdlib_support.h"

using namespace mbc;
using namespace mbc::test;
using oracle::Real;

namespace {

Run complete(const std::string& name) {
  const Run r = run_both(example(name));
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  return r;
}

void expect(double value, Real wanted, double tolerance) {
  INFO(value << " instead of " << static_cast<double>(wanted));
  CHECK(std::fabs(static_cast<Real>(value) - wanted) <= static_cast<Real>(tolerance));
}

}  // namespace

TEST_CASE("example: four-bar of bodies and hinges") {
  const Run r = complete("hinge_four_bar");
  CHECK(r.result.rank == 17);
  CHECK(r.result.dependent_rows.size() == 3);
  CHECK(spread(r, "energy.total") < 1e-7);
  const double a = 0.4, b = std::hypot(1.0, 0.5), c = std::hypot(0.2, 0.9);
  for (std::size_t row = 0; row < r.rows(); row += 50) {
    // The tip of the crank follows from its mass centre, and the tip of the rocker from the intersection of the circles
    // round A and Q.
    const double x = 2 * r.at(row, "crank.rod.x"), z = 2 * r.at(row, "crank.rod.z");
    CHECK(std::hypot(x, z) == doctest::Approx(a).epsilon(1e-11));
    const double d = std::hypot(1.2 - x, z), along = (b * b - c * c + d * d) / (2 * d);
    const double up = std::sqrt(b * b - along * along), ex = (1.2 - x) / d, ez = -z / d;
    const double bx = x + along * ex - up * ez, bz = z + along * ez + up * ex;
    expect(2 * r.at(row, "rocker.rod.x") - 1.2, bx, 1e-10);
    expect(2 * r.at(row, "rocker.rod.z"), bz, 1e-10);
  }
}

TEST_CASE("example: slider-crank of joints") {
  const Run r = complete("slider_crank_joints");
  CHECK(r.result.rank == 18);
  CHECK(r.result.dependent_rows.empty());
  for (std::size_t row = 0; row < r.rows(); row += 100) {
    const Real a = 20 * static_cast<Real>(r.time[row]), s = 0.1L * std::sin(a), root = std::sqrt(0.09L - s * s);
    expect(r.at(row, "piston.x"), 0.1L * std::cos(a) + root, 1e-11);
    expect(r.at(row, "piston.vx"), -20 * (s + s * 0.1L * std::cos(a) / root), 1e-9);
  }
  expect(r.last("piston.x"), 0.2968467620L, 1e-9);
}

TEST_CASE("example: Cardan's joint and a homokinetic one") {
  const Run r = complete("universal_joint");
  CHECK(largest(r, "error1") < 1e-9);
  CHECK(largest(r, "error2") < 1e-9);
  CHECK(spread(r, "ratio") > 0.4);  // 1/cos - cos of 35 degrees is 0.4016.
}

TEST_CASE("example: a flywheel on a screw") {
  const Run r = complete("screw_press");
  const Real k = 2 * oracle::kPi / 0.01L, J = 0.5L * 30 * 0.16L, acceleration = -30 * 9.81L / (30 + J * k * k);
  expect(r.last("thread.displacement"), 2 * acceleration, 1e-14);
  expect(r.last("thread.displacement"), -0.6212058380e-3L, 1e-13);
  expect(r.last("rate"), 2 * acceleration * k, 1e-10);
  CHECK(spread(r, "energy.total") < 1e-12);
}

TEST_CASE("example: planetary gear") {
  const Run r = complete("epicyclic_gear");
  CHECK(largest(r, "sun_error") < 1e-9);
  CHECK(largest(r, "planet_error") < 1e-9);
  CHECK(r.result.rank == 11);
  const Real spin = 1 - 50.0L / 15, planet = 0.3L * 0.07L * 0.07L + 0.5L * 0.3L * 0.03L * 0.03L * spin * spin;
  const Real reduced = 0.01L + 3.5L * 3.5L * 0.0016L + 2 * planet;
  expect(r.last("arm.omega"), 3.5L * 0.1L / reduced, 1e-9);
  expect(r.last("arm.omega"), 10.2910908556L, 1e-9);
}

TEST_CASE("example: a coin rolls on a circle") {
  const Run r = complete("rolling_coin");
  CHECK(spread(r, "lean") < 1e-9);
  CHECK(spread(r, "height") < 1e-9);
  CHECK(spread(r, "E") < 1e-10);
  expect(r.last("coin.x"), r.at(0, "coin.x"), 1e-8);
  expect(r.last("coin.y"), r.at(0, "coin.y"), 1e-8);
  CHECK(r.at(2000, "coin.y") == doctest::Approx(-r.at(0, "coin.y")).epsilon(1e-8));
  CHECK(r.last("N") == doctest::Approx(0.02 * 9.81).epsilon(1e-9));
}

TEST_CASE("example: a quarter of a car") {
  const Run r = complete("suspension");
  const Real M = 300, m = 40, k = 20000, c = 1500, kt = 180000;
  // The state holds the deviations of car and wheel from their rest on the level road, their rates, and the time.
  const auto x = oracle::integrate<5>(
      [&](const std::array<Real, 5>& s) -> std::array<Real, 5> {
        const Real p = std::min<Real>(1, std::max<Real>(0, (s[4] - 0.2L) / 0.2L));
        const Real road = 0.05L * p * p * p * (10 - 15 * p + 6 * p * p);
        const Real leg = k * (s[1] - s[0]) + c * (s[3] - s[2]), tyre = kt * (road - s[1]);
        return {s[2], s[3], leg / M, (tyre - leg) / m, 1};
      },
      {0, 0, 0, 0, 0}, 2, 40000);
  expect(r.last("car.y"), 0.6L + x[0], 1e-9);
  expect(r.last("wheel.y"), 0.3L + x[1], 1e-9);
  expect(r.last("car.y"), 0.6487255828L, 1e-9);
  expect(r.last("wheel.y"), 0.3499312783L, 1e-9);
}

TEST_CASE("example: a servo holds a pendulum") {
  const Run r = complete("pd_pendulum");
  Real angle = 1.5L;
  for (int i = 0; i < 50; ++i) angle = oracle::kPi / 2 - 2 * 9.81L * 0.3L / 64 * std::sin(angle);
  expect(r.last("angle"), angle, 1e-6);
  expect(r.last("angle"), 1.4792130L, 1e-6);
  CHECK(std::fabs(r.last("rod.omegay")) < 1e-6);
}

TEST_CASE("example: a robot on two wheels") {
  const Run r = complete("two_wheeled_robot");
  expect(r.last("chassis.x"), std::sin(0.4L), 1e-9);
  expect(r.last("chassis.y"), 1 - std::cos(0.4L), 1e-9);
  expect(r.last("chassis.z"), 0.1L, 1e-12);
  expect(r.last("left.y"), 1 - 0.75L * std::cos(0.4L), 1e-9);
}
