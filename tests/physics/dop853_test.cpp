// SPDX-License-Identifier: Apache-2.0
// Tests the method of order 8 and `auto`: their order, the order of their dense output, errors in proportion to the
// tolerance, and the norm by the sizes of the model. The closed forms are unconstrained, with a holonomic and with a
// nonholonomic constraint.
#include "runtime/integrators/dop853.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "tests/oracles/closed_forms.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

struct Problem {
  const char* name;
  std::string text;  // SETTINGS stands for the settings of the block.
  const char *x, *y;
  std::function<std::pair<double, double>(double)> exact;
  double longest;  // the largest step for the order
};

// The third problem is a knife edge that turns uniformly with w = 2 on a plane tilted along x. Its speed along the edge
// is (g/w) sin(w t), hence x = g/(2 w^2) sin^2(w t) and y = g/(2 w^2) (w t - sin(2 w t)/2).
const std::vector<Problem>& problems() {
  static const std::vector<Problem> list{
      {"Kepler's ellipse, e = 0.5",
       "mbd 1\nspace 2\nparticle p(1) at (0.5, 0) moving (0, sqrt(3))\nforce f on p: -p.pos/norm(p.pos)^3\n"
       "simulate { time = 0 .. 6.25 SETTINGS }\n",
       "p.x", "p.y",
       [](double t) {
         const oracle::Motion m = oracle::kepler(t, 0.5L);
         return std::pair{static_cast<double>(m.x), static_cast<double>(m.y)};
       },
       0.25},
      {"a pendulum as a constraint",
       "mbd 1\nspace 2\ngravity (0, -9.81)\nparticle p(2) at (0, -1) moving (4, 0)\nconstraint rod: dist(p, ground) == "
       "1\n"
       "simulate { time = 0 .. 3 SETTINGS }\n",
       "p.x", "p.y",
       [](double t) {
         const oracle::Motion m = oracle::pendulum(t, 1, 9.81, 4);
         return std::pair{static_cast<double>(m.x), static_cast<double>(m.y)};
       },
       0.375},
      {"a knife edge on a tilted plane",
       "mbd 1\ncoord x = 0\ncoord y = 0\ncoord phi = 0 rate 2\nkinetic T: (x'^2 + y'^2 + phi'^2)/2\nload g on x: 9.81\n"
       "constraint knife: x'*sin(phi) - y'*cos(phi) == 0\nsimulate { time = 0 .. 3 SETTINGS }\n",
       "x", "y",
       [](double t) {
         const double a = 9.81 / 8;
         return std::pair{a * std::pow(std::sin(2 * t), 2), a * (2 * t - std::sin(4 * t) / 2)};
       },
       0.375}};
  return list;
}

double error_of(const Problem& p, const Run& r) {
  double worst = 0;
  for (std::size_t row = 0; row < r.rows(); ++row) {
    const auto [x, y] = p.exact(r.time[row]);
    worst = std::max(worst, std::hypot(r.at(row, p.x) - x, r.at(row, p.y) - y));
  }
  return worst;
}

}  // namespace

TEST_CASE("dop853 with a fixed step has order 8") {
  const std::vector<Problem> smooth{
      {"an oscillator",
       "mbd 1\ncoord x = 1 rate 0\ncoord y = 0 rate 1\nkinetic T: (x'^2 + y'^2)/2\n"
       "potential V: x^2/2 + 2*y^2\nsimulate { time = 0 .. 3 SETTINGS }\n",
       "x", "y",
       [](double t) {
         return std::pair{std::cos(t), std::sin(2 * t) / 2};
       },
       0.375},
      {"a circle as a constraint",
       "mbd 1\nspace 2\nparticle p(2) at (0, -1) moving (2, 0)\nconstraint rod: p.x^2 + p.y^2 == 1\n"
       "simulate { time = 0 .. 3 SETTINGS; stabilise = none }\n",
       "p.x", "p.y",
       [](double t) {
         return std::pair{std::sin(2 * t), -std::cos(2 * t)};
       },
       0.375},
      problems()[2]};
  for (const Problem& p : smooth) {
    CAPTURE(std::string(p.name));
    std::vector<double> steps, errors;
    for (double h = p.longest; errors.empty() || errors.back() > 1e-11; h /= std::sqrt(2.0)) {
      const double count = std::round(3 / h);
      const Run r = run(replaced(p.text, "SETTINGS", "count " + number(count) + "; integrator = dop853(fixed)"));
      REQUIRE(r.result.status == Status::complete);
      steps.push_back(1 / count);
      errors.push_back(error_of(p, r));
    }
    REQUIRE(errors.size() >= 4);
    CHECK(std::fabs(oracle::order(steps, errors) - 8) < 0.2);
  }
}

