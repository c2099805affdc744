// SPDX-License-Identifier: Apache-2.0
// Tests switched constraints and loads, impulses on constrained systems, and machines.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

const char* kFormulations[] = {"udwadia_kalaba", "augmented", "projection", "maggi", "kane", "volterra"};

const std::string kCut = R"(mbd 1
particle p(1) at (1, 0, 0) moving (0, 0, -2)
constraint rope: norm(p.pos) == 1
force weight on p: (0, 0, -10)
constraint plane: p.y == 0
init { disable weight }
at cut: 0.3 { disable rope; enable weight }
output l = rope.lambda
simulate { time = 0 .. 1 step 0.001; formulation = METHOD; integrator = rk4 }
)";

}  // namespace

TEST_CASE("a string that is cut leaves a circle for a parabola, in every formulation") {
  const double phi = 0.6, t = 0.7;  // angle at the cut; time since the cut
  for (const char* method : kFormulations) {
    CAPTURE(method);
    const Run r = run_both(replaced(kCut, "METHOD", method));
    REQUIRE(r.result.status == Status::complete);
    CHECK(std::fabs(r.last("p.x") - (std::cos(phi) - 2 * std::sin(phi) * t)) < 1e-9);
    CHECK(std::fabs(r.last("p.z") - (-std::sin(phi) - 2 * std::cos(phi) * t - 5 * t * t)) < 1e-9);
    CHECK(r.last("l") == 0);
    CHECK(std::fabs(r.at(100, "l") + 4) < 1e-9);  // The force of the rope is m v^2/r.
    CHECK(r.result.rank == 2);
  }
}

