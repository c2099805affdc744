// SPDX-License-Identifier: Apache-2.0
// Tests which of the rows that repeat each other are used while a mechanism moves: the motion must be that without the
// redundant row. It also tests runs without projection where modes of the motion cross.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// The rate of `wall` is a combination of the rows of `roll`, with other coefficients at every place.
constexpr const char* kCircle = R"(mbd 1
particle b(1) at (0.8, 0, 0) moving (0, 2, 0)
let n = unit((b.x, b.y, 0))
constraint wall: b.x^2 + b.y^2 == 0.64
constraint roll: b.vel == 2*cross(ez, n)
simulate { time = 0 .. 10 step 0.02; integrator = rk4 }
)";

double farthest(const Run& r) {
  double worst = 0;
  for (std::size_t k = 0; k < r.rows(); ++k)
    worst = std::max(worst, std::hypot(r.at(k, "b.x") - 0.8 * std::cos(2.5 * r.time[k]),
                                       r.at(k, "b.y") - 0.8 * std::sin(2.5 * r.time[k])));
  return worst;
}

// At the start the rod represents the first row of the pin. A moment later the pin would not need it.
constexpr const char* kRodAndPin = R"(mbd 1
space 2
use planar_joints
gravity (0, -9.81)
body b(mass = 1, inertia = 0.1) at (0.5, 0) moving (0, 2.5) spinning 5
FIRST
SECOND
simulate { time = 0 .. 2 step 0.01; integrator = rk4 }
)";

constexpr const char* kSliderCrank = R"(mbd 1
space 2
param a = 0.5
particle p1(1) at (a*cos(0.3), a*sin(0.3)) moving (-6*a*sin(0.3), 6*a*cos(0.3))
particle p2(1) at (2*a*cos(0.3), 0) moving (-12*a*sin(0.3), 0)
constraint crank: p1.x^2 + p1.y^2 == a^2
constraint rod: (p2.x - p1.x)^2 + (p2.y - p1.y)^2 == a^2
constraint track: p2.y == 0
simulate { time = 0 .. 5 step 0.01; stabilise = baumgarte(alpha = 20, beta = 20) }
)";

}  // namespace

TEST_CASE("a vector row beside the position row it follows from: the order of the method, and no false stop") {
  for (const std::string formulation : {"udwadia_kalaba", "augmented", "maggi", "kane"}) {
    CAPTURE(formulation);
    double before = 0;
    for (const double step : {0.05, 0.025, 0.0125}) {
      const Run r =
          run(kCircle, Engine::interpreter, {"formulation=" + formulation, "time.step=" + std::to_string(step)});
      INFO(r.result.rendered);
      REQUIRE(r.result.status == Status::complete);
      CHECK(r.result.rank == 3);
      CHECK(r.result.rank_changes.empty());
      const double error = farthest(r);
      CHECK(error < 2e-3 * std::pow(step / 0.1, 4));
      if (before > 0) CHECK(error < before / 10);
      before = error;
    }
    const Run chosen = run(kCircle, Engine::interpreter, {"formulation=" + formulation, "integrator=auto"});
    CHECK(farthest(chosen) < 1e-8);
  }
}

TEST_CASE("rows of one joint repeat those of another: the order in which they are written does not matter") {
  const std::string rod = "Rod extra(ground, b, length = 0.5)";
  const std::string pin = "Pin hinge(ground, b.at(-0.5, 0))";
  const Run alone = run_both(replaced(replaced(kRodAndPin, "FIRST", pin), "SECOND", ""));
  const Run last = run_both(replaced(replaced(kRodAndPin, "FIRST", pin), "SECOND", rod));
  const Run first = run_both(replaced(replaced(kRodAndPin, "FIRST", rod), "SECOND", pin));
  for (const Run* r : {&alone, &last, &first}) {
    INFO(r->result.rendered);
    REQUIRE(r->result.status == Status::complete);
    CHECK(r->result.rank == 2);
    CHECK(r->result.rank_changes.empty());
    // Stages of a step are not projected onto the rows, so that the choice of rows affects the error of the step.
    CHECK(std::fabs(r->last("b.x") - alone.last("b.x")) < 1e-6);
    CHECK(std::fabs(r->last("b.angle") - alone.last("b.angle")) < 1e-6);
  }
}

// A slider-crank with equal arms may fold and stay folded, because the other mode crosses its own at each dead centre.
TEST_CASE("drift never decides silently which way a linkage takes") {
  int stopped = 0;
  for (const std::string formulation : {"udwadia_kalaba", "augmented", "maggi", "kane", "projection", "volterra"})
    for (const std::string integrator :
         {"rk4", "dop853(rtol = 1e-10, atol = 1e-10)", "auto(tol = 1e-8)", "auto(tol = 1e-6)"})
      for (const std::string stabilise : {"baumgarte(alpha = 20, beta = 20)", "none"}) {
        const Run r = run(replaced(kSliderCrank, "baumgarte(alpha = 20, beta = 20)", stabilise), Engine::interpreter,
                          {"formulation=" + formulation, "integrator=" + integrator});
        INFO(formulation << " " << integrator << " " << stabilise << "\n" << r.result.rendered);
        double apart = 0;
        for (std::size_t k = 0; k < r.rows(); ++k)
          apart = std::max(apart, std::fabs(r.at(k, "p2.x") - 2 * r.at(k, "p1.x")));
        CHECK(apart < 1e-5);
        if (r.result.status == Status::complete) continue;
        CHECK(r.code() == "E0605");
        ++stopped;
        if (r.result.rendered.find("have drifted") == std::string::npos) continue;
        CHECK(r.result.rendered.find("by which they have drifted off their values: which way the motion takes cannot be"
                                     " told") != std::string::npos);
        CHECK(r.result.rendered.find("use `stabilise = project`") != std::string::npos);
      }
  CHECK(stopped > 0);
}

TEST_CASE("a chain at rest is not stopped for what Baumgarte's terms make of rounding") {
  const Run r = run_both(R"(mbd 1
particle p[i in 1..30](2.5) at (0.8*i, 0.6*(i - 2*floor(i/2)), 0)
constraint rod[i in 2..30]: dot(p[i].pos - p[i-1].pos, p[i].pos - p[i-1].pos) == 1
constraint slide: p[13].vx == 0.5*p[13].vy
constraint twice: 3*dist(p[14], p[15]) == 3
simulate { integrator = rk4; stabilise = baumgarte(alpha = 5, beta = 5); time = 0 .. 0.02 step 0.001 }
)");
  INFO(r.result.rendered);
  CHECK(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("p[30].x") - 24) < 1e-13);
}
