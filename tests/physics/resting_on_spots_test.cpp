// SPDX-License-Identifier: Apache-2.0
// Tests parts that equations drive next to contacts, parts that rest on several points, and contacts with rotating
// frames. The motions must not depend on how a contact is written.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/pushed_box.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr const char* kBat = R"(mbd 1
space 1
particle bat(1) at 0 moving 1
particle ball(2) at 0.5 moving 0
constraint drive: bat.x == t
constraint hit: ball.x >= bat.x restitution 0.9
simulate { time = 0 .. 1 step 0.1; impact = newton }
)";

}  // namespace

// Newton's law is v+ = V + e (V - v-).
TEST_CASE("a bat that an equation drives gives back what the restitution says, by every law") {
  for (const char* law : {"newton", "poisson", "moreau"})
    for (const double v : {0.0, -1.0}) {
      CAPTURE(law);
      CAPTURE(v);
      const Run r = run_both(replaced(replaced(kBat, "impact = newton", "impact = " + std::string(law)), "0.5 moving 0",
                                      "0.5 moving " + std::to_string(v)));
      REQUIRE(r.result.status == Status::complete);
      CHECK(r.result.lowered_restitutions == 0);
      CHECK(std::fabs(r.last("ball.vx") - (1 + 0.9 * (1 - v))) < 1e-9);
    }
}

// In the frame of the belt nothing has changed: the rebound is that of a floor at rest.
TEST_CASE("a belt that an equation drives under a ball") {
  const std::string model = R"(mbd 1
space 2
gravity (0, -9.81)
particle p(1) at (0, 1)
particle belt(1) at (0, 0) moving (5, 0)
constraint bx: belt.vx == 5
constraint by: belt.y == 0
constraint d: p.y >= belt.y restitution 0.8
friction f on p.vx - belt.vx: 0.5*d.lambda
simulate { time = 0 .. 0.46 step 0.01 }
)";
  const Run r = run_both(model);
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.result.lowered_restitutions == 0);
  const double down = std::sqrt(2 * 9.81), at = std::sqrt(2 / 9.81), up = 0.8 * down - 9.81 * (0.46 - at);
  CHECK(std::fabs(r.last("p.vy") - up) < 1e-9);
  CHECK(std::fabs(r.last("p.vx") - std::min(5.0, 0.5 * 1.8 * down)) < 1e-9);
}

// Next to walls at rest, restitutions are lowered as before, whatever is driven elsewhere.
TEST_CASE("what is driven elsewhere lowers and raises nothing") {
  const std::string cradle = R"(mbd 1
space 1
param e2 = 0.2
particle a(1) at 0 moving 1
particle b(3) at 1
particle c(1) at 1
constraint ab: b.x >= a.x + 0.5 restitution 1
constraint bc: c.x >= b.x restitution e2
particle far(1) at -10 moving 1
constraint drive: far.x == t - 10
output T = 0.5*a.vx^2 + 1.5*b.vx^2 + 0.5*c.vx^2
simulate { time = 0 .. 2 step 0.1 }
)";
  const Run r = run_both(cradle);
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("T") <= 0.5 * (1 + 1e-12));
}

// mu (N1 + N2) = mu m g holds the box for any distribution on the two corners. It then slides with (t - mu m g)/m.
TEST_CASE("a box on two corners sticks until all of its weight's friction is used up") {
  const std::string two = R"(mbd 1
space 2
gravity (0, -9.81)
body b(mass = 1, inertia = 0.0166) at (0, 0.1)
point l on b at (-0.1, -0.1)
point r on b at (0.1, -0.1)
constraint cl: l.y >= 0
constraint cr: r.y >= 0
friction fl on l.vx: 0.4*cl.lambda
friction fr on r.vx: 0.4*cr.lambda
force push on b: (t, 0)
simulate { time = 0 .. 5 step 0.1 }
)";
  const double begins = 0.4 * 9.81, slid = std::pow(5 - begins, 3) / 6;
  const Run r = run_both(two);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(std::fabs(r.at(39, "b.x")) < 1e-9);
  CHECK(std::fabs(r.last("b.x") - slid) < 1e-8);
  const Run steps = run(replaced(two, "step 0.1", "step 0.001; contact = timestep"));
  CHECK(std::fabs(steps.last("b.x") - slid) < 1e-4);
}

