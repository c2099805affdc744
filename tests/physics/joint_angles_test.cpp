// SPDX-License-Identifier: Apache-2.0
// Compares `init` of joint angles and rates with closed forms. The bodies follow from their drawn places.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/compiler/ad/rng.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

const double kPi = std::acos(-1.0);

Simulation made(const std::string& text) { return compile_text(text, Engine::interpreter); }

// Returns an arm that is drawn straight up. The base turns about z, shoulder and elbow about y. `init` ends the text.
std::string arm(const std::string& init, const std::string& more = "") {
  return R"(mbd 1
use joints
param L = 0.4
gravity (0, 0, -9.81)
body l1(mass = 1, inertia = diag(0.013, 0.013, 0.0002)) at (0, 0, L/2) )" +
         more + R"(
body l2(mass = 1, inertia = diag(0.013, 0.013, 0.0002)) at (0, 0, 3*L/2)
body l3(mass = 1, inertia = diag(0.013, 0.013, 0.0002)) at (0, 0, 5*L/2)
Revolute j1(ground, l1.at(0, 0, -L/2), axis = ez)
Revolute j2(l1.at(0, 0, L/2), l2.at(0, 0, -L/2), axis = ey)
Revolute j3(l2.at(0, 0, L/2), l3.at(0, 0, -L/2), axis = ey)
let tip = l3.at(0, 0, L/2)
output tip.pos
simulate { time = 0 .. 0.01 step 0.001; integrator = rk4 }
)" + init;
}

double value(Simulation& p, const std::string& text, const std::vector<double>& y) {
  const auto v = p.value(text, 0, y);
  REQUIRE(v);
  return (*v)[0];
}

std::vector<double> found(Simulation& p) {
  const InitialState state = p.initial(0).value();
  REQUIRE_MESSAGE(state.consistent, state.rendered);
  return state.state;
}

}  // namespace

TEST_CASE("joint angles: an arm starts at any angles, with bodies drawn straight up") {
  Rng rng(3);
  for (int trial = 0; trial < 60; ++trial) {
    const double a = rng.between(-3, 3), b = rng.between(-3, 3), c = rng.between(-3, 3), w = rng.between(-2, 2);
    Simulation p =
        made(arm("init { j1.angle = " + number(a) + "; j2.angle = " + number(b) + "; j3.angle = " + number(c) +
                 "; j1.rate = " + number(w) + "; j2.rate = 0.5; j3.rate = 0 }\n"));
    const std::vector<double> y = found(p);
    INFO("angles ", a, " ", b, " ", c);
    const double out = 0.4 * (std::sin(b) + std::sin(b + c)), up = 0.4 * (1 + std::cos(b) + std::cos(b + c));
    CHECK(value(p, "tip.x", y) == doctest::Approx(out * std::cos(a)).epsilon(1e-10));
    CHECK(value(p, "tip.y", y) == doctest::Approx(out * std::sin(a)).epsilon(1e-10));
    CHECK(value(p, "tip.z", y) == doctest::Approx(up).epsilon(1e-10));
    CHECK(value(p, "j1.rate", y) == doctest::Approx(w).epsilon(1e-10));
    CHECK(value(p, "j2.rate", y) == doctest::Approx(0.5).epsilon(1e-10));
    CHECK(value(p, "tip.vz", y) == doctest::Approx(-0.5 * out).epsilon(1e-10));
  }
}

