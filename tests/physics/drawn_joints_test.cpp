// SPDX-License-Identifier: Apache-2.0
// Tests of what stays as it is drawn where `init` gives a part of a mechanism: the coordinates of joints that it does
// not name, with rows and as coordinates of the model.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

const std::string kEnd = "simulate { time = 0 .. 0.5 step 0.1; integrator = auto(tol = 1e-10) }\n";

Run started(const std::string& text, const char* bodies) {
  Run r = run(text, Engine::interpreter, {std::string("bodies=") + bodies});
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.code());
  return r;
}

// Checks that places, velocities and angles agree in all rows; the sign of a quaternion is left out.
void check_alike(const std::string& text, double tolerance) {
  const Run rows = started(text, "quaternion"), tree = started(text, "tree");
  REQUIRE(rows.rows() == tree.rows());
  for (const std::string& name : rows.names) {
    if (name.size() > 3 && name[name.size() - 3] == '.' && name[name.size() - 2] == 'p') continue;
    INFO(name);
    for (std::size_t row = 0; row < rows.rows(); ++row)
      CHECK(std::fabs(tree.at(row, name) - rows.at(row, name)) <= tolerance * (1 + std::fabs(rows.at(row, name))));
  }
}

const std::string kArm =
    "mbd 1\nuse joints\ngravity (0, 0, -9.81)\nbody a(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (0.5, 0, 0)\n"
    "body b(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (1.5, 0, 0)\n"
    "Revolute j1(ground, a.at(-0.5, 0, 0), axis = ey)\nRevolute j2(a.at(0.5, 0, 0), b.at(-0.5, 0, 0), axis = ey)\n";

}  // namespace

TEST_CASE("angles of joints that nobody names begin as they are drawn, in every representation") {
  for (const char* bodies : {"quaternion", "euler_parameters", "natural", "tree"}) {
    INFO(std::string(bodies));
    const Run elbow = started(kArm + "init { j2.angle = 0.5 }\n" + kEnd, bodies);
    CHECK(std::fabs(elbow.at(0, "j1.angle")) <= 1e-12);
    CHECK(elbow.at(0, "j2.angle") == doctest::Approx(0.5).epsilon(1e-12));
    CHECK(elbow.at(0, "b.x") == doctest::Approx(1 + 0.5 * std::cos(0.5)).epsilon(1e-12));
    const Run shoulder = started(kArm + "init { j1.angle = 60 [deg] }\n" + kEnd, bodies);
    CHECK(std::fabs(shoulder.at(0, "j2.angle")) <= 1e-12);
    CHECK(shoulder.at(0, "b.x") == doctest::Approx(1.5 * 0.5).epsilon(1e-12));
  }
  check_alike(kArm + "init { j2.angle = 0.5 }\n" + kEnd, 1e-8);
}

TEST_CASE("the rotation that a ball joint leaves free stays as drawn relative to what it hangs on") {
  const std::string text =
      "mbd 1\nuse joints\ngravity (0, 0, -9.81)\n"
      "body a(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (0.5, 0, 0)\n"
      "body b(mass = 2, inertia = diag(0.05, 0.06, 0.04), com = (0, 0.1, 0)) at (1.3, 0, 0.1)\n"
      "Revolute j1(ground, a.at(-0.5, 0, 0), axis = (1, 2, 0.3))\nSpherical s(a.at(0.3, 0, 0.1), b.at(-0.5, 0, 0))\n"
      "init { j1.angle = 0.7 }\noutput r = norm(a.rot*ey - b.rot*ey) + norm(a.rot*ex - b.rot*ex)\n" +
      kEnd;
  for (const char* bodies : {"quaternion", "tree"}) CHECK(started(text, bodies).at(0, "r") <= 1e-12);
  check_alike(text, 1e-8);
}

