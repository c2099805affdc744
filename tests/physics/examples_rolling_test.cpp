// SPDX-License-Identifier: Apache-2.0
// Compares rolling and steered examples (coin, ball on a turntable, snakeboard, cart on two wheels) with closed forms
// and with the motion in minimal coordinates, integrated in extended precision.
#include "tests/physics/example_checks.h"

using namespace mbc;
using namespace mbc::test;
using namespace mbc::oracle;  // imports the operators on its vectors

namespace {

// Returns the rates of a coin of mass m on axes that turn with its lean and heading but not with its spin: e1 is
// horizontal, e3 is its axis, and e2 points from the contact to the centre. x holds the lean, the angular velocity on
// these axes, the heading, and the place of the centre. With the velocity v = R w x e2, H = (A w1, A w2, C w3) and the
// contact force F = m (v' + g k), H' = -R e2 x F on turning axes.
std::array<Real, 7> coin(const std::array<Real, 7>& x, Real m, Real R, Real g) {
  const Real A = m * R * R / 4, C = m * R * R / 2, sine = std::sin(x[0]), cosine = std::cos(x[0]);
  const Vec3 w{x[1], x[2], x[3]}, axes{x[1], x[2], x[2] * cosine / sine};
  const Vec3 v{-R * w[2], 0, R * w[0]}, turned = cross(axes, v);
  const Vec3 gyroscopic = cross(axes, Vec3{A * w[0], A * w[1], C * w[2]});
  const Real along = std::cos(x[4]), across = std::sin(x[4]);
  return {w[0],
          (-gyroscopic[0] - m * R * (turned[2] + g * cosine)) / (A + m * R * R),
          -gyroscopic[1] / A,
          (-gyroscopic[2] + m * R * turned[0]) / (C + m * R * R),
          x[2] / sine,
          v[0] * along + v[2] * sine * across,
          v[0] * across - v[2] * sine * along};
}

}  // namespace

TEST_CASE("example: the coin rolls in a steady circle, and wobbles when pushed") {
  const Real m = 0.1L, R = 0.3L, th = 1.2L, W = 1.5L, g = 9.81L, A = m * R * R / 4, C = m * R * R / 2;
  const Real w3 =
      (A * W * W * std::sin(th) * std::cos(th) - m * g * R * std::cos(th)) / ((C + m * R * R) * W * std::sin(th));
  const Run steady = complete("rolling_disc");
  expect(steady, "spin", w3, -5.559673636, 1e-9);
  CHECK(spread(steady, "spin") < 1e-10);
  CHECK(spread(steady, "lean") < 1e-9);
  const double radius = static_cast<double>(-R * w3 / W);
  CHECK(radius == doctest::Approx(1.111934727).epsilon(1e-9));
  for (std::size_t row = 0; row < steady.rows(); row += 50)
    CHECK(std::fabs(std::hypot(steady.at(row, "coin.x"), steady.at(row, "coin.y") - radius) - radius) < 1e-8);
  // The contact carries weight and centripetal force.
  CHECK(steady.last("force.z") == doctest::Approx(0.981).epsilon(1e-9));
  CHECK(std::hypot(steady.last("force.x"), steady.last("force.y")) ==
        doctest::Approx(0.1 * 1.5 * 1.5 * radius).epsilon(1e-9));

  const Run r = complete("rolling_disc", {"push=0.5"});
  const auto x = integrate<7>([&](const std::array<Real, 7>& s) { return coin(s, m, R, g); },
                              {th, 0.5L, W * std::sin(th), w3, 0, 0, 0}, 5, 20000);
  expect(r, "lean", x[0], 1e-8);
  expect(r, "spin", x[3], 1e-8);
  expect(r, "coin.x", x[5], 1e-8);
  expect(r, "coin.y", x[6], 1e-8);
  CHECK(spread(r, "lean") > 0.05);
  CHECK(spread(r, "height") < 1e-9);
  CHECK(r.result.balance_error < 1e-9);
}

TEST_CASE("example: the ball on a turntable goes round once while the table goes round 3.5 times") {
  const Run r = complete("sphere_on_turntable");
  for (const char* column : {"ball.x", "ball.y", "ball.z", "ball.vx", "ball.vy"})
    CHECK_MESSAGE(std::fabs(r.last(column) - r.at(0, column)) < 1e-9, column);
  const double rate = 4 * std::acos(-1.0) / 7, radius = 0.2 / rate;
  for (std::size_t row = 0; row < r.rows(); row += 35) {
    const double t = r.time[row];
    CHECK(std::fabs(r.at(row, "ball.x") - 0.3 - radius * std::sin(rate * t)) < 1e-9);
    CHECK(std::fabs(r.at(row, "ball.y") - radius * (1 - std::cos(rate * t))) < 1e-9);
  }
  CHECK(spread(r, "ball.z") < 1e-15);
  CHECK(spread(r, "turning.z") < 1e-5);  // At 100 rad/s a step is a tenth of a radian.
  CHECK(r.last("grip.z") == doctest::Approx(0.2 * 9.81).epsilon(1e-12));
  CHECK(std::hypot(r.last("grip.x"), r.last("grip.y")) == doctest::Approx(0.2 * 0.2 * rate).epsilon(1e-9));
  CHECK(spread(r, "energy.total") > 0.1);
  CHECK(r.result.balance_error < 1e-8);
}

