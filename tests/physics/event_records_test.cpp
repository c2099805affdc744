// SPDX-License-Identifier: Apache-2.0
// What a run leaves of its events: rows before and behind them, checks at them, what happens at the start, and what an
// input with a course is between them.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

const std::string kThrown = R"(mbd 1
space 1
state n = 0
particle p(1) at 1 moving 1
at begin: 0 { n = 1 }
when hit: p.x - 1.35 rising { p.vx = -p.vx }
when turned: p.vx < 0 { n = n + 10 }
at both: 0.5 { n = n + 1 }
at end: 1 { n = n + 5 }
simulate { time = 0 .. 1 step 0.25; integrator = METHOD; rows = events }
)";

}  // namespace

TEST_CASE("rows before and behind each instant, beside those of the steps") {
  for (const char* method : {"rk4", "auto", "dopri5", "bdf"}) {
    CAPTURE(method);
    const Run r = run_both(replaced(kThrown, "METHOD", method));
    REQUIRE(r.result.status == Status::complete);
    const std::vector<double> numbers = {-1, 1, 0, 0, -2, 2, -4, 4, 0, 0, -5, 5, 0};
    const std::vector<double> times = {0, 0, 0, 0.25, 0.35, 0.35, 0.5, 0.5, 0.5, 0.75, 1, 1, 1};
    const std::vector<double> n = {0, 1, 1, 1, 1, 11, 11, 12, 12, 12, 12, 17, 17};
    REQUIRE(r.rows() == numbers.size());
    REQUIRE(r.result.rows == numbers.size());
    for (std::size_t k = 0; k < r.rows(); ++k) {
      CAPTURE(k);
      CHECK(r.at(k, "event") == numbers[k]);
      CHECK(std::fabs(r.time[k] - times[k]) < 1e-9);
      CHECK(r.at(k, "n") == n[k]);
      CHECK(std::fabs(r.at(k, "p.vx") - (k < 5 ? 1 : -1)) < 1e-9);
    }
  }
}

TEST_CASE("checks at events look at the state behind each firing") {
  const std::string text = replaced(kThrown, "simulate {", "simulate s {") + "test \"t\" over s {\n";
  const auto failures = [&](const std::string& checks) {
    Simulation s = compile_text(replaced(text, "METHOD", "rk4") + checks + "\n}\n", Engine::interpreter);
    const TestResult r = s.run_test(0).value();
    return r.failures;
  };
  CHECK(
      failures(
          "check p.x == 1.35 within 1e-12 at hit\ncheck p.vx == -1 within 1e-12 at hit\ncheck n == 11 within 0 at hit\n"
          "check initial(p.x) == 1 within 0 at begin\ncheck n == 17 within 0 at end\ncheck n >= 11 at turned")
          .empty());
  const auto wrong = failures("check p.vx == 1 within 1e-12 at hit");
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].code == "E0650");
  CHECK(std::fabs(*wrong[0].time - 0.35) < 1e-12);
  // twice or more: how many of the firings
  Simulation s = compile_text(R"(mbd 1
space 1
particle p(1) at 0 moving 1
every tick: 0.3 { }
simulate s { time = 0 .. 1 step 0.5; integrator = rk4 }
test "t" over s { check p.x < 0.5 at tick }
)",
                              Engine::interpreter);
  const TestResult r = s.run_test(0).value();
  CHECK(r.rendered.find("2 of 4 firings fail") != std::string::npos);
}

TEST_CASE("a check at the touch of an inequality") {
  Simulation s = compile_text(R"(mbd 1
space 1
gravity -10
particle p(1) at 1
constraint deck: p.x >= 0 restitution 0.5
simulate s { time = 0 .. 0.6 step 0.01; integrator = rk4 }
test "t" over s { check p.vx == 0.5*sqrt(20) within 1e-9 at deck }
)",
                              Engine::interpreter);
  CHECK(s.run_test(0).value().passed);
}

TEST_CASE("a run begins behind what happens at its start") {
  for (const char* method : {"rk4", "auto"}) {
    CAPTURE(method);
    const Run r = run_both(replaced(R"(mbd 1
space 2
gravity (0, -10)
state n = 0
particle p(2) at (1, 0)
constraint rod: norm(p.pos) == 1
at begin: 0 { p.x = 0.6; p.y = -0.8; p.vx = 0.8; p.vy = 0.6 }
at also: 0 { n = 3 }
when low: p.y < -0.5 { n = n + 100 }
simulate { time = 0 .. 1 step 0.01; integrator = METHOD }
)",
                                    "METHOD", method));
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.at(0, "p.x") == 0.6);
    CHECK(r.at(0, "p.vx") == 0.8);
    CHECK(r.at(0, "n") == 103);
    CHECK(std::fabs(r.result.energy_begin - (1 - 16)) < 1e-12);
    CHECK(r.result.work_of_events == 0);
    CHECK(r.result.balance_error < 1e-6);
  }
  const Run ended = run_both(R"(mbd 1
space 1
particle p(1) at 1 moving 1
at begin: 0 { stop "at once" }
simulate { time = 0 .. 1 step 0.25 }
)");
  CHECK(ended.result.status == Status::complete);
  CHECK(ended.result.ended_by == "at once");
  CHECK(ended.rows() == 1);
}

TEST_CASE("an input with a course is what the equations see") {
  const std::string text = R"(mbd 1
space 1
input u = 7
particle p(1) at 1 moving 2
force f on p: u
simulate held { time = 0 .. 3 step 0.5; integrator = rk4; input.u = table(t, (0, 1, 2, 3), (4, 5, -6, 0)) }
simulate course { time = 0 .. 3 step 0.5; integrator = rk4; input.u = 2*t - p.x }
simulate free { time = 0 .. 3 step 0.5; integrator = rk4 }
)";
  const auto at = [&](const char* block) {
    return Simulation::create(Model::from_string(text, "t.mbd"), block).value();
  };
  Simulation held = at("held");
  CHECK(held.input("u").value() == 4);
  REQUIRE(held.run_until(1.5).ok());
  CHECK(held.input("u").value() == 5);
  REQUIRE(held.run_until(2.5).ok());
  CHECK(held.input("u").value() == -6);
  Simulation course = at("course");
  CHECK(course.input("u").value() == -1);
  REQUIRE(course.run_until(1).ok());
  CHECK(course.input("u").value() == 2 * 1 - course.state()[0]);
  REQUIRE(course.set_input("u", 3).ok());
  CHECK(course.input("u").value() == 3);
  CHECK(at("free").input("u").value() == 7);
}
