// SPDX-License-Identifier: Apache-2.0
// Tests singular mass matrices: rods, laminas and coordinates without inertia, held by constraints or by nothing.
#include <cmath>

#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/physics/representations.h"
#include "tests/physics/run.h"

using mbc::test::choose;
using mbc::test::kFormulations;
using mbc::test::kRepresentations;
using mbc::test::near;
using mbc::test::Run;
using mbc::test::run_both;

// A dumbbell has no inertia about its axis, so that its spin must be fixed, here by a row that is not integrable.
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
    CHECK(near(r.last("gear.lambda"), 0, 1e-9));  // Load and spring on s cancel.
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

// z follows: its row contains the angle with sin(phi), which is only rounding at pi.
TEST_CASE("what a row holds of the inertia may vanish: z without inertia that follows an angle") {
  const std::string wheel = R"(mbd 1
coord phi = pi rate 2, z = 2
kinetic T: 0.5*phi'^2
constraint height: z == 1 - cos(phi)
init { z ~ 2 }
simulate { time = 0 .. 1 step 0.01 }
)";
  for (const std::string& formulation : kFormulations)
    for (const char* begin : {"pi", "3.1", "0"}) {
      CAPTURE(formulation);
      const Run r = run_both(mbc::test::replaced(wheel, "phi = pi", "phi = " + std::string(begin)),
                             {"formulation=" + formulation});
      REQUIRE_MESSAGE(r.result.status == mbc::Status::complete, r.result.rendered);
      CHECK(r.result.warnings.empty());
      CHECK(r.result.singular_positions == 0);
      CHECK(near(r.last("phi"), r.at(0, "phi") + 2, 1e-9));
      CHECK(near(r.last("z"), 1 - std::cos(r.last("phi")), 1e-9));
    }
}

// The crank of an engine starts at 90 degrees and passes this angle, where the row of the heights contains only the
// rod.
TEST_CASE("a rod without mass: its crank goes on through 90 degrees, with an event there") {
  const std::string crank = R"(mbd 1
param r = 0.1, l = 0.3
coord a = pi/2 rate 5, b = -0.34, x = 0.28
particle A(1) follows (r*cos(a), r*sin(a), 0)
particle B(2) follows (x, 0, 0)
constraint cx: r*cos(a) + l*cos(b) == x
constraint cy: r*sin(a) + l*sin(b) == 0
init {
  b ~ -0.34
  x ~ 0.28
}
when quarter: cos(a) falling { }
output turn = cy.lambda*l*cos(b) - cx.lambda*l*sin(b)
simulate { time = 0 .. 1 step 0.01 }
)";
  // (r^2 + 2 x_a^2) a'^2 is constant with x_a = -r sin(a) - r^2 sin(a) cos(a)/sqrt(l^2 - r^2 sin(a)^2).
  const auto energy = [](double a, double rate) {
    const double r = 0.1, l = 0.3, s = std::sin(a), c = std::cos(a);
    const double slope = -r * s - r * r * s * c / std::sqrt(l * l - r * r * s * s);
    return (r * r + 2 * slope * slope) * rate * rate;
  };
  for (const std::string& formulation : kFormulations)
    for (const char* begin : {"pi/2", "1.2"}) {
      CAPTURE(formulation);
      const Run r =
          run_both(mbc::test::replaced(crank, "a = pi/2", "a = " + std::string(begin)), {"formulation=" + formulation});
      REQUIRE_MESSAGE(r.result.status == mbc::Status::complete, r.result.rendered);
      for (const mbc::DiagnosticInfo& w : r.result.warnings)
        CHECK(w.code == "W0686");  // The event function is zero at the start.
      for (std::size_t k = 0; k < r.rows(); ++k) {
        CHECK(near(energy(r.at(k, "a"), r.at(k, "a'")), energy(r.at(0, "a"), 5), 1e-8));
        CHECK(near(r.at(k, "turn"), 0, 1e-7));
      }
      if (std::string(begin) == "pi/2") CHECK(near(r.last("a"), 7.788299420, 1e-8));
    }
}