TEST_CASE("a clutch of two inertias slips, locks and opens") {
  // J1 = 2 is driven by 3, and J2 = 1. The slipping clutch transmits 4 until the speeds are equal.
  const Run r = run_both(R"(mbd 1
coord a = 0 rate 10, b = 0
kinetic T: 0.5*2*a'^2 + 0.5*1*b'^2
load drive on a: 3
load slip_a on a: -4
load slip_b on b: 4
constraint lock: a' == b'
init { disable lock }
when meet: a' - b' falling { enable lock; disable slip_a, slip_b }
at open: 4 { disable lock }
output tm = meet.time
simulate { time = 0 .. 5 step 0.01; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  const double tm = 10 / 4.5;  // a' = 10 - t/2, b' = 4 t
  CHECK(std::fabs(r.last("tm") - tm) < 1e-9);
  const double at_lock = 4 * tm, at_open = at_lock + (4 - tm) * 1.0;  // The common acceleration is 3/(2 + 1).
  CHECK(std::fabs(r.last("b'") - at_open) < 1e-9);
  CHECK(std::fabs(r.last("a'") - (at_open + 1.5)) < 1e-9);
  CHECK(r.result.balance_error < 1e-9);
}

TEST_CASE("a constraint that is enabled meets velocities as a plastic impact") {
  const Run r = run_both(R"(mbd 1
space 1
particle a(1) at 0 moving 2
particle b(3) at 1 moving 0
constraint coupled: a.vx == b.vx
init { disable coupled }
when meet: a.x - b.x rising { enable coupled }
simulate { time = 0 .. 1 step 0.1; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("a.vx") - 0.5) < 1e-12);
  CHECK(std::fabs(r.last("b.vx") - 0.5) < 1e-12);
  CHECK(std::fabs(r.result.work_of_events + 1.5) < 1e-12);
}

TEST_CASE("an impulse changes the velocities by P M^-1 J, in every formulation") {
  for (const char* method : kFormulations) {
    CAPTURE(method);
    const Run r = run_both(replaced(R"(mbd 1
particle a(2) at (1, 0, 0)
particle b(3) at (1, 0, -1)
constraint rod: dist(a, b) == 1
constraint hold: norm(a.pos) == 1
constraint flat: (a.y, b.y) == (0, 0)
at kick: 0 { impulse on a: (4, 0, 6) ; impulse on b: (9, 0, 0) }
simulate { time = 0 .. 0.001 step 0.001; formulation = METHOD; integrator = rk4 }
)",
                                    "METHOD", method));
    REQUIRE(r.result.status == Status::complete);
    // The particle a moves only along z and takes b with it: 5 w = 6. The particle b moves freely along x.
    CHECK(std::fabs(r.at(0, "a.vx")) < 1e-12);
    CHECK(std::fabs(r.at(0, "a.vz") - 1.2) < 1e-12);
    CHECK(std::fabs(r.at(0, "b.vz") - 1.2) < 1e-12);
    CHECK(std::fabs(r.at(0, "b.vx") - 3) < 1e-12);
  }
}

TEST_CASE("an impulse on a coordinate is the generalised one") {
  const Run r = run_both(R"(mbd 1
coord phi = 0
kinetic T: 0.5*4*phi'^2
at kick: 0.5 { impulse on phi: 2 }
simulate { time = 0 .. 1 step 0.25; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("phi") - 0.25) < 1e-13);
}

TEST_CASE("an assigned velocity is kept to the last bit, the others follow the constraints") {
  const Run r = run_both(R"(mbd 1
space 2
particle a(1) at (0, 0)
particle b(1) at (1, 0)
constraint rod: dist(a, b) == 1
at push: 0 { a.vx = 0.7; a.vy = 0.3 }
simulate { time = 0 .. 1 step 0.01; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.at(0, "a.vx") == 0.7);
  CHECK(r.at(0, "a.vy") == 0.3);
  CHECK(std::fabs(r.at(0, "b.vx") - 0.7) < 1e-12);
  CHECK(std::fabs(r.at(0, "b.vy")) < 1e-12);
}

TEST_CASE("an assigned position takes with it what constraints tie to it") {
  const Run r = run_both(R"(mbd 1
space 2
particle a(1) at (0, 0)
particle b(1) at (1, 0)
constraint rod: dist(a, b) == 1
constraint rail: a.y == 0
at jump: 0.5 { a.x = 3; a.y = 0 }
simulate { time = 0 .. 1 step 0.1; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("a.x") - 3) < 1e-12);
  const double dx = r.last("b.x") - 3, dy = r.last("b.y");
  CHECK(std::fabs(std::sqrt(dx * dx + dy * dy) - 1) < 1e-9);
}

TEST_CASE("a machine hops: flight on a parabola, stance on a spring leg") {
  const Run r = run_both(R"(mbd 1
space 1
state phase in (flight, stance) = flight
particle p(1) at 1.2 moving 0
force weight on p: -10
force leg on p: 1000*(1 - p.x)
init { disable leg }
when land: phase == phase.flight and p.x < 1 { phase = phase.stance; enable leg }
when lift: phase == phase.stance and p.x > 1 { phase = phase.flight; disable leg }
output E = energy.kinetic + 10*p.x, n = land.count, t1 = land.time, t2 = lift.time
simulate { time = 0 .. 1 step 0.001; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("n") >= 2);
  // One period consists of a fall, half an oscillation about x = 1 - 0.01 with frequency sqrt(1000), and a rise.
  const double fall = std::sqrt(2 * 0.2 / 10), w = std::sqrt(1000.0), v = std::sqrt(2 * 10 * 0.2);
  const double swing = 2 * (std::numbers::pi / 2 + std::atan2(0.01 * w, v)) / w - 0;
  const double lift = fall + 2 * std::atan2(v, -0.01 * w) / w * 0 + swing;
  (void)lift;
  std::size_t k = 0;
  while (r.at(k, "n") < 1) ++k;
  CHECK(std::fabs(r.at(k, "t1") - fall) < 1e-9);
  for (std::size_t i = 0; i < r.rows(); ++i)
    if (r.at(i, "phase") == 0) CHECK(std::fabs(r.at(i, "E") - 12) < 1e-6);
}

TEST_CASE("what an assigned velocity drags along is the same by all representations of bodies") {
  // The particle p is assigned 3. The pin takes c along at an arm of 0.4, with the least change of the kinetic energy.
  // The second inertia is that of a flat body.
  for (const char* inertia : {"diag(0.3, 0.5, 0.7)", "diag(0.3, 0.4, 0.7)"})
    for (const char* bodies : {"quaternion", "natural", "euler_parameters"}) {
      CAPTURE(inertia);
      CAPTURE(bodies);
      const Run r = run_both(replaced(replaced(R"(mbd 1
particle p(1) at (0, 0, 0)
body c(mass = 2, inertia = INERTIA) at (0.4, 0, 0)
point end on c at (-0.4, 0, 0)
constraint pin: end.pos == p.pos
at push: 0.5 { p.vel = (0, 3, 0) }
simulate { time = 0 .. 0.5 step 0.1; integrator = rk4; bodies = BODIES }
)",
                                               "INERTIA", inertia),
                                      "BODIES", bodies));
      REQUIRE(r.result.status == Status::complete);
      const double push = 3 / (1 / 2.0 + 0.4 * 0.4 / 0.7);
      CHECK(r.last("p.vy") == 3);
      CHECK(std::fabs(r.last("c.vy") - push / 2) < 1e-9);
      CHECK(std::fabs(r.last("c.omegaz") + 0.4 * push / 0.7) < 1e-9);
      CHECK(std::fabs(r.last("c.omegax")) + std::fabs(r.last("c.omegay")) < 1e-9);
      CHECK(std::fabs(r.last("c.vx")) + std::fabs(r.last("c.vz")) < 1e-9);
    }
}

TEST_CASE("what an assigned position drags along is the same by all representations of bodies") {
  // The particle p jumps. The body on its pin, and the bar between the body and b, must follow with the least sum of
  // mass times squared displacement over all points of the bodies.
  // The second inertia is that of a flat body.
  for (const char* inertia : {"diag(0.3, 0.5, 0.7)", "diag(0.3, 0.4, 0.7)"})
    for (const char* com : {"", ", com = (0.1, -0.2, 0.05)"}) {
      std::vector<Run> runs;
      for (const char* bodies : {"quaternion", "natural", "euler_parameters"}) {
        CAPTURE(inertia);
        CAPTURE(com);
        CAPTURE(bodies);
        std::string text = replaced(R"(mbd 1
particle p(1) at (0, 0, 0)
body c(mass = 2, inertia = INERTIA COM) at (0.4, 0, 0) rotated rotz(0.3)*rotx(0.2)
point end on c at (-0.4, 0, 0)
point tip on c at (0.3, 0.2, 0)
particle b(0.5) at (1, 0.5, 0.1)
constraint pin: end.pos == p.pos
constraint bar: dist(tip, b) == 0.5
init { c.pos ~ (0.4, 0, 0); b.pos ~ (1, 0.5, 0.1) }
at jump: 0.5 { p.pos = (0.1, 0.3, -0.2) }
output x = c.rot*(1, 2, 3), w = c.pos + c.rot*(0.1, -0.2, 0.05)
simulate { time = 0 .. 0.5 step 0.1; integrator = rk4; bodies = BODIES }
)",
                                    "INERTIA", inertia);
        runs.push_back(run_both(replaced(replaced(text, "COM", com), "BODIES", bodies)));
        REQUIRE(runs.back().result.status == Status::complete);
        CHECK(runs.back().last("p.y") == 0.3);
        for (const char* seen : {"x.x", "x.y", "x.z", "w.x", "w.y", "w.z", "b.x", "b.y", "b.z"}) {
          CAPTURE(seen);
          // The state is stationary to 1e-9.
          CHECK(std::fabs(runs.back().last(seen) - runs.front().last(seen)) < 1e-8);
        }
      }
    }
}

TEST_CASE("what an assigned position drags along moves least mass least far: a rod by its end") {
  // The end moves aside by d. The mass centre at a from it and the rotation th give m ((a cos th - a)^2 + (d + a sin
  // th)^2) + 2 J (1 - cos th), which is least at tan th = -m a d/(J + m a^2).
  const double a = 0.4, d = 0.5, th = std::atan2(-2 * a * d, 0.7 + 2 * a * a);
  const char* rods[] = {
      "body c(mass = 2, inertia = INERTIA) at (0.4, 0, 0)\npoint end on c at (-0.4, 0, 0)",
      "body c(mass = 2, inertia = INERTIA, com = (0.4, 0, 0)) at (0, 0, 0)\npoint end on c at (0, 0, 0)"};
  for (const char* rod : rods)
    for (const char* inertia : {"diag(0.3, 0.5, 0.7)", "diag(0.3, 0.4, 0.7)"})
      for (const char* bodies : {"quaternion", "natural", "euler_parameters"}) {
        CAPTURE(std::string(rod));
        CAPTURE(std::string(inertia));
        CAPTURE(std::string(bodies));
        const Run r = run_both(replaced(replaced(replaced(R"(mbd 1
particle p(1) at (0, 0, 0)
ROD
constraint pin: end.pos == p.pos
at jump: 0.5 { p.pos = (0, 0.5, 0) }
output axis = c.rot*ex, centre = c.com
simulate { time = 0 .. 0.5 step 0.1; integrator = rk4; bodies = BODIES }
)",
                                                          "ROD", rod),
                                                 "INERTIA", inertia),
                                        "BODIES", bodies));
        REQUIRE(r.result.status == Status::complete);
        CHECK(std::fabs(r.last("axis.x") - std::cos(th)) < 1e-8);
        CHECK(std::fabs(r.last("axis.y") - std::sin(th)) < 1e-8);
        CHECK(std::fabs(r.last("axis.z")) < 1e-8);
        CHECK(std::fabs(r.last("centre.x") - a * std::cos(th)) < 1e-8);
        CHECK(std::fabs(r.last("centre.y") - d - a * std::sin(th)) < 1e-8);
      }
}
