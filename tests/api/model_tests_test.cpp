// SPDX-License-Identifier: Apache-2.0
// Compares the checks of tests in a model, their times and their values, with the rows of an ordinary run. It also
// tests that a model with tests runs like one without.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace {

using mbc::Model;
using mbc::Simulation;
using mbc::TestResult;

// This is a pendulum with friction: its energy decreases, and nothing is periodic.
const std::string kModel =
    "mbd 1\nspace 2\nparam g = 9.81, c = 0.3, limit = 1e-9\nparticle p(2) at (0.6, -0.8)\nconstraint rod: dist(p, "
    "ground) == 1\n"
    "gravity (0, -g)\nforce drag on p: -c*p.vel\noutput E = energy.total, pos = p.pos\n"
    "simulate run { time = 1 .. 3 step 0.01; integrator = rk4 }\nsimulate other { time = 0 .. 0.1 step 0.01 }\n";

Simulation program(const std::string& text, bool interpret = false) {
  mbc::CompileOptions options;
  options.interpret = interpret;
  options.native_at_once = true;
  Simulation made = Simulation::create(Model::from_string(text, "m.mbd", options)).value();
  REQUIRE_MESSAGE(made.model().ok(), made.model().render_diagnostics());
  return made;
}

TestResult run(const std::string& checks, const std::string& model = kModel) {
  Simulation made = program(model + "test \"t\" over run {\n" + checks + "\n}\n");
  return made.run_test(0).value();
}

bool passes(const std::string& checks) {
  const TestResult r = run(checks);
  CHECK(r.run.status == mbc::Status::complete);
  CHECK(r.passed == r.failures.empty());
  return r.passed;
}

std::string digits(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

// Returns a column of an ordinary run.
std::vector<double> column(const std::string& name) {
  Simulation made = program(kModel, true);
  std::size_t at = 0;
  while (made.model().columns()[at].name != name) ++at;
  std::vector<double> out;
  mbc::RunOptions options;
  options.simulation = "run";
  const mbc::RunResult result = made.run(options, [&](const mbc::Row& row) {
    out.push_back(row.values[at]);
    return true;
  });
  REQUIRE(result.status == mbc::Status::complete);
  return out;
}

}  // namespace

TEST_CASE("values of the whole run are those of its rows, to the last bit") {
  const std::vector<double> E = column("E"), x = column("p.x");
  REQUIRE(E.size() == 201);
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  CHECK(passes("check initial(E) == " + digits(E.front()) + " within 0"));
  CHECK(passes("check initial(E) == " + digits(E.front()) + " within 0 always"));
  CHECK(passes("check final(E) == " + digits(E.back()) + " within 0"));
  CHECK(passes("check E == " + digits(E.back()) + " within 0"));
  CHECK(passes("check min_over(p.x) == " + digits(*low) + " within 0"));
  CHECK(passes("check max_over(p.x) == " + digits(*high) + " within 0"));
  CHECK(passes("check initial(pos) == (0.6, -0.8) within 0"));
  double spread = 0;
  for (double e : E) spread = std::max(spread, std::fabs(e - E.front()));
  CHECK(passes("check max_over(abs(E - initial(E))) == " + digits(spread) + " within 0"));
}

TEST_CASE("a check is made at the end, at every row, or at one row") {
  const std::vector<double> x = column("p.x");
  CHECK(passes("check t == 3 within 1e-12"));
  CHECK(passes("check t >= 1 always"));
  CHECK(passes("check p.x == " + digits(x[50]) + " within 0 at 1.5"));
  CHECK_FALSE(passes("check p.x == " + digits(x[50]) + " within 0 at 1.51"));
  CHECK(passes("check p.x == " + digits(x[0]) + " within 0 at 1"));
  CHECK(passes("check p.x == " + digits(x[200]) + " within 0 at 3"));
  CHECK_FALSE(passes("check t < 2.5"));
  CHECK(passes("check t < 2.5 at 2"));
  const TestResult r = run("check t < 2.5 always");
  REQUIRE(r.failures.size() == 1);
  CHECK(r.failures[0].code == "E0650");
  CHECK(r.failures[0].place.line == 12);
  CHECK(r.failures[0].place.column == 7);
  REQUIRE(r.failures[0].time);
  CHECK(*r.failures[0].time == doctest::Approx(2.5));
  CHECK(r.failures[0].notes == std::vector<std::string>{"2.5 on the left, 2.5 on the right",
                                                        "worst at t = 3: 3 on the left, 2.5 on the right",
                                                        "51 of 201 rows fail"});
}

