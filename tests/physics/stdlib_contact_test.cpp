// SPDX-License-Identifier: Apache-2.0
// Compares the components of the standard library that touch, slide and stick with closed forms.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

TEST_CASE("a range with ends, friction in a joint, a clutch that locks") {
  const Run r = run_both(R"(mbd 1
space 2
use contact
coord d = 0 rate 1
kinetic K: 0.5*2*d'^2
Limits range(d, -0.5, 0.4, bounce = 0.5)
coord a = 0 rate 5
coord b = 0 rate 0
kinetic Kab: 0.5*1*a'^2 + 0.5*2*b'^2
Clutch clutch(a', b', 1)
coord c = 0 rate 1
kinetic Kc: 0.5*c'^2
JointFriction rub(c', 0.25)
output wa = a', wb = b', wd = d', carried = clutch.carried, hits = range.upper.count + range.lower.count
simulate { time = 0 .. 4 step 0.1 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.at(10, "wd") == doctest::Approx(-0.5).epsilon(1e-12));  // The contacts are at 0.4 and 1.8 later.
  CHECK(std::fabs(r.last("d") - (-0.5 + 0.25 * (4 - 0.4 - 1.8))) < 1e-12);
  CHECK(r.last("hits") == 2);
  CHECK(std::fabs(r.at(20, "wa") - 3) < 1e-12);
  CHECK(std::fabs(r.at(20, "wb") - 1) < 1e-12);
  CHECK(r.at(20, "carried") == doctest::Approx(1).epsilon(1e-12));
  CHECK(std::fabs(r.last("wa") - 5.0 / 3) < 1e-12);  // The two move as one after 5/1.5 = 10/3.
  CHECK(std::fabs(r.last("wb") - 5.0 / 3) < 1e-12);
  CHECK(std::fabs(r.last("c") - 2) < 1e-12);
}

TEST_CASE("a cord goes taut, a ball falls on a floor, balls meet") {
  const Run r = run_both(R"(mbd 1
use contact
gravity (0, 0, -10)
point hook on ground at (0, 0, 3)
particle lamp(2) at (0, 0, 3)
Cord cord(hook, lamp, 0.8)
particle p(1) at (5, 0, 1.25) moving (1, 0, 0)
Stop deck(p, bounce = 0.5, normal = (0, 0, 2))
particle a(1) at (10, 0, 100) moving (2, 0, 0)
particle b(3) at (11, 0, 100)
Balls pair(a, b, 0.2, 0.3, bounce = 0.5)
output T = cord.tension, n = deck.side.count
simulate { time = 0 .. 0.9 step 0.1 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("lamp.z") - 2.2) < 1e-12);
  CHECK(r.last("T") == doctest::Approx(20).epsilon(1e-12));
  CHECK(r.last("n") == 1);
  CHECK(std::fabs(r.last("p.z") - (2.5 * 0.4 - 5 * 0.16)) < 1e-12);  // It lands at 0.5 with 5.
  CHECK(std::fabs(r.last("p.x") - 5.9) < 1e-12);
  CHECK(std::fabs(r.last("a.vx") - (0.5 - 0.75)) < 1e-12);  // The centre continues with 0.5, and they separate with 1.
  CHECK(std::fabs(r.last("b.vx") - (0.5 + 0.25)) < 1e-12);
}

TEST_CASE("a belt carries what is put on it, a ball and a wheel slide and roll") {
  const Run r = run_both(R"(mbd 1
use contact
gravity (0, 0, -10)
param R = 0.1
particle box(2) at (0, 0, 0) moving (0, 0.4, 0)
RoughFloor belt(box, mu = 0.2, belt = 0.3)
body ball(mass = 0.5, inertia = diag(1, 1, 1)*0.4*0.5*R^2) at (5, 0, R) moving (0.7, 1.4, 0) spinning (0, 0, 9)
BallOnFloor cloth(ball, R, 0.3)
output slip = norm(belt.rub.slip)
simulate { time = 0 .. 1 step 0.05; integrator = auto(tol = 1e-11) }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.at(2, "slip") - (0.5 - 2 * 0.1)) < 1e-10);  // The slip decreases linearly to 0 at 0.25.
  CHECK(std::fabs(r.last("box.vx") - 0.3) < 1e-12);
  CHECK(std::fabs(r.last("box.y") - 0.4 * 0.125) < 1e-9);
  CHECK(std::fabs(r.last("ball.vx") - 0.5) < 1e-9);  // The speed is 5/7 of the initial one.
  CHECK(std::fabs(r.last("ball.vy") - 1.0) < 1e-9);

  const Run w = run_both(R"(mbd 1
space 2
use contact
gravity (0, -10)
param R = 0.3
body wheel(mass = 2, inertia = 0.5*2*R^2) at (0, R) moving (3, 0)
PlanarWheel road(wheel, R, 0.25)
output F = road.pull
simulate { time = 0 .. 1 step 0.1 }
)");
  REQUIRE(w.result.status == Status::complete);
  CHECK(w.at(2, "F") == doctest::Approx(-5).epsilon(1e-12));
  CHECK(std::fabs(w.last("wheel.vx") - 2) < 1e-12);  // The speed is 2/3 of the initial one from 0.4 on.
  CHECK(std::fabs(w.last("wheel.x") - (0.4 * 2.5 + 0.6 * 2)) < 1e-12);
  CHECK(w.last("F") == doctest::Approx(0));
}

TEST_CASE("a wheel in space slides, then rolls; a wheel on a rail creeps by what it presses with") {
  const Run rolls = run_both(R"(mbd 1
use joints, forces, control, bodies, contact
param R = 0.3, m = 2, v = 3
gravity (0, 0, -10)
body disc(mass = m, inertia = diag(m*R^2/4, m*R^2/2, m*R^2/4)) at (0, 0, R) moving (v, 0, 0)
WheelOnFloor road(disc, R, 0.25)
output N = road.push, w = disc.omega.y, sticks = if road.grip.sticks then 1 else 0
simulate { time = 0 .. 1 step 0.1; integrator = auto(tol = 1e-12) }
)");
  REQUIRE(rolls.result.status == Status::complete);
  CHECK(std::fabs(rolls.at(2, "disc.vx") - (3 - 2.5 * 0.2)) < 1e-11);  // The disc rolls from v/(3 mu g) = 0.4 on.
  CHECK(std::fabs(rolls.last("disc.vx") - 2) < 1e-10);
  CHECK(std::fabs(rolls.last("w") - 2 / 0.3) < 1e-9);
  CHECK(std::fabs(rolls.last("disc.x") - (3 * 0.4 - 1.25 * 0.16 + 2 * 0.6)) < 1e-10);
  CHECK(rolls.last("N") == doctest::Approx(20).epsilon(1e-10));
  CHECK(rolls.last("sticks") == 1);
  const Run creeps = run_both(R"(mbd 1
space 2
use contact
param R = 0.3, m = 2
gravity (0, -10)
body disc(mass = m, inertia = m*R^2/2) at (0, R) moving (3, 0) spinning -3/R
torque motor on disc: -0.9
CreepingWheel road(disc, R, 0.25, 20, 0.01)
output law = road.pull + 0.25*20*tanh(20*road.creeps/0.25), along = m*disc.ax - road.pull
output turn = m*R^2/2*disc.alpha + 0.9 - R*road.pull, N = road.push, c = road.creeps
simulate { time = 0 .. 1 step 0.01; integrator = auto(tol = 1e-12) }
)");
  REQUIRE(creeps.result.status == Status::complete);
  for (std::size_t k = 0; k < creeps.rows(); ++k) {
    CHECK(std::fabs(creeps.at(k, "law")) < 1e-11);
    CHECK(std::fabs(creeps.at(k, "along")) < 1e-11);
    CHECK(std::fabs(creeps.at(k, "turn")) < 1e-11);
  }
  CHECK(creeps.last("c") < -1e-3);
}
