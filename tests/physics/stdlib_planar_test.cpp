// SPDX-License-Identifier: Apache-2.0
// Tests the joints of the standard library in the plane, as stdlib_joints_test.cpp does in space.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/stdlib_support.h"

using namespace mbc;
using namespace mbc::test;

namespace {

struct Joint {
  const char* text;  // between the frames fa on a, fb on b, and the body c
  int rows;
  const char* turn;     // angle of fb relative to fa
  const char* shift;    // place of fb in fa
  const char* outputs;  // The columns zero... vanish at all times, and start... at the start.
  bool energy = true, momentum = true;
};

const char* kBodies = R"(mbd 1
space 2
use planar_joints, math
let n = (2, -0.5), Ra = rot(0.8), ra = (0.3, -0.2), pa = (0.3, -0.1), Qa = rot(0.6), pb = (-0.2, 0.1), Qb = rot(-0.9)
let Rb = Ra*Qa*rot(turn)*transpose(Qb)
body a(mass = 2, inertia = 0.3) at ra rotated Ra moving (0.2, -0.1) spinning 0.7
body b(mass = 3, inertia = 0.6) at ra + Ra*(pa + Qa*shift) - Rb*pb rotated Rb moving (-0.1, 0.3) spinning -1.1
body c(mass = 1.5, inertia = 0.2) at (1, 2) rotated rot(0.5) moving (0.1, 0.1) spinning 0.3
frame fa on a at pa rotated Qa
frame fb on b at pb rotated Qb
output E = energy.total, P = momentum.linear, H = momentum.angular
simulate { time = 0 .. 0.4 step 0.002; assemble; integrator = rk4 }
)";

const Joint kJoints[] = {
    {"Fixed j(fa, fb)", 3, "0", "(0, 0)", "zero = norm(fb.pos - fa.pos) + norm(fa.rot*ex - fb.rot*ex)"},
    {"Pin j(fa, fb)", 2, "2.5", "(0, 0)", "zero = (j.angle)' - j.rate, start = j.angle - 2.5"},
    {"Together j(fa, fb)", 2, "2.5", "(0, 0)", ""},
    {"Slider j(fa, fb, axis = n)", 2, "0", "0.3*n",
     "zero = (j.displacement)' - j.rate, start = j.displacement - 0.3*norm(n)"},
    {"PointOnLine j(fb, fa, axis = n)", 1, "1", "0.3*n",
     "zero = (j.displacement)' - j.rate, start = j.displacement - 0.3*norm(n)"},
    {"PointOnCurve j(h = fb.x^2 + fb.y - 0.4)", 1, "1", "(0, 0)", "", true, false},
    {"Rod j(fa, fb, length = 0.5)", 1, "1", "(0.3, -0.4)", "zero = dist(fa, fb) - 0.5"},
    {"Orientation j(fa, fb)", 1, "0", "(0.3, -0.4)", "zero = a.omega - b.omega"},
    {"RollingWheel j(fb, radius = 0.4, track = fa, direction = n)", 2, "1", "0.3*n + 0.4*perp1(n)",
     "zero = (j.displacement)' + 0.4*(b.omega - a.omega)"},
    {"KnifeEdge j(fb, side = n, a = fa)", 1, "1", "(0.3, 0.1)", ""},
    {"Gear j(a, b, ratio = -0.5, carrier = c)", 1, "1", "(1, 2)", "zero = b.omega - c.omega + 0.5*(a.omega - c.omega)"},
    {"RackAndPinion j(a, fb, radius = 0.2, direction = n, carrier = c)", 1, "1", "(1, 2)",
     "zero = (j.displacement)' - 0.2*(a.omega - c.omega)"},
    {"DrivenAngle j(fa, fb, angle = 0.7)", 1, "0.7", "(0.3, 0.1)", "zero = angle_in_plane(fa, fb) - 0.7"},
    {"DrivenAngle j(fa, fb, angle = 0.7 + sin(3*t))", 1, "0.7", "(0.3, 0.1)",
     "zero = angle_in_plane(fa, fb) - 0.7 - sin(3*t)", false},
    {"DrivenRate j(fa, fb, rate = 0.6*cos(t))", 1, "0.7", "(0.3, 0.1)", "zero = b.omega - a.omega - 0.6*cos(t)", false},
    {"DrivenDisplacement j(fa, fb, displacement = 0.3 + 0.1*t^2)", 1, "0.7", "(0.3, 0.1)",
     "zero = dot(fa.rot*ex, fb.pos - fa.pos) - 0.3 - 0.1*t^2", false},
};

}  // namespace

TEST_CASE("planar joints: rows, their matrix, what they leave alone") {
  for (const Joint& j : kJoints) {
    INFO(std::string(j.text));
    std::string text = std::string(kBodies) + "let turn = " + j.turn + ", shift = " + j.shift + "\n" + j.text + "\n";
    if (*j.outputs) text += std::string("output ") + j.outputs + "\n";
    const Run r = run_both(text);
    CHECK_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(r.result.rank == j.rows);
    CHECK(r.result.dependent_rows.empty());
    CHECK(r.result.rank_changes.empty());
    for (const std::string& column : columns_with(r, "zero")) CHECK(largest(r, column) < 1e-10);
    for (const std::string& column : columns_with(r, "start")) CHECK(std::fabs(r.at(0, column)) < 1e-10);
    if (j.energy) {
      CHECK(spread(r, "E") < 1e-9);
      CHECK(std::fabs(r.result.work_of_constraints) < 1e-9);
    }
    if (j.momentum)
      for (const char* column : {"P.x", "P.y", "H"}) CHECK(spread(r, column) < 1e-9);
    CHECK(r.result.balance_error < 1e-9);
    Simulation program = compile_text(text, Engine::interpreter);
    CHECK(matrix_error(program, 0.3, r.result.state) < 1e-9);
    CHECK(matrix_error(program, 0.3, shaken(program.model(), r.result.state, 0.3, 1)) < 1e-9);
  }
}

