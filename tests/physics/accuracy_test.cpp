// SPDX-License-Identifier: Apache-2.0
// Tests what a run reports about its own accuracy: the error of its motion by companion steps, and the global error by
// a second run. Both are compared with closed forms.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "runtime/record/two_runs.h"
#include "tests/oracles/closed_forms.h"
#include "tests/physics/findings.h"
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

Run run_twice(const std::string& text, RunOptions options = {}, const std::vector<std::string>& set = {}) {
  Simulation simulation = compile_text(text, Engine::interpreter, set);
  options.global_error = true;
  return run(simulation, options);
}

}  // namespace

TEST_CASE("the error that steps of fixed size tell is that of the closed form, and of the order of the method") {
  constexpr double kEnd = 1000;
  struct Method {
    const char* name;
    double order;
    int fewest;  // the least number of steps
  };
  for (const Method& m : {Method{"rk4", 4, 10000}, Method{"ab4", 4, 20000}, Method{"dopri5(fixed)", 5, 10000},
                          Method{"dop853(fixed)", 8, 2500}, Method{"gauss4", 4, 10000}, Method{"gauss6", 6, 5000}}) {
    CAPTURE(std::string(m.name));
    std::vector<double> steps, errors;
    for (const int count : {m.fewest, 2 * m.fewest}) {
      const Run r = run(oscillator("count " + std::to_string(count) + "; integrator = " + m.name, kEnd));
      REQUIRE(r.result.status == Status::complete);
      const Accuracy& a = r.result.accuracy;
      CHECK(a.steps_looked_at == static_cast<std::uint64_t>(count));
      REQUIRE(a.error);
      steps.push_back(kEnd / count);
      errors.push_back(*a.error);
      CHECK(*a.error > true_error(r));
      CHECK(*a.error < 4 * true_error(r));
    }
    CHECK(std::fabs(oracle::order(steps, errors) - m.order) < 0.3);
  }
}

TEST_CASE("the error that is told grows with the motion, and not with what is gone") {
  const auto ends_off = [](const std::string& rate, double end, double exact) {
    const Run r = run("mbd 1\nstate x = 1e-3 where x' = " + rate +
                      "\ncoord dummy = 0\nkinetic Q: dummy'^2/2\nsimulate { time = 0 .. " + number(end) +
                      " step 0.1; integrator = rk4 }\n");
    REQUIRE(r.result.accuracy.error);
    return std::pair(std::fabs(r.last("x") - exact), *r.result.accuracy.error);
  };
  const double grown = 1e-3 * std::exp(25);  // The local errors are each 2e-4 of the size that x has then.
  const auto [of_growth, told_of_growth] = ends_off("5*x", 5, grown);
  CHECK(told_of_growth > of_growth / grown);
  CHECK(told_of_growth < 4 * of_growth / grown);
  const auto [of_instability, told_of_instability] = ends_off("50*(1 - x)", 2, 1);  // h/tau is 5.
  CHECK(of_instability > 1);
  CHECK(told_of_instability == 1);
  const double driven = (std::cos(200) + std::sin(200)) / 2;  // Errors are forgotten within a second.
  const auto [of_driven, told_of_driven] = ends_off("cos(t) - x", 200, driven);
  CHECK(told_of_driven > of_driven);
  CHECK(told_of_driven < 3e-6);  // The sum of the local errors is a hundred times as large.
}

TEST_CASE("the error that methods of own steps tell is that of the closed form") {
  for (const std::string method : {"auto(tol = ", "dopri5(rtol = ", "dop853(rtol = ", "taylor(tol = ", "bdf(rtol = "})
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      CAPTURE(method);
      CAPTURE(tolerance);
      const Run r = run(oscillator("count 200; integrator = " + method + number(tolerance) + ")", 100));
      REQUIRE(r.result.status == Status::complete);
      REQUIRE(r.result.accuracy.error);
      CHECK(*r.result.accuracy.error > 0.5 * true_error(r));
      CHECK(*r.result.accuracy.error < 20 * true_error(r));
    }
}

