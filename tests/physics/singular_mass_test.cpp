// SPDX-License-Identifier: Apache-2.0
// Mass matrices that are singular: rods, laminas and coordinates without inertia, held by constraints or by nothing.
#include <cmath>

#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/physics/run.h"

using mbc::test::Run;
using mbc::test::run_both;

namespace {

const std::vector<std::string> kRepresentations{"quaternion", "euler_parameters", "natural"};
const std::vector<std::string> kFormulations{"udwadia_kalaba", "augmented"};

bool near(double value, double wanted, double tolerance) { return std::fabs(value - wanted) <= tolerance; }

std::vector<std::string> choose(const std::string& bodies, const std::string& formulation) {
  return {"bodies=" + bodies, "formulation=" + formulation};
}

}  // namespace

// A dumbbell has no inertia about its axis: its spin must be held, here by a row that is not integrable.
TEST_CASE("a rod without inertia about its axis is two particles on a line") {
  const Run particles = run_both(R"(mbd 1
gravity (0, 0, -9.81)
particle p(0.5) at (0, 0, 0) moving (0, 0.4, 0)
particle q(0.5) at (2, 0, 0) moving (0, -0.4, 0.6)
constraint rod: dist(p, q) == 2
constraint string: dist(ground, p) == 0.5
init { p.z = -0.5; q.z = -0.5 }
simulate { time = 0 .. 1 step 0.0005; integrator = rk4 }
)");
  for (const std::string& bodies : kRepresentations)
    for (const std::string& formulation : kFormulations) {
      CAPTURE(bodies);
      CAPTURE(formulation);
      const Run rod = run_both(R"(mbd 1
gravity (0, 0, -9.81)
body rod(mass = 1, inertia = diag(0, 1, 1)) at (1, 0, -0.5) moving (0, 0, 0.3) spinning (0, -0.3, -0.4)
point p on rod at (-1, 0, 0)
point q on rod at (1, 0, 0)
constraint string: dist(ground, p) == 0.5
constraint spin: rod.omega.x == 0
output p.pos, q.pos
simulate { time = 0 .. 1 step 0.0005; integrator = rk4 }
)",
                               choose(bodies, formulation));
      REQUIRE(rod.result.status == mbc::Status::complete);
      for (const char* axis : {"x", "y", "z"})
        for (const char* end : {"p", "q"}) {
          CAPTURE(end);
          CAPTURE(axis);
          const std::string name = std::string(end) + ".pos." + axis;
          CHECK(near(rod.last(name), particles.last(std::string(end) + "." + axis), 1e-9));
        }
    }
}

TEST_CASE("a flat body is regular in natural coordinates, and a free rod is refused with its axis") {
  const char* disc = R"(mbd 1
body d(mass = 1, inertia = diag(1, 1, 2)) at (0, 0, 0) spinning (0.5, 0.2, 4)
output L = momentum.angular
simulate { time = 0 .. 1 step 0.0005; integrator = rk4 }
)";
  const Run wanted = run_both(disc), r = run_both(disc, {"bodies=natural"});
  for (const char* name : {"L.x", "L.y", "L.z", "d.omegax", "d.omegaz", "d.p1"})
    CHECK(near(r.last(name), wanted.last(name), 1e-9));
  for (const std::string& bodies : kRepresentations) {
    CAPTURE(bodies);
    const Run free = run_both(
        "mbd 1\nlet R = rotz(0.3)\nbody rod(mass = 1, inertia = diag(0, 1, 1), axes = R) at (0, 0, 0)\n"
        "simulate { time = 0 .. 1 step 0.1; integrator = rk4 }\n",
        {"bodies=" + bodies});
    CHECK(free.code() == "E0608");
    CHECK(free.result.diagnostic->message.find("`rod` about its axis (0.9553, 0.2955, 0)") != std::string::npos);
  }
}

TEST_CASE("coordinates without inertia that constraints tie to others") {
  const char* plain = R"(mbd 1
coord phi = 0.3 rate 0.4
particle p(1) follows (sin(phi), 0, -cos(phi))
gravity (0, 0, -9.81)
simulate { time = 0 .. 1 step 0.001; integrator = rk4 }
)";
  const Run wanted = run_both(plain);
  for (const std::string& formulation : kFormulations) {
    CAPTURE(formulation);
    const Run r = run_both(R"(mbd 1
coord phi = 0.3 rate 0.4
coord s = 0.6 rate 0.8, w = 600.3 rate 800.4
particle p(1) follows (sin(phi), 0, -cos(phi))
gravity (0, 0, -9.81)
load f on s: 1e-3*s
constraint gear: s == 2*phi
constraint total: w == 1000*s + phi
potential against: 0.5*1e-3*s^2
output gear.lambda, total.lambda
simulate { time = 0 .. 1 step 0.001; integrator = rk4 }
)",
                           {"formulation=" + formulation});
    REQUIRE(r.result.status == mbc::Status::complete);
    CHECK(near(r.last("phi"), wanted.last("phi"), 1e-9));
    CHECK(near(r.last("w"), 2001 * r.last("phi"), 1e-9));
    CHECK(near(r.last("gear.lambda"), 0, 1e-9));  // load and spring on s cancel
    CHECK(near(r.last("total.lambda"), 0, 1e-9));
  }
}

TEST_CASE("a coordinate pair that only its sum gives inertia") {
  const char* model = R"(mbd 1
coord x = 0 rate 1, y = 0 rate 1
particle p(2) follows (x + y, 0, 0)
force f on p: (3, 0, 0)
constraint c: x - 2*y == -0.5*t
output c.lambda
simulate { time = 0 .. 1 step 0.01; integrator = rk4 }
)";
  for (const std::string& formulation : kFormulations) {
    const Run r = run_both(mbc::test::replaced(model, "rate 1, y = 0 rate 1", "rate 1.5, y = 0 rate 1"),
                           {"formulation=" + formulation});
    REQUIRE(r.result.status == mbc::Status::complete);
    CHECK(near(r.last("x") + r.last("y"), 2.5 + 0.75, 1e-12));
    CHECK(near(r.last("x''"), 1, 1e-12));
    CHECK(near(r.last("c.lambda"), 0, 1e-12));
  }
}
