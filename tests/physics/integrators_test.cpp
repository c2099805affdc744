// SPDX-License-Identifier: Apache-2.0
// Tests properties of the integrators other than their order: the start of ab4, and the steps, tolerances and
// interpolation of dopri5, which are those of ode45.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "runtime/integrators/dopri5.h"
#include "runtime/integrators/step_control.h"
#include "tests/oracles/closed_forms.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

using Rate = std::function<void(double, const double*, double*)>;

struct Counts {
  int accepted = 0, rejected = 0, evaluations = 0;
  std::vector<double> y;
};

// Integrates with the pair and its step control in a plain loop without a model.
Counts integrate(const Rate& f, std::vector<double> y, double end, double rtol, double atol) {
  Counts c;
  const auto rhs = [&](double t, const double* x, double* dx) {
    ++c.evaluations;
    f(t, x, dx);
    return 0;
  };
  runtime::Dopri5 method(y.size());
  runtime::StepControl control({rtol, atol, 0, 0}, 0, end, y.size());
  std::vector<double> k1(y.size());
  rhs(0, y.data(), k1.data());
  control.begin(y, k1);
  for (double t = 0; t < end;) {
    double h = control.next(t, control.smallest(t));
    for (;;) {
      method.step(rhs, t, h, y, k1);
      method.estimate(rhs, t);
      const double error = method.error(control, y, [&](std::size_t i) {
        return std::max({std::fabs(y[i]), std::fabs(method.y_new()[i]), atol / rtol});
      });
      if (control.accepts(error)) {
        control.accept(error);
        break;
      }
      ++c.rejected;
      h = control.reject(error);
    }
    ++c.accepted;
    t = control.reaches_end() ? end : t + h;
    y = method.y_new();
    k1 = method.last_stage();
  }
  c.y = y;
  return c;
}

const char* const kKepler =
    "mbd 1\nspace 2\nparticle p(1) at (0.5, 0) moving (0, sqrt(3))\nforce f on p: -p.pos/norm(p.pos)^3\n"
    "simulate { time = 0 .. 6.25 step 0.125; integrator = METHOD }\n";

double kepler_error(const Run& r) {
  double worst = 0;
  for (std::size_t row = 0; row < r.rows(); ++row) {
    const oracle::Motion m = oracle::kepler(r.time[row], 0.5L);
    worst = std::max(worst, static_cast<double>(std::hypot(r.at(row, "p.x") - m.x, r.at(row, "p.y") - m.y)));
  }
  return worst;
}

const char* const kPendulum =
    "mbd 1\nspace 2\ngravity (0, -9.81)\nparticle p(2) at (0, -1) moving (4, 0)\n"
    "constraint rod: dist(p, ground) == 1\n";

std::string simulate(const std::string& settings) { return "simulate { " + settings + " }\n"; }

}  // namespace

TEST_CASE("dopri5 takes as many steps as ode45 where its counts are published") {
  // For x' = t - 2 x on 0 .. 10 from 0, the published counts are 14 successful steps, 2 failed attempts and 97 function
  // evaluations.
  const Counts linear =
      integrate([](double t, const double* x, double* dx) { dx[0] = t - 2 * x[0]; }, {0}, 10, 1e-3, 1e-6);
  CHECK(linear.accepted == 14);
  CHECK(linear.rejected == 2);
  CHECK(linear.evaluations == 97);
  // For van der Pol's equation with mu = 1 on 0 .. 20 from (2, 0) they are 59, 10 and 415.
  const Run r = run_both("mbd 1\ncoord x = 2 rate 0\nkinetic T: x'^2/2\nload f on x: (1 - x^2)*x' - x\n" +
                         simulate("time = 0 .. 20 count 1; integrator = dopri5(rtol = 1e-3, atol = 1e-6)"));
  CHECK(r.result.adaptive);
  CHECK(r.result.steps == 59);
  CHECK(r.result.rejected == 10);
  CHECK(r.result.evaluations == 415);
  CHECK(r.result.integrator == "dopri5(rtol = 0.001, atol = 1e-06)");
}

