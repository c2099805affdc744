// SPDX-License-Identifier: Apache-2.0
// Compares the examples with the statements in their headers, by a closed form or an integration in other coordinates.
// Both engines must give the same bytes.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/oracles/closed_forms.h"
#include "tests/oracles/planar_chain.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;
using oracle::Real;

namespace {

Run complete(const std::string& name) {
  const Run r = run_both(example(name));
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  return r;
}

// Compares with the value of the reference and with the one in the header of the example.
void expect(const Run& r, const std::string& column, Real oracle, double printed, double tolerance) {
  INFO(column << " by the oracle: " << static_cast<double>(oracle));
  CHECK(std::fabs(static_cast<Real>(r.last(column)) - oracle) <= static_cast<Real>(tolerance));
  CHECK(std::fabs(static_cast<Real>(printed) - oracle) <= static_cast<Real>(tolerance));
}

double spread(const Run& r, const std::string& column) {
  double low = r.at(0, column), high = low;
  for (std::size_t row = 0; row < r.rows(); ++row) {
    low = std::min(low, r.at(row, column));
    high = std::max(high, r.at(row, column));
  }
  return high - low;
}

}  // namespace

TEST_CASE("example: pendulum") {
  const Run r = complete("pendulum");
  const oracle::Motion m = oracle::pendulum(3, 1, 9.81L, 4);
  expect(r, "bob.x", m.x, 0.9556012050, 1e-9);
  expect(r, "bob.y", m.y, -0.2946630907, 1e-9);
  CHECK(r.result.balance_error < 1e-8);
}

TEST_CASE("the period of a pendulum of large amplitude") {
  const Real period = oracle::pendulum_period(2.5L, 1, 9.81L);
  const std::string text = "mbd 1\nspace 2\ngravity (0, -9.81)\nlet T = " + number(static_cast<double>(period)) +
                           "\nparticle p(1) at (sin(2.5), -cos(2.5))\nconstraint rod: dist(p, ground) == 1\n" +
                           "simulate { time = 0 .. T step T/8000; integrator = rk4 }\n";
  const Run r = run_both(text);
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("p.x") - std::sin(2.5)) < 1e-10);
  CHECK(std::fabs(r.last("p.vx")) < 1e-8);
}

TEST_CASE("example: spherical pendulum") {
  const Run r = complete("spherical_pendulum");
  const Real g = 9.81L, z0 = -0.8L, h = 1.2L;  // h = x vy - y vx = phi' sin(theta)^2
  // theta is measured from the downward vertical, and the motion starts with theta' = 0.
  const auto x = oracle::integrate<3>(
      [&](const std::array<Real, 3>& s) -> std::array<Real, 3> {
        const Real sine = std::sin(s[0]);
        return {s[1], h * h * std::cos(s[0]) / (sine * sine * sine) - g * sine, h / (sine * sine)};
      },
      {std::acos(-z0), 0, 0}, 5, 20000);
  expect(r, "bob.z", -std::cos(x[0]), -0.8080594788, 1e-8);
  expect(r, "bob.x", std::sin(x[0]) * std::cos(x[2]), 0.0888517864, 1e-8);
  CHECK(spread(r, "Lz") < 1e-12);
  CHECK(spread(r, "E") < 1e-11);
  CHECK(r.result.balance_error < 1e-11);
}

TEST_CASE("example: Kepler's ellipse closes after its period") {
  const Run r = complete("kepler");
  CHECK(std::fabs(r.last("planet.x") - 0.5) < 1e-8);
  CHECK(std::fabs(r.last("planet.y")) < 1e-8);
  CHECK(spread(r, "E") < 1e-10);
  double low = 10, high = 0;
  for (std::size_t row = 0; row < r.rows(); ++row) {
    low = std::min(low, r.at(row, "r"));
    high = std::max(high, r.at(row, "r"));
  }
  CHECK(low == doctest::Approx(0.5).epsilon(1e-9));
  CHECK(high == doctest::Approx(1.5).epsilon(1e-6));
  const double b = r.at(1000, "planet.x");
  CHECK(b == doctest::Approx(static_cast<double>(oracle::kepler(oracle::kPi / 2, 0.5L).x)).epsilon(1e-8));
}

TEST_CASE("example: bead on a rotating wire") {
  const Run r = complete("bead_on_rotating_wire");
  const oracle::Motion m = oracle::bead(2, 0.1L, 2);
  expect(r, "r", 0.1L * std::cosh(4.0L), 2.730823284, 1e-9);
  expect(r, "bead.x", m.x, -1.784985219, 1e-9);
  expect(r, "bead.vy", m.vy, static_cast<double>(m.vy), 1e-8);
  const Real won = 1.5L * (m.vx * m.vx + m.vy * m.vy) - 0.06L;
  CHECK(r.result.work_of_constraints == doctest::Approx(static_cast<double>(won)).epsilon(1e-9));
  CHECK(r.result.balance_error < 1e-9);
}

TEST_CASE("example: the four-bar passes its flat positions") {
  const Run r = complete("four_bar_flat");
  CHECK(spread(r, "branch") < 1e-9);
  expect(r, "p1.x", std::cos(13.7L), 0.4233745445, 1e-8);
  CHECK(r.result.balance_error < 1e-6 * r.result.energy_begin);
}

TEST_CASE("example: double pendulum with redundant rows") {
  const Run r = complete("double_pendulum_redundant");
  CHECK(r.result.rank == 2);
  CHECK(r.result.dependent_rows == std::vector<std::string>{"again", "squares"});
  const oracle::PlanarChain<2> chain{{1, 0.5L}, {1, 0.7L}};
  const auto x = chain.at({oracle::kPi / 2, 0, 0, 0}, 2, 20000);
  expect(r, "m2.x", chain.position(x, 1)[0], 0.0251604286, 1e-8);
  expect(r, "m2.y", chain.position(x, 1)[1], -0.7317178461, 1e-8);
  CHECK(r.result.balance_error < 1e-8);
}

TEST_CASE("example: Atwood's machine") {
  const Run r = complete("atwood");
  expect(r, "b.y", -0.90875L, -0.90875, 1e-9);
  expect(r, "tension", 13.08L, 13.08, 1e-9);
}

TEST_CASE("example: chain of five") {
  const Run r = complete("chain");
  oracle::PlanarChain<5> chain;
  chain.mass.fill(1);
  chain.length.fill(0.2L);
  std::array<Real, 10> x{};
  for (std::size_t i = 0; i < 5; ++i) x[i] = oracle::kPi / 2;
  x = chain.at(x, 1, 20000);
  expect(r, "p5.x", chain.position(x, 4)[0], -0.942491508, 1e-7);
  expect(r, "p5.y", chain.position(x, 4)[1], -0.129033262, 1e-7);
  CHECK(r.result.balance_error < 1e-7);
}

TEST_CASE("example: Chaplygin's sleigh") {
  const Run r = complete("sleigh");
  const Real M = 3, J = 2 * 0.25L, s = 2 * 0.5L / M, w0 = 2.5L;
  const Real U = w0 * std::sqrt(J / M), k = w0 * s * std::sqrt(M / J);
  expect(r, "speed", U * std::tanh(2 * k), 1.020040268, 1e-9);
  CHECK(r.result.balance_error < 1e-9);
  const double wx = r.last("b.vx") - r.last("a.vx"), wy = r.last("b.vy") - r.last("a.vy");
  CHECK(std::hypot(wx, wy) / 0.5 == doctest::Approx(static_cast<double>(w0 / std::cosh(2 * k))).epsilon(1e-9));
}
