// SPDX-License-Identifier: Apache-2.0
// The order of the integrators with a fixed step, fitted over several halvings of the step, on the solution and on the
// energy: unconstrained problems, and the same kind of closed form where constraints are in the way.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "tests/oracles/closed_forms.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;
using oracle::Motion;

namespace {

struct Orders {
  double solution = 0, energy = 0;
};

struct Method {
  const char* name;
  double order;
  double scale;  // its first step, in units of that of rk4
  double slack;  // of the order; at the large steps of the fifth order the next term shows
};
constexpr Method kMethods[] = {{"rk4", 4, 1, 0.1}, {"ab4", 4, 0.5, 0.1}, {"dopri5(fixed)", 5, 4, 0.2}};

// Fitted over the last three halvings whose errors are the method's and not round-off.
double order_of(std::vector<double> steps, std::vector<double> errors) {
  while (!errors.empty() && errors.back() < 2e-12) {
    errors.pop_back();
    steps.pop_back();
  }
  REQUIRE(errors.size() >= 4);
  const auto skipped = static_cast<std::ptrdiff_t>(errors.size()) - 4;
  return oracle::order({steps.begin() + skipped, steps.end()}, {errors.begin() + skipped, errors.end()});
}

// `text` has STEP for the step; `exact` and `energy` are compared at every row, the largest error counts.
Orders fit(const std::string& text, double first_step, int halvings, const std::function<Motion(double)>& exact,
           const std::function<double(const Motion&)>& energy) {
  std::vector<double> steps, of_solution, of_energy;
  double h = first_step;
  for (int i = 0; i <= halvings; ++i, h /= 2) {
    const Run r = run(replaced(text, "STEP", number(h)));
    REQUIRE(r.result.status == Status::complete);
    double solution = 0, drift = 0;
    const auto at = [&](std::size_t row) {
      return Motion{r.at(row, "p.x"), r.at(row, "p.y"), r.at(row, "p.vx"), r.at(row, "p.vy")};
    };
    const double begin = energy(at(0));
    for (std::size_t row = 0; row < r.rows(); ++row) {
      const Motion found = at(row), wanted = exact(r.time[row]);
      solution = std::max(solution, static_cast<double>(std::hypot(found.x - wanted.x, found.y - wanted.y)));
      drift = std::max(drift, std::fabs(energy(found) - begin));
    }
    steps.push_back(h);
    of_solution.push_back(solution);
    of_energy.push_back(drift);
  }
  INFO("errors " << of_solution.front() << " .. " << of_solution.back() << ", energy " << of_energy.front() << " .. "
                 << of_energy.back());
  CHECK(of_solution.front() < 1e-2);
  return {order_of(steps, of_solution), order_of(steps, of_energy)};
}

Orders fit(const Method& method, const std::string& text, double first_step, const std::function<Motion(double)>& exact,
           const std::function<double(const Motion&)>& energy) {
  return fit(replaced(text, "METHOD", method.name), first_step * method.scale, 5, exact, energy);
}

double kinetic(const Motion& m) { return static_cast<double>((m.vx * m.vx + m.vy * m.vy) / 2); }

}  // namespace

TEST_CASE("the integrators have their order on Kepler's ellipse, e = 0.5") {
  const std::string text =
      "mbd 1\nspace 2\nparticle p(1) at (0.5, 0) moving (0, sqrt(3))\nforce f on p: -p.pos/norm(p.pos)^3\n"
      "simulate { time = 0 .. 6.25 step STEP; integrator = METHOD }\n";
  for (const Method& method : kMethods) {
    CAPTURE(std::string(method.name));
    const Orders orders = fit(
        method, text, 1.0 / 64, [](double t) { return oracle::kepler(t, 0.5L); },
        [](const Motion& m) { return kinetic(m) - 1 / static_cast<double>(std::hypot(m.x, m.y)); });
    CHECK(std::fabs(orders.solution - method.order) < method.slack);
    CHECK(std::fabs(orders.energy - method.order) < method.slack);
  }
}

