// SPDX-License-Identifier: Apache-2.0
// Tests piecewise functions in the limits and slips of frictions. Long steps must detect their discontinuities and
// decide there again which contacts stick.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

const char* const kMethods[] = {"auto", "dopri5", "dop853", "taylor", "bdf(rtol = 1e-10, atol = 1e-12)"};
const std::string kRotor = "mbd 1\ncoord a = 0 rate 1\nkinetic T: 0.5*a'^2\n";

Run made(const std::string& text, const char* method = "auto(tol = 1e-11)") {
  CAPTURE(std::string(method));
  Run r = run_both(text, {std::string("integrator=") + method});
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  return r;
}

}  // namespace

TEST_CASE("a rough patch is met however long the steps are, in a line and in a plane") {
  const std::string line = R"(mbd 1
space 2
gravity (0, -9.81)
particle p(1) at (0, 0) moving (3, 0)
constraint d: p.y >= 0
friction f on p.vx: (if p.x > 2 and p.x < 2.1 then 0.9 else 0)*d.lambda
simulate { time = 0 .. 3 step 0.3 }
)";
  for (const char* method : kMethods) {
    if (std::string(method) == "taylor") continue;  // taylor has no series for expressions with multipliers.
    const Run r = made(line, method);
    CHECK(std::fabs(r.last("p.vx") - std::sqrt(9 - 2 * 0.9 * 9.81 * 0.1)) < 1e-8);
    CHECK(r.result.kinks == 2);
  }
  const std::string plane = R"(mbd 1
gravity (0, 0, -10)
particle p(1) at (0, 0, 0) moving (3, 4, 0)
constraint d: p.z >= 0
friction f on (p.vx, p.vy): (if p.x > 0.6 and p.x < 0.63 then 0.9 else 0)*d.lambda
simulate { time = 0 .. 1 step 0.5 }
)";
  const Run r = made(plane);
  const double speed = std::sqrt(25 - 2 * 9 * 0.05);  // The patch is 0.05 long in this direction.
  CHECK(std::fabs(r.last("p.vx") - 0.6 * speed) < 1e-10);
  CHECK(std::fabs(r.last("p.vy") - 0.8 * speed) < 1e-10);
}

TEST_CASE("a brake that is pressed for 20 ms") {
  const std::string text =
      replaced(kRotor, "rate 1", "rate 10") +
      "friction f on a': if abs(t - 1.1) < 0.01 then 50 else 0\nsimulate { time = 0 .. 3 step 0.5 }\n";
  for (const char* method : kMethods) {
    const Run r = made(text, method);
    CHECK(std::fabs(r.last("a'") - 9) < 1e-10);
    CHECK(std::fabs(r.last("a") - (10.9 + 0.02 * 9.5 + 1.89 * 9)) < 1e-8);
  }
}

TEST_CASE("what sticks breaks loose where the static limit falls below the pull, by a jump and by a corner") {
  const std::string text = replaced(kRotor, "rate 1", "") +
                           "load g on a: 1\nfriction f on a': 0.5 static LIMIT\noutput s = if f.sticks then 1 else 0\n"
                           "simulate { time = 0 .. 4 step 0.5 }\n";
  const Run jump = made(replaced(text, "LIMIT", "if t < 1.2 then 2 else 0.7"));
  CHECK(std::fabs(jump.last("a'") - 0.5 * 2.8) < 1e-12);
  CHECK(jump.at(2, "s") == 1);
  CHECK(jump.at(3, "s") == 0);
  // max(0.5, 2 - t) equals the pull at t = 1.
  const Run corner = made(replaced(text, "LIMIT", "max(0.5, 2 - t)"));
  CHECK(std::fabs(corner.last("a'") - 0.5 * 3) < 1e-11);
  CHECK(std::fabs(times_of(replaced(text, "LIMIT", "max(0.5, 2 - t)")).at("f.slips").at(0) - 1) < 1e-12);
}