// Rigid bodies do not determine the distribution on four corners. With the minimum-norm forces, those at the rear, t/4
// against 0.4 (m g/4 - t/4), are at their limit at t = 0.4 m g/1.4 = 2.803. The box sticks until then.
TEST_CASE("a box on four corners sticks while their forces hold it") {
  for (const char* step : {"0.1", "0.07", "0.01"})
    for (const char* end : {"2.47", "2.8"}) {
      CAPTURE(step);
      CAPTURE(end);
      const Run r = run_both(pushed_box("simulate { time = 0 .. " + std::string(end) + " step " + step + " }\n"));
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      CHECK(r.time.back() > 2.4);
      CHECK(std::fabs(r.last("b.x")) < 1e-9);
    }
}

TEST_CASE("a ball rolls over a box whatever place the box has, and over its middle") {
  const std::string model = R"(mbd 1
gravity (0, 0, -9.81)
body ball(mass = 1, inertia = diag(0.004, 0.004, 0.004)) at (-0.05, 0.013, 0.1) moving (0.25, -0.01, 0) spinning (0.1, 2.5, 0)
shape s on ball: sphere(0.1)
shape top on ground at (-0.5, 0, -0.25): box(2, 1, 0.5)
Contact c(s, top, mu = 0.4)
simulate { time = 0 .. 2 step 0.1 }
)";
  for (const char* place : {"(-0.5, 0, -0.25)", "(0, 0, -0.25)", "(0.2, -0.013, -0.25)"}) {
    const Run r = run(replaced(model, "(-0.5, 0, -0.25)", place));
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(r.result.steps < 200);
    CHECK(std::fabs(r.last("ball.x") - 0.45) < 1e-9);
    CHECK(std::fabs(r.last("ball.y") + 0.007) < 1e-9);
  }
}

// By Newton's law with e = 0, p = N/(1/m + ...). This is the closed form of a slender rod at 45 degrees whose slip
// reverses.
TEST_CASE("time steps: an impact without restitution is one impact, wherever in a step it is") {
  const std::string model = R"(mbd 1
space 2
param h0 = 0.05, mu = 0.2, vt = 0.4, L = 1, a = pi/4
body rod(mass = 1, inertia = 1/12) at (L/2*cos(a), L/2*sin(a) + h0) rotated rot(a) moving (vt, -1)
point tip on rod at (-L/2, 0)
constraint deck: tip.y >= 0
friction rub on tip.vx: mu*deck.lambda
simulate { time = 0 .. 0.06 step 0.001; contact = timestep }
)";
  for (const char* h : {"0.001", "0.0003", "0.00023", "0.0001", "0.00003", "0.000023"}) {
    CAPTURE(h);
    const Run r = run(replaced(model, "step 0.001", "step " + std::string(h)));
    REQUIRE(r.result.status == Status::complete);
    CHECK(std::fabs(r.last("rod.vx") - 0.4 - 0.2 * 5 / 11) < 1e-9);
    CHECK(std::fabs(r.last("rod.vy") + 1 - 5.0 / 11) < 1e-9);
    CHECK(r.result.penetration < 1e-9);
  }
}

