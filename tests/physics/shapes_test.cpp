// SPDX-License-Identifier: Apache-2.0
// Compares shapes and their contacts with closed forms and with equivalent unilateral constraints, by both engines.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

const std::string kUnitBody = "inertia = diag(0.004, 0.004, 0.004)) ";

}  // namespace

TEST_CASE("a ball falls on a plane, whichever stands first") {
  const auto text = [](const std::string& pair) {
    return R"(mbd 1
gravity (0, 0, -10)
body b(mass = 1, )" +
           kUnitBody + R"(at (0, 0, 1.35) moving (0.5, 0, 0)
shape ball on b: sphere(0.1)
shape soil on ground: plane((0, 0, 2))
)" + pair + R"(
output n = c.spot.side.count
simulate { time = 0 .. 1 step 0.25 }
)";
  };
  const Run r = run_both(text("Contact c(ball, soil, restitution = 0.6)"));
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.at(2, "b.z") - 0.1) < 1e-12);  // The ball lands at 0.5 with 5 and separates with 3.
  CHECK(std::fabs(r.last("b.z") - (0.1 + 3 * 0.5 - 5 * 0.25)) < 1e-12);
  CHECK(std::fabs(r.last("b.vz") + 2) < 1e-12);
  CHECK(r.last("n") == 1);
  const Run turned = run_both(text("Contact c(soil, ball, restitution = 0.6)"));
  CHECK(turned.values == r.values);
}

TEST_CASE("a rough ball slides and rolls as BallOnFloor does") {
  const auto text = [](const std::string& floor) {
    return R"(mbd 1
use contact
gravity (0, 0, -9.81)
param mu = 0.2
body b(mass = 1, )" +
           kUnitBody + R"(at (0, 0, 0.3) moving (2, 1, 0) spinning (3, 0, 1)
)" + floor +
           R"(
simulate { time = 0 .. 2 step 0.1; integrator = dop853(rtol = 1e-12, atol = 1e-12) }
)";
  };
  const Run shapes =
      run_both(text("shape ball on b: sphere(0.1)\nshape soil on ground: plane(ez)\n"
                    "Contact c(ball, soil, restitution = 0.3, mu = mu)\n"));
  const Run floor = run(text("BallOnFloor c(b, 0.1, mu, bounce = 0.3)\n"));
  REQUIRE(shapes.result.status == Status::complete);
  REQUIRE(floor.result.status == Status::complete);
  for (const char* name : {"b.x", "b.y", "b.z", "b.vx", "b.vy", "b.omegax", "b.omegay", "b.omegaz"})
    for (std::size_t row = 0; row < shapes.rows(); ++row)
      CHECK(std::fabs(shapes.at(row, name) - floor.at(row, name)) < 1e-9);
}

TEST_CASE("a smooth ball leaves a ball that it slides down at two thirds of the height") {
  const auto text = [](const std::string& end) {
    return R"(mbd 1
gravity (0, 0, -9.81)
particle p(1) at (0.001, 0, sqrt(1 - 0.001^2))
shape ball on p: sphere(0.3)
shape hill on ground: sphere(0.7)
Contact c(ball, hill)
simulate { time = 0 .. )" +
           end + " step " + end + "; integrator = dop853(rtol = 1e-13, atol = 1e-13) }\n";
  };
  const auto times = times_of(text("4"));
  REQUIRE(times.at("c.spot.side.leaves").size() == 1);
  const Run r = run_both(text(number(times.at("c.spot.side.leaves")[0])));
  // From rest there, it separates where the cosine is 2/3 of that of the start.
  const double start = std::sqrt(1 - 1e-6);
  CHECK(std::fabs(r.last("p.z") - 2.0 / 3 * start) < 1e-9);
  CHECK(std::fabs(std::hypot(r.last("p.x"), r.last("p.z")) - 1) < 1e-10);
}