TEST_CASE("a limit by points of the time and of the place") {
  const std::string text = kRotor +
                           "load g on a: 0.1\nfriction f on a': table(X, (-1, 0.5, 0.6, 9), (0, 0, 3.1, 3.1))\n"
                           "simulate { time = 0 .. 4 step 1; integrator = auto(tol = 1e-12) }\n";
  // The speed is 1.05 at 0.5, changes by 0.01 - 31*0.01/2 until 0.6, and then decreases by 3 per second.
  const double stops = 0.6 + (1.05 + 0.01 - 0.155) / 3;
  CHECK(std::fabs(times_of(replaced(text, "X", "t")).at("f.rests").at(0) - stops) < 1e-10);
  // The work over the place gives v^2 = 1 + 0.2*0.5, and 0.1*x - 3.1*0.1/2 more at 0.6.
  const double left = (1.1 + 0.02 - 0.31) / 2;
  const Run by_place = made(replaced(text, "X", "a"));
  CHECK(std::fabs(by_place.last("a") - (0.6 + left / 3)) < 1e-10);
  CHECK(by_place.result.kinks == 2);
}

TEST_CASE("a limit that depends on the sign of the slip is as written at rest") {
  // v' is 2 sin t - 0.5 forwards and 2 sin t + 1 backwards. At rest a load of up to 1 is held.
  const std::string text = kRotor +
                           "load g on a: 2*sin(t)\nfriction f on a': if a' > 0 then 0.5 else 1\n"
                           "simulate { time = 0 .. 10 step 0.5 }\n";
  const auto speed = [](double t) { return 1 + 2 * (1 - std::cos(t)) - 0.5 * t; };
  const double stops = zero_between(3, 5, speed);
  const auto back = [&](double t) { return -2 * (std::cos(stops) - std::cos(t)) - (t - stops); };
  const double rests = zero_between(stops + 0.1, stops + 3, back);
  const double slips = 2 * std::acos(-1.0) + std::asin(0.5);
  REQUIRE(slips > rests);
  const auto times = times_of(replaced(text, "step 0.5", "step 0.5; integrator = auto(tol = 1e-12)"));
  REQUIRE(times.at("f.rests").size() == 2);
  CHECK(std::fabs(times.at("f.rests")[0] - stops) < 1e-9);
  CHECK(std::fabs(times.at("f.rests")[1] - rests) < 1e-9);
  CHECK(std::fabs(times.at("f.slips").at(0) - slips) < 1e-12);
  const double last = 2 * (std::cos(slips) - std::cos(10.0)) - 0.5 * (10 - slips);
  for (const char* method :
       {"auto(tol = 1e-12)", "dopri5(rtol = 1e-11, atol = 1e-12)", "dop853(rtol = 1e-11, atol = 1e-12)"})
    CHECK(std::fabs(made(text, method).last("a'") - last) < 1e-9);
  const std::string other = replaced(text, "if a' > 0 then 0.5 else 1", "if a' <= 0 then 1 else 0.5");
  CHECK(std::fabs(made(other).last("a'") - last) < 1e-9);
}

TEST_CASE("a limit that jumps with the slip holds the same at rest by time steps, by events and beside a belt") {
  // The pull 1.5 is more than 0.5 and less than 2. The pull in the other direction is less than both.
  for (const char* contact : {"event", "timestep"})
    for (const double pull : {1.5, -0.3})
      for (const char* limit : {"if SLIP > 0 then 0.5 else 2", "if SLIP >= 0 then 0.5 else 2",
                                "2 - 1.5*(if 0 < SLIP then 1 else 0)", "if -(SLIP) < 0 then 0.5 else 2"})
        for (const char* slip : {"a'", "a' - v"}) {
          const std::string of = std::string(slip) == "a'" ? "a'" : "a' - v";
          std::string text =
              replaced(replaced(std::string("mbd 1\nparam v = 0.3\ncoord a = 0 rate RATE\nkinetic T: 0.5*a'^2\n"
                                            "load g on a: ") +
                                    number(pull) +
                                    "\nfriction f on SLIP: LIMIT\n"
                                    "simulate { time = 0 .. 2 step 0.01; contact = WAY }\n",
                                "LIMIT", limit),
                       "WAY", contact);
          while (text.find("SLIP") != std::string::npos) text = replaced(text, "SLIP", of);
          text = replaced(text, "RATE", of == "a'" ? "0" : "v");
          CAPTURE(text);
          const Run r = run_both(text);
          REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
          // The value zero belongs to the smaller limit.
          const bool at_zero = std::string(limit).find(">=") != std::string::npos;
          const double speed = (of == "a'" ? 0 : 0.3) + (at_zero && pull > 1 ? (pull - 0.5) * 2 : 0);
          CHECK(std::fabs(r.last("a'") - speed) < 1e-9);
        }
}