TEST_CASE("kinds of checks") {
  CHECK(passes("check p.pos == (" + digits(column("p.x").back()) + ", p.y) within 0"));
  CHECK_FALSE(passes("check pos == p.pos + (0, 1e-3) within 0.99e-3"));
  CHECK(passes("check pos == p.pos + (0, 1e-3) within 1.01e-3"));
  CHECK(passes("check p.y < 0 and p.x < 1 and norm(p.pos) > 0.9 always"));
  CHECK(passes("check p.x > 0 or p.x <= 0 always"));
  CHECK(passes("check not (p.y > 0) always"));
  CHECK(passes("check p.y != 3 always"));
  CHECK(passes("check norm(residuals) < 1e-12 always"));
  CHECK(passes("check energy.total' == -c*dot(p.vel, p.vel) within 1e-12 always"));
  CHECK(passes("check E == E within limit always"));
  CHECK(passes("check rod.lambda < 0 always"));  // The rod pulls.
  const TestResult r = run("check p.y < 0 and p.x < -5 and p.y > 5");
  CHECK(r.test.checks == 3);
  CHECK(r.failures.size() == 2);
}

TEST_CASE("the residuals are those of all rows and, at position level, of their rates") {
  const std::string model =
      "mbd 1\nparticle p(1) at (1, 0, 0) moving (0, 1, 0)\nparticle q(1) at (2, 0, 0) moving (0, 0, 3)\n"
      "constraint a: norm(p.pos) == 1 + 0.1*t^2\nconstraint b: q.vz == 3 + sin(t)\nconstraint c: q.acc.x == 2\n"
      "simulate run { time = 0 .. 1 step 0.01; stabilise = none; integrator = rk4 }\n";
  CHECK(run("check dot(residuals, residuals) == a.residual^2 + ((norm(p.pos) - (1 + 0.1*t^2))')^2 + b.residual^2 + "
            "c.residual^2 within 1e-20 always\ncheck norm(residuals) > 0",
            model)
            .passed);
}

TEST_CASE("what is undefined fails") {
  const TestResult r =
      run("check sqrt(p.x - 10) >= 0 always\ncheck sqrt(p.x - 10) == 0 within 1\n"
          "check max_over(ln(p.x)) < 10\ncheck p.x < 1 or sqrt(p.x - 10) > 0");
  CHECK(r.run.status == mbc::Status::complete);
  CHECK(r.failures.size() == 4);
}

TEST_CASE("a run that does not reach its end is a failed test and says why") {
  const std::string model =
      "mbd 1\nspace 1\nparticle p(1) at 1 moving -1\nforce f on p: ln(p.x)\nsimulate run { time = 0 .. 5 step 0.01 }\n";
  const TestResult r = run("check p.x < 2 always", model);
  CHECK_FALSE(r.passed);
  REQUIRE(r.failures.size() == 1);
  CHECK(r.failures[0].code == "E0603");
  CHECK(r.rendered.find("E0603") != std::string::npos);
}

