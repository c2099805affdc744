// SPDX-License-Identifier: Apache-2.0
// Tests the records of events in a run: rows before and after them, checks at them, events at the start, and the values
// of an input signal between them.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

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
  // The next model fires several times; the checks name the firing.
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

TEST_CASE("contact that begins or ends in the instant of another event is told of") {
  // The particle is lifted at 0.1 for 0.2 and pushed down at 0.25 during the flight. It lands with a plastic impact.
  // The deck is removed and returns under the particle, which has not moved.
  const std::string text = R"(mbd 1
space 1
gravity -10
particle p(1) at 0
constraint deck: p.x >= 0
constraint rail: p.vx == 0
init { disable rail }
at kick: 0.1 { impulse on p: 1 }
at off: 0.5 { disable deck; enable rail }
at on: 0.7 { enable deck; disable rail }
when gone: not deck.active { }
output n = deck.count
simulate { time = 0 .. 1 step 0.05; integrator = METHOD; rows = events }
)";
  for (const char* method : {"rk4", "auto", "dopri5"}) {
    CAPTURE(method);
    Simulation s = compile_text(replaced(text, "METHOD", method), Engine::interpreter);
    std::vector<std::string> told;
    std::vector<double> times;
    RunOptions options;
    options.on_event = [&](double t, const std::string& event) {
      if (event == "gone") return;
      told.push_back(event);
      times.push_back(t);
    };
    const Run r = run(s, options);
    REQUIRE(r.result.status == Status::complete);
    CHECK(told == std::vector<std::string>{"kick", "deck.leaves", "deck", "off", "deck.leaves", "on", "deck"});
    const double expected[] = {0.1, 0.1, 0.3, 0.5, 0.5, 0.7, 0.7};
    for (std::size_t k = 0; k < times.size(); ++k) CHECK(std::fabs(times[k] - expected[k]) < 1e-12);
    CHECK(r.last("n") == 2);
    for (const EventCount& e : r.result.event_counts) {
      CAPTURE(e.name);
      if (e.name.starts_with("deck")) CHECK(e.count == 2);
    }
    CHECK(r.result.events == told.size() + 2);
    options.until_event = "deck.leaves";
    const Run until = run(s, options);
    CHECK(until.result.ended_by == "deck.leaves");
    CHECK(std::fabs(until.time.back() - 0.1) < 1e-12);
  }
}

TEST_CASE("friction that lets go or holds in the instant of another event is told of") {
  // The block is knocked at 0.1 and slides for 0.2. Samples push it from 0.5 to 0.6, so that it slides until 0.62. It
  // is lifted at 0.7 for 0.2.
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
input push = 0
particle p(1) at (0, 0)
constraint deck: p.y >= 0
friction rub on p.vx: 0.5*deck.lambda
force hand on p: (push, 0)
at knock: 0.1 { impulse on p: (1, 0) }
at up: 0.7 { impulse on p: (0, 1) }
output rested = rub.count
simulate { time = 0 .. 1 step 0.05; integrator = METHOD; rows = events
  input.push = table(t, (0, 0.5, 0.6), (0, 6, 0), beyond = hold) }
)";
  const std::vector<std::string> expected = {"knock", "rub.slips",   "rub.rests", "rub.slips", "rub.rests",
                                             "up",    "deck.leaves", "rub.slips", "deck",      "rub.rests"};
  const std::vector<double> at = {0.1, 0.1, 0.3, 0.5, 0.62, 0.7, 0.7, 0.7, 0.9, 0.9};
  for (const char* method : {"rk4", "auto"}) {
    CAPTURE(method);
    Simulation s = compile_text(replaced(text, "METHOD", method), Engine::interpreter);
    std::vector<std::string> told;
    std::vector<double> times;
    RunOptions options;
    options.on_event = [&](double t, const std::string& event) {
      told.push_back(event);
      times.push_back(t);
    };
    const Run r = run(s, options);
    REQUIRE(r.result.status == Status::complete);
    CHECK(told == expected);
    REQUIRE(times.size() == at.size());
    for (std::size_t k = 0; k < at.size(); ++k) CHECK(std::fabs(times[k] - at[k]) < 1e-9);
    CHECK(r.last("rested") == 3);
    CHECK(r.result.events == told.size());
    // There are rows before and after each of the six instants, including that of the samples.
    std::vector<double> rows;
    for (std::size_t k = 0; k < r.rows(); ++k)
      if (r.at(k, "event") != 0) rows.push_back(r.time[k]);
    REQUIRE(rows.size() == 12);
    CHECK(std::fabs(rows[4] - 0.5) < 1e-12);
    CHECK(std::fabs(rows[5] - 0.5) < 1e-12);
  }
}

TEST_CASE("an impact at the start is told of, and what rests there is not") {
  Simulation s = compile_text(R"(mbd 1
space 1
gravity -10
particle p(1) at 0 moving -2
particle q(1) at 0
constraint deck: p.x >= 0 restitution 0.5
constraint base: q.x >= 0
simulate { time = 0 .. 0.1 step 0.05; integrator = rk4 }
)",
                              Engine::interpreter);
  std::vector<std::string> told;
  RunOptions options;
  options.on_event = [&](double t, const std::string& event) { told.push_back(event + " " + std::to_string(t)); };
  const Run r = run(s, options);
  REQUIRE(r.result.status == Status::complete);
  CHECK(told == std::vector<std::string>{"deck 0.000000"});
  CHECK(r.result.events == 1);
  CHECK(r.at(0, "p.vx") == 1);
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

TEST_CASE("an input with a signal is what the equations see") {
  const std::string text = R"(mbd 1
space 1
input u = 7
particle p(1) at 1 moving 2
force f on p: u
simulate held { time = 0 .. 3 step 0.5; integrator = rk4; input.u = table(t, (0, 1, 2, 3), (4, 5, -6, 0)) }
simulate signal { time = 0 .. 3 step 0.5; integrator = rk4; input.u = 2*t - p.x }
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
  Simulation signal = at("signal");
  CHECK(signal.input("u").value() == -1);
  REQUIRE(signal.run_until(1).ok());
  CHECK(signal.input("u").value() == 2 * 1 - signal.state()[0]);
  REQUIRE(signal.set_input("u", 3).ok());
  CHECK(signal.input("u").value() == 3);
  CHECK(at("free").input("u").value() == 7);
}

TEST_CASE("initial(e) is known in events of the beginning and follows them") {
  const Run r = run_both(
      "mbd 1\ncoord x = 2\ninit { x' = 3 }\nkinetic T: x'^2/2\nstate before = 0\nstate tick = 0\n"
      "at 0 { x' = 5; before = initial(x') }\nevery beat: 0.1 { tick = initial(x) }\n"
      "output i = initial(x'), late = x' > initial(x') + 1\nsimulate { time = 0 .. 0.2 step 0.1 }\n");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  for (std::size_t row = 0; row < r.rows(); ++row) {
    CHECK(r.at(row, "before") == 3);
    CHECK(r.at(row, "tick") == 2);
    CHECK(r.at(row, "i") == 5);
    CHECK(r.at(row, "late") == 0);
  }
}
