// SPDX-License-Identifier: Apache-2.0
// Tests frictions that rest together: they rest while any forces within their limits hold them, although the smallest
// share takes one of them to its limit earlier.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

TEST_CASE("two frictions hold a force that turns until both are at their limits") {
  // |F| = t/2 reaches 1 + 3 at t = 8; equal shares would be at the limit of the first one at t = 4.
  for (const char* integrator : {"auto", "dopri5", "bdf"}) {
    CAPTURE(integrator);
    const std::string text = std::string(R"(mbd 1
space 2
particle p(1) at (0, 0)
friction one on (p.vx, p.vy): 1
friction two on (p.vx, p.vy): 3
force f on p: 0.5*t*(cos(3*t), sin(3*t))
output a = sqrt(dot(one.lambda, one.lambda)), b = sqrt(dot(two.lambda, two.lambda))
output fx = one.lambda[1] + two.lambda[1], fy = one.lambda[2] + two.lambda[2]
simulate { time = 0 .. 8.000001 step 0.125; integrator = )") +
                             integrator + "}\n";
    const auto times = times_of(text);
    REQUIRE(times.at("one.slips").size() == 1);
    REQUIRE(times.at("two.slips").size() == 1);
    CHECK(times.at("one.slips")[0] == doctest::Approx(8).epsilon(1e-9));
    CHECK(times.at("two.slips")[0] == times.at("one.slips")[0]);
    const Run r = run(text);
    for (std::size_t row = 0; row < r.rows() && r.time[row] < 8; ++row) {
      const double t = r.time[row], force = 0.5 * t;
      CHECK(r.at(row, "p.x") == 0);
      CHECK(r.at(row, "a") == doctest::Approx(std::min(force / 2, 1.0)).epsilon(1e-9));
      CHECK(r.at(row, "b") == doctest::Approx(std::max(force / 2, force - 1)).epsilon(1e-9));
      CHECK(std::fabs(r.at(row, "fx") + force * std::cos(3 * t)) <= 1e-9 * std::max(1.0, force));
      CHECK(std::fabs(r.at(row, "fy") + force * std::sin(3 * t)) <= 1e-9 * std::max(1.0, force));
    }
  }
}

TEST_CASE("a ball rolls between two planes whose shares of friction are at their limits") {
  // Three balls with friction in a trough. The lowest one rolls; its contacts share the friction across in many ways.
  const std::string text = R"(mbd 1
gravity (0, 0, -9.81) [m/s^2]
use bodies
param r = 5 [cm]
body b[i in 1..3](mass = 0.1 [kg], inertia = sphere_inertia(0.1 [kg], r)) at (0.04*(i - 2), 0.01*i, 0.2 + 0.12*i)*(1 [m])
shape ball[i in 1..3] on b[i]: sphere(r)
shape left on ground: plane((1, 0, 1))
shape right on ground: plane((-1, 0, 1))
Contact l[i in 1..3](ball[i], left, restitution = 0.4, mu = 0.3)
Contact h[i in 1..3](ball[i], right, restitution = 0.4, mu = 0.3)
for i in 2..3 { for j in 1..i-1 { Contact c[i, j](ball[i], ball[j], restitution = 0.4, mu = 0.3) } }
output slip = norm(l[1].spot.slip) + norm(h[1].spot.slip)
output left = norm((l[1].spot.rub.lambda[1], l[1].spot.rub.lambda[2], 0 [N])), left_limit = l[1].spot.rub.limit
output right = norm((h[1].spot.rub.lambda[1], h[1].spot.rub.lambda[2], 0 [N])), right_limit = h[1].spot.rub.limit
simulate { time = 0 [s] .. 0.36 [s] step 5 [ms]; reactions = smallest }
)";
  const Run r = run(text);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.result.steps < 600);
  for (std::size_t row = 54; row < r.rows(); ++row) {
    CAPTURE(r.time[row]);
    CHECK(r.at(row, "slip") <= 1e-12);
    CHECK(r.at(row, "left") <= (1 + 1e-9) * r.at(row, "left_limit"));
    CHECK(r.at(row, "right") == doctest::Approx(r.at(row, "right_limit")).epsilon(1e-8));
  }
}

// The smallest shares of single corners reach their limits at t = 3.98 and 4.58; the others take them up until
// tan(t/10) = mu.
TEST_CASE("a box on a slope that turns: its corners slip together, and none before") {
  const std::string text = R"(mbd 1
use bodies
gravity (0, 0, -9.81)
body box(mass = 2, inertia = cuboid_inertia(2, 0.4, 0.3, 0.2)) at (0.1, 0.2, 0.1) rotated rotz(0.7)
shape brick on box: box(0.4, 0.3, 0.2)
shape soil on ground: plane(ez)
Contact c(brick, soil, mu = 0.5)
force turn on box: 2*9.81*(0.6*sin(t/10), 0.8*sin(t/10), 1 - cos(t/10))
simulate { time = 0 .. 5 step 0.25 }
)";
  const auto times = times_of(text);
  for (const char* corner : {"1", "2", "3", "4"}) {
    const std::string slips = std::string("c.spot[") + corner + "].rub.slips";
    CAPTURE(slips);
    REQUIRE(times.contains(slips));
    REQUIRE(times.at(slips).size() == 1);
    CHECK(std::fabs(times.at(slips)[0] - 10 * std::atan(0.5)) <= 1e-9);
  }
  CHECK(times.size() == 4);
}