TEST_CASE("joint angles: every representation of the bodies, and the plane") {
  for (const char* bodies : {"quaternion", "euler_parameters", "natural"}) {
    Simulation p = made(replaced(arm("init { j1.angle = 0.4; j2.angle = 0.5; j3.angle = -0.7; j1.rate = 1 }\n"),
                                 "step 0.001", std::string("step 0.001; bodies = ") + bodies));
    const Run r = run(p);
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(r.at(0, "tip.pos.z") == doctest::Approx(0.4 * (1 + std::cos(0.5) + std::cos(-0.2))).epsilon(1e-10));
  }
  Simulation plane = made(R"(mbd 1
space 2
use planar_joints
body a(mass = 1, inertia = 0.1) at (0.5, 0)
body b(mass = 1, inertia = 0.1) at (1.5, 0)
Pin j1(ground, a.at(-0.5, 0))
Pin j2(a.at(0.5, 0), b.at(-0.5, 0))
init { j1.angle = 0.3; j2.angle = 0.4; j2.rate = 2 }
let tip = b.at(0.5, 0)
simulate { time = 0 .. 0.01 step 0.001; integrator = rk4 }
)");
  const std::vector<double> y = found(plane);
  CHECK(value(plane, "tip.x", y) == doctest::Approx(std::cos(0.3) + std::cos(0.7)).epsilon(1e-11));
  CHECK(value(plane, "b.omega - a.omega", y) == doctest::Approx(2).epsilon(1e-11));
}

TEST_CASE("joint angles: what `init` says of a body itself stays, and so does what no constraint ties") {
  Simulation p = made(replaced(arm("init { j2.angle = 0.5; l1.quat = (cos(0.2), 0, 0, sin(0.2)) }\n"), "let tip",
                               "body apart(mass = 1, inertia = diag(1, 1, 1)) at (3, 0.1, 0.7)\nlet tip"));
  const std::vector<double> y = found(p);
  CHECK(value(p, "j1.angle", y) == doctest::Approx(0.4).epsilon(1e-12));
  CHECK(value(p, "apart.x", y) == 3);
  CHECK(value(p, "apart.z", y) == 0.7);
}

TEST_CASE("joint angles: a wish outranks where bodies are drawn and speeds nobody wrote") {
  // A single wish is met exactly. Two wishes for the same quantity end half-way between.
  Simulation p = made(arm("init { j1.angle ~ 0.8; j1.rate ~ 5 }\n"));
  std::vector<double> y = found(p);
  CHECK(value(p, "j1.angle", y) == doctest::Approx(0.8).epsilon(1e-12));
  CHECK(value(p, "j1.rate", y) == doctest::Approx(5).epsilon(1e-12));
  CHECK(value(p, "l2.omega.z", y) == doctest::Approx(5).epsilon(1e-12));
  Simulation both = made(arm("init { j1.rate ~ 5; (2*j1.rate) ~ 6; j2.rate = 0; j3.rate = 0 }\n"));
  y = found(both);
  CHECK(value(both, "j1.rate", y) == doctest::Approx(4).epsilon(1e-9));
  CHECK(value(both, "l3.omega.z", y) == doctest::Approx(4).epsilon(1e-9));
}

TEST_CASE("joint angles: wishes that cannot all be met are met as nearly as can be, the rest follows") {
  // The wishes are the rates of three hinges on one shaft, two of which contradict each other.
  Simulation p = made(R"(mbd 1
space 1
particle a(1) at 0
particle b(1) at 0
particle c(2) at 0
constraint ab: a.x == b.x
constraint bc: c.x == 2*b.x
init { a.vx ~ 1; b.vx ~ 3 }
simulate { time = 0 .. 1 step 0.1; integrator = rk4 }
)");
  const std::vector<double> y = found(p);
  CHECK(value(p, "a.vx", y) == doctest::Approx(2).epsilon(1e-10));
  CHECK(value(p, "c.vx", y) == doctest::Approx(4).epsilon(1e-10));
}