TEST_CASE("the errors of dop853 and auto are proportional to the tolerance") {
  for (const Problem& p : problems())
    for (const std::string method : {"dop853(rtol = TOL, atol = TOL)", "auto(tol = TOL)"}) {
      if (method[0] == 'd' && p.y[0] != 'p') continue;  // At large tolerances the steps are a tenth of the time span.
      CAPTURE(std::string(p.name));
      CAPTURE(method);
      std::vector<double> tolerances, errors;
      std::uint64_t evaluations = 0;
      for (double tol = 1e-4; tol > 5e-12; tol /= 10) {
        std::string integrator = method;
        while (integrator.find("TOL") != std::string::npos) integrator = replaced(integrator, "TOL", number(tol));
        const Run r = run_both(replaced(p.text, "SETTINGS", "count 50; integrator = " + integrator));
        REQUIRE(r.result.status == Status::complete);
        tolerances.push_back(tol);
        errors.push_back(error_of(p, r));
        CHECK(r.result.evaluations >= evaluations);
        evaluations = r.result.evaluations;
        // Only errors that can be seen are warned of, and what is told is at most ten times the error.
        for (const DiagnosticInfo& w : r.result.warnings) CHECK((w.code == "W0658" && errors.back() > 2e-5));
        CHECK(r.result.accuracy.steps_looked_at == r.result.steps);
      }
      const double slope = oracle::order(tolerances, errors);
      CHECK(slope > (method[0] == 'd' ? 0.8 : 0.85));
      CHECK(slope < 1.15);
    }
}

// The tableau decides its order (tests/kernel/tableau_dop853_test.cpp).
TEST_CASE("what lies between the ends of a step of dop853 is on the solution") {
  const auto exact = [](double t) { return std::exp(-t) + (std::cos(t) + std::sin(t)) / 2; };
  const auto rhs = [](double t, const double* x, double* dx) {
    dx[0] = std::cos(t) - x[0];
    return 0;
  };
  for (const double theta : {0.1, 0.37, 0.8}) {
    CAPTURE(theta);
    std::vector<double> errors;
    for (const double h : {2.0, 1.0, 0.5}) {
      runtime::Dop853 method(1);
      std::vector<double> y{exact(0.3)}, k1(1), out(1);
      rhs(0.3, y.data(), k1.data());
      method.step(rhs, 0.3, h, y, k1);
      method.extend(rhs, 0.3, y);
      method.interpolate({0.3 + h, 1}, y, out);
      CHECK(out[0] == doctest::Approx(method.y_new()[0]).epsilon(1e-15));
      method.interpolate({0.3 + theta * h, theta}, y, out);
      errors.push_back(std::fabs(out[0] - exact(0.3 + theta * h)));
      std::vector<double> before(1), behind(1), slope(1);
      method.interpolate({0.3, theta - 1e-5}, y, before);
      method.interpolate({0.3, theta + 1e-5}, y, behind);
      method.slope({0.3, theta}, slope);
      CHECK(slope[0] == doctest::Approx((behind[0] - before[0]) / (2e-5 * h)).epsilon(1e-8));
    }
    CHECK(errors[1] < errors[0] / 100);
    CHECK(errors[2] < errors[1] / 100);
    CHECK(errors[2] < 1e-7);
  }
}

TEST_CASE("rows do not change the steps of auto") {
  const Problem& p = problems()[1];
  const Run coarse = run_both(replaced(p.text, "SETTINGS", "count 1; integrator = auto"));
  const Run fine = run_both(replaced(p.text, "SETTINGS", "count 3000; integrator = auto"));
  CHECK(fine.result.steps == coarse.result.steps);
  CHECK(fine.result.state == coarse.result.state);
  CHECK(error_of(p, fine) < 1e-6);
  CHECK(*fine.constraint("rod").position < 1e-14);
}

TEST_CASE("coordinates that hardly move do not set the steps of auto") {
  // The pitch of a bicycle that rides straight is 4e-9, the square of its roll.
  const Run r = run(replaced(example("bicycle"), "integrator = rk4", "integrator = auto"), Engine::interpreter);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.result.steps < 500);
  // The value is that of the linear equations, as in the test of the example.
  CHECK(std::fabs(r.last("phi") - 5.68366e-5) < 1e-10);
  CHECK(std::fabs(r.last("del") - 5.90454e-5) < 1e-10);
}

TEST_CASE("auto takes the same steps in other units") {
  const Run metres =
      run("mbd 1\nspace 2\ngravity (0, -9.81) [m/s^2]\nparticle p(2 [kg]) at (0, -1) [m] moving (4, 0) [m/s]\n"
          "constraint rod: dist(p, ground) == 1 [m]\nsimulate { time = 0 [s] .. 3 [s] count 3; integrator = auto }\n");
  REQUIRE_MESSAGE(metres.result.status == Status::complete, metres.result.rendered);
  const Run small =
      run("mbd 1\nspace 2\ngravity (0, -9.81e-3)\nparticle p(2) at (0, -1e-3) moving (4e-3, 0)\n"
          "constraint rod: dist(p, ground) == 1e-3\nsimulate { time = 0 .. 3 count 3; integrator = auto }\n");
  REQUIRE_MESSAGE(small.result.status == Status::complete, small.result.rendered);
  CHECK(small.result.steps == metres.result.steps);
}