TEST_CASE("methods of own steps tell how errors grow in a chaotic motion") {
  const std::string lorenz =
      "mbd 1\nstate x = 1 where x' = 10*(y - x)\nstate y = 1 where y' = x*(28 - z) - y\n"
      "state z = 20 where z' = x*y - 8/3*z\ncoord dummy = 0\nkinetic Q: dummy'^2/2\nsimulate { time = 0 .. 15 count "
      "300; integrator = ";
  for (const std::string method :
       {"auto(tol = 1e-9)", "dopri5(rtol = 1e-9)", "dop853(rtol = 1e-9)", "taylor(tol = 1e-9)", "bdf(rtol = 1e-9)"}) {
    CAPTURE(method);
    const Run r = run_twice(lorenz + method + " }\n");
    REQUIRE(r.result.accuracy.error);
    REQUIRE(r.result.global_error);
    CHECK(*r.result.accuracy.error > 0.1 * r.result.global_error->largest);
    CHECK(*r.result.accuracy.error < 100 * r.result.global_error->largest);
    CHECK(*r.result.accuracy.error > 10 * r.result.accuracy.local_errors);
  }
  const Run lost = run(lorenz + "auto(tol = 1e-3) }\n");
  CHECK(lost.result.accuracy.error == 1);
  REQUIRE(lost.result.warnings.size() == 1);
  CHECK(lost.result.warnings[0].code == "W0658");
  CHECK(lost.result.warnings[0].help.find("smaller `tol`") != std::string::npos);
}

// Hyperion on its ellipse (J. Wisdom, S. J. Peale, F. Mignard, "The chaotic rotation of Hyperion", Icarus 58, 1984): an
// angle beside an orbit. Errors grow in one direction only, by up to 1e8, and those of the orbit hardly do. Companion
// steps that cover too many steps of the run have errors of another direction.
TEST_CASE("errors that grow in one direction of many are told for each start of a chaotic rotation") {
  for (int k = 1; k <= 12; ++k) {
    const std::string start = number(0.1 * k);
    CAPTURE(start);
    const std::string text = R"(mbd 1
param e = 0.1, w2 = 0.89^2, T = 21.3 [day], a = 1.48e6 [km]
let n = 2*pi/T, GM = n^2*a^3
coord x = a*(1 - e), y = 0 [km] rate n*a*sqrt((1 + e)/(1 - e)), th = )" +
                             start + R"( rate 2*n
kinetic K: 0.5*(x'^2 + y'^2)*(1 [kg])
potential V: -GM/sqrt(x^2 + y^2)*(1 [kg])
kinetic K2: 0.5*th'^2*(1 [kg*m^2])
let r = sqrt(x^2 + y^2), f = atan2(y, x)
load tide on th: -w2/2*GM/r^3*sin(2*(th - f))*(1 [kg*m^2])
simulate { time = 0 [day] .. 400 [day] step 4 [day]; integrator = auto(tol = 1e-12) }
)";
    const Run r = run(text), exact = run(text, Engine::interpreter, {"integrator=taylor(tol = 1e-15)"});
    REQUIRE(r.result.status == Status::complete);
    REQUIRE(r.result.accuracy.error);
    double off = 0;
    for (std::size_t row = 0; row < r.rows(); ++row)
      off = std::max(off, std::fabs(r.at(row, "th") - exact.at(row, "th")));
    CHECK(*r.result.accuracy.error > 0.1 * std::min(off, 1.0));
    CHECK(*r.result.accuracy.error < 100 * off);
  }
}

