// SPDX-License-Identifier: Apache-2.0
// Fits the order of the integrators with fixed steps over several halvings of the step, for the solution and for the
// energy. The problems are unconstrained ones, and closed forms of the same kind with holonomic and nonholonomic
// constraints.
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
  double scale;  // first step in units of that of rk4
};
constexpr Method kMethods[] = {{"rk4", 4, 1}, {"ab4", 4, 0.5}, {"dopri5(fixed)", 5, 2}};
constexpr double kSlack = 0.1;           // slack of orders
constexpr double kSlackOfEnergy = 0.15;  // slack of order 5, because round-off is reached before the next term vanishes
constexpr double kRounding = 2e-12;      // Smaller errors are not those of the method.

// The order is fitted over the last two halvings whose errors are those of the method and not round-off. At larger
// steps the next term of the error is visible.
double order_of(std::vector<double> steps, std::vector<double> errors, double rounding) {
  while (!errors.empty() && errors.back() < rounding) {
    errors.pop_back();
    steps.pop_back();
  }
  REQUIRE(errors.size() >= 3);
  const auto skipped = static_cast<std::ptrdiff_t>(errors.size()) - 3;
  return oracle::order({steps.begin() + skipped, steps.end()}, {errors.begin() + skipped, errors.end()});
}

using OfRow = std::function<double(const Run& run, std::size_t row)>;

// `text` contains STEP for the step. The error of the solution and the change of the energy are computed in every row,
// and the largest ones count.
Orders fit(const std::string& text, double first_step, int halvings, const OfRow& error, const OfRow& energy,
           double rounding) {
  std::vector<double> steps, of_solution, of_energy;
  double h = first_step;
  for (int i = 0; i <= halvings; ++i, h /= 2) {
    const Run r = run(replaced(text, "STEP", number(h)));
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    double solution = 0, drift = 0;
    for (std::size_t row = 0; row < r.rows(); ++row) {
      solution = std::max(solution, error(r, row));
      drift = std::max(drift, std::fabs(energy(r, row) - energy(r, 0)));
    }
    steps.push_back(h);
    of_solution.push_back(solution);
    of_energy.push_back(drift);
  }
  INFO("errors " << of_solution.front() << " .. " << of_solution.back() << ", energy " << of_energy.front() << " .. "
                 << of_energy.back());
  CHECK(of_solution.front() < 1e-2);
  return {order_of(steps, of_solution, rounding), order_of(steps, of_energy, kRounding)};
}

// This overload is for a particle p.
Orders fit(const std::string& text, double first_step, int halvings, const std::function<Motion(double)>& exact,
           const std::function<double(const Motion&)>& energy, double rounding) {
  const auto at = [](const Run& r, std::size_t row) {
    return Motion{r.at(row, "p.x"), r.at(row, "p.y"), r.at(row, "p.vx"), r.at(row, "p.vy")};
  };
  const OfRow error = [&](const Run& r, std::size_t row) {
    const Motion found = at(r, row), wanted = exact(r.time[row]);
    return static_cast<double>(std::hypot(found.x - wanted.x, found.y - wanted.y));
  };
  const OfRow energy_at = [&](const Run& r, std::size_t row) { return energy(at(r, row)); };
  return fit(text, first_step, halvings, error, energy_at, rounding);
}

Orders fit(const Method& method, const std::string& text, double first_step, const std::function<Motion(double)>& exact,
           const std::function<double(const Motion&)>& energy, double rounding = kRounding) {
  return fit(replaced(text, "METHOD", method.name), first_step * method.scale, 5, exact, energy, rounding);
}

double kinetic(const Motion& m) { return static_cast<double>((m.vx * m.vx + m.vy * m.vy) / 2); }

}  // namespace

