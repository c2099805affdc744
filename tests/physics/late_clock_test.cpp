// SPDX-License-Identifier: Apache-2.0
// Tests runs that begin at a late time, as Unix seconds do: the state moves by what the clock shows, so that errors are
// those of a run from 0 and what a clock of that size cannot resolve.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// Returns the largest |x - cos(t - t0)| of an oscillator over the rows of one unit of time.
double error_of(const std::string& integrator, const std::string& begin) {
  const Run r = run("mbd 1\nparam t0 = " + begin + R"(
coord x = 1
kinetic K: x'^2/2
potential V: x^2/2
output err = x - cos(t - t0)
simulate { time = t0 .. t0 + 1 step 0.015625; integrator = )" +
                    integrator + " }\n");
  CAPTURE(r.result.rendered);
  REQUIRE(r.result.status == Status::complete);
  double worst = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) worst = std::max(worst, std::fabs(r.at(k, "err")));
  return worst;
}

}  // namespace

TEST_CASE("runs that begin at a late time are as good as the clock of that time") {
  for (const std::string integrator :
       {"auto", "dopri5(rtol = 1e-10, atol = 1e-12)", "dop853(rtol = 1e-10, atol = 1e-12)", "taylor(tol = 1e-12)",
        "bdf(rtol = 1e-9, atol = 1e-11)", "rk4", "ab4", "gauss6"}) {
    CAPTURE(integrator);
    const double at_zero = error_of(integrator, "0");
    for (const double begin : {1e3, 1e6, 1.7e9}) {
      CAPTURE(begin);
      const double clock = begin * std::numeric_limits<double>::epsilon();
      CHECK(error_of(integrator, std::to_string(static_cast<long long>(begin))) <= 2 * at_zero + 4 * clock);
    }
    // Rows at Unix seconds are exact doubles here, so that only the clock inside of a step is rounded.
    CHECK(error_of(integrator, "1700000000") <= 10 * at_zero + 1e-11);
  }
}

TEST_CASE("at a late time bdf makes steps that the clock does not show") {
  const auto last = [](const std::string& begin) {
    const Run r = run("mbd 1\nparam t0 = " + begin + R"(
coord x = 1
kinetic K: x'^2/2
potential V: x^2/2
load brake on x: -1e4*x'
simulate { time = t0 .. t0 + 10 step 0.1; integrator = bdf }
)");
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    return r.last("x");
  };
  CHECK(last("1.7e9") == doctest::Approx(last("0")).epsilon(1e-7));
}

TEST_CASE("where no step is short enough, a run ends soon, however the clock rounds the shortest one") {
  for (const std::string integrator : {"auto", "dopri5", "taylor"})
    for (int k = 0; k < 40; ++k) {
      const std::string at = std::to_string(1.2 + 0.2 * k);
      CAPTURE(integrator);
      CAPTURE(at);
      const Run r = run("mbd 1\ncoord x = " + at + R"(
kinetic K: x'^2/2
load pull on x: -9.81 + 0.001*sqrt(x - 1)
simulate { time = 0 .. 2 step 0.1; integrator = )" +
                        integrator + " }\n");
      CAPTURE(r.result.rendered);
      CHECK(r.code() == "E0603");
      CHECK(r.result.evaluations < 5000);
    }
}