TEST_CASE("the error of dopri5 is proportional to the tolerance") {
  std::vector<double> tolerances, errors;
  std::uint64_t steps = 0;
  for (double rtol = 1e-4; rtol > 5e-11; rtol /= 10) {
    const Run r = run(replaced(kKepler, "METHOD", "dopri5(rtol = " + number(rtol) + ", atol = " + number(rtol) + ")"));
    REQUIRE(r.result.status == Status::complete);
    REQUIRE(r.rows() == 51);
    tolerances.push_back(rtol);
    errors.push_back(kepler_error(r));
    CHECK(errors.back() < 100 * rtol);
    CHECK(r.result.steps > steps);
    steps = r.result.steps;
    // The steps are smallest at the pericentre and largest at the apocentre.
    CHECK(r.result.smallest_step < r.result.largest_step / 3);
  }
  CHECK(std::fabs(oracle::order(tolerances, errors) - 1) < 0.15);
}

TEST_CASE("the continuous extension of dopri5 is of order 4") {
  // The test makes one step of x' = -x + cos t from t = 0.3 on the exact solution. The error at theta h is O(h^5), and
  // that at the end is O(h^6).
  const auto exact = [](double t) { return std::exp(-t) + (std::cos(t) + std::sin(t)) / 2; };
  const auto rhs = [](double t, const double* x, double* dx) {
    dx[0] = std::cos(t) - x[0];
    return 0;
  };
  for (const double theta : {0.1, 0.2, 0.4, 1.0}) {
    CAPTURE(theta);
    std::vector<double> steps, errors;
    for (double h = 0.2; h > 0.02; h /= 2) {
      runtime::Dopri5 method(1);
      std::vector<double> y{exact(0.3)}, k1(1), out(1);
      rhs(0.3, y.data(), k1.data());
      method.step(rhs, 0.3, h, y, k1);
      method.estimate(rhs, 0.3);
      method.interpolate({0.3 + theta * h, theta}, y, out);
      if (theta == 1) CHECK(out[0] == doctest::Approx(method.y_new()[0]).epsilon(1e-15));
      std::vector<double> before(1), behind(1), slope(1);
      method.interpolate({0.3, theta - 1e-5}, y, before);
      method.interpolate({0.3, theta + 1e-5}, y, behind);
      method.slope({0.3, theta}, slope);
      CHECK(slope[0] == doctest::Approx((behind[0] - before[0]) / (2e-5 * h)).epsilon(1e-8));
      steps.push_back(h);
      errors.push_back(std::fabs(out[0] - exact(0.3 + theta * h)));
    }
    CHECK(std::fabs(oracle::order(steps, errors) - (theta == 1 ? 6 : 5)) < 0.2);
  }
}

TEST_CASE("rows between the steps of dopri5 are as good as the steps and change nothing in them") {
  const std::string settings = "integrator = dopri5(rtol = 1e-8, atol = 1e-10)";
  const Run coarse = run_both(kPendulum + simulate("time = 0 .. 3 count 1; " + settings));
  const Run fine = run_both(kPendulum + simulate("time = 0 .. 3 count 3000; " + settings));
  CHECK(fine.result.steps == coarse.result.steps);
  CHECK(fine.result.rejected == coarse.result.rejected);
  CHECK(fine.result.state == coarse.result.state);
  REQUIRE(fine.rows() == 3001);
  CHECK(fine.result.steps < 400);
  for (std::size_t row = 0; row < fine.rows(); ++row) {
    const oracle::Motion m = oracle::pendulum(fine.time[row], 1, 9.81, 4);
    CHECK(std::hypot(fine.at(row, "p.x") - static_cast<double>(m.x), fine.at(row, "p.y") - static_cast<double>(m.y)) <
          2e-7);
  }
  // Recorded states satisfy the constraint at every level at any place in a step.
  CHECK(*fine.constraint("rod").position < 1e-14);
  CHECK(*fine.constraint("rod").velocity < 1e-14);
  CHECK(*fine.constraint("rod").acceleration < 1e-12);
}

TEST_CASE("every second row of dopri5 is recorded when asked for, and the last") {
  Simulation program =
      compile_text(kPendulum + simulate("time = 0 .. 1 count 101; integrator = dopri5"), Engine::interpreter);
  RunOptions options;
  options.output_every = 2;
  const Run r = run(program, options);
  REQUIRE(r.rows() == 52);
  CHECK(r.time[1] == doctest::Approx(2.0 / 101));
  CHECK(r.time[50] == doctest::Approx(100.0 / 101));
  CHECK(r.time[51] == 1);
}

