// SPDX-License-Identifier: Apache-2.0
// Compares examples of mechanisms (linkages, Atwood's compound machine, hoop, crane, tensegrity) with closed forms or
// with Lagrange's equations in minimal coordinates (oracles/lagrange.h).
#include "tests/physics/example_checks.h"

using namespace mbc;
using namespace mbc::test;
using namespace mbc::oracle;  // imports the operators on its vectors

TEST_CASE("example: slider-crank") {
  const Run r = complete("slider_crank");
  const Real radius = 0.1L, l = 0.3L;
  oracle::Lagrange<1> engine;
  engine.gravity = {0, -9.81L, 0};
  engine.place = [&](Real, const std::array<Real, 1>& q, oracle::Points& p) {
    const Real th = q[0], lean = std::asin(radius * std::sin(th) / l), x = radius * std::cos(th);
    const oracle::Vec3 pin{x, radius * std::sin(th), 0}, wrist{x + l * std::cos(lean), 0, 0};
    oracle::add_body(p, 1, {0, 0.001L, 0.001L}, 0.5L * pin, oracle::about_z(th));
    oracle::add_body(p, 1, {0, 0.008L, 0.008L}, 0.5L * (pin + wrist), oracle::about_z(-lean));
    p.push_back({2, wrist});
  };
  const auto x = engine.at({0}, {20}, 1, 5000);
  expect(r, "crank.omega", x[1], 19.4537018, 1e-7);
  const Real s = radius * std::sin(x[0]);
  expect(r, "slider.x", radius * std::cos(x[0]) + std::sqrt(l * l - s * s), 0.2001424985, 1e-9);
  CHECK(r.result.balance_error < 1e-7);
  for (std::size_t row = 0; row < r.rows(); row += 50) {  // The formula of the textbook is tested at every angle.
    const double th = r.at(row, "crank.angle");
    CHECK(std::fabs(r.at(row, "slider.x") -
                    (0.1 * std::cos(th) + std::sqrt(0.09 - 0.01 * std::sin(th) * std::sin(th)))) < 1e-12);
  }
}

TEST_CASE("example: Watt's linkage") {
  const Run r = complete("watt_linkage");
  const Real c = 1, h = 0.4L;
  // A is at the angle q of the left crank. B is the point at c from Q and 2 h from A on the lower side.
  oracle::Lagrange<1> watt;
  const auto ends = [&](Real q) {
    const oracle::Vec3 A{-c + c * std::cos(q), h + c * std::sin(q), 0}, Q{c, -h, 0};
    const oracle::Vec3 to = Q - A;
    const Real dist2 = oracle::dot(to, to), along = (dist2 + 4 * h * h - c * c) / (2 * dist2);
    const Real off = std::sqrt(4 * h * h / dist2 - along * along);
    const oracle::Vec3 B{A[0] + along * to[0] + off * to[1], A[1] + along * to[1] - off * to[0], 0};
    return std::pair{A, B};
  };
  watt.place = [&](Real, const std::array<Real, 1>& q, oracle::Points& p) {
    const auto [A, B] = ends(q[0]);
    p.push_back({0.2L, A});
    p.push_back({0.2L, B});
    p.push_back({1, 0.5L * (A + B)});
  };
  watt.potential = [&](Real, const std::array<Real, 1>& q) {
    const auto [A, B] = ends(q[0]);
    const Real y = (A[1] + B[1]) / 2;
    return 25 * y * y;
  };
  const auto x = watt.at({0}, {1.5L}, 2, 4000);
  const auto [A, B] = ends(x[0]);
  expect(r, "M.y", (A[1] + B[1]) / 2, -0.156400611, 1e-8);
  expect(r, "A.x", A[0], 1e-8);
  for (std::size_t row = 0; row < r.rows(); row += 20) {  // The middle is on Watt's curve.
    const double mx = r.at(row, "M.x"), my = r.at(row, "M.y"), rho2 = mx * mx + my * my;
    // The curve has the polar angle from PQ = 2 d (c, -h)/d and rho^2 = c^2 - (d sin -+ root)^2. The test squares it to
    // remove the root.
    // Both values are multiplied by rho^2.
    const double along2 = std::pow(mx - 0.4 * my, 2), d2sine2 = 1.16 * rho2 - along2;
    const double root2 = 0.16 * rho2 - along2;
    const double difference = (1 - rho2) * rho2 - d2sine2 - root2;
    CHECK(std::fabs(difference * difference - 4 * d2sine2 * root2) < 1e-13);
  }
  CHECK(highest(r, "sideways") < 2e-3);
  CHECK(highest(r, "M.y") > 0.2);
  CHECK(r.result.balance_error < 1e-10);
}

