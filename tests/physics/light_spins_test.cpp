// SPDX-License-Identifier: Apache-2.0
// Tests bodies with almost no inertia about one axis, or about all, which joints hold. The motion, the steps and the
// verdicts must not depend on how small the inertia is.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/physics/run.h"

using mbc::test::replaced;
using mbc::test::Run;
using mbc::test::run;
using mbc::test::run_both;

namespace {

// Returns two bars on oblique hinges with I about their own axes and J across.
std::string two_bars(const std::string& I, const std::string& J) {
  return "mbd 1\nuse joints\nparam I = " + I + "\nlet J = " + J + R"(
gravity (0, 0, -9.81)
body a(mass = 1, inertia = diag(I, J, J)) at (0.5, 0, 0)
body b(mass = 1, inertia = diag(I, J, J)) at (1.5, 0, 0)
Revolute shoulder(ground, a.at(-0.5, 0, 0), axis = (0.3, 1, 0.2))
Revolute elbow(a.at(0.5, 0, 0), b.at(-0.5, 0, 0), axis = (0.4, 0.7, 1))
output E = energy.total
simulate { time = 0 .. 2 step 0.1 }
)";
}

// Returns Bricard's trihedral linkage (tests/physics/findings/bricard.mbd) of thin bars.
std::string bricard(const std::string& I) {
  std::string text = R"(mbd 1
use joints
param a0 = 1.2
let b0 = acos(-cos(a0)/(1 + cos(a0))), q = pi/2
let R1 = rotz(a0)*rotx(q), p1 = rotz(a0)*ex
let R2 = R1*rotz(b0)*rotx(-q), p2 = p1 + R1*rotz(b0)*ex
let R3 = R2*rotz(a0)*rotx(q), p3 = p2 + R2*rotz(a0)*ex
let R4 = R3*rotz(b0)*rotx(-q), p4 = p3 + R3*rotz(b0)*ex
let R5 = R4*rotz(a0)*rotx(q), p5 = p4 + R4*rotz(a0)*ex
let R6 = R5*rotz(b0)*rotx(-q)
gravity (0, 0, -9.81)
)";
  text += "let bar = diag(" + I + ", 1/12, 1/12)\n";
  const std::string places[] = {"0.5*p1", "0.5*(p1 + p2)", "0.5*(p2 + p3)", "0.5*(p3 + p4)", "0.5*(p4 + p5)"};
  for (int k = 1; k <= 5; ++k) {
    const std::string n = std::to_string(k);
    text += "body k" + n + "(mass = 1, inertia = R" + n + "*bar*transpose(R" + n + ")) at " + places[k - 1] + "\n";
  }
  return text + R"(Revolute h1(ground.at(0*ex), k1.at(-0.5*p1), axis = ez)
Revolute h2(k1.at(0.5*p1), k2.at(0.5*(p1 - p2)), axis = R1*ez)
Revolute h3(k2.at(0.5*(p2 - p1)), k3.at(0.5*(p2 - p3)), axis = R2*ez)
Revolute h4(k3.at(0.5*(p3 - p2)), k4.at(0.5*(p3 - p4)), axis = R3*ez)
Revolute h5(k4.at(0.5*(p4 - p3)), k5.at(0.5*(p4 - p5)), axis = R4*ez)
Revolute h6(k5.at(0.5*(p5 - p4)), ground.at(p5), axis = R5*ez)
output E = energy.total
simulate { time = 0 .. 1 step 0.1 }
)";
}

const char* const kLight[] = {"1e-5", "1e-7", "1e-9", "1e-12", "1e-15", "0"};

// All motions equal that with an ordinary inertia, apart from the effect of I, with at most half as many steps more.
void check_family(const std::string& plain, const std::function<std::string(const std::string&)>& text,
                  const std::vector<const char*>& places) {
  const Run wanted = run(plain);
  REQUIRE(wanted.result.status == mbc::Status::complete);
  for (const char* formulation : {"udwadia_kalaba", "augmented", "kane", "maggi"})
    for (const char* I : kLight) {
      CAPTURE(formulation);
      CAPTURE(I);
      const Run r = run_both(text(I), {std::string("formulation=") + formulation});
      REQUIRE(r.code() == "");
      CHECK(2 * r.result.steps < 3 * wanted.result.steps);
      CHECK(std::fabs(r.last("E") - r.at(0, "E")) < 1e-5);
      for (const char* place : places) {
        CAPTURE(place);
        CHECK(std::fabs(r.last(place) - wanted.last(place)) < 1e-4);
      }
    }
}

}  // namespace

TEST_CASE("bars with hardly any inertia about their own axes") {
  check_family(two_bars("1e-6", "1/12"), [](const std::string& I) { return two_bars(I, "1/12"); },
               {"a.x", "a.y", "a.z", "b.x", "b.y", "b.z"});
}

TEST_CASE("bodies with hardly any inertia about any axis are points on levers") {
  check_family(two_bars("0", "0"), [](const std::string& I) { return two_bars(I, I); },
               {"a.x", "a.y", "a.z", "b.x", "b.y", "b.z"});
}

TEST_CASE("Bricard's linkage of thin bars") {
  check_family(bricard("1e-4"), bricard, {"k1.x", "k3.y", "k3.z", "k5.x"});
}

TEST_CASE("members of a sweep over light spins are the runs alone") {
  const std::string text = replaced(two_bars("1e-3", "1/12"), "simulate {", "simulate swing {");
  const mbc::SweepResult made = mbc::sweep_text(
      text + "sweep moments over swing {\n  I = (1e-3, 1e-6, 1e-9, 0)\n  record final(b.x), final(b.z)\n}\n",
      "bars.mbd");
  REQUIRE(made.rows.size() == 4);
  for (const mbc::SweepMember& member : made.rows) {
    REQUIRE(member.varied.size() == 1);
    CAPTURE(member.varied[0]);
    const Run alone = run(text, mbc::test::Engine::interpreter, {"I=" + mbc::test::number(member.varied[0])});
    REQUIRE(member.recorded.size() == 2);
    CHECK(member.recorded[0] == alone.last("b.x"));
    CHECK(member.recorded[1] == alone.last("b.z"));
  }
}
