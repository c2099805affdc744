// SPDX-License-Identifier: Apache-2.0
// Tests that active and sticking contacts are not equations at an instant. If an event, or a mode of a piecewise
// function, changes values in them, parts move only by contact and friction forces.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

TEST_CASE("a belt that runs faster at once: what rides on it slips until friction has caught up") {
  // The speed is 0.2 m/s until 1.05 s, then it grows with 2 m/s^2 up to 0.6 m/s: x(3) = 0.21 + 0.08 + 0.6*1.75.
  const Run r = run_both(R"(mbd 1
space 2
gravity (0, -10)
state belt = 0.2
particle a(1) at (0, 0) moving (0.2, 0)
constraint ra: a.y == 0
friction fa on a.vx - belt: 2
particle b(1) at (0, 0) moving (0.2, 0)
constraint deck: b.y >= 0
friction fb on b.vx - belt: 0.2*deck.lambda
coord c = 0 rate 0.2
kinetic T: 0.5*c'^2
friction fc on c' - belt: 2
at s: 1.05 { belt = 0.6 }
simulate { time = 0 .. 3 step 0.05 }
)");
  REQUIRE(r.result.status == Status::complete);
  for (const char* x : {"a.x", "b.x", "c"}) CHECK(std::fabs(r.last(x) - 1.34) < 1e-9);
}

TEST_CASE("a conveyor that is switched on and off") {
  const Run r = run_both(R"(mbd 1
use contact
gravity (0, 0, -10)
state v = 0
particle p(1) at (0, 0, 0)
RoughFloor f(p, mu = 0.1, belt = v)
every s: 1 from 0.5 { v = 1 - v }
simulate { time = 0 .. 3 step 0.05 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("p.x") - 1.125) < 1e-9);
}

TEST_CASE("a deck that drops faster than what lies on it falls, and one that is lowered at once") {
  const std::string falls = R"(mbd 1
space 1
gravity -10
state w = 0
state X = 0 where X' = w
particle p(1) at 0
constraint d: p.x >= X
at s: 1 { w = -20 }
simulate { time = 0 .. 2 step 0.05 }
)";
  const Run r = run_both(falls);
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("p.x") + 5) < 1e-9);
  CHECK(std::fabs(r.last("p.vx") + 10) < 1e-9);
  // Upwards it is an impact. Newton's law gives the speed of the deck plus its fraction by the restitution.
  const Run kicked = run_both(replaced(replaced(falls, "w = -20", "w = 2"), ">= X", ">= X restitution 0.5"));
  CHECK(std::fabs(kicked.at(20, "p.vx") - 3) < 1e-9);
  const Run lowered = run_both(R"(mbd 1
space 1
state h = 0
gravity -10
particle p(1) at 0
constraint d: p.x >= h
at s: 1 { h = -0.5 }
output hits = d.count, at = d.time
simulate { time = 0 .. 3 step 0.05 }
)");
  REQUIRE(lowered.result.status == Status::complete);
  CHECK(lowered.last("hits") == 1);
  CHECK(std::fabs(lowered.last("at") - (1 + std::sqrt(0.1))) < 1e-9);
  CHECK(std::fabs(lowered.last("p.x") + 0.5) < 1e-12);
}

TEST_CASE("a corner in the motion of a deck: downwards it leaves, upwards it pushes") {
  const std::string text = R"(mbd 1
space 1
gravity -10
particle p(1) at 0
constraint d: p.x >= -20*max(0, t - 1)
simulate { time = 0 .. 2 step 0.05 }
)";
  const Run r = run_both(text);
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("p.x") + 5) < 1e-9);
  const Run up = run_both(replaced(text, "-20*max", "2*max"));
  REQUIRE(up.result.status == Status::complete);
  CHECK(std::fabs(up.last("p.x") - 2) < 1e-9);
  // An equation in place of the inequality cannot follow the jump of the velocity.
  CHECK(run(replaced(text, ">=", "==")).code() == "E0617");
}

TEST_CASE("a place that an event gives: what rests there is put down again, and falls") {
  const std::string text = R"(mbd 1
space 1
gravity -10
particle p(1) at 0
constraint d: p.x >= 0
at s: 1 { p.x = 0.5; p.vx = 0 }
output hits = d.count
simulate { time = 0 .. 1.2 step 0.05 }
)";
  const Run r = run_both(text);
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("p.x") - 0.3) < 1e-9);
  CHECK(std::fabs(run_both(replaced(text, "; p.vx = 0", "")).last("p.x") - 0.3) < 1e-9);
  // If the rest is left to the constraint, the particle stays on the slope.
  const Run along = run_both(R"(mbd 1
space 2
particle p(1) at (0, 0)
force down on p: (0, -1)
constraint slope: p.y >= 0.5*p.x
friction grip on p.vx + 0.5*p.vy: 2*slope.lambda
at s: 1 { p.x = 2 }
output push = slope.lambda
simulate { time = 0 .. 2 step 0.1 }
)");
  REQUIRE(along.result.status == Status::complete);
  CHECK(std::fabs(along.last("p.x") - 2) < 1e-12);
  CHECK(std::fabs(along.last("p.y") - 1) < 1e-12);
  CHECK(along.last("push") > 0.1);
}

TEST_CASE("values that an event gives to all that could move, off the constraints, stop the run") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
particle p(1) at (1, 0)
constraint r: p.x^2 + p.y^2 == 1
at s: 0.5 { p.pos = (0, -2); p.vel = (2, 0) }
simulate { time = 0 .. 0.6 step 0.05 }
)";
  CHECK(run_both(text).code() == "E0683");
  CHECK(run_both(replaced(text, "p.pos = (0, -2); p.vel = (2, 0)", "p.vel = (2, 1)")).code() == "E0683");
  CHECK(run_both(replaced(text, "p.pos = (0, -2)", "p.pos = (0, -1)")).result.status == Status::complete);
}

TEST_CASE("a floor that drops away at a time falls from under the ball, however that is written") {
  const std::string text = R"(mbd 1
space 1
gravity -9.81
particle ball(1) at 0
constraint deck: ball.x >= (FLOOR)
simulate { time = 0 .. 0.8 step 0.1; integrator = WAY }
)";
  for (const char* time : {"0.3", "0.5", "0.55", "0.7"})
    for (const char* floor : {"if t > T then -1 else 0", "if t >= T then -1 else 0", "if t < T then 0 else -1",
                              "if t <= T then 0 else -1", "min(0, sign(T - t))"})
      for (const char* way : {"auto", "dopri5", "bdf(rtol = 1e-11, atol = 1e-11)"}) {
        const std::string model = replaced(replaced(replaced(text, "FLOOR", floor), "WAY", way), "T", time);
        CAPTURE(model);
        const Run r = run_both(model);
        REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
        const double fall = 0.8 - std::atof(time);
        CHECK(std::fabs(r.last("ball.x") - std::max(-1.0, -0.5 * 9.81 * fall * fall)) < 1e-8);
      }
  const Run lifted = run(replaced(replaced(text, "FLOOR", "if t > 0.55 then 0.1 else 0"), "WAY", "auto"));
  CHECK(lifted.result.status != Status::complete);
}
