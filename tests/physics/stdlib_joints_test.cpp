// SPDX-License-Identifier: Apache-2.0
// The joints of the standard library, each between bodies in general position: its number of independent rows, their
// matrix against differences of the residuals, the outputs, and a free motion that keeps energy and momentum (a joint
// between two bodies is internal: its reactions are opposite, in one line, and do no work).
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/stdlib_support.h"

using namespace mbc;
using namespace mbc::test;

namespace {

enum Keeps { nothing, momentum, energy_and_momentum, energy_only };

struct Joint {
  const char* text;  // between the frames fa on a, fb on b, and the body c
  int rows;
  const char* turn;     // rotation of fb against fa
  const char* shift;    // place of fb in fa
  const char* outputs;  // columns zero... must vanish at all times, angle... and value... keep what they are said to be
  Keeps keeps = energy_and_momentum;
};

const char* kBodies = R"(mbd 1
use joints, math
let n = (1, 2, -0.5), Ra = rot((1, -2, 0.5), 0.8), ra = (0.3, -0.2, 0.5)
let Qa = rot((0.2, 1, 1), 0.6), pa = (0.3, -0.1, 0.2), Qb = rot((1, 0.3, -1), -0.9), pb = (-0.2, 0.1, 0.3)
let Rb = Ra*Qa*turn*transpose(Qb)
body a(mass = 2, inertia = diag(0.3, 0.4, 0.5)) at ra rotated Ra moving (0.2, -0.1, 0.3) spinning (0.5, -0.9, 0.7)
body b(mass = 3, inertia = diag(0.6, 0.3, 0.4)) at ra + Ra*(pa + Qa*shift) - Rb*pb rotated Rb moving (-0.1, 0.3, 0.2) spinning (-0.6, 0.4, 1.1)
body c(mass = 1.5, inertia = diag(0.2, 0.2, 0.3)) at (1, 2, 3) rotated rot((3, 1, 2), 0.5) moving (0.1, 0.1, 0.2) spinning (0.3, 0.8, -0.2)
frame fa on a at pa rotated Qa
frame fb on b at pb rotated Qb
output E = energy.total, P = momentum.linear, H = momentum.angular
simulate { time = 0 .. 0.4 step 0.002; assemble; integrator = rk4 }
)";

const Joint kJoints[] = {
    {"Fixed j(fa, fb)", 6, "rotz(0)", "(0, 0, 0)", "zero = norm(fb.pos - fa.pos)"},
    {"Revolute j(fa, fb, axis = n)", 5, "rot(n, 0.7)", "(0, 0, 0)",
     "zero = (j.angle)' - j.rate, start = j.angle - 0.7"},
    {"Prismatic j(fa, fb, axis = n)", 5, "rotz(0)", "0.3*n",
     "zero = (j.displacement)' - j.rate, start = j.displacement - 0.3*norm(n)"},
    {"Cylindrical j(fa, fb, axis = n)", 4, "rot(n, -2.1)", "-0.2*n",
     "zero = (j.angle)' - j.turn_rate, zero2 = (j.displacement)' - j.rate, start = j.angle + 2.1, start2 = "
     "j.displacement + "
     "0.2*norm(n)"},
    {"Universal j(fa, fb)", 4, "rotx(0.5)*roty(0.4)", "(0, 0, 0)", "zero = dot(fa.rot*ex, fb.rot*ey)"},
    {"Universal j(fa, fb, axis_a = 2*ez, axis_b = ex + ey)", 4, "rotz(0.5)*rot((1, 1, 0), 0.4)", "(0, 0, 0)", ""},
    {"ConstantVelocity j(fa, fb, axis = n)", 4, "rot(perp1(n) + 0.4*perp2(n), 0.6)", "(0, 0, 0)",
     "zero = norm(fa.pos - fb.pos), start = j.bend - 0.6"},
    {"Spherical j(fa, fb)", 3, "rot((1, 1, 2), 0.8)", "(0, 0, 0)", "zero = norm(fa.pos - fb.pos)"},
    {"Planar j(fa, fb, normal = n)", 3, "rot(n, 0.7)", "0.2*perp1(n) + 0.3*perp2(n)",
     "zero = (j.angle)' - j.rate, start = j.angle - 0.7, start2 = j.x - 0.2, start3 = j.y - 0.3"},
    {"Screw j(fa, fb, lead = 0.25, axis = n)", 5, "rot(n, 0.7)", "0.3*n",
     "zero = (j.displacement)' - 0.25/(2*pi)*(j.angle)', start = j.angle - 0.7, start2 = j.displacement - 0.3*norm(n)"},
    {"Orientation j(fa, fb)", 3, "rotz(0)", "(0.3, 0.1, -0.4)", "zero = norm(fa.rot*n - fb.rot*n)"},
    {"Parallel j(fa, fb, axis = n)", 2, "rot(n, 1.7)", "(0.3, 0.1, -0.4)", "zero = norm(fa.rot*n - fb.rot*n)"},
    {"Perpendicular j(fa, fb)", 1, "rotx(0.5)*roty(0.4)", "(0.3, 0.1, -0.4)", ""},
    {"Gear j(a, b, ratio = -0.5, axis = n, axis_b = (0, 1, 1), carrier = c)", 1, "rotx(0.5)", "(1, 2, 3)",
     "zero = j.rate_b + 0.5*j.rate"},
    {"RackAndPinion j(a, fb, radius = 0.2, axis = n, direction = (0, 1, 2), carrier = c)", 1, "rotx(0.5)", "(1, 2, 3)",
     "zero = (j.displacement)' - 0.2*j.rate"},
    {"Rod j(fa, fb, length = 0.7)", 1, "rotx(0.5)", "(0.6, 0.2, 0.3)", "zero = dist(fa, fb) - 0.7"},
    {"PointOnLine j(fb, fa, axis = n)", 2, "rotx(0.5)", "0.3*n",
     "zero = norm(cross(fb.pos - fa.pos, fa.rot*n)), start = j.displacement - 0.3*norm(n)"},
    {"PointOnPlane j(fb, fa, normal = n)", 1, "rotx(0.5)", "0.3*perp1(n) + 0.2*perp2(n)", ""},
    {"PointOnCircle j(fb, 0.5, fa, axis = n)", 2, "rotx(0.5)", "0.3*perp1(n) + 0.4*perp2(n)",
     "zero = dist(fa, fb) - 0.5, start = j.angle - atan2(4, 3)"},
    {"PointOnSurface j(h = fb.x^2 + 2*fb.y^2 - fb.z - 1)", 1, "rotx(0.5)", "(0, 0, 0)", "", energy_only},
    {"PointOnCurve j(f = fb.x^2 + fb.y^2 - 1, g = fb.z - 0.3*fb.x)", 2, "rotx(0.5)", "(0, 0, 0)", "", energy_only},
    {"RollingDisc j(fb, radius = 0.4, axis = n, plane = fa, normal = (1, 1, 1))", 3,
     "rot(cross(n, (1, 1, 1)), angle_between(n, (1, 1, 1)) + 1.2)", "(0.1, -0.1, 0) + 0.4*sin(1.2)*unit((1, 1, 1))",
     "zero = norm(j.slip), start = abs(j.lean) - (pi/2 - 1.2)"},
    {"RollingBall j(fb, radius = 0.4, plane = fa, normal = n)", 3, "rotx(2)", "0.1*perp2(n) + 0.4*unit(n)",
     "zero = norm(j.slip)"},
    {"Wheel j(fb, radius = 0.4, plane = fa)", 3, "rotz(2)", "(0.1, 0.2, 0.4)", ""},
    {"KnifeEdge j(fb, side = n, a = fa)", 1, "rotx(2)", "(0.1, 0.2, 0.4)", ""},
    {"DrivenAngle j(fa, fb, angle = 0.7, axis = n)", 1, "rot(n, 0.7)", "(0.1, 0.2, 0.3)",
     "zero = angle_about(n, fa, fb) - 0.7"},
    {"DrivenAngle j(fa, fb, angle = 0.7 + 0.2*sin(3*t), axis = n)", 1, "rot(n, 0.7)", "(0.1, 0.2, 0.3)",
     "zero = angle_about(n, fa, fb) - 0.7 - 0.2*sin(3*t)", momentum},
    {"DrivenRate j(fa, fb, rate = 0.6, axis = n)", 1, "rot(n, 0.7)", "(0.1, 0.2, 0.3)",
     "zero = dot(fa.rot*unit(n), b.rot*b.omega - a.rot*a.omega) - 0.6", momentum},
    {"DrivenDisplacement j(fa, fb, displacement = 0.3 + 0.1*t^2, axis = n)", 1, "rotx(1)", "0.3*unit(n) + 0.2*perp1(n)",
     "zero = dot(fa.rot*unit(n), fb.pos - fa.pos) - 0.3 - 0.1*t^2", momentum},
};