TEST_CASE("friction that falls with the speed keeps the order of a method where the slip turns round") {
  const std::string text = kRotor +
                           "load g on a: 2*sin(t)\nfriction f on a': 0.5 + 0.5*exp(-abs(a')/0.1)\n"
                           "simulate { time = 0 .. 10 step 0.5 }\n";
  const Run fine = made(text, "dopri5(rtol = 1e-13, atol = 1e-13)");
  const Run automatic = made(text, "auto(tol = 1e-10)");
  CHECK(std::fabs(automatic.last("a'") - fine.last("a'")) < 1e-8);
  CHECK(automatic.result.rejected < 40);
}

TEST_CASE("coupled clutches whose normal forces step") {
  const std::string text = R"(mbd 1
use contact
param T2 = 0.4, T3 = 0.9
coord a = 0 rate 10, b = 0, c = 0, d = 0
kinetic T: 0.5*(a'^2 + b'^2 + c'^2 + d'^2)
load sin1 on a: 10*sin(2*pi*5*t)
let n1 = max(0, cos(2*pi*0.2*t))
N2N3
Clutch c1(a', b', 10*n1, 11*n1)
Clutch c2(b', c', 10*n2, 11*n2)
Clutch c3(c', d', 10*n3, 11*n3)
EVENTS
simulate { time = 0 .. 1.5 step 0.005 }
)";
  const std::string steps =
      replaced(replaced(text, "N2N3", "let n2 = if t > T2 then 1 else 0, n3 = if t > T3 then 1 else 0"), "EVENTS", "");
  const std::string events =
      replaced(replaced(text, "N2N3", "state n2 = 0, n3 = 0"), "EVENTS", "at T2 { n2 = 1 }\nat T3 { n3 = 1 }");
  const Run by_steps = made(steps, "auto(tol = 1e-10)"), by_events = made(events, "auto(tol = 1e-10)");
  for (const char* speed : {"a'", "b'", "c'", "d'"})
    CHECK(std::fabs(by_steps.last(speed) - by_events.last(speed)) < 1e-7);
  CHECK(by_steps.result.rejected < 30);
}

TEST_CASE("a jump by a multiplier, which is not located, is crossed where the motion is smooth on both sides") {
  const Run r = run_both(R"(mbd 1
space 2
gravity (0, -10)
particle p(1) at (0, 0) moving (3, 0)
constraint d: p.y == 0
force up on p: (if d.lambda > 5 then -1 else -6e3, 5*t)
simulate { time = 0 .. 1.5 step 0.5; integrator = auto(tol = 1e-13) }
)");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  // lambda = 10 - 5 t is 5 at t = 1, where x = 2.5 and v = 2.
  CHECK(std::fabs(r.last("p.vx") - (2 - 6e3 * 0.5)) < 1e-9);
  CHECK(std::fabs(r.last("p.x") - (2.5 + 2 * 0.5 - 6e3 * 0.125)) < 1e-9);
}

TEST_CASE("a step that shrinks to nothing shows a piecewise function that is not located") {
  const Engine engine = have_native() ? Engine::native : Engine::interpreter;
  const Run r = run(R"(mbd 1
space 2
gravity (0, -10)
particle p(1) at (0, 0) moving (3, 0)
constraint d: p.y == 0
force up on p: (-3*p.vx + (if d.lambda > 5 then 30 else -30), 5*p.vx)
simulate { time = 0 .. 0.5 step 0.5; integrator = auto(tol = 1e-13) }
)",
                    engine);
  REQUIRE(r.code() == "E0610");
  REQUIRE(r.result.diagnostic->labels.size() == 1);
  CHECK(r.result.rendered.find("kinks of this are not located") != std::string::npos);
}