// Rows with a second root half a turn away once converged to it if the body was drawn nearer to it.
TEST_CASE("planar joints: bodies come to the angle that is asked for, however they are drawn") {
  const std::string head =
      "mbd 1\nspace 2\nuse planar_joints\nlet R = rot(170 [deg] + t)\n"
      "frame lead follows frame(origin = (1, 0), rotation = R)\noutput off = norm(b.rot*ex - R*ex)\n"
      "simulate { time = 0 .. 1 step 0.1; assemble }\n";
  for (int degrees = -175; degrees <= 180; degrees += 5)
    for (const char* joint :
         {"Pin p(ground, b.at(-1, 0))\nDrivenAngle d(ground, b, angle = 170 [deg] + t)\n", "Fixed f(lead, b)\n",
          "Pin p(ground, b.at(-1, 0))\nOrientation o(lead, b)\n", "Slider s(lead, b)\nconstraint stay: b.x == 1\n"}) {
      const Run r =
          run(head + joint + "body b(mass = 1, inertia = 1) at (1, 0) rotated rot(" + number(degrees) + " [deg])\n");
      INFO(degrees << " " << std::string(joint) << "\n" << r.result.rendered);
      REQUIRE(r.result.status == Status::complete);
      CHECK(largest(r, "off") < 1e-9);
    }
}

TEST_CASE("planar joints: a driven crank turns many times round") {
  const std::string text = R"(mbd 1
/// Drawn along x, and to begin at 120 degrees: nearer to the opposite side.
space 2
use planar_joints
gravity (0, -9.81)
param a = 1, b = 2.5, c = 2, d = 3, w = 12
body crank(mass = 1, inertia = 0.1) at (0.5, 0)
body coupler(mass = 1, inertia = 0.5) at (2, 0.8)
body rocker(mass = 1, inertia = 0.3) at (3, 1)
Pin p1(ground, crank.at(-a/2, 0))
Pin p2(crank.at(a/2, 0), coupler.at(-b/2, 0))
Pin p3(coupler.at(b/2, 0), rocker.at(c/2, 0))
Pin p4(ground.at(d, 0), rocker.at(-c/2, 0))
DrivenAngle motor(ground, crank, angle = 120 [deg] + w*t)
output off = norm(crank.rot*ex - rot(120 [deg] + w*t)*ex)
simulate run { time = 0 .. 4 step 0.01; assemble }
)";
  double torque = 0;
  for (const char* formulation : {"udwadia_kalaba", "augmented", "maggi", "kane"})
    for (const char* stabilise : {"project", "partition"})
      for (const char* integrator : {"rk4", "auto", "dopri5", "bdf", "taylor"}) {
        const std::string f = formulation, i = integrator;
        if ((i == "taylor" && f != "udwadia_kalaba") || (i == "bdf" && f == "kane")) continue;
        const std::vector<std::string> set = {"formulation=" + f, std::string("stabilise=") + stabilise,
                                              "integrator=" + i};
        const Run r = f == "udwadia_kalaba" ? run_both(text, set) : run(text, Engine::interpreter, set);
        INFO(f << " " << std::string(stabilise) << " " << i << "\n" << r.result.rendered);
        REQUIRE(r.result.status == Status::complete);
        CHECK(largest(r, "off") < 1e-7);
        if (torque == 0) torque = r.last("motor.torque");
        CHECK(r.last("motor.torque") == doctest::Approx(torque).epsilon(1e-6));
      }
}

// A gear train with a planet carrier is compared with Willis' equation, and a rack with its ratio, at rest and moving.
TEST_CASE("planar joints: an epicyclic gear turns by Willis' ratio") {
  const Run r = run_both(R"(mbd 1
space 2
use planar_joints
body sun(mass = 1, inertia = 0.01) at (0, 0)
body arm(mass = 1, inertia = 0.02) at (0, 0)
body planet(mass = 0.5, inertia = 0.005) at (0.3, 0)
Pin p1(ground, sun)
Pin p2(ground, arm)
Pin p3(arm.at(0.3, 0), planet)
Gear inner(sun, planet, ratio = -20/10, carrier = arm)
Gear outer(ground, planet, ratio = 40/10, carrier = arm)
torque drive on sun: 0.1
output ratio = sun.omega/max(arm.omega, 1e-9), E = energy.total
simulate { time = 0 .. 1 step 0.001; integrator = rk4 }
)");
  CHECK(r.result.status == Status::complete);
  // This is the ratio of sun and arm with a fixed ring, 1 + ring/sun.
  CHECK(r.last("ratio") == doctest::Approx(1 + 40.0 / 20).epsilon(1e-9));
  // The inertia is reduced to the sun. The planet turns at the negative rate of the sun.
  const double inertia = 0.01 + (0.02 + 0.5 * 0.09) / 9 + 0.005;
  CHECK(r.last("sun.omega") == doctest::Approx(0.1 / inertia).epsilon(1e-9));
  CHECK(r.result.balance_error < 1e-9);
}
