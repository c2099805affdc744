// SPDX-License-Identifier: Apache-2.0
// Tests starts at rest where branches of the motion cross and a row is zero. Without a load the model stays at rest.
// Under a load along both branches nothing decides which branch it takes, and the run ends.
#include <cmath>
#include <string>

#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/physics/run.h"

using mbc::test::Run;
using mbc::test::run_both;

namespace {

const char* const kFormulations[] = {"udwadia_kalaba", "augmented", "projection",     "maggi",
                                     "kane",           "volterra",  "boltzmann_hamel"};

// Cranks of 1 and 1 with a coupler and a ground of 2, in angles, are folded flat, where parallelogram and
// antiparallelogram meet.
std::string folded(const std::string& loads) {
  return R"(mbd 1
space 2
coord q1 = 0, q2 = 0, q3 = 0
particle A(1) follows (cos(q1), sin(q1))
particle B(1) follows A.pos + 2*(cos(q2), sin(q2))
particle C(1) follows (2 + cos(q3), sin(q3))
constraint loop: B.pos == C.pos
)" + loads +
         "simulate { time = 0 .. 0.3 count 3 }\n";
}

std::string on_wires(const std::string& row, const std::string& gravity) {
  return "mbd 1\nspace 2\ngravity " + gravity + "\nparticle p(1) at (0, 0)\nconstraint wires: " + row +
         "\nsimulate { time = 0 .. 1 count 3 }\n";
}

// Returns flat parallel cranks of 2 on pivots at a distance of 1; `base` adds constraints of the pivots.
std::string flat_cranks(const std::string& moving, const std::string& base) {
  std::string text = "mbd 1\nspace 2\n";
  const char* const names[] = {"o", "p", "a", "b"};
  for (int k = 0; k < 4; ++k)
    text += std::string("particle ") + names[k] + "(1) at (" + std::to_string(k) + ", 0) moving " + moving + "\n";
  return text + "constraint oa: dist(o, a) == 2\nconstraint pb: dist(p, b) == 2\nconstraint ab: dist(a, b) == 1\n" +
         base + "simulate { time = 0 .. 1 count 5 }\n";
}

// Moves the pivots along (x, y), given as functions of time.
std::string on_pivots(const std::string& x, const std::string& y) {
  return "constraint ox: o.x == " + x + "\nconstraint oy: o.y == " + y + "\nconstraint px: p.x == 1 + " + x +
         "\nconstraint py: p.y == " + y + "\n";
}

const char* const kSwing = "particle w(1) at (10, 1) moving (1, 0)\nconstraint ww: norm(w.pos - (10, 0)) == 1\n";

void stops_at_start(const std::string& text, const char* code = "E0605") {
  CAPTURE(text);
  for (const char* formulation : kFormulations)
    for (const char* integrator : {"auto", "rk4", "dopri5"}) {
      CAPTURE(formulation);
      CAPTURE(integrator);
      const Run r =
          run_both(text, {std::string("formulation=") + formulation, std::string("integrator=") + integrator});
      CHECK(r.code() == code);
      REQUIRE(r.result.diagnostic);
      CHECK(r.result.diagnostic->time == 0);
    }
}

}  // namespace

TEST_CASE("a linkage at rest where it is folded does not choose its branch") {
  stops_at_start(folded("load l on q1: -5\n"));
  stops_at_start(folded("load l on q2: 5\n"));
  stops_at_start(folded("load l on q1: -2.5\nload m on q2: 5\n"));
  stops_at_start(folded("gravity (0, -9.81)\n"));
}

TEST_CASE("a slider-crank of equal arms at rest where its slider is on the bearing of the crank") {
  const auto crank = [](const std::string& angles, const std::string& loads) {
    return "mbd 1\nspace 2\n" + angles + R"(
particle A(1) follows 0.5*(cos(phi), sin(phi))
particle B(1.5) follows A.pos + 0.5*(cos(psi), sin(psi))
constraint track: B.y == 0
)" + loads +
           "simulate { time = 0 .. 0.5 count 10 }\n";
  };
  // cos(pi/2) is 6e-17, so that the row is zero up to rounding.
  const std::string folded_angles = "coord phi = pi/2\ncoord psi = -pi/2";
  stops_at_start(crank(folded_angles, "load m on phi: 1\n"));
  stops_at_start(crank(folded_angles, "force f on B: (1, 0)\n"));
}

TEST_CASE("a bead at rest where wires cross does not choose one") {
  stops_at_start(on_wires("p.x*p.y == 0", "(1, -9.81)"));
  stops_at_start(on_wires("p.x*p.y == 0", "(9.81, -9.81)"));
  stops_at_start(on_wires("p.x^2 == p.y^2", "(1, -9.81)"));
  // The curves touch there and do not cross.
  stops_at_start(on_wires("p.y*(p.y - p.x^2) == 0", "(1, -9.81)"), "E0613");
}

TEST_CASE("what nothing drives stays there, with a warning") {
  for (const char* formulation : kFormulations) {
    CAPTURE(formulation);
    for (const std::string& text : {folded(""), on_wires("p.x*p.y == 0", "(0, 0)")}) {
      CAPTURE(text);
      const Run r = run_both(text, {std::string("formulation=") + formulation});
      CHECK(r.result.status == mbc::Status::complete);
      REQUIRE(r.result.warnings.size() == 1);
      CHECK(r.result.warnings[0].code == "W0614");
    }
  }
}

TEST_CASE("what lies flat and still, beside what moves or on what carries it, does not choose its branch") {
  const std::string load = "force f on a: (0, 0.3)\n";
  stops_at_start(flat_cranks("(0, 0)", on_pivots("0", "0") + kSwing + load));
  stops_at_start(folded(std::string("load l on q2: 5\n") + kSwing));
  stops_at_start(flat_cranks("(1, 0)", on_pivots("t", "0") + load));
  stops_at_start(flat_cranks("(0, 1)", on_pivots("0", "t + t^2")));  // The pivots move away across the cranks.
  // The linkage is in free flight.
  stops_at_start(flat_cranks("(1, 0)", "constraint op: dist(o, p) == 1\ngravity (0, -9.81)\n" + load));
}

TEST_CASE("what lies flat and still goes on where nothing drives it off") {
  const auto goes_on = [](const std::string& text, double x, double y) {
    CAPTURE(text);
    for (const char* formulation : {"udwadia_kalaba", "augmented"}) {
      CAPTURE(formulation);
      const Run r = run_both(text, {std::string("formulation=") + formulation});
      REQUIRE_MESSAGE(r.result.status == mbc::Status::complete, r.result.rendered);
      CHECK(r.last("b.x") == doctest::Approx(3 + x).epsilon(1e-9));
      CHECK(std::fabs(r.last("b.y") - r.last("o.y")) < 1e-9);
      CHECK(std::fabs(r.last("o.y") - y) < 1e-9);
    }
  };
  goes_on(flat_cranks("(0, 0)", on_pivots("0", "0") + kSwing), 0, 0);
  goes_on(flat_cranks("(0, 0)", on_pivots("0", "0") + kSwing + "force f on a: (1, 0)\n"), 0, 0);
  goes_on(flat_cranks("(1, 0)", on_pivots("t", "0")), 1, 0);
  goes_on(flat_cranks("(1, 0)", on_pivots("t + t^2", "0")), 2, 0);  // The pivots move along the cranks.
  goes_on(flat_cranks("(1, 0)", "constraint op: dist(o, p) == 1\ngravity (0, -9.81)\n"), 1, -0.5 * 9.81);
}
