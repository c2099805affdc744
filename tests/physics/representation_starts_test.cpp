// SPDX-License-Identifier: Apache-2.0
// The state a model begins with does not depend on what its bodies are described by, nor on the unit of length.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr const char* kRepresentations[] = {"quaternion", "euler_parameters", "natural"};

Run begun(const std::string& text, const std::string& bodies, std::vector<std::string> set = {}) {
  set.push_back("bodies=" + bodies);
  return run(text, Engine::interpreter, set);
}

constexpr const char* kHinge = R"(mbd 1
use joints
gravity (0, 0, -9.81)
body a(mass = 1, inertia = diag(.01, .1, .105)) at (0.5, 0, 0)
Revolute j(ground, a.at(-.5, 0, 0), axis = ey)
init { j.angle = 0.5 }
output wy = a.omega.y, det = dot(cross(a.rot*ex, a.rot*ey), a.rot*ez)
simulate { time = 0 .. 1 step 0.5 }
)";

// An expression that is a single entry of a rotation's matrix.
constexpr const char* kEntry = R"(mbd 1
gravity (0, 0, -9.81)
body a(mass = 1, inertia = diag(.01, .1, .1)) at (0.5, 0, 0)
constraint pin: a.at(-.5, 0, 0).pos == (0, 0, 0)
constraint ax1: dot(a.rot*ey, ex) == 0
constraint ax2: dot(a.rot*ey, ez) == 0
init { dot(a.rot*ez, ex) = 0.5 }
output s = dot(a.rot*ez, ex)
simulate { time = 0 .. 1 step 1 }
)";

}  // namespace

TEST_CASE("an entry of a rotation is a condition on it, hard and soft") {
  for (const char* bodies : kRepresentations)
    for (const char* sign : {"=", "~"}) {
      CAPTURE(bodies);
      const Run r = begun(replaced(kEntry, "ex) = 0.5", std::string("ex) ") + sign + " 0.5"), bodies);
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      CHECK(std::fabs(r.at(0, "s") - 0.5) < 1e-9);
      CHECK(std::fabs(r.last("s") - 0.5506892715742777) < 1e-8);
    }
}

TEST_CASE("a hard angular velocity stays what it is while the body is turned to where it begins") {
  const std::string model = replaced(kHinge, "j.angle = 0.5", "a.omega = (0, 1, 0); j.angle = pi/6");
  for (const char* bodies : kRepresentations) {
    CAPTURE(bodies);
    const Run r = begun(model, bodies);
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(std::fabs(r.at(0, "wy") - 1) < 1e-12);
    const Run spinning = begun(replaced(kHinge, "at (0.5, 0, 0)", "at (0.5, 0, 0) spinning (0, 1, 0)"), bodies);
    REQUIRE_MESSAGE(spinning.result.status == Status::complete, spinning.result.rendered);
    CHECK(std::fabs(spinning.at(0, "wy") - 1) < 1e-12);
  }
}

TEST_CASE("half a turn is a rotation, and no mirror image") {
  for (const char* bodies : kRepresentations) {
    CAPTURE(bodies);
    const Run r = begun(replaced(kHinge, "j.angle = 0.5", "j.angle = pi"), bodies);
    REQUIRE(r.result.status == Status::complete);
    CHECK(std::fabs(r.at(0, "a.x") + 0.5) < 1e-9);
    for (std::size_t k = 0; k < r.rows(); ++k) CHECK(std::fabs(r.at(k, "det") - 1) < 1e-9);
  }
}

// G. T. Bennett, Engineering 76 (1903) 777: equal opposite links, lengths as the sines of the twists.
TEST_CASE("Bennett's linkage closes with links that are rotated, not mirrored") {
  const std::string model = R"(mbd 1
use joints
let A = 1, al = pi/6, B = 1.5, be = asin(1.5*sin(pi/6))
gravity (0, 0, -9.81)
body l1(mass = 1, inertia = diag(.01, .1, .1)) at (0, 0, 0)
body l2(mass = 2, inertia = diag(.02, .2, .2)) at (A, 0, 0)
body l3(mass = 1, inertia = diag(.01, .1, .1)) at (A+B, 0, 0)
Revolute j1(ground, l1)
Revolute j2(l1.at((A, 0, 0), rotx(al)), l2)
Revolute j3(l2.at((B, 0, 0), rotx(be)), l3)
Revolute j4(l3.at((A, 0, 0), rotx(al)), ground.at((0, 0, 0), rotx(-be)).at((-B, 0, 0)))
init { j1.angle = 0.7; j2.angle ~ 1.0; j3.angle ~ -1.0; j1.rate = 1 }
output d1 = dot(cross(l1.rot*ex, l1.rot*ey), l1.rot*ez), d3 = dot(cross(l3.rot*ex, l3.rot*ey), l3.rot*ez), E = energy.total
simulate { time = 0 .. 0.5 step 0.1 }
)";
  const double energy = begun(model, "quaternion").at(0, "E");
  for (const char* bodies : kRepresentations) {
    CAPTURE(bodies);
    const Run r = begun(model, bodies);
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(std::fabs(r.at(0, "d1") - 1) < 1e-9);
    CHECK(std::fabs(r.at(0, "d3") - 1) < 1e-9);
    CHECK(std::fabs(r.at(0, "E") - energy) < 1e-9);
  }
}

TEST_CASE("a pose is the same in metres, millimetres and micrometres") {
  const std::string model = R"(mbd 1
param L = 1
use joints
gravity (0, 0, -9.81*L)
body a(mass = 1, inertia = diag(.01, .1, .1)*L^2) at (0.5*L, 0, 0)
body b(mass = 1, inertia = diag(.01, .3, .3)*L^2) at (2*L, 0, 0)
body c(mass = 1, inertia = diag(.01, .2, .2)*L^2) at (3*L, 0, L)
Revolute j1(ground, a.at(-.5*L, 0*L, 0*L), axis = ey)
Revolute j2(a.at(.5*L, 0*L, 0*L), b.at(-1.25*L, 0*L, 0*L), axis = ey)
Revolute j3(b.at(1.25*L, 0*L, 0*L), c.at(0*L, 0*L, L), axis = ey)
Revolute j4(c.at(0*L, 0*L, -L), ground.at(3*L, 0*L, 0*L), axis = ey)
init { j1.angle = 0.5; j1.rate = 5 }
output x = b.x/L, r = b.omega.y
simulate { time = 0 .. 0.1 step 0.1; assemble }
)";
  const Run metres = begun(model, "quaternion");
  REQUIRE(metres.result.status == Status::complete);
  for (const char* bodies : kRepresentations)
    for (const char* length : {"1", "1000", "1e6", "0.001"}) {
      CAPTURE(bodies);
      CAPTURE(length);
      const Run r = begun(model, bodies, {std::string("L=") + length});
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      CHECK(std::fabs(r.at(0, "x") - metres.at(0, "x")) < 1e-9);
      CHECK(std::fabs(r.at(0, "r") - metres.at(0, "r")) < 1e-8);
    }
}