TEST_CASE("max_step and initial_step of dopri5") {
  const Run held = run(kPendulum + simulate("time = 0 .. 1 count 1; integrator = dopri5(max_step = 0.002)"));
  CHECK(held.result.largest_step < 0.0022);  // The last step may be stretched to the end.
  CHECK(held.result.steps >= 455);
  const Run begun = run(kPendulum + simulate("time = 0 .. 1 count 1; integrator = dopri5(initial_step = 1e-7)"));
  CHECK(begun.result.smallest_step == 1e-7);
  const Run usual = run(kPendulum + simulate("time = 0 .. 1 count 1; integrator = dopri5"));
  CHECK(usual.result.smallest_step > 1e-7);
  CHECK(begun.result.integrator == "dopri5(initial_step = 1e-07, rtol = 1e-06, atol = 1e-09)");
}

TEST_CASE("ab4 starts with three steps of rk4") {
  const std::string oscillator = "mbd 1\ncoord x = 1 rate 0.3\nkinetic T: x'^2/2\npotential V: 2*x^2\n";
  const double h = 0.01;
  const Run ab4 = run_both(oscillator + simulate("time = 0 .. 0.1 step 0.01; integrator = ab4"));
  const Run rk4 = run_both(oscillator + simulate("time = 0 .. 0.1 step 0.01; integrator = rk4"));
  for (std::size_t row = 0; row <= 3; ++row) {
    CHECK(ab4.at(row, "x") == rk4.at(row, "x"));
    CHECK(ab4.at(row, "x'") == rk4.at(row, "x'"));
  }
  for (std::size_t row = 4; row < ab4.rows(); ++row) {
    const auto f = [&](std::size_t back, const char* name) { return ab4.at(row - 1 - back, name); };
    const auto next = [&](const char* of, const char* rate) {
      return f(0, of) + h / 24 * (55 * f(0, rate) - 59 * f(1, rate) + 37 * f(2, rate) - 9 * f(3, rate));
    };
    CHECK(ab4.at(row, "x") == doctest::Approx(next("x", "x'")).epsilon(1e-15));
    CHECK(ab4.at(row, "x'") == doctest::Approx(next("x'", "x''")).epsilon(1e-15));
  }
  CHECK(ab4.result.evaluations == 11 + 9);
}

TEST_CASE("ab4 starts again when the set of rows changes") {
  // The row is 0 == 0 after the particle has passed x = 0.
  const std::string text =
      "mbd 1\nspace 2\nparticle p(1) at (0.5, 0) moving (-1, 0)\nforce f on p: (0, 0.3)\n"
      "constraint c: max(p.x, 0)*p.vy == 0\n";
  const Run r = run_both(text + simulate("time = 0 .. 1 step 0.01; integrator = ab4; stabilise = none"));
  REQUIRE(r.result.status == Status::complete);
  REQUIRE(!r.result.rank_changes.empty());
  CHECK(r.result.rank_changes.back().after == 0);
  // There are 101 rows, 9 stages for each start, and one more evaluation for each requested certification.
  const Run plain = run(text + simulate("time = 0 .. 0.4 step 0.01; integrator = ab4; stabilise = none"));
  CHECK(plain.result.evaluations == 41 + 9);
  CHECK(r.result.evaluations >= 101 + 2 * 9);
  CHECK(r.result.evaluations <= 101 + 2 * 9 + 60);
  // From x = 0 on the force is constant. The result is exact if no rate from before is used, and otherwise its error is
  // 31/24 of the work of a step.
  CHECK(r.last("p.vy") == doctest::Approx(0.3 * 0.5).epsilon(1e-12));
  CHECK(r.last("p.y") == doctest::Approx(0.3 * 0.5 * 0.5 / 2).epsilon(1e-12));
}

TEST_CASE("interpreter and native code give the same rows under every integrator and stabilisation") {
  for (const char* integrator : {"ab4", "dopri5", "dopri5(fixed)"})
    for (const char* stabilise : {"project", "none", "baumgarte", "partition"}) {
      CAPTURE(std::string(integrator));
      CAPTURE(std::string(stabilise));
      const Run r = run_both(example("double_pendulum_redundant"),
                             {std::string("integrator = ") + integrator, std::string("stabilise = ") + stabilise,
                              "time.end = 0.2", "time.step = 0.005"});
      CHECK(r.result.status == Status::complete);
      CHECK(r.rows() == 41);
      CHECK(r.result.dependent_rows.size() == 2);
    }
}