TEST_CASE("balls fall on a capsule, a box, a cylinder; crossed capsules meet") {
  const Run r = run_both(R"(mbd 1
gravity (0, 0, -10)
particle p[k in 1..3](1) at (2*k, 0, 1.4)
shape ball[k in 1..3] on p[k]: sphere(0.1)
shape log1 on ground at (2, 0, 0) rotated rotx(pi/2): capsule(0.05, 0.4)
shape brick on ground at (4, 0, 0) rotated rotz(0.3): box(0.2, 0.2, 0.1)
shape can on ground at (6, 0, 0) rotated rotx(pi/2): cylinder(0.05, 0.4)
Contact c1(ball[1], log1, restitution = 1)
Contact c2(ball[2], brick, restitution = 1)
Contact c3(can, ball[3], restitution = 1)
body rod(mass = 1, inertia = diag(0.1, 0.1, 0.01)) at (8, 0, 1.4) rotated roty(pi/2)
shape upper on rod: capsule(0.1, 1)
shape lower on ground at (8, 0, 0) rotated rotx(pi/2): capsule(0.05, 1)
Contact c4(upper, lower, restitution = 1)
simulate { time = 0 .. 0.75 step 0.25 }
)");
  REQUIRE(r.result.status == Status::complete);
  for (const char* name : {"p[1].z", "p[2].z", "p[3].z", "rod.z"}) {  // The parts land at 0.5 from a height of 1.25.
    CHECK(std::fabs(r.at(2, name) - 0.15) < 1e-12);
    CHECK(std::fabs(r.last(name) - (0.15 + 5 * 0.25 - 5 * 0.0625)) < 1e-12);
  }
}

TEST_CASE("a ball comes back from the corner of a box the way it came; an end of a capsule too") {
  const Run r = run_both(R"(mbd 1
particle p(1) at (1.5, 1.5, 1.5) moving (-1, -1, -1)
shape ball on p: sphere(0.2)
shape brick on ground: box(1, 1, 1)
Contact c(ball, brick, restitution = 0.5)
particle q(1) at (0, 0, 5) moving (0, 0, -1)
shape other on q: sphere(0.2)
shape post on ground: capsule(0.3, 4)
Contact d(post, other, restitution = 0.5)
simulate { time = 0 .. 3 step 3 }
)");
  REQUIRE(r.result.status == Status::complete);
  const double met = 1 - 0.2 / std::sqrt(3.0);  // The distance along each axis from the corner decides the contact.
  CHECK(std::fabs(r.last("p.x") - (1.5 - met + 0.5 * (3 - met))) < 1e-12);
  CHECK(std::fabs(r.last("p.z") - r.last("p.x")) < 1e-12);
  CHECK(std::fabs(r.last("q.z") - (2.5 + 0.5 * 0.5)) < 1e-12);
}

TEST_CASE("a box and a lying capsule rest on a plane with their weight") {
  const Run r = run_both(R"(mbd 1
gravity (0, 0, -10)
body b(mass = 2, inertia = diag(0.1, 0.1, 0.1)) at (0, 0, 0.3) rotated rotz(0.4)
body k(mass = 3, inertia = diag(0.1, 0.1, 0.01)) at (3, 0, 0.3) rotated roty(pi/2)
shape hull on b: box(0.4, 0.2, 0.1)
shape rod on k: capsule(0.1, 0.5)
shape soil on ground: plane(ez)
Contact c(hull, soil)
Contact d(rod, soil)
simulate { time = 0 .. 1 step 0.5 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("b.z") - 0.05) < 1e-12);
  CHECK(std::fabs(r.last("k.z") - 0.1) < 1e-12);
  CHECK(r.last("c.lambda") == doctest::Approx(20).epsilon(1e-10));
  CHECK(r.last("d.lambda") == doctest::Approx(30).epsilon(1e-10));
}

TEST_CASE("shapes on one body, a pair in a component, arrays of pairs") {
  const Run r = run_both(R"(mbd 1
gravity (0, 0, -10)
shape soil on ground: plane(ez)
model Dumbbell(where: vector) {
  body b(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at where
  shape left on b at (-0.5, 0, 0): sphere(0.1)
  shape right on b at (0.5, 0, 0): sphere(0.2)
  Contact cl(left, soil)
  Contact cr(soil, right)
}
Dumbbell d[k in 1..2]((0, 3*k, 0.3))
simulate { time = 0 .. 2 step 1 }
)");
  REQUIRE(r.result.status == Status::complete);
  // Both balls lie on the plane, and the line of centres is inclined by 0.1 over 1.
  CHECK(std::fabs(r.last("d[1].b.z") - 0.15) < 1e-9);
  CHECK(std::fabs(r.last("d[2].b.z") - r.last("d[1].b.z")) < 1e-12);
  CHECK(r.last("d[1].cl.lambda") + r.last("d[1].cr.lambda") == doctest::Approx(10).epsilon(1e-8));
}