TEST_CASE("each smaller tolerance makes shorter steps, down to the last one, which has no second run") {
  std::uint64_t steps = 0;
  for (const char* tolerance : {"1e-10", "1e-11", "1e-12", "1e-13", "1e-14"}) {
    CAPTURE(std::string(tolerance));
    const Run r = run(oscillator("count 20; integrator = auto(tol = " + std::string(tolerance) + ")", 100));
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.result.steps > steps);
    CHECK(true_error(r) < 1e-11);
    steps = r.result.steps;
  }
  const Run twice = run_twice(oscillator("count 20; integrator = auto(tol = 1e-13)"));
  REQUIRE(twice.result.global_error);
  CHECK(twice.result.global_error->largest > 0);
  CHECK(twice.result.global_error->against == "tol = 1e-14");
  for (const char* last : {"auto(tol = 1e-14)", "dopri5(rtol = 1e-14)", "dop853(rtol = 1e-14)"}) {
    CAPTURE(std::string(last));
    const Run refused = run_twice(oscillator("count 20; integrator = " + std::string(last)));
    CHECK(refused.result.status == Status::model_error);
    CHECK(refused.result.rendered ==
          "a second run, which tells the global error, has a smaller tolerance, and there is none: compare with "
          "`integrator = taylor(tol = 1e-15)`, or tell the error of a larger tolerance\n");
  }
}

TEST_CASE("the error that is told holds across samples of an input and where an event ends the run") {
  const Run held = run(
      "mbd 1\ninput u = 0\ncoord x = 0 rate 0\nkinetic T: x'^2/2\nload f on x: u - x'\nsimulate { time = 0 .. 3 step "
      "0.1; integrator = dopri5(rtol = 1e-10); input.u = table(t, (0, 1, 2, 3), (4, 5, -6, 0)) }\n");
  REQUIRE(held.result.status == Status::complete);
  double x = 0, v = 0;
  for (const double u : {4, 5, -6}) {
    x += u + (v - u) * (1 - std::exp(-1));
    v = u + (v - u) * std::exp(-1);
  }
  REQUIRE(held.result.accuracy.error);
  CHECK(*held.result.accuracy.error > std::fabs(held.last("x") - x) / x);
  CHECK(*held.result.accuracy.error < 1e-8);
  const Run ended =
      run("mbd 1\ncoord x = 1 rate 0\nkinetic T: x'^2/2\npotential V: x^2/2\nwhen low: x falling { stop "
          "\"down\" }\nsimulate { time = 0 .. 20 step 0.001; integrator = rk4 }\n");
  REQUIRE(ended.result.accuracy.error);
  CHECK(*ended.result.accuracy.error < 1e-12);
}

TEST_CASE("steps of fixed size that are unstable or too long tell it: growth_rk4, unstable_rk4") {
  for (const std::string name :
       {"growth_rk4 a", "unstable_rk4 a", "unstable_rk4 c", "unstable_rk4 d", "unstable_rk4 e"}) {
    CAPTURE(name);
    const std::size_t gap = name.find(' ');
    const Run r = run(finding(name.substr(0, gap)), Engine::interpreter, {}, name.substr(gap + 1));
    REQUIRE(r.result.status == Status::complete);
    REQUIRE(r.result.accuracy.error);
    CHECK(*r.result.accuracy.error > 0.05);  // The true errors are 0.17 and 1.
    CHECK(std::any_of(r.result.warnings.begin(), r.result.warnings.end(),
                      [](const DiagnosticInfo& w) { return w.code == "W0658"; }));
  }
}

TEST_CASE("sizes are those of the motion, without what trials beyond an event or a discontinuity reach") {
  const auto size = [](const Run& r, const std::string& name) {
    for (const auto& [kind, found] : r.result.accuracy.sizes)
      if (kind == name) return found;
    return 0.0;
  };
  for (const std::string method : {"auto", "taylor"}) {
    CAPTURE(method);
    const std::string end = "; integrator = " + method + " }\n";
    const Run ball =
        run("mbd 1\nspace 1\ngravity -9.81\nparticle p(1) at 1\nwhen low: p.x falling { p.vx = -p.vx }\n"
            "simulate { time = 0 .. 100 step 1" +
            end);
    REQUIRE(ball.result.status == Status::complete);
    CHECK(size(ball, "lengths") == doctest::Approx(1).epsilon(1e-6));
    CHECK(size(ball, "speeds") == doctest::Approx(std::sqrt(2 * 9.81)).epsilon(1e-6));
    const Run relay = run(
        "mbd 1\nspace 1\nparticle p(1) at 0.5\nforce f on p: -sign(p.x)\nsimulate { time = 0 .. 100 step 0.1" + end);
    REQUIRE(relay.result.status == Status::complete);
    CHECK(size(relay, "lengths") > 0.5);
    CHECK(size(relay, "lengths") < 1 + 1e-6);
    CHECK(size(relay, "speeds") == doctest::Approx(1).epsilon(1e-6));
  }
}