// The static limit is larger than the sliding limit, on two points at once.
TEST_CASE("time steps: a box comes to lie on two corners that hold more at rest") {
  const std::string model = R"(mbd 1
space 2
gravity (1.95, -9.61)
body b(mass = 0.923, inertia = 0.1043) at (0, 1.089) moving (-1.398, -0.0356) spinning 3.158 rotated rot(0.915)
point p0 on b at (-0.388, -0.434)
constraint f0: p0.y >= 0
friction r0 on p0.vx: 0.1*f0.lambda static 0.13*f0.lambda
point p1 on b at (-0.388, 0.434)
constraint f1: p1.y >= 0
friction r1 on p1.vx: 0.1*f1.lambda static 0.13*f1.lambda
simulate { time = 0 .. 1 step 0.0005; contact = timestep }
)";
  for (const char* h : {"0.001", "0.0007", "0.0005", "0.0003", "0.0002", "0.0001"}) {
    const Run r = run(replaced(model, "step 0.0005", "step " + std::string(h)));
    CHECK_MESSAGE(r.result.status == Status::complete, h << ": " << r.result.rendered);
  }
}

// The time of the last rebound is sqrt(2 h/g) (1 + e)/(1 - e).
TEST_CASE("bdf knows places to its tolerance: rebounds that are lower have come to their end") {
  for (const double e : {0.1, 0.3, 0.5, 0.6, 0.8}) {
    CAPTURE(e);
    const std::string model =
        "mbd 1\nspace 1\ngravity -9.81\nparticle b(1) at 1\nconstraint fl: b.x >= 0.1 restitution " +
        std::to_string(e) + "\nsimulate { time = 0 .. 6 step 0.01; integrator = bdf }\n";
    for (const char* how : {"bdf", "bdf(rtol = 1e-4, atol = 1e-6)", "bdf(rtol = 1e-9, atol = 1e-12)"}) {
      const Run r = run(replaced(model, "= bdf", "= " + std::string(how)));
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      REQUIRE(r.result.accumulations.size() == 1);
      const double ends = std::sqrt(2 * 0.9 / 9.81) * (1 + e) / (1 - e);
      const double tolerance = std::string(how).find("1e-4") != std::string::npos ? 1e-4 : 1e-6;
      CHECK(std::fabs(r.result.accumulations[0].time - ends) < 10 * tolerance / ((1 - e) * (1 - e)));
      CHECK(std::fabs(r.last("b.x") - 0.1) < tolerance);
    }
  }
}

// Nothing slides before the pull reaches the sum of the static limits of both feet, 0.5*9.81.
TEST_CASE("a sledge on two feet holds as long as both of them together do, however they share it") {
  const std::string sledge = R"(mbd 1
space 2
param mu = 0.3, mus = 0.5, front_at = 0.3
gravity (0, -9.81)
body s(mass = 1, inertia = 0.02) at (0, 0)
point rear on s at (-0.1, 0)
point front on s at (front_at, 0)
constraint c1: rear.y >= 0
constraint c2: front.y >= 0
friction f1 on rear.vx: mu*c1.lambda static mus*c1.lambda
friction f2 on front.vx: mu*c2.lambda static mus*c2.lambda
force pull on s: (t, 0)
output F1 = f1.lambda, F2 = f2.lambda
simulate { time = 0 .. 6 step 0.001 }
)";
  for (const char* contact : {"event", "timestep"})
    for (const char* at : {"0.3", "0.1", "0.02"}) {
      CAPTURE(contact);
      CAPTURE(at);
      const Run r = run_both(sledge, {"contact=" + std::string(contact), "front_at=" + std::string(at)});
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      std::size_t first = 0;
      while (first < r.rows() && !(r.at(first, "s.vx") > 1e-9)) ++first;
      CHECK(std::fabs(r.time[first] - 4.905) < 3e-3);
      CHECK(std::fabs(r.at(4800, "F1") + r.at(4800, "F2") + 4.8) < 2e-3);
      // The forces are then those of sliding: v = (t^2 - 4.905^2)/2 - 0.3 g (t - 4.905).
      const double moved = (36 - 4.905 * 4.905) / 2 - 0.3 * 9.81 * (6 - 4.905);
      CHECK(std::fabs(r.last("s.vx") - moved) < 4e-3);
    }
}
