// SPDX-License-Identifier: Apache-2.0
// Compares motions with events with closed forms: `when`, `at`, `every`, assignments, `stop`. Between the events a step
// of the method is exact or nearly exact, so that the errors are those of the events.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

struct Linear {  // motion with constant acceleration
  double t = 0, x = 0, v = 0, a = 0;
  [[nodiscard]] Linear at(double when) const {
    const double s = when - t;
    return {when, x + v * s + 0.5 * a * s * s, v + a * s, a};
  }
  // Returns the first time after t at which x = level with v of this sign.
  [[nodiscard]] double passes(double level, int sign) const {
    const double d = std::sqrt(v * v + 2 * a * (level - x));
    return t + (-v + sign * d) / a;
  }
};

}  // namespace

TEST_CASE("a relay switches at the times of its parabolas") {
  const Run r = run_both(R"(mbd 1
space 1
param h = 0.1
state u = 1
particle p(1) at 0 moving 0
force f on p: u
when up: p.x - h rising { u = -1 }
when down: p.x + h falling { u = 1 }
output n = up.count + down.count, tu = up.time, td = down.time
simulate { time = 0 .. 20 step 0.05; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  Linear motion{0, 0, 0, 1};
  double up = 0, down = 0;
  int count = 0;
  for (;;) {
    const bool rises = motion.a > 0;
    const double t = motion.passes(rises ? 0.1 : -0.1, rises ? 1 : -1);
    if (t > 20) break;
    motion = motion.at(t);
    motion.a = -motion.a;
    (rises ? up : down) = t;
    ++count;
  }
  CHECK(count >= 7);
  CHECK(r.last("n") == count);
  CHECK(std::fabs(r.last("tu") - up) < 1e-9);
  CHECK(std::fabs(r.last("td") - down) < 1e-9);
  CHECK(std::fabs(r.last("p.x") - motion.at(20).x) < 1e-9);
  CHECK(r.result.events == static_cast<std::uint64_t>(count));
}

TEST_CASE("a thermostat with hysteresis switches at the times of its exponentials") {
  const Run r = run_both(R"(mbd 1
space 1
param low = 19, high = 21, outside = 5, power = 30
state on = 1
state T = 20 where T' = outside - T + on*power
particle p(1) at 0
when warm: T - high rising { on = 0 }
when cold: T - low falling { on = 1 }
output tw = warm.time, tc = cold.time, n = warm.count
simulate { time = 0 .. 3 step 0.001; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  const auto time_to = [](double from, double to, double rest) { return std::log((from - rest) / (to - rest)); };
  double t = time_to(20, 21, 35), warm = t, cold = 0;
  int count = 1;
  for (;;) {
    t += time_to(21, 19, 5);
    if (t > 3) break;
    cold = t;
    t += time_to(19, 21, 35);
    if (t > 3) break;
    warm = t;
    ++count;
  }
  CHECK(r.last("n") == count);
  CHECK(std::fabs(r.last("tw") - warm) < 1e-9);
  CHECK(std::fabs(r.last("tc") - cold) < 1e-9);
}

TEST_CASE("a ball between a wall and a spring-loaded paddle") {
  // Without gravity every velocity and time is known.
  const Run r = run_both(R"(mbd 1
space 1
param e = 0.5
particle p(2) at 1 moving -3
when wall: p.x falling { p.vx = -e*p.vx }
when paddle: p.x - 1 rising { p.vx = -2*p.vx }
output n = wall.count, tw = wall.time, tp = paddle.time
simulate { time = 0 .. 2.9 step 0.25; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  // At the paddle the particle starts next to the level and moves away from it.
  CHECK(std::fabs(r.at(1, "p.x") - 0.25) < 1e-12);
  double t = 1.0 / 3;
  double v = -3;
  int hits = 0;
  double wall = 0, paddle = 0;
  for (double now = t;;) {
    if (now > 2.9) break;
    wall = now;
    ++hits;
    v = -0.5 * v;
    now += 1 / v;
    if (now > 2.9) break;
    paddle = now;
    v = -2 * v;
    now += 1 / -v;
  }
  CHECK(r.last("n") == hits);
  CHECK(std::fabs(r.last("tw") - wall) < 1e-9);
  CHECK(std::fabs(r.last("tp") - paddle) < 1e-9);
  // The energy that events took is recorded, and the balance is exact.
  CHECK(std::fabs(r.result.energy_end - r.result.energy_begin - r.result.work_of_events) < 1e-12);
  CHECK(r.result.balance_error < 1e-12);
}

TEST_CASE("both crossings inside one step are found, in their order") {
  // x = 3 t - 5 t^2 is above 0.4 from 0.2 to 0.4. A step of 1 contains both crossings.
  for (const char* method : {"rk4", "ab4", "dopri5(rtol = 1e-9, atol = 1e-12)", "dopri5(fixed)"}) {
    CAPTURE(method);
    const Run r = run_both(replaced(R"(mbd 1
space 1
state order = 0
particle p(1) at 0 moving 3
force f on p: -10
when up: p.x - 0.4 rising { order = 10*order + 1 }
when down: p.x - 0.4 falling { order = 10*order + 2 }
output tu = up.time, td = down.time
simulate { time = 0 .. 2 step 1; integrator = METHOD }
)",
                                    "METHOD", method));
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.last("order") == 12);
    CHECK(std::fabs(r.last("tu") - 0.2) < 1e-12);
    CHECK(std::fabs(r.last("td") - 0.4) < 1e-12);
  }
}

TEST_CASE("a level that is only touched is not passed") {
  const std::string text = R"(mbd 1
space 1
particle p(1) at 0 moving 3
force f on p: -10
when up: p.x - LEVEL rising { }
when down: p.x - LEVEL falling { }
output n = up.count + down.count
simulate { time = 0 .. 1 step 0.02; integrator = rk4 }
)";
  const auto fired = [&](const char* level) {
    std::string model = replaced(text, "LEVEL", level);
    return run_both(replaced(model, "LEVEL", level)).last("n");
  };
  CHECK(fired("0.4500001") == 0);  // The maximum is at 0.45.
  CHECK(fired("0.4499") == 2);
}

TEST_CASE("kicks and jumps at times that are known") {
  const Run r = run_both(R"(mbd 1
space 1
particle p(2) at 0 moving 1
at kick: 0.3 { impulse on p: 4 }
every jump: 0.25 from 0.5 { p.x = p.x - 1 }
at turn: 1.1 { p.vx = -p.vx }
output n = jump.count
simulate { time = 0 .. 1.2 step 0.07; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("n") == 3);
  CHECK(std::fabs(r.last("p.x") - (1 * 0.3 + 3 * 0.8 - 3 - 3 * 0.1)) < 1e-12);
  CHECK(std::fabs(r.last("p.vx") + 3) < 1e-12);
}

TEST_CASE("a controller sampled with hold and one sample of delay is the discrete system") {
  const Run r = run_both(R"(mbd 1
space 1
param kp = 40, kd = 8
state u = 0, u_old = 0
particle p(2) at 1 moving 0
force f on p: u_old
every control: 0.01 { u = -kp*p.x - kd*p.vx; u_old = u }
output n = control.count
simulate { time = 0 .. 2 step 0.004; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  double x = 1, v = 0, u = 0, held = 0;
  for (int k = 0; k < 200; ++k) {  // The times are k 0.01. The two right-hand sides read the old values.
    const double sampled = -40 * x - 8 * v;
    held = u;
    u = sampled;
    const double a = held / 2;
    x += v * 0.01 + 0.5 * a * 1e-4;
    v += a * 0.01;
  }
  CHECK(r.last("n") == 201);
  CHECK(std::fabs(r.last("p.x") - x) < 1e-12);
  CHECK(std::fabs(r.last("p.vx") - v) < 1e-12);
}

TEST_CASE("stop ends a run that is complete, with a row at its end") {
  const Run r = run_both(R"(mbd 1
space 1
particle p(1) at 1 moving 0
force f on p: -2
when down: p.x falling { stop "on the ground" }
simulate { time = 0 .. 5 step 0.3; integrator = rk4 }
)");
  CHECK(r.result.status == Status::complete);
  REQUIRE(r.result.ended_by);
  CHECK(*r.result.ended_by == "on the ground");
  CHECK(std::fabs(r.result.reached - 1) < 1e-12);
  CHECK(std::fabs(r.time.back() - 1) < 1e-12);
  CHECK(std::fabs(r.last("p.vx") + 2) < 1e-12);
}

TEST_CASE("events of one instant read the values before, and conditions follow in the next pass") {
  const Run r = run_both(R"(mbd 1
space 1
state a = 1, b = 2, seen = 0
particle p(1) at 0 moving 1
at swap: 0.5 { a = b; b = a }
at also: 0.5 { seen = seen + 10*a + b }
when follow: a > 1.5 { seen = seen + 100 }
simulate { time = 0 .. 1 step 0.2; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("a") == 2);
  CHECK(r.last("b") == 1);
  CHECK(r.last("seen") == 112);
}

TEST_CASE("a condition fires on becoming true, a number at zero not where it begins") {
  const Run r = run_both(R"(mbd 1
space 1
particle p(1) at 0 moving 1
when leaves: p.x rising { }
when there: p.x < 0.5 { }
when far: p.x > 0.5 and p.vx > 0 { }
output n = leaves.count, m = there.count, f = far.time
simulate { time = 0 .. 1 step 0.3; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("n") == 0);
  CHECK(r.last("m") == 0);
  CHECK(std::fabs(r.last("f") - 0.5) < 1e-14);
  REQUIRE(r.result.warnings.size() == 2);
  CHECK(r.result.warnings[0].code == "W0686");
}

TEST_CASE("a number that rests at zero does not fire by rounding, and one that begins there says so") {
  // In minimum-time control, the number of the other switch is only rounding on the switching curve.
  const Run parked = run_both(R"(mbd 1
space 1
particle p(1) at 1
state u = -1
force f on p: u
when a: p.x + p.vx*abs(p.vx)/2 falling { u = 1 }
when b: p.x + p.vx*abs(p.vx)/2 rising { u = -1 }
simulate { time = 0 .. 1.9 step 0.1 }
)");
  CHECK(parked.result.events == 1);
  CHECK(std::fabs(parked.last("p.x") - 0.005) < 1e-9);
  const Run touching = run_both(R"(mbd 1
space 1
particle p(1) at 0.3 moving -1
when hit: p.x - 0.2 - 0.1 falling { p.vx = -p.vx }
simulate { time = 0 .. 1 step 0.1 }
)");  // 0.3 - 0.2 - 0.1 is -2.8e-17.
  REQUIRE(touching.result.warnings.size() == 1);
  CHECK(touching.result.warnings[0].code == "W0686");
}