TEST_CASE("a ball comes to rest at a late time, whose clock does not see its last hops") {
  // Hops of e = 0.8 from 1 m: rest after sqrt(2/g) (1 + e)/(1 - e).
  const double rest = std::sqrt(2 / 9.81) * 1.8 / 0.2;
  for (const char* t0 : {"0", "1e7", "1e8", "1e9", "1.7e9"})
    for (const char* method : {"auto", "rk4"}) {
      CAPTURE(t0);
      CAPTURE(method);
      const Run r = run(std::string(R"(mbd 1
param t0 = 0
space 1
gravity -9.81
particle p(1) at 1
constraint d: p.x >= 0 restitution 0.8
output last = d.time - t0
simulate { time = t0 .. t0 + 5 step 0.1; integrator = )") +
                            method + " }",
                        Engine::interpreter, {std::string("t0=") + t0});
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      CHECK(r.last("p.vx") == 0);
      CHECK(std::fabs(r.last("p.x")) <= 1e-8 + 1e-15 * std::stod(t0));
      // Hops that are too short for the clock are left out: those below 256 units in its last place.
      CHECK(r.last("last") == doctest::Approx(rest).epsilon(1e-6 + 1e-12 * std::stod(t0)));
    }
}

// The digits of the clock are no size of the model: a tenth of a millimetre beside a row of one millimetre is wrong at
// any time, and so is a start that is not on a constraint.
TEST_CASE("a start that violates its constraint is refused at any time") {
  for (const char* begin : {"0", "1000", "1000000", "-1000000", "1700000000"}) {
    CAPTURE(std::string(begin));
    const Run r = run(std::string("mbd 1\nparam t0 = ") + begin + R"(
coord q = 1e-5 rate 0.1
constraint driven: q == 1e-3*sin(100*(t - t0))
kinetic k: q'^2/2
simulate { time = t0 .. t0 + 1 step 0.01 }
)");
    CHECK(r.code() == "E0601");
  }
}

// A load of 100 rad/s turns by 100 eps t in the rounding of t, and no step can be more accurate than that.
TEST_CASE("loads and drives of 100 rad/s run at any time, and what the clock rounds is told") {
  // x'' = -k x - c x' + F cos(w (t - t0)) from rest, in resonance: x = a sin(w s) - e^(-b s) a w/v sin(v s).
  const double w = 100, c = 0.2, F = 100, b = c / 2, v = std::sqrt(w * w - b * b), a = F / (c * w);
  for (const char* integrator : {"auto", "dop853(rtol = 1e-10, atol = 1e-10)", "dopri5(rtol = 1e-9, atol = 1e-9)",
                                 "bdf(rtol = 1e-9, atol = 1e-9)", "taylor"})
    for (const double t0 : {0.0, 1e6, 1e8, 1.7e9, -1.7e9}) {
      CAPTURE(std::string(integrator));
      CAPTURE(t0);
      const Run r = run("mbd 1\nspace 1\nparam t0 = " + number(t0) +
                            "\nparticle p(1) at 0\nforce f on p: -1e4*p.x - 0.2*p.vx + 100*cos(100*(t - t0))\n"
                            "simulate { time = t0 .. t0 + 5 step 0.125 }\n",
                        Engine::interpreter, {std::string("integrator=") + integrator});
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      double worst = 0;
      for (std::size_t k = 0; k < r.rows(); ++k) {
        const double s = r.time[k] - t0;
        const double x = a * std::sin(w * s) - std::exp(-b * s) * a * w / v * std::sin(v * s);
        worst = std::max(worst, std::fabs(r.at(k, "p.x") - x));
      }
      const double clock = std::fabs(t0) * std::numeric_limits<double>::epsilon();
      CHECK(worst <= (1e-6 + w * clock) * a);
      CHECK(r.result.evaluations < 100000);
      if (r.result.accuracy.error) CHECK(*r.result.accuracy.error >= 0.1 * worst / a);
    }
}

TEST_CASE("what rows lead by the time is led at any time") {
  for (const char* t0 : {"0", "1e5", "1e6"}) {
    CAPTURE(std::string(t0));
    const std::string begin = "mbd 1\nparam t0 = " + std::string(t0) + "\n";
    // A pendulum on a pivot that vibrates, and the same of a particle that a formula places.
    const std::string end = "simulate { time = t0 .. t0 + 3 step 0.01 }\n";
    const Run placed = run(begin + R"(gravity (0, 0, -9.81)
coord th = 0.5
particle b(1) follows (0.2*sin(th), 0, -0.2*cos(th) + 0.01*cos(100*(t - t0)))
)" + end);
    REQUIRE_MESSAGE(placed.result.status == Status::complete, placed.result.rendered);
    const Run led = run(begin + R"(gravity (0, 0, -9.81)
particle pivot(1) at (0, 0, 0.01)
particle b(1) at (0.2*sin(0.5), 0, 0.01 - 0.2*cos(0.5))
constraint px: pivot.x == 0
constraint py: pivot.y == 0
constraint pz: pivot.z == 0.01*cos(100*(t - t0))
constraint plane: b.y == 0
constraint rod: dist(pivot, b) == 0.2
)" + end);
    REQUIRE_MESSAGE(led.result.status == Status::complete, led.result.rendered);
    const double clock = std::stod(t0) * std::numeric_limits<double>::epsilon();
    for (std::size_t k = 0; k < placed.rows(); k += 50)
      CHECK(std::fabs(0.2 * std::sin(placed.at(k, "th")) - led.at(k, "b.x")) <= 1e-5 + 1e3 * clock);
  }
}

// A pivot that vibrates has its time in the state itself: its rows lead it, and the rounding of the time with it.
TEST_CASE("pivots that are led at 100 rad/s run by all methods of own steps at any time") {
  for (const char* method : {"auto", "dopri5(rtol = 1e-9, atol = 1e-9)", "dop853(rtol = 1e-9, atol = 1e-9)",
                             "bdf(rtol = 1e-7, atol = 1e-9)", "taylor"}) {
    std::vector<double> at_zero;
    for (const char* t0 : {"0", "1e5", "1e7", "1e9", "1.7e9"})
      for (const bool placed : {false, true}) {
        CAPTURE(std::string(method));
        CAPTURE(std::string(t0));
        CAPTURE(placed);
        const std::string rows = R"(particle pivot(1) at (0, 0, 0.01)
particle b(1) at (0.2*sin(0.5), 0, 0.01 - 0.2*cos(0.5))
constraint px: pivot.x == 0
constraint py: pivot.y == 0
constraint pz: pivot.z == 0.01*cos(100*(t - t0))
constraint plane: b.y == 0
constraint rod: dist(pivot, b) == 0.2
output x = b.x
)";
        const std::string formula = R"(coord th = 0.5
particle b(1) follows (0.2*sin(th), 0, -0.2*cos(th) + 0.01*cos(100*(t - t0)))
output x = 0.2*sin(th)
)";
        const Run r = run("mbd 1\nparam t0 = " + std::string(t0) + "\ngravity (0, 0, -9.81)\n" +
                              (placed ? formula : rows) + "simulate { time = t0 .. t0 + 2 step 0.125 }\n",
                          Engine::interpreter, {std::string("integrator=") + method});
        REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
        // From 1e9 s on bdf takes up to 163,150 with rows.
        if (std::stod(t0) <= 1e7) CHECK(r.result.evaluations < 60000);
        if (at_zero.empty())
          for (std::size_t k = 0; k < r.rows(); ++k) at_zero.push_back(r.at(k, "x"));
        const double clock = std::stod(t0) * std::numeric_limits<double>::epsilon();
        double off = 0;
        for (std::size_t k = 0; k < r.rows(); ++k) off = std::max(off, std::fabs(r.at(k, "x") - at_zero[k]));
        REQUIRE(r.result.accuracy.error);
        // An error beyond what the clock explains is told; places are some 0.2 m apart.
        CHECK((off <= 2e-6 + 100 * clock || *r.result.accuracy.error > 2 * off));
      }
  }
}