TEST_CASE("no error is told across many discontinuities of a force, which change how errors grow") {
  const std::string relay = "mbd 1\nspace 1\nparticle p(1) at 0.5\nforce f on p: -sign(p.x)\nsimulate { time = 0 .. ";
  const std::string gap =
      "mbd 1\nspace 1\nparticle p(1) at 0 moving 1\n"
      "force f on p: -100*(max(p.x - 0.1, 0) + min(p.x + 0.1, 0))\nsimulate { time = 0 .. ";
  for (const std::string method : {"auto", "taylor", "dop853", "dopri5", "bdf", "rk4; kinks = locate"}) {
    CAPTURE(method);
    CHECK_FALSE(run(relay + "20 step 0.01; integrator = " + method + " }\n").result.accuracy.error);
    CHECK_FALSE(run(gap + "5 step 0.01; integrator = " + method + " }\n").result.accuracy.error);
    CHECK(run(relay + "0.9 step 0.01; integrator = " + method + " }\n").result.accuracy.error);
  }
}

TEST_CASE("no error is told across many events, of steps that a host drives, and of one step") {
  const std::string ball =
      "mbd 1\nspace 1\ngravity -9.81\nparticle p(1) at 1\nconstraint deck: p.x >= 0 restitution 0.9\n"
      "simulate { time = 0 .. 5 step 0.01; integrator = rk4 }\n";
  CHECK_FALSE(run(ball).result.accuracy.error);
  CHECK_FALSE(run(oscillator("count 1; integrator = rk4")).result.accuracy.error);
  Simulation driven = compile_text(oscillator("step 0.1; integrator = rk4"), Engine::interpreter);
  RunOptions options;
  options.drive = [](double, std::span<const double>, std::span<double>) {};
  CHECK_FALSE(run(driven, options).result.accuracy.error);
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

TEST_CASE("sizes of what stays at zero do not grow from step to step: the bicycle in a second run") {
  for (const char* method : {"integrator=auto", "integrator=auto(tol = 1e-10)"}) {
    CAPTURE(method);
    const Run r = run_twice(example("bicycle"), {}, {method});
    REQUIRE(r.result.global_error);
    CHECK(r.result.global_error->largest < 1e-8);
    REQUIRE(r.result.accuracy.error);
    CHECK(*r.result.accuracy.error < 1e-8);
    for (const auto& [name, size] : r.result.accuracy.sizes) CHECK(size < 1e4);
  }
}

TEST_CASE("an error is carried across a jump of a force by the time by which it comes later") {
  const std::string text =
      "mbd 1\ncoord x = 0.3\nkinetic K: x'^2/2\nload pull on x: -sign(x - 0.1) - 0.5*x\n"
      "simulate { time = 0 .. 1.2 step 0.01; integrator = rk4 }\n";
  const Run rough = run(text), fine = run(text, Engine::interpreter, {"integrator=auto(tol = 1e-12)"});
  REQUIRE(rough.rows() == fine.rows());
  double x = 0, speed = 0, largest = 0;
  for (std::size_t row = 0; row < fine.rows(); ++row) {
    x = std::max(x, std::fabs(rough.at(row, "x") - fine.at(row, "x")));
    speed = std::max(speed, std::fabs(rough.at(row, "x'") - fine.at(row, "x'")));
    largest = std::max(largest, std::fabs(fine.at(row, "x'")));
  }
  REQUIRE(rough.result.accuracy.error);
  CHECK(*rough.result.accuracy.error > std::max(x, speed / largest));
  CHECK(*rough.result.accuracy.error < 10 * std::max(x, speed / largest));
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