TEST_CASE("the first body of a mechanism that hangs on nothing stays as drawn") {
  const std::string floating =
      "mbd 1\nuse joints\nbody base(mass = 5, inertia = diag(0.2, 0.3, 0.4)) at (0, 0, 0)\n"
      "body arm(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (1, 0, 0)\n"
      "Revolute j(base.at(0.5, 0, 0), arm.at(-0.5, 0, 0), axis = ez)\n";
  for (const char* bodies : {"quaternion", "tree"}) {
    const Run r = started(floating + "init { j.angle = 0.8; j.rate = 2 }\n" + kEnd, bodies);
    CHECK(std::fabs(r.at(0, "base.x")) + std::fabs(r.at(0, "base.y")) <= 1e-12);
    CHECK(r.at(0, "arm.y") == doctest::Approx(0.5 * std::sin(0.8)).epsilon(1e-12));
    // rates that nobody gave are those of least energy: nothing turns or pushes the whole
    CHECK(std::fabs(5 * r.at(0, "base.vx") + r.at(0, "arm.vx")) <= 1e-12);
    CHECK(std::fabs(5 * r.at(0, "base.vy") + r.at(0, "arm.vy")) <= 1e-12);
  }
  check_alike(floating + "init { j.angle = 0.8; j.rate = 2 }\n" + kEnd, 1e-8);
}

// With the joints' inertias w1 = J and w2 = J/2 as free bodies have them, w1 d1 : w2 d2 = dx/dq1 : dx/dq2.
TEST_CASE("joints that cannot stay move by the least sum of inertia times the square of the angle") {
  const std::string text =
      "mbd 1\nuse joints\ngravity (0, 0, -9.81)\nbody a(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (0.5, 0, 0)\n"
      "body b(mass = 2, inertia = diag(0.02, 0.03, 0.04)) at (1.4, 0, -0.3) rotated roty(0.64350110879328)\n"
      "Revolute j1(ground, a.at(-0.5, 0, 0), axis = ey)\nRevolute j2(a.at(0.5, 0, 0), b.at(-0.5, 0, 0), axis = ey)\n"
      "let tip = b.at(0.5, 0, 0)\ninit { tip.pos.x = 1.2 }\noutput tip.pos\n" +
      kEnd;
  for (const char* bodies : {"quaternion", "tree"}) {
    const Run r = started(text, bodies);
    const double d1 = r.at(0, "j1.angle"), d2 = r.at(0, "j2.angle") - 0.64350110879328, z = r.at(0, "tip.pos.z");
    CHECK(r.at(0, "tip.pos.x") == doctest::Approx(1.2).epsilon(1e-12));
    // x = cos q1 + cos(q1 + q2): dx/dq1 = z, dx/dq2 = z + sin q1
    CHECK(0.03 * d1 * (z + std::sin(d1)) == doctest::Approx(0.015 * d2 * z).epsilon(1e-6));
  }
  check_alike(text, 1e-6);
}

TEST_CASE("what hangs on a loop stays as drawn, while the loop follows") {
  const std::string text =
      "mbd 1\nuse joints\ngravity (0, 0, -9.81)\n"
      "body crank(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (0, 0, 0.5)\n"
      "body coupler(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (1, 0, 1)\n"
      "body rocker(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (2, 0, 0.5)\n"
      "body tail(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (1, 0, 0.5)\n"
      "Revolute j1(ground, crank.at(0, 0, -0.5), axis = ey)\n"
      "Revolute j2(crank.at(0, 0, 0.5), coupler.at(-1, 0, 0), axis = ey)\n"
      "Revolute j3(coupler.at(1, 0, 0), rocker.at(0, 0, 0.5), axis = ey)\n"
      "Revolute j4(ground.at(2, 0, 0), rocker.at(0, 0, -0.5), axis = ey)\n"
      "Revolute j5(coupler, tail.at(0, 0, 0.5), axis = ey)\ninit { j1.angle = 0.3 }\n" +
      kEnd;
  for (const char* bodies : {"quaternion", "tree"}) {
    const Run r = started(text, bodies);
    CHECK(r.at(0, "j1.angle") == doctest::Approx(0.3).epsilon(1e-12));
    CHECK(std::fabs(r.at(0, "j5.angle")) <= 1e-8);
  }
  check_alike(text, 1e-6);
}

TEST_CASE("wishes for rates weigh the same with rows and as coordinates") {
  check_alike(kArm + "init { j1.angle' = 0.5; j2.angle' ~ 2; b.vz ~ 1 }\n" + kEnd, 1e-8);
  check_alike(kArm + "init { j1.angle ~ 0.3; j2.angle ~ 0.5; b.at(0.5, 0, 0).pos.x = 1.5 }\n" + kEnd, 1e-6);
}
