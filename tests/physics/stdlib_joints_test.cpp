// SPDX-License-Identifier: Apache-2.0
// Tests each joint of the standard library between bodies in general position: its number of independent rows, their
// matrix against differences of the residuals, its outputs, and a free motion that keeps energy and momentum (a joint
// between two bodies is internal: its reactions are opposite and collinear and do no work).
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
  const char* turn;   // rotation of fb relative to fa
  const char* shift;  // place of fb in fa
  // The columns zero... must vanish at all times, and angle... and value... must have the stated values.
  const char* outputs;
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

// Rows with additional roots, half a turn and a third of a turn away, once converged to these.
TEST_CASE("joints: bodies come to the orientation that is asked for, however they are drawn") {
  const std::string head =
      "mbd 1\nuse joints\nlet R = rot((1, 2, 3), 0.7), n = (2, -1, 2)\nframe lead follows frame(origin = (1, 0, 0), "
      "rotation "
      "= R)\nsimulate { time = 0 .. 0.1 step 0.1; assemble }\n";
  const std::string off = "output off = norm(b.rot*ex - Q*ex) + norm(b.rot*ey - Q*ey) + norm(b.rot*ez - Q*ez)\n";
  for (const char* joint :
       {"Fixed f(lead, b)\nlet Q = R\n", "Spherical s(lead, b)\nOrientation o(lead, b)\nlet Q = R\n",
        "Prismatic p(lead, b)\nlet Q = R\n",
        "Revolute h(lead, b, axis = n)\nDrivenAngle d(lead, b, angle = 2.9, axis = n)\nlet Q = R*rot(n, 2.9)\n"})
    for (const char* bodies : {"quaternion", "euler_parameters", "natural"})
      for (const char* axis : {"(1, 0, 0)", "(0, 0, 1)", "(1, 1, 1)", "(1, -2, 0.3)", "n"})
        for (const int degrees : {60, 90, 120, 150, 170, 179}) {
          if (std::string(joint).starts_with("Revolute") && std::string(axis) != "n") continue;  // Rows fix the axis.
          const Run r =
              run(head + joint + off + "body b(mass = 1, inertia = diag(1, 2, 1.5)) at (1, 0, 0) rotated R*rot(" +
                      axis + ", " + number(degrees) + " [deg])\n",
                  Engine::interpreter, {std::string("bodies=") + bodies});
          INFO(std::string(joint) << std::string(bodies) << " " << std::string(axis) << " " << degrees << "\n"
                                  << r.result.rendered);
          REQUIRE(r.result.status == Status::complete);
          CHECK(largest(r, "off") < 1e-8);
        }
}

// The multipliers of the rows of direction are moments of b on a about the axes, as in the earlier form of the rows
// with cosines.
TEST_CASE("joints: what the rows of a fixed orientation exert") {
  const Run r = run_both(R"(mbd 1
use joints
body b(mass = 1, inertia = diag(1, 2, 1.5)) at (0, 0, 0)
Fixed f(ground, b)
torque load on b: (3, 5, 7)
output x = f.turn2.lambda, y = f.turn3.lambda, z = f.turn1.lambda
simulate { time = 0 .. 0.1 step 0.1 }
)");
  CHECK(r.last("x") == doctest::Approx(3).epsilon(1e-12));
  CHECK(r.last("y") == doctest::Approx(5).epsilon(1e-12));
  CHECK(r.last("z") == doctest::Approx(7).epsilon(1e-12));
}

TEST_CASE("joints: as many degrees of freedom at random poses of the bodies") {
  for (const Joint& j : kJoints) {
    if (j.keeps == energy_only) continue;  // The surface of this joint is fixed in space.
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