TEST_CASE("the integrators have their order on Kepler's ellipse, e = 0.5") {
  const std::string text =
      "mbd 1\nspace 2\nparticle p(1) at (0.5, 0) moving (0, sqrt(3))\nforce f on p: -p.pos/norm(p.pos)^3\n"
      "simulate { time = 0 .. END step STEP; integrator = METHOD }\n";
  for (const Method& method : kMethods) {
    CAPTURE(std::string(method.name));
    // Within one turn the first two error terms of dopri5 are of equal size at all steps that double precision
    // resolves. Within ten turns the first one has grown. (For rk4 the second one grows.)
    const bool ten = method.order == 5;
    const Orders orders = fit(
        method, replaced(text, "END", ten ? "62.5" : "6.25"), 1.0 / 64,
        [](double t) { return oracle::kepler(t, 0.5L); },
        [](const Motion& m) { return kinetic(m) - 1 / static_cast<double>(std::hypot(m.x, m.y)); },
        ten ? 10 * kRounding : kRounding);
    CHECK(std::fabs(orders.solution - method.order) < kSlack);
    CHECK(std::fabs(orders.energy - method.order) < kSlack);
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
    CHECK(std::fabs(orders.solution - method.order) < kSlack);
    // The system is linear and conservative. The error of order 4 is an error of phase, and the damping is (w h)^6 per
    // step for all three.
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
        CHECK(std::fabs(orders.solution - method.order) < kSlack);
        // Projection removes the part of h^4 that large steps show; the order there is closer to 5.
        if (std::string(stabilise) == "none")
          CHECK(std::fabs(orders.energy - method.order) < (method.order == 5 ? kSlackOfEnergy : kSlack));
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
      // r'^2/2 - w^2 r^2/2 is constant.
      const Orders orders = fit(
          method, text, 1.0 / 16, [](double t) { return oracle::bead(t, 0.1L, 2); },
          [](const Motion& m) {
            const oracle::Real r2 = m.x * m.x + m.y * m.y, rr = m.x * m.vx + m.y * m.vy;
            return static_cast<double>(rr * rr / r2 / 2 - 2 * r2);
          },
          kRounding / 4);
      CHECK(std::fabs(orders.solution - method.order) < kSlack);
      // The errors of a partition change where other coordinates become dependent; the order of dopri5(fixed) is then
      // 5.36.
      const bool changes = std::string(stabilise).starts_with("partition");
      const double slack = changes ? (method.order == 5 ? 0.4 : 0.2) : kSlack;
      CHECK(std::fabs(orders.energy - method.order) < slack);
    }
}

// S. A. Chaplygin's sleigh (examples/sleigh.mbd) turns by (w0/k) gd(k t), gd(x) = 2 atan(tanh(x/2)).
TEST_CASE("the integrators have their order on a sleigh: a nonholonomic constraint and a rod") {
  const double M = 3, J = 0.5, w0 = 2.5, k = w0 / M * std::sqrt(M / J);
  const OfRow error = [&](const Run& r, std::size_t row) {
    const double t = r.time[row], angle = 2 * w0 / k * std::atan(std::tanh(k * t / 2));
    return std::hypot(r.at(row, "b.x") - r.at(row, "a.x") - std::cos(angle) / 2,
                      r.at(row, "b.y") - r.at(row, "a.y") - std::sin(angle) / 2);
  };
  const OfRow energy = [](const Run& r, std::size_t row) { return r.at(row, "energy.total"); };
  for (const Method& method : kMethods)
    for (const char* stabilise : {"project", "partition(1e-12)", "none", "baumgarte(alpha = 1, beta = 1)"}) {
      CAPTURE(std::string(method.name));
      CAPTURE(std::string(stabilise));
      const std::string text =
          "mbd 1\nspace 2\nparticle a(1) at (0, 0)\nparticle b(2) at (0.5, 0) moving (0, 1.25)\n"
          "constraint rod: dist(a, b) == 0.5\n"
          "constraint blade: (b.x - a.x)*a.vy - (b.y - a.y)*a.vx == 0\noutput energy.total\n"
          "simulate { time = 0 .. 2 step STEP; integrator = METHOD; stabilise = " +
          std::string(stabilise) + " }\n";
      const Orders orders =
          fit(replaced(text, "METHOD", method.name), method.scale / 32, 5, error, energy, kRounding / 128);
      MESSAGE(std::string(method.name) << ", " << std::string(stabilise) << ": " << orders.solution << ", energy "
                                       << orders.energy);
      // The contribution of Baumgarte's terms is of order 6 and equally large.
      const double slack = stabilise[0] == 'b' && method.order == 5 ? 0.15 : kSlack;
      CHECK(std::fabs(orders.solution - method.order) < slack);
    }
}
