// SPDX-License-Identifier: Apache-2.0
// Tests that every integrator keeps its order across 50 events: errors depending on the step and on the tolerance, for
// a relay, for forces given by points, and for a relay that turns a rod with projection and with coordinate
// partitioning. The motions are known piecewise.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// An Oscillator moves piecewise by x'' = -w^2 (x - middle).
struct Oscillator {
  double t = 0, x = 0, v = 0, middle = 0, w = 1;

  void go(double to) {
    const double c = std::cos(w * (to - t)), s = std::sin(w * (to - t)), y = x - middle;
    x = middle + y * c + v / w * s;
    v = -w * y * s + v * c;
    t = to;
  }
  // Returns the next time at which x = level with a velocity of this sign, or 1e300 if there is none.
  [[nodiscard]] double passes(double level, int sign) const {
    const double y = x - middle, r = std::hypot(y, v / w), phase = std::atan2(v / w, y);  // y = r cos(w s - phase)
    if (std::fabs(level - middle) > r) return 1e300;
    double s = phase - sign * std::acos((level - middle) / r);
    while (s <= 1e-9) s += 2 * std::numbers::pi;
    while (s > 2 * std::numbers::pi + 1e-9) s -= 2 * std::numbers::pi;
    return t + s / w;
  }
};

struct Problem {
  std::string text;  // contains METHOD and STEP
  std::string quantity = "p.x";
  double end = 0, exact = 0;
  // the step at which the method of order 8 shows its order, above the effect of 4 ulp of the event times
  double step8 = 0.5;
  int events = 0;
};

// The relay gives u = 1 until x rises through 0.5, and then -1 until x falls through -0.5.
Problem relay() {
  Problem p;
  p.end = 160;
  p.step8 = 1;
  p.text = R"(mbd 1
space 1
state u = 1
particle p(1) at 0.3 moving 0
force f on p: -p.x + u
when up: p.x - 0.5 rising { u = -1 }
when down: p.x + 0.5 falling { u = 1 }
simulate { time = 0 .. 160 step STEP; integrator = METHOD }
)";
  Oscillator o{0, 0.3, 0, 1, 1};
  for (int sign = 1;; sign = -sign) {
    const double t = o.passes(0.5 * sign, sign);
    if (t > p.end) break;
    o.go(t);
    o.middle = -sign;
    ++p.events;
  }
  o.go(p.end);
  p.exact = o.x;
  return p;
}

// The same relay, reduced to a tenth, acts on the angle of a particle on a rod.
Problem turned(const std::string& stabilise) {
  Problem p;
  p.end = 160;
  p.step8 = 0.2;
  p.quantity = "angle";
  p.text = R"(mbd 1
space 2
state u = 0.1
particle p(1) at (cos(0.03), sin(0.03))
let a = atan2(p.y, p.x)
constraint rod: norm(p.pos) == 1
force f on p: (u - a)*(-p.y, p.x)
when up: a - 0.05 rising { u = -0.1 }
when down: a + 0.05 falling { u = 0.1 }
output angle = a
simulate { time = 0 .. 160 step STEP; integrator = METHOD; stabilise = )" +
           stabilise + " }\n";
  Oscillator o{0, 0.03, 0, 0.1, 1};
  for (int sign = 1;; sign = -sign) {
    const double t = o.passes(0.05 * sign, sign);
    if (t > p.end) break;
    o.go(t);
    o.middle = -0.1 * sign;
    ++p.events;
  }
  o.go(p.end);
  p.exact = o.x;
  return p;
}