TEST_CASE("example: Peaucellier's straight line") {
  const Run r = complete("peaucellier");
  const Real a = 1, b = 0.4L, radius = 0.4L, line = (a * a - b * b) / (2 * radius);
  oracle::Lagrange<1> inverter;  // The coordinate is the angle of the line O C D from the vertical.
  inverter.gravity = {0, -9.81L, 0};
  inverter.place = [&](Real, const std::array<Real, 1>& q, oracle::Points& p) {
    const oracle::Vec3 out{std::sin(q[0]), -std::cos(q[0]), 0}, across{std::cos(q[0]), std::sin(q[0]), 0};
    const Real oc = 2 * radius * std::cos(q[0]), od = (a * a - b * b) / oc, middle = (oc + od) / 2;
    const Real half = std::sqrt(a * a - middle * middle);
    p.push_back({0.2L, middle * out - half * across});
    p.push_back({0.2L, middle * out + half * across});
    p.push_back({0.3L, oc * out});
    p.push_back({1, od * out});
  };
  const auto x = inverter.at({0}, {0.9L}, 3, 3000);
  expect(r, "D.x", line * std::tan(x[0]), -0.253328264, 1e-7);
  expect(r, "C.x", radius * std::sin(2 * x[0]), 1e-7);
  CHECK(highest(r, "off") < 1e-12);
  CHECK(lowest(r, "off") > -1e-12);
  CHECK(highest(r, "D.x") > 0.2);
  CHECK(r.result.balance_error < 1e-10);
}

TEST_CASE("example: the compound Atwood machine") {
  const Run r = complete("compound_atwood");
  const Real a = 4, b = 1, c = 3, p = 0.5L, mu = b * c / (b + c), g = 9.81L;
  const Real up = g * (p - a + 4 * mu) / (p + a + 4 * mu), tension = 2 * mu * (g - up);
  expect(r, "pulley.ax", up, -0.654, 1e-9);
  expect(r, "pulley.x", 2 + up / 2, 1.673, 1e-9);
  expect(r, "lower_tension", tension, 15.696, 1e-9);
  expect(r, "c.vx", g - tension / c, 4.578, 1e-9);
  expect(r, "upper_tension", a * (g + up), 36.624, 1e-9);
  CHECK(r.result.balance_error < 1e-10);
}

TEST_CASE("example: the bead on a hoop, on both sides of its bifurcation") {
  const Real R = 0.5L, g = 9.81L;
  const auto swing = [&](Real w, Real th0) {
    return oracle::integrate<2>(
        [&](const std::array<Real, 2>& s) -> std::array<Real, 2> {
          return {s[1], std::sin(s[0]) * (w * w * std::cos(s[0]) - g / R)};
        },
        {th0, 0}, 5, 20000);
  };
  const Run fast = complete("bead_on_hoop");
  expect(fast, "th", swing(6, 0.9L)[0], 0.900430379, 1e-9);
  CHECK(lowest(fast, "th") > 0.89);
  CHECK(highest(fast, "th") > std::acos(9.81 / 18));
  CHECK(spread(fast, "jacobi") < 1e-11);
  const Run slow = complete("bead_on_hoop", {"w=4"});
  expect(slow, "th", swing(4, 0.9L)[0], 1e-8);
  CHECK(lowest(slow, "th") < -0.89);
  // At the tilted equilibrium nothing moves. Near it the frequency is w sin(th).
  const double tilted = std::acos(9.81 / (36 * 0.5)), sine = std::sin(tilted);
  const Run still = complete("bead_on_hoop", {"th0=" + number(tilted)});
  CHECK(spread(still, "th") < 1e-13);
  const Run small = complete("bead_on_hoop", {"th0=" + number(tilted + 1e-4)});
  for (std::size_t row = 0; row < small.rows(); row += 100)
    CHECK(std::fabs(small.at(row, "th") - tilted - 1e-4 * std::cos(6 * sine * small.time[row])) < 1e-7);
}

