// SPDX-License-Identifier: Apache-2.0
// Tests which state of friction is chosen and how it is found: one solution, several or none, rest in a plane with
// steps of every kind, contacts that stick at rest, and several joints at once.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

TEST_CASE("a rod that slides on its end, as Painleve's: it runs where one motion is possible, else it stops") {
  // For the tip y'' = b + a N with a = 1/m + l^2/J cos(th) (cos(th) - mu sin(th)) and b = l w^2 sin(th) - g. If a > 0
  // there is one solution, N = max(0, -b/a). If a < 0, both sliding and separation are solutions, or there is none.
  const std::string text = R"(mbd 1
space 2
param th = 60 [deg], mu = 1.5, w = 6
gravity (0, -9.81)
body rod(mass = 1, inertia = 1/3) at (-cos(th), sin(th)) rotated rot(-th)
point tip on rod at (1, 0)
constraint deck: tip.y >= 0
friction rub on tip.vx: mu*deck.lambda
init { tip.vel = (5, 0); rod.omega = w; rod.vel ~ (0, 0) }
output N = deck.lambda
simulate { time = 0 .. 1e-4 step 1e-4 }
)";
  for (const double degrees : {20.0, 40.0, 60.0, 80.0})
    for (const double mu : {0.1, 0.8, 1.5, 4.0})
      for (const double w : {0.0, 2.0, 6.0}) {
        CAPTURE(degrees);
        CAPTURE(mu);
        CAPTURE(w);
        const double th = degrees * std::numbers::pi / 180, s = std::sin(th), c = std::cos(th);
        const double a = 1 + 3 * c * (c - mu * s), b = w * w * s - 9.81;
        const Run r = run(text, Engine::interpreter, {"th=" + number(th), "mu=" + number(mu), "w=" + number(w)});
        CHECK(r.result.status == (a > 0 ? Status::complete : Status::stopped));
        CHECK(r.code() == (a > 0 ? "" : "E0695"));
        if (a > 0) CHECK(std::fabs(r.at(0, "N") - std::max(0.0, -b / a)) < 1e-10);
      }
}

TEST_CASE("friction in a plane stops what slides, by steps of fixed size too, and for good") {
  // The block is pushed across an incline. By SciPy's DOP853 at 1e-12 it stops at 0.0858198 s at (0.00390448,
  // 0.00896022).
  const std::string text = R"(mbd 1
use contact
param tilt = 20 [deg]
gravity (9.81*sin(tilt), 0, -9.81*cos(tilt))
particle p(1) at (0, 0, 0) moving (0, 0.3, 0)
RoughFloor f(p, mu = 0.6)
output stops = f.rub.time, sticks = if f.rub.sticks then 1 else 0
simulate { time = 0 .. 5 step 0.005; integrator = rk4 }
)";
  for (const char* integrator : {"rk4", "dopri5(fixed)", "ab4"}) {
    CAPTURE(std::string(integrator));
    const Run r = run_both(text, {std::string("integrator=") + integrator});
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.last("sticks") == 1);
    CHECK(std::fabs(r.last("stops") - 0.0858198) < 1e-5);
    CHECK(std::fabs(r.last("p.x") - 0.00390448) < 1e-5);
    CHECK(std::fabs(r.last("p.y") - 0.00896022) < 1e-5);
  }
}

TEST_CASE("bdf goes on beside a friction in a plane, of sides that are apart or slide") {
  const std::string body = R"(mbd 1
gravity (0, 0, -9.81)
body b(mass = 2, inertia = diag(0.03, 0.05, 0.04)) at (0, 0, 0.6) spinning (1, 2, 0.5) moving (0.3, 0, 1)
point tip on b at (0.2, 0.1, -0.1)
constraint deck: tip.z >= -5
friction rub on (tip.vx, tip.vy): 0.3*deck.lambda
simulate { time = 0 .. 0.395 step 0.005; integrator = bdf(rtol = 1e-8, atol = 1e-10) }
)";
  const Run r = run(body);
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.result.steps < 500);
  CHECK(std::fabs(r.last("b.z") - (0.6 + 0.395 - 0.5 * 9.81 * 0.395 * 0.395)) < 1e-8);
}

TEST_CASE("what is held at rest runs, whatever its mass") {
  const std::string held = R"(mbd 1
space 1
param m = 0.7
particle p(m) at 0
force u on p: 0.1
constraint c: p.x == 0
simulate { time = 0 .. 8 step 0.01 }
)";
  for (const char* kind : {"constraint c: p.x == 0", "friction c on p.vx: 0.2", "constraint c: p.x <= 0"})
    for (const char* mass : {"0.1", "0.3", "0.7", "2"})
      for (const char* integrator : {"auto", "rk4", "dopri5", "dop853"}) {
        CAPTURE(std::string(kind));
        CAPTURE(std::string(mass));
        CAPTURE(std::string(integrator));
        const Run r = run(replaced(held, "constraint c: p.x == 0", kind), Engine::interpreter,
                          {std::string("m=") + mass, std::string("integrator=") + integrator});
        CHECK_MESSAGE(r.result.status == Status::complete, r.result.rendered);
        CHECK(std::fabs(r.last("p.x")) < 1e-12);
        // The energy monitor does not check dopri5 and dop853 step by step (runtime/record/energy_monitor.h), so
        // these may warn.
        const bool looked_at = std::string(integrator) == "auto" || std::string(integrator) == "rk4";
        CHECK((!looked_at || r.result.rendered.find("W0652") == std::string::npos));
      }
}

TEST_CASE("friction of constant size in the joints of two arms that do not touch each other") {
  // Alone the first arm has these accelerations: the first two joints slide and the third sticks (numpy, all 27
  // states).
  const Run r = run_both(R"(mbd 1
use joints, contact
gravity (0, 0, -9.81)
let m = 0.4
def J(L) = diag(0.0005, m*L^2/12, m*L^2/12)
body b1(mass = m, inertia = J(0.3)) at (0.15, 0, 0)
body b2(mass = m, inertia = J(0.3)) at (0.45, 0, 0)
body b3(mass = m, inertia = J(0.3)) at (0.75, 0, 0)
Revolute h1(ground, b1.at(-0.15, 0, 0), axis = ey)
Revolute h2(b1.at(0.15, 0, 0), b2.at(-0.15, 0, 0), axis = ey)
Revolute h3(b2.at(0.15, 0, 0), b3.at(-0.15, 0, 0), axis = ey)
JointFriction f1(h1.rate, torque = 0.02)
JointFriction f2(h2.rate, torque = 0.02/2)
JointFriction f3(h3.rate, torque = 0.02/3)
body c1(mass = m, inertia = J(0.4)) at (0.2, 1, 0)
body c2(mass = m, inertia = J(0.4)) at (0.6, 1, 0)
Revolute g1(ground.at(0, 1, 0), c1.at(-0.2, 0, 0), axis = ey)
Revolute g2(c1.at(0.2, 0, 0), c2.at(-0.2, 0, 0), axis = ey)
JointFriction f4(g1.rate, torque = 0.02)
JointFriction f5(g2.rate, torque = 0.02/2)
torque push on b1: (0, -0.1, 0)
output a1 = h1.rate', a2 = h2.rate', a3 = h3.rate'
simulate { time = 0 .. 0.1 step 0.01 }
)");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.at(0, "a1") == doctest::Approx(34.656667).epsilon(1e-7));
  CHECK(r.at(0, "a2") == doctest::Approx(-36.02).epsilon(1e-7));
  CHECK(std::fabs(r.at(0, "a3")) < 1e-9);
}