TEST_CASE("a model with tests is run and emitted as one without") {
  const std::string tests =
      "test \"a\" over run { check max_over(abs(E - initial(E))) < 100\n check norm(residuals) < 1e-9 always }\n"
      "test \"b\" over other { check E < initial(E) }\n";
  Simulation without = program(kModel, true), with = program(kModel + tests, true);
  std::string error;
  CHECK(without.model().emit(mbc::Stage::kernel, "").value() == with.model().emit(mbc::Stage::kernel, "").value());
  mbc::RunOptions options;
  options.simulation = "run";
  const std::vector<double> plain = without.run(options, {}).state;
  REQUIRE(with.model().tests().size() == 2);
  const TestResult a = with.run_test(0).value(), b = with.run_test(1).value();
  CHECK_MESSAGE(a.passed, a.rendered);
  CHECK_MESSAGE(b.passed, b.rendered);
  CHECK(a.run.state == plain);
  CHECK(b.run.rows == 11);
  CHECK(with.run(options, {}).state == plain);
  CHECK(with.run_test(0).value().passed);  // The test runs again after an ordinary run.
}

TEST_CASE("both engines come to the same verdicts and the same figures") {
  const std::string tests =
      "test \"a\" over run { check E > 1e9 always\n check pos == (0, 0) within 1e-9\n check initial(E) < 0 }\n";
  Simulation interpreted = program(kModel + tests, true), native = program(kModel + tests);
  const TestResult a = interpreted.run_test(0).value(), b = native.run_test(0).value();
  CHECK(a.failures.size() == 2);
  CHECK(a.rendered == b.rendered);
  CHECK(a.run.state == b.run.state);
}

TEST_CASE("parameters set from outside count in tests") {
  const std::string tests = "test \"a\" over run { check abs(E - initial(E)) < 1e-6 always }\n";
  Simulation made = program(kModel + tests, true);
  CHECK_FALSE(made.run_test(0).value().passed);
  REQUIRE(made.set_parameter("c", 0));
  CHECK(made.run_test(0).value().passed);
}

TEST_CASE("a run that was set to other times has no row for some checks: the test fails, the run does not") {
  const std::string tests = "test \"a\" over run { check t > 0 at 2.5\n check t > 0 at 1.5\n check t > 0 }\n";
  mbc::CompileOptions options;
  options.set = {"run.time.end = 2"};
  options.interpret = true;
  Simulation made = Simulation::create(Model::from_string(kModel + tests, "m.mbd", options)).value();
  REQUIRE_MESSAGE(made.model().ok(), made.model().render_diagnostics());
  mbc::RunOptions how;
  how.simulation = "run";
  CHECK(made.run(how, {}).status == mbc::Status::complete);
  const TestResult r = made.run_test(0).value();
  CHECK_FALSE(r.passed);
  REQUIRE(r.failures.size() == 1);
  CHECK(r.failures[0].code == "E0463");
}

TEST_CASE("tests of a model that is computed by loops") {
  constexpr int kParticles = 400;
  std::string text = "mbd 1\nspace 2\ngravity (0, -9.81)\n";
  for (int k = 1; k <= kParticles; ++k) {
    const std::string me = "p" + std::to_string(k), before = k == 1 ? "ground" : "p" + std::to_string(k - 1);
    text += "particle " + me + "(1) at (" + std::to_string(k) + ", 0)\n";
    text += "constraint r" + std::to_string(k) + ": dist(" + before + ", " + me + ") == 1\n";
  }
  text += "output E = energy.total, low = p400.y\nsimulate run { time = 0 .. 0.05 step 0.005 }\n";
  Simulation plain = program(text, true);
  std::string error;
  CHECK(plain.model().emit(mbc::Stage::kernel, "").value().find("_solve ") != std::string::npos);
  std::vector<double> low;
  plain.run({}, [&](const mbc::Row& row) {
    low.push_back(row.values.back());
    return true;
  });
  REQUIRE(low.size() == 11);
  text += "test \"t\" over run {\n check norm(residuals) < 1e-9 always\n check abs(E - initial(E)) < 1e-3 always\n" +
          std::string(" check min_over(p400.y) == ") + digits(*std::min_element(low.begin(), low.end())) +
          " within 0\n check p400.y == " + digits(low[5]) + " within 0 at 0.025\n check r400.lambda <= 0 always\n}\n";
  for (const bool interpret : {true, false}) {
    Simulation made = program(text, interpret);
    const TestResult r = made.run_test(0).value();
    CHECK_MESSAGE(r.passed, r.rendered);
  }
}
