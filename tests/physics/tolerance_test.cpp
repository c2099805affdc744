// SPDX-License-Identifier: Apache-2.0
// Tests that errors are proportional to the tolerance: the examples with closed forms with every method that chooses
// its steps, the slope of log error over log tolerance from 1e-4 to 1e-11, and the smallest errors at the last
// tolerance.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

#include "tests/oracles/closed_forms.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;
using oracle::Real;

namespace {

struct Place {
  Real x = 0, y = 0;
};

// An example runs with the settings of its block except for the end. In the spans of the files, which are meant for
// viewing rows, some methods need at most ten steps, a tenth of the span each, for any tolerance.
struct Problem {
  const char* name;
  double end;
  std::vector<std::string> columns;  // x and y, or x alone
  // The closed form has a parameter `off`, a relative change of the datum with the largest effect on the motion. It is
  // 0 in the example.
  std::function<Place(Real t, Real off)> exact;
};

Place kepler(Real t, Real off) {
  const Real a = 1 + off;  // The mean motion is a^(-3/2).
  const oracle::Motion m = oracle::kepler(t / (a * std::sqrt(a)), 0.5L);
  return {a * m.x, a * m.y};
}

Place pendulum(Real t, Real off) {
  const oracle::Motion m = oracle::pendulum(t, 1, 9.81L, 4 * (1 + off));
  return {m.x, m.y};
}

Place bead(Real t, Real off) {
  const oracle::Motion m = oracle::bead(t, 0.1L, 2 * (1 + off));
  return {m.x, m.y};
}

// This is S. A. Chaplygin's speed along the blade (as in the example).
Place sleigh(Real t, Real off) {
  const Real M = 3, J = 2 * 0.25L, s = 1 / M, w0 = 2.5L * (1 + off);
  return {w0 * std::sqrt(J / M) * std::tanh(w0 * s * std::sqrt(M / J) * t), 0};
}

// The motion is a circle at 2/7 of the table's rate about a centre that the initial speed determines.
Place turntable(Real t, Real off) {
  const Real rate = 2 * oracle::kPi * (1 + off) * 2 / 7, v = 0.2L;
  return {0.3L + v / rate * std::sin(rate * t), v / rate * (1 - std::cos(rate * t))};
}

const std::vector<Problem>& problems() {
  static const std::vector<Problem> list = {
      {"kepler", 3 * 2 * static_cast<double>(oracle::kPi), {"planet.x", "planet.y"}, kepler},
      {"pendulum", 10, {"bob.x", "bob.y"}, pendulum},
      {"bead_on_rotating_wire", 4.5, {"bead.x", "bead.y"}, bead},
      {"sleigh", 10, {"speed"}, sleigh},
      {"sphere_on_turntable", 14, {"ball.x", "ball.y"}, turntable},
  };
  return list;
}

constexpr int kRows = 100;

double error_of(const Problem& p, const std::string& integrator) {
  const std::string end = number(p.end), step = number(p.end / kRows);
  const Run r =
      run(example(p.name), Engine::interpreter, {"time.end=" + end, "time.step=" + step, "integrator=" + integrator});
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  double most = 0;
  for (std::size_t row = 0; row < r.rows(); ++row) {
    const Place wanted = p.exact(r.time[row], 0);
    const Real x = r.at(row, p.columns[0]) - wanted.x;
    const Real y = p.columns.size() > 1 ? r.at(row, p.columns[1]) - wanted.y : 0;
    most = std::max(most, static_cast<double>(std::hypot(x, y)));
  }
  return most;
}

// Returns 1e3 units of rounding times the amplification of a relative change of the data in the motion.
double floor_of(const Problem& p) {
  constexpr Real kOff = 1e-7L;
  Real moved = 0;
  for (int row = 0; row <= kRows; ++row) {
    const Real t = p.end * row / kRows;
    const Place a = p.exact(t, 0), b = p.exact(t, kOff);
    moved = std::max(moved, std::hypot(b.x - a.x, b.y - a.y) / kOff);
  }
  return 1e3 * std::numeric_limits<double>::epsilon() * static_cast<double>(moved);
}

std::string with(const char* integrator, const std::string& tolerance) {
  std::string text = integrator;
  for (std::size_t at = text.find("TOL"); at != std::string::npos; at = text.find("TOL"))
    text.replace(at, 3, tolerance);
  return text;
}

constexpr const char* kMethods[] = {"auto(tol = TOL)", "dop853(rtol = TOL, atol = TOL)",
                                    "dopri5(rtol = TOL, atol = TOL)", "taylor(tol = TOL)",
                                    "bdf(rtol = TOL, atol = TOL)"};

struct Bounds {
  double least = 0.85, most = 1.15;
};

// These cases are outside of the bounds for the given reasons.
Bounds bounds_of(const std::string& problem, const std::string& method) {
  // The motion is one turn within a second. From 1e-4 to 1e-6 steps are as long as the turn, which is beyond the radius
  // of convergence of the series of tanh. The method's estimate, of order 8 in the limit of small steps, is up to a
  // hundred times the error. The published method behaves in the same way: an independent implementation of Hairer's
  // norm and control has the same eight errors to two digits with our projection, and a slope of 0.77 without one.
  if (problem == "sleigh" && method.starts_with("dop853")) return {0.75, 1.15};
  // The quaternions turn at a constant rate. The term of order 6 of the step error is an error of their norm, which
  // vanishes, and that of order 7 is an error of the angle, while the estimate is of order 5: errors follow tol^(6/5).
  // The place of the ball has these errors only through the projection, which distributes them to spin and speed.
  // Without it the place is exact to rounding at every tolerance, because no rotation enters its equation, so that it
  // has no slope at all. SciPy's RK45, the same pair with another control, has 1.16 on the same equations with the
  // speeds projected onto the rows at each step.
  if (problem == "sphere_on_turntable" && method.starts_with("dopri5")) return {1.15, 1.25};
  return {};
}

}  // namespace