TEST_CASE("the integrators have their order on a harmonic oscillator") {
  const std::string text =
      "mbd 1\nspace 2\nparticle p(1) at (1, 0) moving (0, 0.5)\nforce f on p: (-p.x, -4*p.y)\n"
      "simulate { time = 0 .. 6.25 step STEP; integrator = METHOD }\n";
  for (const Method& method : kMethods) {
    CAPTURE(std::string(method.name));
    const Orders orders = fit(
        method, text, 1.0 / 16,
        [](double t) {
          return Motion{std::cos(t), 0.25 * std::sin(2 * t), -std::sin(t), 0.5 * std::cos(2 * t)};
        },
        [](const Motion& m) { return kinetic(m) + static_cast<double>(m.x * m.x + 4 * m.y * m.y) / 2; });
    CHECK(std::fabs(orders.solution - method.order) < method.slack);
    // linear and conservative: the error of order 4 is one of phase, the damping is (w h)^6 a step for all three
    CHECK(std::fabs(orders.energy - 5) < 0.1);
  }
}

TEST_CASE("the integrators have their order on a pendulum written as a constraint") {
  for (const Method& method : kMethods)
    for (const char* rod : {"dist(p, ground) == 1", "p.x^2 + p.y^2 == 1"})
      for (const char* stabilise : {"project", "partition(1e-12)", "none", "baumgarte(alpha = 1, beta = 1)"}) {
        CAPTURE(std::string(method.name));
        CAPTURE(std::string(rod));
        CAPTURE(std::string(stabilise));
        const std::string text =
            std::string("mbd 1\nspace 2\ngravity (0, -9.81)\n") +
            "particle p(2) at (0, -1) moving (4, 0)\nconstraint rod: " + rod +
            "\nsimulate { time = 0 .. 3.125 step STEP; integrator = METHOD; stabilise = " + stabilise + " }\n";
        const Orders orders = fit(
            method, text, 1.0 / 64, [](double t) { return oracle::pendulum(t, 1, 9.81, 4); },
            [](const Motion& m) { return kinetic(m) + 9.81 * static_cast<double>(m.y); });
        CHECK(std::fabs(orders.solution - method.order) < method.slack);
        // projection takes the part of h^4 away that large steps show: there the order is nearer to 5
        if (std::string(stabilise) == "none")
          CHECK(std::fabs(orders.energy - method.order) < method.slack);
        else
          CHECK(orders.energy > method.order - 0.1);
      }
}

TEST_CASE("the integrators have their order on a bead on a rotating wire") {
  for (const Method& method : kMethods)
    for (const char* stabilise : {"project", "partition(1e-12)", "none", "baumgarte(alpha = 1, beta = 1)"}) {
      CAPTURE(std::string(method.name));
      CAPTURE(std::string(stabilise));
      const std::string text = std::string("mbd 1\nspace 2\nparticle p(3) at (0.1, 0) moving (0, 0.2)\n") +
                               "constraint wire: p.x*sin(2*t) - p.y*cos(2*t) == 0\n" +
                               "simulate { time = 0 .. 2.5 step STEP; integrator = METHOD; stabilise = " + stabilise +
                               " }\n";
      // r'^2/2 - w^2 r^2/2 is constant
      const Orders orders = fit(
          method, text, 1.0 / 16, [](double t) { return oracle::bead(t, 0.1L, 2); },
          [](const Motion& m) {
            const oracle::Real r2 = m.x * m.x + m.y * m.y, rr = m.x * m.vx + m.y * m.vy;
            return static_cast<double>(rr * rr / r2 / 2 - 2 * r2);
          });
      // the errors of a partition change where other coordinates become dependent
      const double slack = stabilise[1] == 'a' ? 2 * method.slack : method.slack;
      CHECK(std::fabs(orders.solution - method.order) < slack);
      CHECK(std::fabs(orders.energy - method.order) < slack);
    }
}