TEST_CASE("example: the snakeboard, by its one momentum") {
  const Run r = complete("snakeboard");
  const Real m = 6, l = 0.3L, J = 0.05L + 0.2L + 0.02L, Jr = 0.2L, a = 0.7L, b = 0.4L, w = 2;
  const auto x = integrate<5>(  // The entries are p, th, x, y, t.
      [&](const std::array<Real, 5>& s) -> std::array<Real, 5> {
        const Real f = b * std::sin(w * s[4]), df = b * w * std::cos(w * s[4]), dpsi = a * w * std::cos(w * s[4]);
        const Real sine = std::sin(f), cosine = std::cos(f);
        const Real speed = (s[0] - Jr * dpsi * sine / l) / (m * cosine * cosine + J * sine * sine / (l * l));
        const Real u = speed * cosine, turn = speed * sine / l;
        return {df * (-m * u * sine + (J * turn + Jr * dpsi) * cosine / l), turn, u * std::cos(s[1]),
                u * std::sin(s[1]), 1};
      },
      {}, 12, 24000);
  expect(r, "x", x[2], 4.287012954, 1e-8);
  expect(r, "y", x[3], 0.156576782, 1e-8);
  expect(r, "th", x[1], -0.229641037, 1e-8);
  CHECK(r.result.balance_error < 1e-9);
  CHECK(r.last("x") > 4);  // The board started at rest.
}

TEST_CASE("example: the cart on two wheels draws a clothoid") {
  const Run r = complete("wheeled_cart");
  const Real bend = 0.1L * 2 * 0.02L / 0.05L / (0.06L + 2 * 1e-4L * 4), v = 0.5L;
  expect(r, "th", bend * 25 / 2, 16.447368421, 1e-8);
  CHECK(spread(r, "v") < 1e-10);
  Real x = 0, y = 0;  // The sums are those of Simpson's rule.
  const int n = 20000;
  for (int i = 0; i <= n; ++i) {
    const Real t = 5 * static_cast<Real>(i) / n, weight = i == 0 || i == n ? 1 : (i % 2 != 0 ? 4 : 2);
    x += weight * v * std::cos(bend * t * t / 2) * 5 / n / 3;
    y += weight * v * std::sin(bend * t * t / 2) * 5 / n / 3;
  }
  expect(r, "x", x, 0.336907275, 1e-8);
  expect(r, "y", y, 0.443836797, 1e-8);
  // The work of the motors is the torque times the angles of the wheels, positive for one and negative for the other.
  CHECK(r.result.work_of_loads == doctest::Approx(0.02 * (r.last("right") - r.last("left"))).epsilon(1e-9));
  CHECK(r.result.balance_error < 1e-9);
}

TEST_CASE("example: the benchmark bicycle, against its linear equations") {
  const Run r = complete("bicycle");
  const Real v = 5, g = 9.81L;
  const std::array<std::array<Real, 2>, 2> M{{{80.81722L, 2.31941332208709L}, {2.31941332208709L, 0.29784188199686L}}};
  const std::array<std::array<Real, 2>, 2> K0{
      {{-80.95L, -2.59951685249872L}, {-2.59951685249872L, -0.80329488458618L}}};
  const std::array<std::array<Real, 2>, 2> K2{{{0, 76.59734589573222L}, {0, 2.65431523794604L}}};
  const std::array<std::array<Real, 2>, 2> C1{{{0, 33.86641391492494L}, {-0.85035641456978L, 1.68540397397560L}}};
  const auto x = integrate<4>(
      [&](const std::array<Real, 4>& s) -> std::array<Real, 4> {
        std::array<Real, 2> a{};
        for (std::size_t i = 0; i < 2; ++i)
          for (std::size_t j = 0; j < 2; ++j)
            a[i] -= v * C1[i][j] * s[2 + j] + (g * K0[i][j] + v * v * K2[i][j]) * s[j];
        oracle::solve<2>(M, a);
        return {s[2], s[3], a[0], a[1]};
      },
      {0, 0, 1e-3L, 0}, 2, 8000);
  expect(r, "phi", x[0], 5.68365826e-5, 1e-10);
  expect(r, "del", x[1], 5.90454154e-5, 1e-10);
  CHECK(highest(r, "phi") > 1e-4);
  CHECK(r.result.rank == 6);
  CHECK(r.result.balance_error < 1e-7);
}