TEST_CASE("errors are proportional to the tolerance from 1e-4 to 1e-11, on the examples with closed forms") {
  for (const Problem& p : problems())
    for (const char* method : kMethods) {
      CAPTURE(std::string(p.name));
      CAPTURE(std::string(method));
      const double floor = floor_of(p);
      std::vector<double> tolerances, errors;
      std::string told;
      for (int k = 4; k <= 11; ++k) {
        const std::string tolerance = "1e-" + std::to_string(k);
        const double error = error_of(p, with(method, tolerance));
        char text[16];
        std::snprintf(text, sizeof text, " %.1e", error);
        told += text;
        if (error < floor) continue;
        tolerances.push_back(std::stod(tolerance));
        errors.push_back(error);
      }
      REQUIRE(errors.size() >= 3);
      const double slope = oracle::order(tolerances, errors);
      MESSAGE(std::string(p.name) << ", " << std::string(method) << ": slope " << slope << ", errors" << told);
      CHECK(slope > bounds_of(p.name, method).least);
      CHECK(slope < bounds_of(p.name, method).most);
    }
}

TEST_CASE("at the last tolerance errors are 1e3 units of rounding times the condition, or less") {
  for (const Problem& p : problems())
    for (const auto& pair : {std::pair{kMethods[0], "1e-14"}, std::pair{kMethods[1], "1e-14"},
                             std::pair{kMethods[2], "1e-14"}, std::pair{kMethods[3], "1e-15"}}) {
      const auto* const method = pair.first;
      const auto* const last = pair.second;
      CAPTURE(std::string(p.name));
      CAPTURE(std::string(method));
      const double error = error_of(p, with(method, last)), floor = floor_of(p);
      MESSAGE(std::string(p.name) << ", " << std::string(method) << ": " << error << " of " << floor);
      CHECK(error < floor);
    }
}

// In a decaying motion the error of a step is the only change of the rows. It was once taken for a jump of a row.
TEST_CASE("what the tolerance lets pass in a step is no jump of a constraint") {
  for (const char* tolerance : {"1e-3", "1e-4", "1e-5"})
    for (const char* method : {kMethods[1], kMethods[2], kMethods[4]}) {
      CAPTURE(std::string(tolerance));
      CAPTURE(std::string(method));
      const Run r = run(example("sleigh"), Engine::interpreter,
                        {"time.end=10", "time.step=0.1", "integrator=" + with(method, tolerance)});
      CHECK_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    }
}
