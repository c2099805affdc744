// SPDX-License-Identifier: Apache-2.0
// Tests the method for stiff problems alone: errors that follow the tolerance on closed forms, stiff or not, with and
// without projection; steps that end at given times; interpolation; callbacks that fail or throw.
#include "runtime/integrators/bdf.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

using mbc::runtime::Bdf;
using Outcome = Bdf::Outcome;
using State = std::vector<double>;

namespace {

// The error of a step of order q is kept at the tolerance. The total error is its power q/(q + 1), with q = 5 in the
// end.
constexpr double kSlope = 5.0 / 6;

// The problem y' = -k (y - cos t) - sin t has the solution y = cos t for y(0) = 1 (A. Prothero, A. Robinson, Math.
// Comp. 28 (1974) 145-162).
Bdf::Problem relaxing(double k, double tolerance) {
  Bdf::Problem p;
  p.n = 1;
  p.rate = [k](double t, const double* y, double* dy) {
    dy[0] = -k * (y[0] - std::cos(t)) - std::sin(t);
    return true;
  };
  p.jacobian = [k](double, double, const double*, double* J) {
    J[0] = -k;
    return true;
  };
  p.allowed = [tolerance](const double*, double* out) { out[0] = tolerance; };
  return p;
}

// The problem (x, y)' = (-y, x) moves on the unit circle. The third entry is the integral of x^2, which has no
// tolerance of its own.
Bdf::Problem circle(double tolerance, bool project) {
  Bdf::Problem p;
  p.n = 3;
  p.rate = [](double, const double* y, double* dy) {
    dy[0] = -y[1];
    dy[1] = y[0];
    dy[2] = y[0] * y[0];
    return true;
  };
  p.jacobian = [](double, double, const double* y, double* J) {
    J[0 * 3 + 1] = 1;
    J[1 * 3 + 0] = -1;
    J[0 * 3 + 2] = 2 * y[0];
    return true;
  };
  p.allowed = [tolerance](const double*, double* out) {
    out[0] = out[1] = tolerance;
    out[2] = std::numeric_limits<double>::infinity();
  };
  if (project)
    p.project = [](double, const double* y, double* correction) {
      const double scale = 1 / std::hypot(y[0], y[1]) - 1;
      correction[0] = scale * y[0];
      correction[1] = scale * y[1];
      correction[2] = 0;
      return true;
    };
  return p;
}

// Steps to `end` and returns the number of steps.
int run(Bdf& method, double end) {
  int steps = 0;
  while (method.time() < end) {
    REQUIRE(method.step(end) == Outcome::done);
    ++steps;
  }
  return steps;
}

// Returns the least-squares slope of log error over log tolerance.
template <class Error>
double slope(Error&& error_at) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (int k = 4; k <= 11; ++k) {
    const double a = -k, b = std::log10(error_at(std::pow(10.0, -k)));
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace

TEST_CASE("a stiff problem takes the steps of its smooth solution, and its error follows the tolerance") {
  std::array<int, 2> steps{};
  for (const bool stiff : {false, true}) {
    const double k = stiff ? 1e8 : 10;
    const double found = slope([&](double tolerance) {
      Bdf method(relaxing(k, tolerance / 100));
      method.restart(0, {1}, 10);
      steps[stiff ? 1 : 0] = run(method, 10);
      return std::max(std::fabs(method.y_new()[0] - std::cos(10.0)), 1e-17) * (stiff ? k : 1);
    });
    if (!stiff) CHECK(std::fabs(found - kSlope) < 0.1);
  }
  CHECK(steps[1] < 2 * steps[0]);
}

TEST_CASE("a projection keeps what it holds, and the error follows the tolerance with it and without") {
  for (const bool project : {false, true}) {
    const double found = slope([&](double tolerance) {
      Bdf method(circle(tolerance, project));
      method.restart(0, {1, 0, 0}, 10);
      run(method, 10);
      const State& y = method.y_new();
      if (project) CHECK(std::fabs(std::hypot(y[0], y[1]) - 1) < 4e-16);
      CHECK(std::fabs(y[2] - (5 + std::sin(20.0) / 4)) < 2e3 * tolerance);
      return std::hypot(y[0] - std::cos(10.0), y[1] - std::sin(10.0));
    });
    CHECK(std::fabs(found - kSlope) < 0.1);
  }
}

TEST_CASE("steps end where they are told, and states within the last one are interpolated") {
  Bdf method(circle(1e-10, true));
  method.restart(0, {1, 0, 0}, 1);
  State between(3);
  for (const double end : {0.1, 0.2, 0.7, 1.0}) {
    while (method.time() < end) {
      REQUIRE(method.step(end) == Outcome::done);
      const double at = method.time() - 0.3 * method.length();
      method.interpolate({at, 0}, {}, between);
      CHECK(std::fabs(between[0] - std::cos(at)) < 1e-8);
    }
    CHECK(method.time() == end);
  }
}

TEST_CASE("the same bits for the same problem") {
  std::array<State, 2> ends;
  for (State& end : ends) {
    Bdf method(circle(1e-8, true));
    method.restart(0, {1, 0, 0}, 3);
    run(method, 3);
    end = method.y_new();
  }
  CHECK(ends[0] == ends[1]);
}

TEST_CASE("a rate that is not finite from a time on ends the steps there") {
  Bdf::Problem p = relaxing(1, 1e-8);
  const auto rate = p.rate;
  double last = 0;
  p.rate = [&](double t, const double* y, double* dy) {
    last = t;
    return t <= 0.5 && rate(t, y, dy);
  };
  Bdf method(std::move(p));
  method.restart(0, {1}, 1);
  Outcome outcome = Outcome::done;
  while (outcome == Outcome::done) outcome = method.step(1);
  CHECK(outcome == Outcome::undefined);
  CHECK(method.time() > 0.49);
  CHECK(method.time() <= 0.5);
  CHECK(last > 0.5);
  CHECK(method.y_new()[0] == doctest::Approx(std::cos(method.time())).epsilon(1e-6));
}

TEST_CASE("a projection that fails from a time on ends the steps there") {
  Bdf::Problem p = circle(1e-8, true);
  const auto project = p.project;
  p.project = [&](double t, const double* y, double* correction) { return t <= 0.5 && project(t, y, correction); };
  Bdf method(std::move(p));
  method.restart(0, {1, 0, 0}, 1);
  Outcome outcome = Outcome::done;
  while (outcome == Outcome::done) outcome = method.step(1);
  CHECK(outcome == Outcome::off);
  CHECK(method.time() > 0.45);
}

TEST_CASE("a motion without end is told as one, and the worst component is named") {
  Bdf::Problem p = circle(1e-8, false);
  p.rate = [](double, const double* y, double* dy) {
    dy[0] = 0;
    dy[1] = y[1] * y[1];  // The solution is 1/(1 - t).
    dy[2] = 0;
    return true;
  };
  p.jacobian = [](double, double, const double* y, double* J) {
    J[1 * 3 + 1] = 2 * y[1];
    return true;
  };
  p.allowed = [](const double* y, double* out) {
    for (int i = 0; i < 3; ++i) out[i] = 1e-8 * std::max(1.0, std::fabs(y[i]));
  };
  Bdf method(std::move(p));
  method.restart(0, {1, 1, 0}, 2);
  Outcome outcome = Outcome::done;
  for (int steps = 0; outcome == Outcome::done && steps < 100000; ++steps) outcome = method.step(2);
  CHECK((outcome == Outcome::inaccurate || outcome == Outcome::no_solution));
  CHECK(method.time() == doctest::Approx(1).epsilon(1e-6));
  CHECK(method.worst() == 1);
  CHECK(method.attempted() < 1e-6);
}

TEST_CASE("what a callback throws comes out of step(), and the method can begin anew") {
  Bdf::Problem p = relaxing(1e3, 1e-8);
  const auto rate = p.rate;
  bool armed = true;
  p.rate = [&](double t, const double* y, double* dy) {
    if (armed && t > 0.2) throw std::runtime_error("no memory");
    return rate(t, y, dy);
  };
  Bdf method(std::move(p));
  method.restart(0, {1}, 1);
  const auto to_the_end = [&] {
    while (method.time() < 1) method.step(1);
  };
  CHECK_THROWS_AS(to_the_end(), std::runtime_error);
  armed = false;
  method.restart(method.time(), State(method.y_new()), 1);
  run(method, 1);
  CHECK(method.y_new()[0] == doctest::Approx(std::cos(1.0)).epsilon(1e-6));
}

TEST_CASE("at a late time steps are as short as from 0") {
  const auto late = [](double zero) {
    Bdf::Problem p;
    p.n = 1;
    // It begins with a decay that the first steps have to resolve; the clock shows 2.4e-7 at the late time.
    p.rate = [](double, const double* y, double* dy) {
      dy[0] = -1e6 * y[0] + 1;
      return true;
    };
    p.jacobian = [](double, double, const double*, double* J) {
      J[0] = -1e6;
      return true;
    };
    p.allowed = [](const double*, double* out) { out[0] = 1e-10; };
    Bdf method(std::move(p));
    method.restart(zero, {1}, zero + 1);
    Outcome outcome = Outcome::done;
    while (outcome == Outcome::done && method.time() < zero + 1) {
      const double before = method.time();
      outcome = method.step(zero + 1);
      if (outcome == Outcome::done) CHECK(method.time() > before);
    }
    CHECK(outcome == Outcome::done);
    return method.y_new()[0];
  };
  CHECK(late(1.7e9) == doctest::Approx(late(0)).epsilon(1e-9));
}