TEST_CASE("example: the crane's load follows its path though nothing holds it there") {
  const Run r = complete("crane");
  CHECK(highest(r, "off") < 1e-8);
  expect(r, "load.x", 4, 4, 1e-8);
  expect(r, "load.y", -2, -2, 1e-8);
  expect(r, "load.vx", 0, 1e-8);
  expect(r, "tension", 981, 981, 1e-6);
  // Half-way x'' = 0, so that the rope hangs straight and carries m (g + y'') with y'' = 0.
  CHECK(r.at(2500, "load.x") == doctest::Approx(2).epsilon(1e-9));
  CHECK(r.at(2500, "trolley.x") == doctest::Approx(2).epsilon(1e-9));
  CHECK(r.at(2500, "tension") == doctest::Approx(981).epsilon(1e-8));
  // The winch has lifted the load by 3 m, and nothing else has changed.
  CHECK(r.result.work_of_constraints == doctest::Approx(100 * 9.81 * 3).epsilon(1e-9));
  CHECK(r.result.balance_error < 1e-7);
  CHECK(highest(r, "pull") > 100);
}

TEST_CASE("example: the tensegrity prism") {
  const Run still = complete("tensegrity", {"kick=0"});
  for (const char* column : {"t1.x", "t1.y", "t1.z", "b1.x", "b2.y"}) CHECK(spread(still, column) < 1e-10);
  CHECK(still.at(0, "strut") == doctest::Approx(200 * std::sqrt(1 + 0.5 * (1 + std::sqrt(0.75)))).epsilon(1e-10));
  const Run r = complete("tensegrity");
  // The motion is symmetric: all six ends have the same radius and height, and the top is turned by the angle against
  // the bottom.
  oracle::Lagrange<2> prism;
  const Real strut2 = 1 + 0.5L * (1 - std::cos(5 * oracle::kPi / 6));
  const auto height = [&](Real radius, Real angle) {
    return std::sqrt(strut2 - 2 * radius * radius * (1 - std::cos(angle + 2 * oracle::kPi / 3)));
  };
  prism.place = [&](Real, const std::array<Real, 2>& q, oracle::Points& p) {
    for (int i = 0; i < 3; ++i) {
      const Real at = 2 * oracle::kPi * static_cast<Real>(i) / 3, h = height(q[0], q[1]) / 2;
      p.push_back({1, {q[0] * std::cos(at - q[1] / 2), q[0] * std::sin(at - q[1] / 2), -h}});
      p.push_back({1, {q[0] * std::cos(at + q[1] / 2), q[0] * std::sin(at + q[1] / 2), h}});
    }
  };
  prism.potential = [&](Real, const std::array<Real, 2>& q) {
    const Real k = 3000, density = 200, root3 = std::sqrt(3.0L);
    const auto energy = [&](Real length, Real at, Real f) {
      const Real pull = length - at * (1 - f / k);  // No cable becomes slack.
      return k / 2 * pull * pull;
    };
    const auto edge = [&](Real radius, Real angle, Real h) {
      return std::sqrt(2 * radius * radius * (1 - std::cos(angle)) + h * h);
    };
    return 6 * energy(root3 * q[0], root3 / 2, density / root3) +
           3 * energy(edge(q[0], q[1], height(q[0], q[1])), edge(0.5L, oracle::kPi / 6, 1), density);
  };
  const auto x = prism.at({0.5L, oracle::kPi / 6}, {0, 0.6L}, 2, 4000);
  expect(r, "twist", x[1], 0.5395999, 1e-6);
  CHECK(std::hypot(r.last("t1.x"), r.last("t1.y")) == doctest::Approx(static_cast<double>(x[0])).epsilon(1e-7));
  CHECK(spread(r, "twist") > 0.04);
  CHECK(r.result.balance_error < 1e-7);
  for (const char* column : {"momentum.linear.x", "momentum.linear.z", "momentum.angular.x", "momentum.angular.z"})
    CHECK(spread(r, column) < 1e-12);
}