TEST_CASE("joint angles: a four-bar from its crank, the loop is closed on the side it is drawn") {
  const char* text = R"(mbd 1
use joints
gravity (0, 0, -9.81)
body crank(mass = 1, inertia = diag(0.01, 0.1, 0.1)) at (0.5, 0, 0)
body coupler(mass = 2, inertia = diag(0.01, 1, 1)) at (2, 0, 0.5)
body rocker(mass = 1.5, inertia = diag(0.01, 0.5, 0.5)) at (3, 0, 1)
Revolute j1(ground, crank.at(-0.5, 0, 0), axis = ey)
Revolute j2(crank.at(0.5, 0, 0), coupler.at(-1.25, 0, 0), axis = ey)
Revolute j3(coupler.at(1.25, 0, 0), rocker.at(1, 0, 0), axis = ey)
Revolute j4(ground.at(3, 0, 0), rocker.at(-1, 0, 0), axis = ey)
init { j1.angle = -ANGLE; j1.rate = -2; j4.angle ~ -1.5 }
simulate { time = 0 .. 0.1 step 0.001; integrator = rk4 }
)";
  for (const double phi : {0.2, 0.5236, 1.0, 1.8, 2.6}) {
    const Run r = run_both(replaced(text, "ANGLE", number(phi)));
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    const double px = std::cos(phi), pz = std::sin(phi), dx = 3 - px, d = std::hypot(dx, pz);
    const double along = (d * d + 6.25 - 4) / (2 * d), aside = std::sqrt(6.25 - along * along);
    const double qx = px + (along * dx + aside * pz) / d, qz = pz + (-along * pz + aside * dx) / d;
    CHECK(r.at(0, "rocker.x") == doctest::Approx((3 + qx) / 2).epsilon(1e-10));
    CHECK(r.at(0, "rocker.z") == doctest::Approx(qz / 2).epsilon(1e-10));
    CHECK(r.at(0, "crank.omegay") == doctest::Approx(-2).epsilon(1e-10));
  }
}

TEST_CASE("joint angles: a rate alone, of a pin in the plane, moves all that the pin holds") {
  const std::string text = R"(mbd 1
space 2
use planar_joints, bodies
body bar(mass = 1, inertia = planar_rod_inertia(1, 2)) at (1, 0)
Pin a(ground, bar.at(-1, 0))
init { a.rate = 3 }
simulate { time = 0 .. 1 step 0.01 }
)";
  const Run r = run(text);
  INFO(r.result.rendered);
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.at(0, "bar.vy") == doctest::Approx(3).epsilon(1e-12));
  CHECK(r.at(0, "bar.omega") == doctest::Approx(3).epsilon(1e-12));
  // The rate of the body itself is not a wish of a joint, so that a contradiction is reported.
  CHECK(run(replaced(text, "a.rate", "bar.omega")).code() == "E0601");
}

TEST_CASE("values of init are kept far from the origin and beside what is fast") {
  // An angle is measured in radians: it is not met because a coordinate or a speed elsewhere is large.
  for (const char* bodies : {"quaternion", "natural", "euler_parameters", "tree"}) {
    CAPTURE(bodies);
    const Run r = run(std::string(R"(mbd 1
use joints
body hub(mass = 100 [kg], inertia = diag(10, 10, 10) [kg*m^2]) at (7000e3, 0, 0) [m] moving (0, 7546, 0) [m/s]
body panel(mass = 5 [kg], inertia = diag(2, 0.1, 2) [kg*m^2]) at (7000e3, 2, 0) [m]
particle fast(1 [kg]) at (0, 0, 0) moving (2e10, 0, 0) [m/s]
Revolute h(hub.at(0 [m], 0.5 [m], 0 [m]), panel.at(0 [m], -1.5 [m], 0 [m]), axis = ex)
init { h.angle = 0.3 [deg]; h.rate = 1e-4 [rad/s] }
output angle = h.angle, rate = h.rate
simulate { time = 0 [s] .. 1 [ms] step 1 [ms]; bodies = )") +
                      bodies + " }");
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(r.at(0, "angle") == doctest::Approx(0.3 * 3.14159265358979 / 180).epsilon(1e-6));
    CHECK(r.at(0, "rate") == doctest::Approx(1e-4).epsilon(1e-6));
  }
}