// The spring has a stiffness of 1, and of 4 beyond 0.5 on either side.
Problem spring() {
  Problem p;
  p.end = 55;
  p.text = R"(mbd 1
space 1
particle p(1) at 1.2 moving 0
force f on p: -table(p.x, (-3, -0.5, 0.5, 3), (-10.5, -0.5, 0.5, 10.5))
simulate { time = 0 .. 55 step STEP; integrator = METHOD; kinks = locate }
)";
  Oscillator o{0, 1.2, 0, 0.375, 2};
  for (int sign = -1;; sign = -sign) {  // It crosses 0.5 inwards and -0.5 outwards.
    double t = o.passes(-0.5 * sign, sign);
    if (t > p.end) break;
    o.go(t);
    o.middle = 0;
    o.w = 1;
    ++p.events;
    t = o.passes(0.5 * sign, sign);
    if (t > p.end) break;
    o.go(t);
    o.middle = 0.375 * sign;
    o.w = 2;
    ++p.events;
  }
  o.go(p.end);
  p.exact = o.x;
  return p;
}

// The slope of the force changes at 50 times.
Problem signal() {
  Problem p;
  p.end = 25.5;
  std::string times = "(0", forces = "(0";
  double x = 1, v = 0, last = 0, t = 0;
  for (int k = 1; k <= 51; ++k) {
    const double force = k % 3 == 0 ? 1 : k % 3 == 1 ? -2 : 0.5, until = 0.5 * k + 0.013;
    times += ", " + number(until);
    forces += ", " + number(force);
    // x'' = -x + last + slope s has the force itself as a particular solution.
    const double slope = (force - last) / (until - t), h = std::min(until, p.end) - t, y = x - last, w = v - slope;
    x = last + slope * h + y * std::cos(h) + w * std::sin(h);
    v = slope - y * std::sin(h) + w * std::cos(h);
    last = force;
    t = until;
    if (t < p.end) ++p.events;
  }
  p.exact = x;
  p.text = "mbd 1\nspace 1\nparticle p(1) at 1 moving 0\nforce f on p: -p.x + table(t, " + times + "), " + forces +
           "))\nsimulate { time = 0 .. 25.5 step STEP; integrator = METHOD; kinks = locate }\n";
  return p;
}

std::vector<Problem> problems() { return {relay(), spring(), signal(), turned("project"), turned("partition(1e-12)")}; }

double error_of(const Problem& p, const std::string& method, double step) {
  const Run r = run(replaced(replaced(p.text, "METHOD", method), "STEP", number(step)));
  REQUIRE(r.result.status == Status::complete);
  CHECK(static_cast<int>(r.result.events + r.result.kinks) == p.events);
  return std::fabs(r.last(p.quantity) - p.exact);
}

}  // namespace

TEST_CASE("methods of fixed steps keep their order across 50 events") {
  struct Case {
    const char* method;
    double order, step;  // step from which on the order is visible
  };
  for (const Problem& p : problems()) {
    CAPTURE(p.text);
    CHECK(p.events >= 50);
    for (const Case& c : {Case{"rk4", 4, 0.025}, Case{"ab4", 4, 0.0125}, Case{"dopri5(fixed)", 5, 0.1},
                          Case{"dop853(fixed)", 8, p.step8}}) {
      CAPTURE(c.method);
      const double coarse = error_of(p, c.method, c.step), fine = error_of(p, c.method, c.step / 2);
      CAPTURE(coarse);
      CAPTURE(fine);
      CHECK(std::log2(coarse / fine) > c.order - 0.3);
    }
  }
}

TEST_CASE("methods of their own steps keep to their tolerance across 50 events") {
  for (const Problem& p : problems()) {
    CAPTURE(p.text);
    for (const char* method : {"dopri5(rtol = TOL, atol = TOL)", "dop853(rtol = TOL, atol = TOL)",
                               "bdf(rtol = TOL, atol = TOL)", "auto(tol = TOL)"}) {
      CAPTURE(method);
      const auto error = [&, method = method](double tol) {
        std::string named = method;
        for (std::size_t at = named.find("TOL"); at != std::string::npos; at = named.find("TOL"))
          named.replace(at, 3, number(tol));
        return error_of(p, named, 0.5);
      };
      const double coarse = error(1e-5), fine = error(1e-8);
      CAPTURE(coarse);
      CAPTURE(fine);
      // The error follows the tolerance or is below it, because steps that end at events are not longer.
      CHECK((std::log10(coarse / fine) / 3 > 0.8 || (coarse < 1e-5 && fine < 1e-8)));
    }
  }
}
