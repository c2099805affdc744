// The order of rk4, fitted over five halvings of the step, on the solution and on the energy: unconstrained problems,
// and the same kind of closed form where constraints are in the way.
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
  CHECK(of_solution.back() > 1e-12);
  const Orders orders{oracle::order(steps, of_solution), oracle::order(steps, of_energy)};
  return orders;
}

double kinetic(const Motion& m) { return static_cast<double>((m.vx * m.vx + m.vy * m.vy) / 2); }

}  // namespace

TEST_CASE("rk4 is of order 4 on Kepler's ellipse, e = 0.5") {
  const std::string text =
      "mbd 1\nspace 2\nparticle p(1) at (0.5, 0) moving (0, sqrt(3))\nforce f on p: -p.pos/norm(p.pos)^3\n"
      "simulate { time = 0 .. 6.25 step STEP; integrator = rk4 }\n";
  const Orders orders = fit(
      text, 1.0 / 64, 5, [](double t) { return oracle::kepler(t, 0.5L); },
      [](const Motion& m) { return kinetic(m) - 1 / static_cast<double>(std::hypot(m.x, m.y)); });
  CHECK(std::fabs(orders.solution - 4) < 0.1);
  CHECK(std::fabs(orders.energy - 4) < 0.1);
}

TEST_CASE("rk4 is of order 4 on a harmonic oscillator") {
  const std::string text =
      "mbd 1\nspace 2\nparticle p(1) at (1, 0) moving (0, 0.5)\nforce f on p: (-p.x, -4*p.y)\n"
      "simulate { time = 0 .. 6.25 step STEP; integrator = rk4 }\n";
  const Orders orders = fit(
      text, 1.0 / 16, 5,
      [](double t) {
        return Motion{std::cos(t), 0.25 * std::sin(2 * t), -std::sin(t), 0.5 * std::cos(2 * t)};
      },
      [](const Motion& m) { return kinetic(m) + static_cast<double>(m.x * m.x + 4 * m.y * m.y) / 2; });
  CHECK(std::fabs(orders.solution - 4) < 0.1);
  CHECK(std::fabs(orders.energy - 5) < 0.1);  // linear and conservative: damping (w h)^6/144 a step
}

TEST_CASE("rk4 is of order 4 on a pendulum written as a constraint") {
  for (const char* rod : {"dist(p, ground) == 1", "p.x^2 + p.y^2 == 1"})
    for (const char* stabilise : {"project", "none"}) {
      CAPTURE(std::string(rod));
      CAPTURE(std::string(stabilise));
      const std::string text = std::string("mbd 1\nspace 2\ngravity (0, -9.81)\n") +
                               "particle p(2) at (0, -1) moving (4, 0)\nconstraint rod: " + rod +
                               "\nsimulate { time = 0 .. 3.125 step STEP; integrator = rk4; stabilise = " + stabilise +
                               " }\n";
      const Orders orders = fit(
          text, 1.0 / 64, 5, [](double t) { return oracle::pendulum(t, 1, 9.81, 4); },
          [](const Motion& m) { return kinetic(m) + 9.81 * static_cast<double>(m.y); });
      CHECK(std::fabs(orders.solution - 4) < 0.1);
      // projection takes the part of h^4 away that large steps show: there the order is nearer to 5
      if (std::string(stabilise) == "none")
        CHECK(std::fabs(orders.energy - 4) < 0.1);
      else
        CHECK(orders.energy > 3.9);
    }
}

TEST_CASE("rk4 is of order 4 on a bead on a rotating wire") {
  for (const char* stabilise : {"project", "none"}) {
    CAPTURE(std::string(stabilise));
    const std::string text = std::string("mbd 1\nspace 2\nparticle p(3) at (0.1, 0) moving (0, 0.2)\n") +
                             "constraint wire: p.x*sin(2*t) - p.y*cos(2*t) == 0\n" +
                             "simulate { time = 0 .. 2.5 step STEP; integrator = rk4; stabilise = " + stabilise +
                             " }\n";
    // r'^2/2 - w^2 r^2/2 is constant
    const Orders orders = fit(
        text, 1.0 / 16, 5, [](double t) { return oracle::bead(t, 0.1L, 2); },
        [](const Motion& m) {
          const oracle::Real r2 = m.x * m.x + m.y * m.y, rr = m.x * m.vx + m.y * m.vy;
          return static_cast<double>(rr * rr / r2 / 2 - 2 * r2);
        });
    CHECK(std::fabs(orders.solution - 4) < 0.1);
    CHECK(std::fabs(orders.energy - 4) < 0.1);
  }
}