TEST_CASE("auto controls the error of the work as well") {
  const Run r =
      run("mbd 1\nspace 1\nparticle p(1) at 1\nforce k on p: -1e12*p.x - 1e6*p.vx\n"
          "simulate { time = 0 .. 1e-4 count 10; integrator = auto }\n");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.result.accuracy.energy_exchanged > 1e11);  // The damper takes this energy within a microsecond.
  CHECK(std::fabs(r.result.work_of_loads) < 1e-9 * r.result.accuracy.energy_exchanged);
  CHECK(r.result.balance_error < 1e-9 * r.result.accuracy.energy_exchanged);
  CHECK(r.result.warnings.empty());
}

TEST_CASE("a host that sets inputs is called at every row, and steps of auto end there") {
  const std::string text =
      "mbd 1\nspace 1\nparticle p(1) at 0\ninput u = 0\nforce f on p: u\n"
      "simulate { time = 0 .. 1 step 0.1; integrator = auto }\n";
  Simulation program = compile_text(text, Engine::interpreter);
  RunOptions options;
  std::vector<double> times;
  options.drive = [&](double t, std::span<const double>, std::span<double> inputs) {
    times.push_back(t);
    inputs[0] = times.size() % 2 == 1 ? 1 : -1;
  };
  const Run r = run(program, options);
  REQUIRE(r.result.status == Status::complete);
  REQUIRE(times.size() == 11);
  for (std::size_t k = 0; k < times.size(); ++k) CHECK(times[k] == r.time[k]);
  CHECK(r.last("p.vx") == doctest::Approx(0).epsilon(1e-12));
  CHECK(r.last("p.x") == doctest::Approx(5 * 0.1 * 0.1).epsilon(1e-12));
}

TEST_CASE("auto passes a force that jumps on what was at rest, and a rate that jumps on a state that was 0") {
  const Run r =
      run("mbd 1\nspace 1\nparticle p(1) at 0\nforce f on p: if t > 0.3 then 2 else 0\n"
          "state s = 0 where s' = if t > 0.7 then 5 else 0\nsimulate { time = 0 .. 1 step 0.1; integrator = auto }\n");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.result.warnings.empty());  // The first exchanged energy is not compared with itself.
  CHECK(r.last("p.x") == doctest::Approx(0.7 * 0.7).epsilon(1e-8));
  CHECK(r.last("s") == doctest::Approx(1.5).epsilon(1e-8));
}

// Steps grow to a tenth of the span if nothing happens. Short loads are detected at the rows.
TEST_CASE("loads that are short against the steps are met at the rows, by every method with error control") {
  const std::string push =
      "mbd 1\nspace 1\nparticle p(1) at 0\nforce push on p: if t > 47 and t < 47.3 then 10 else 0\n"
      "simulate { time = 0 .. 100 step 0.01; integrator = ";
  const std::string field =
      "mbd 1\nparticle p(1) at (0, 0, 0) moving (10, 0, 0)\n"
      "force mag on p: if abs(p.x - 300) < 0.5 then (0, 5, 0) else (0, 0, 0)\n"
      "simulate { time = 0 .. 100 step 0.01; integrator = ";
  const std::string bump =
      "mbd 1\nparam ms = 290, mu = 59, ks = 16182, cs = 1000, kt = 19e4, v = 20\nspace 1\nlet X = v*t - 500\n"
      "let road = if X > 0 and X < 4 then 0.1*(1 - cos(2*pi*X/4))/2 else 0\n"
      "particle s(ms) at 0\nparticle u(mu) at 0\nlet fs = ks*(s.x - u.x) + cs*(s.vx - u.vx)\n"
      "force a on s: -fs\nforce b on u: fs - kt*(u.x - road)\n"
      "simulate { time = 0 .. 50 step 0.01; integrator = ";
  for (const char* method :
       {"auto", "auto(tol = 1e-9)", "dop853(rtol = 1e-9, atol = 1e-12)", "dopri5(rtol = 1e-9, atol = 1e-12)"}) {
    CAPTURE(method);
    CHECK(std::fabs(run_both(push + method + " }\n").last("p.vx") - 3) < 1e-6);
    const Run across = run_both(field + method + " }\n");  // The particle is in the field for 0.1 s.
    CHECK(std::fabs(across.last("p.y") - (0.025 + 0.5 * 69.95)) < 1e-5);
    const Run car = run_both(bump + method + " }\n");
    double highest = 0;
    for (std::size_t row = 0; row < car.rows(); ++row) highest = std::max(highest, car.at(row, "s.x"));
    // The reference is rk4 at 0.1 ms; the rows are 10 ms apart.
    CHECK(highest == doctest::Approx(0.05824914).epsilon(1e-4));
  }
}