std::string model(const Joint& j) {
  std::string text = std::string(kBodies) + "let turn = " + j.turn + ", shift = " + j.shift + "\n" + j.text + "\n";
  if (*j.outputs) text += std::string("output ") + j.outputs + "\n";
  return text;
}

}  // namespace

TEST_CASE("joints: rows, their matrix, what they leave alone") {
  for (const Joint& j : kJoints) {
    INFO(std::string(j.text));
    const std::string text = model(j);
    const Run r = run_both(text);
    CHECK_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(r.result.rank == j.rows);
    CHECK(r.result.dependent_rows.empty());
    CHECK(r.result.rank_changes.empty());
    for (const std::string& column : columns_with(r, "zero")) {
      CAPTURE(column);
      CHECK(largest(r, column) < 1e-10);
    }
    for (const std::string& column : columns_with(r, "start")) {
      CAPTURE(column);
      CHECK(std::fabs(r.at(0, column)) < 1e-10);
    }
    if (j.keeps == energy_and_momentum || j.keeps == energy_only) {
      CHECK(spread(r, "E") < 1e-9);
      CHECK(std::fabs(r.result.work_of_constraints) < 1e-9);
    }
    if (j.keeps == energy_and_momentum || j.keeps == momentum)
      for (const char* column : {"P.x", "P.y", "P.z", "H.x", "H.y", "H.z"}) CHECK(spread(r, column) < 1e-9);
    CHECK(r.result.balance_error < 1e-9);
    Simulation program = compile_text(text, Engine::interpreter);
    CHECK(matrix_error(program, 0.3, r.result.state) < 1e-9);
    CHECK(matrix_error(program, 0.3, shaken(program.model(), r.result.state, 0.3, 1)) < 1e-9);
  }
}

TEST_CASE("joints: as many degrees of freedom at random poses of the bodies") {
  for (const Joint& j : kJoints) {
    if (j.keeps == energy_only) continue;  // its surface is fixed in space
    INFO(std::string(j.text));
    for (const char* pose : {"rot((0.3, 1, 2), 2.9)", "rotx(pi)", "rot((1, -1, 0.2), 1.5)*rotz(-2)"}) {
      INFO(std::string(pose));
      const std::string text = replaced(replaced(model(j), "rot((1, -2, 0.5), 0.8)", pose), "0.4 step", "0.004 step");
      const Run r = run(text);
      CHECK_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      CHECK(r.result.rank == j.rows);
      CHECK(r.result.smallest_distance > 1e-3);
    }
  }
}