namespace {

// Bricks 1 m long and 0.4 m high, two in a row, on the ground; every other row is shifted. Bricks touch at the ends of
// what they have in common.
std::string wall(int rows, double shift, double mu) {
  std::string text = R"(mbd 1
space 2
use planar_joints, math
gravity (0, -9.81)
model Above(b: point, deck: frame, mu: number = 0) {
  constraint side: distance_along(ey, deck, b) >= 0
  friction rub on dot(deck.rot*ex, relative_velocity_in_plane(deck, b)): mu*side.lambda
}
model Below(b: point, deck: frame, mu: number = 0) {
  constraint side: distance_along(ey, deck, b) <= 0
  friction rub on dot(deck.rot*ex, relative_velocity_in_plane(deck, b)): mu*side.lambda
}
)";
  const auto brick = [](int row, int k) { return "b" + std::to_string(row) + "_" + std::to_string(k); };
  const auto middle = [shift](int row, int k) { return k + (row % 2 == 1 ? shift : 0); };
  int contacts = 0;
  const auto touch = [&](const std::string& point, double at, const std::string& deck, bool above) {
    text += std::string(above ? "Above" : "Below") + " c" + std::to_string(contacts++) + "(" + point + ".at(" +
            number(at) + ", " + (above ? "-0.2" : "0.2") + "), " + deck + ", mu = " + number(mu) + ")\n";
  };
  for (int row = 0; row < rows; ++row)
    for (int k = 0; k < 2; ++k) {
      text += "body " + brick(row, k) + "(mass = 1, inertia = 0.0966) at (" + number(middle(row, k)) + ", " +
              number(0.2 + 0.4 * row) + ")" + (row == rows - 1 && k == 1 ? " moving (0.001, 0)" : "") + "\n";
      for (const double end : {-0.5, 0.5})
        if (row == 0) touch(brick(row, k), end, "ground", true);
      for (int below = 0; below < 2 && row > 0; ++below) {
        const double apart = middle(row - 1, below) - middle(row, k);
        if (std::fabs(apart) >= 1) continue;
        for (const double end : {-0.5, 0.5}) {
          if (std::fabs(end - apart) <= 0.5) touch(brick(row, k), end, brick(row - 1, below) + ".at(0, 0.2)", true);
          if (std::fabs(end + apart) < 0.5) touch(brick(row - 1, below), end, brick(row, k) + ".at(0, -0.2)", false);
        }
      }
    }
  return text;
}

}  // namespace

TEST_CASE("a brick slides on a wall whose bricks share its weight and its friction in many ways") {
  struct Case {
    int rows;
    double shift, mu, push;
  };
  for (const Case& c : {Case{2, 0.3, 0.6, 5.886001},
                        {2, 0.3, 0.4, 4.2},
                        {3, 0.25, 0.6, 5.88600001},
                        {3, 0.4, 0.3, 3.5},
                        {3, 0.25, 0.5, 5}}) {
    const int rows = c.rows;
    const double shift = c.shift, mu = c.mu, push = c.push;
    CAPTURE(rows);
    CAPTURE(shift);
    const std::string top = "b" + std::to_string(rows - 1) + "_1";
    const Run r = run(wall(rows, shift, mu) + "force push on " + top + ": (" + number(push) +
                      ", 0)\nsimulate { time = 0 .. 0.01 step 0.005 }\n");
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    const double t = r.time.back(), pulls = push - mu * 9.81;
    REQUIRE(t == 0.01);
    CHECK(std::fabs(r.last(top + ".x") - r.at(0, top + ".x") - 0.001 * t - 0.5 * pulls * t * t) <= 1e-12);
    CHECK(std::fabs(r.last(top + ".vx") - 0.001 - pulls * t) <= 1e-11);
    CHECK(std::fabs(r.last(top + ".omega")) <= 1e-11);
    for (int row = 0; row < rows; ++row)
      for (int k = 0; k < 2; ++k) {
        const std::string name = "b" + std::to_string(row) + "_" + std::to_string(k);
        if (name != top) CHECK(std::fabs(r.last(name + ".vx")) + std::fabs(r.last(name + ".omega")) <= 1e-11);
      }
  }
}

TEST_CASE("a brick on two others begins to slide when its push reaches the limit of its friction") {
  std::string text = wall(2, 0.3, 0.6);
  const Run r = run(replaced(text, " moving (0.001, 0)", "") +
                    "force push on b1_1: (t, 0)\nsimulate { time = 5 .. 6.5 step 0.5 }\n");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(std::fabs(r.last("b1_1.x") - r.at(0, "b1_1.x") - std::pow(6.5 - 5.886, 3) / 6) <= 1e-9);
  CHECK(std::fabs(r.last("b0_0.x")) + std::fabs(r.last("b0_1.vx")) <= 1e-12);
}