// The table is led, and with it the ball that it strikes.
TEST_CASE("a ball is struck by a shaken table at any time, by all methods of own steps") {
  for (const char* method : {"auto", "dopri5(rtol = 1e-9, atol = 1e-9)", "dop853(rtol = 1e-9, atol = 1e-9)",
                             "bdf(rtol = 1e-7, atol = 1e-9)", "taylor"})
    for (const char* t0 : {"0", "1e5", "1e6", "1e7", "1.7e9"}) {
      CAPTURE(std::string(method));
      CAPTURE(std::string(t0));
      const Run r = run("mbd 1\nparam t0 = " + std::string(t0) + R"(
space 1
gravity -9.81
particle table(1) at 0 moving 1
particle p(1) at 0.5
constraint shaken: table.x == 0.01*sin(100*(t - t0))
constraint deck: p.x >= table.x restitution 0.5
simulate { time = t0 .. t0 + 1 step 0.125 }
)",
                        Engine::interpreter, {std::string("integrator=") + method});
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      CHECK(r.result.evaluations < 40000);
      // The ball falls for 0.3 s, and is struck within the next period of the table.
      const double clock = std::stod(t0) * std::numeric_limits<double>::epsilon();
      CHECK(std::fabs(r.at(2, "p.x") - (0.5 - 9.81 * 0.25 * 0.25 / 2)) <= 1e-9 + 10 * clock);
      for (std::size_t k = 0; k < r.rows(); ++k) CHECK(r.at(k, "p.x") >= r.at(k, "table.x") - 1e-8 - 4 * clock);
    }
}

// The sum of many roundings of the time, of which none has a direction, is no larger than it seems.
TEST_CASE("what the clock rounds is told within a factor of a hundred where nothing else is wrong") {
  // x'' = -x + 0.1 cos(2 s) from x = 1: x = (1 + 0.1/3) cos s - 0.1/3 cos 2 s.
  for (const char* method : {"auto(tol = 1e-12)"})
    for (const char* t0 : {"1e5", "1e6", "1e7", "1.7e9"}) {
      CAPTURE(std::string(method));
      CAPTURE(std::string(t0));
      const Run r = run("mbd 1\nparam t0 = " + std::string(t0) + R"(
coord x = 1
kinetic K: x'^2/2
potential V: x^2/2
load f on x: 0.1*cos(2*(t - t0))
output err = x - (1 + 0.1/3)*cos(t - t0) + 0.1/3*cos(2*(t - t0))
simulate { time = t0 .. t0 + 200 step 0.125 }
)",
                        Engine::interpreter, {std::string("integrator=") + method});
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      double worst = 0;
      for (std::size_t k = 0; k < r.rows(); ++k) worst = std::max(worst, std::fabs(r.at(k, "err")));
      REQUIRE(r.result.accuracy.error);
      CHECK(*r.result.accuracy.error > 0.1 * worst / 2);
      CHECK(*r.result.accuracy.error < 100 * worst / 2);
    }
}
