// SPDX-License-Identifier: Apache-2.0
// Tests that exponentially growing motions are reported, and motions that only go far are not.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

bool told(const RunResult& r) {
  return std::any_of(r.warnings.begin(), r.warnings.end(), [](const auto& w) { return w.code == "W0656"; });
}

Run along(const std::string& model, const std::string& block) {
  return run_both("mbd 1\nspace 1\n" + model + "\nsimulate { " + block + " }\n");
}

}  // namespace

TEST_CASE("a spring, a damper and a gain with the wrong sign run away, by every method") {
  for (const std::string method : {"auto", "rk4", "dopri5", "bdf", "taylor"}) {
    CAPTURE(method);
    const std::string block = "time = 0 .. 40 step 0.02; integrator = " + method;
    for (const std::string model :
         {"particle p(1) at 0.1\nforce f on p: p.x", "particle p(1) at 0.1\nforce f on p: p.vx - 9*p.x",
          "coord phi = 0.2 rate 0.1\nkinetic T: phi'^2/2\nload drive on phi: 2*phi'"}) {
      CAPTURE(model);
      const Run r = along(model, block);
      CHECK(r.result.status == Status::complete);
      CHECK(told(r.result));
    }
  }
}

TEST_CASE("the time and the pace of what runs away are those of the closed form") {
  const Run r = along("particle p(1) at 1\nforce f on p: 4*p.x", "time = 0 .. 12 step 0.01");
  REQUIRE(r.result.warnings.size() == 1);
  const DiagnosticInfo& w = r.result.warnings.front();
  CHECK(w.code == "W0656");
  CHECK(w.message.find("`p.x` runs away: it doubles every 0.35 s") == 0);  // The doubling time is ln(2)/2.
  REQUIRE(w.time);
  CHECK(std::fabs(*w.time - std::acosh(std::exp2(20.0) + 1) / 2) < 0.02);
}

TEST_CASE("a step that is too long for the method is told as well") {
  const Run r = along("particle p(1) at 1\nforce f on p: -100*p.x", "time = 0 .. 30 step 0.3; integrator = rk4");
  CHECK(told(r.result));
}

TEST_CASE("what falls, flies, is thrown or leaves an unstable position is not") {
  for (const std::string model :
       {"particle p(1) at 0\nforce f on p: 10", "particle p(1) at 0 moving 1e9",
        "particle p(1) at 0\nforce f on p: t^2", "particle p(1) at 7e12 moving 3e5\nforce f on p: 100",
        "particle p(1) at 0\nforce f on p: if t > 1500 then 1e4 else 0",  // The motion starts from rest.
        // The motion starts with a slow drift.
        "particle p(1) at 0 moving 1\nforce f on p: if t > 1500 then 1e4 else 0",
        "particle p(1) at 0\nwhen jump: t - 900 rising { p.x = 1e8 }",
        "coord phi = 1e-9\nkinetic T: phi'^2/2\npotential V: cos(phi)",
        "coord turn = 0\nkinetic T: turn'^2/2\nload drive on turn: 100"}) {
    CAPTURE(model);
    const Run r = along(model, "time = 0 .. 3000 step 1");
    CHECK(r.result.status == Status::complete);
    CHECK(!told(r.result));
  }
}

TEST_CASE("a run that is saved on the way tells the same") {
  Simulation whole = compile_text(
      "mbd 1\nspace 1\nparticle p(1) at 1\nforce f on p: 4*p.x\n"
      "simulate { time = 0 .. 12 step 0.01 }\n",
      Engine::interpreter);
  std::string saved;
  RunOptions first;
  first.pause = [&](const Pause& pause) {
    if (pause.time > 5 && saved.empty()) saved = pause.save();
    return std::string();
  };
  const Run r = run(whole, first);
  REQUIRE(!saved.empty());
  RunOptions second;
  second.resume = saved;
  const Run rest = run(whole, second);
  REQUIRE(told(rest.result));
  CHECK(rest.result.warnings.front().message == r.result.warnings.front().message);
  CHECK(rest.result.warnings.front().time == r.result.warnings.front().time);
}
