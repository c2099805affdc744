// SPDX-License-Identifier: Apache-2.0
// Tests what a run reports about its own accuracy: the sum of local errors of fixed steps, and the global error by a
// second run. Both are compared with a closed form.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "runtime/record/two_runs.h"
#include "tests/oracles/closed_forms.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

std::string oscillator(const std::string& settings, double end = 20) {
  return "mbd 1\ncoord x = 1 rate 0\nkinetic T: x'^2/2\npotential V: x^2/2\nsimulate { time = 0 .. " + number(end) +
         " " + settings + " }\n";
}

// Returns the largest distance from cos t and -sin t in the norm of `auto`: places relative to the distance from end to
// end, speeds relative to the largest.
double true_error(const Run& r) {
  double worst = 0;
  for (std::size_t row = 0; row < r.rows(); ++row) {
    const double t = r.time[row];
    worst = std::max({worst, std::fabs(r.at(row, "x") - std::cos(t)) / 2, std::fabs(r.at(row, "x'") + std::sin(t))});
  }
  return worst;
}

Run run_twice(const std::string& text, RunOptions options = {}) {
  Simulation simulation = compile_text(text, Engine::interpreter);
  options.global_error = true;
  return run(simulation, options);
}

}  // namespace

TEST_CASE("the local errors of every method with fixed steps are of its order, and add up to what is there") {
  constexpr double kEnd = 1000;
  struct Method {
    const char* name;
    double order;
    int fewest;  // the least number of steps
  };
  for (const Method& m : {Method{"rk4", 4, 10000}, Method{"ab4", 4, 20000}, Method{"dopri5(fixed)", 5, 10000},
                          Method{"dop853(fixed)", 8, 2500}}) {
    CAPTURE(std::string(m.name));
    std::vector<double> steps, sums;
    for (const int count : {m.fewest, 2 * m.fewest}) {
      const Run r = run(oscillator("count " + std::to_string(count) + "; integrator = " + m.name, kEnd));
      REQUIRE(r.result.status == Status::complete);
      const Accuracy& a = r.result.accuracy;
      CHECK(a.steps_looked_at == static_cast<std::uint64_t>((count - 17) / 512 + 1));
      CHECK(a.largest * count > a.local_errors);
      steps.push_back(kEnd / count);
      sums.push_back(a.local_errors);
      // The errors of an oscillator are errors of its phase and add up.
      CHECK(a.local_errors > true_error(r) / 2);
      CHECK(a.local_errors < 2 * true_error(r));
    }
    CHECK(std::fabs(oracle::order(steps, sums) - m.order) < 0.3);
  }
}

TEST_CASE("a second run tells the error of the first") {
  for (const std::string settings :
       {"step 0.05; integrator = rk4", "step 0.02; integrator = ab4", "step 0.1; integrator = dopri5(fixed)",
        "step 0.3; integrator = rk4", "step 0.1; integrator = auto(tol = 1e-6)",
        "step 0.1; integrator = dopri5(rtol = 1e-6, atol = 1e-9)", "step 0.1; integrator = dop853(rtol = 1e-5)",
        "step 0.1; integrator = bdf(rtol = 1e-6, atol = 1e-8)"}) {
    CAPTURE(settings);
    const Run r = run_twice(oscillator(settings));
    REQUIRE(r.result.status == Status::complete);
    REQUIRE(r.result.global_error);
    const GlobalError& g = *r.result.global_error;
    CHECK(g.rows == r.rows());
    CHECK_FALSE(g.diagnostic);
    CHECK((g.name == "x" || g.name == "x'"));
    // Halved steps leave at most 1/16 of the error, and a hundredth of the tolerance leaves about a hundredth.
    CHECK(g.largest == doctest::Approx(true_error(r)).epsilon(0.1));
    CHECK(g.absolute == doctest::Approx((g.name == "x" ? 2 : 1) * true_error(r)).epsilon(0.1));
  }
}

TEST_CASE("a second run leaves the first one as it is, and begins where it began") {
  const std::string text = oscillator("step 0.1; integrator = rk4");
  Simulation once = compile_text(text, Engine::interpreter), twice = compile_text(text, Engine::interpreter);
  RunOptions options;
  options.span = {5, 9};
  options.state = {0.5, -0.25, 0, 0};
  options.output_every = 3;
  options.state.resize(twice.state().size());
  const Run plain = run(once, options);
  options.global_error = true;
  const Run compared = run(twice, options);
  CHECK(plain.values == compared.values);
  CHECK(once.state() == twice.state());
  CHECK(once.time() == twice.time());
  CHECK_FALSE(plain.result.global_error);
  REQUIRE(compared.result.global_error);
  CHECK(compared.result.global_error->rows == compared.rows());
  CHECK(compared.result.global_error->largest < 1e-4);
  CHECK(compared.result.global_error->against == "steps of 0.05");
}

TEST_CASE("a second run across impacts: rows at one time are not compared") {
  const std::string ball =
      "mbd 1\nspace 2\ngravity (0, -9.81)\nparticle p(1) at (0, 1)\nconstraint deck: p.y >= 0 restitution 0.8\n"
      "simulate { time = 0 .. 1.5 step 0.1; rows = events }\n";
  const Run r = run_twice(ball);
  REQUIRE(r.result.global_error);
  CHECK(r.result.global_error->largest < 1e-12);
  CHECK(r.result.global_error->rows == 16);
}

TEST_CASE("a second run goes neither with inputs that a host sets in it nor with what is resumed") {
  RunOptions options;
  options.drive = [](double, std::span<const double>, std::span<double>) {};
  const Run r = run_twice(oscillator("step 0.1"), options);
  CHECK(r.result.status == Status::model_error);
  CHECK(r.result.rendered == "a second run, which tells the global error, cannot be driven nor resumed\n");
}

TEST_CASE("states of very long runs are thinned out, the last one stays") {
  const std::string text =
      "mbd 1\ncoord x = 1 rate 0\nkinetic T: x'^2/2\npotential V: x^2/2\n"
      "simulate { time = 0 .. 2000 step 0.01; integrator = rk4 }\n";
  const Run r = run_twice(text);
  REQUIRE(r.result.global_error);
  const GlobalError& g = *r.result.global_error;
  CHECK(r.rows() == 200001);
  CHECK(g.rows > 10000);
  CHECK(g.rows < runtime::TwoRuns::kMostValues / 20);
  CHECK(g.time > 1990);  // The error is largest there.
  CHECK(g.largest == doctest::Approx(true_error(r)).epsilon(0.1));
}
