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
