// SPDX-License-Identifier: Apache-2.0
// Compares components of `control` that sample, hold and switch, and filters, with closed forms and discrete systems.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/physics/stdlib_support.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr const char* kMethods[] = {"rk4", "auto", "auto(tol = 1e-10)", "bdf"};

// Returns a model in which nothing acts on the particle, so that signals are functions of time.
std::string signals(const std::string& parts, const std::string& method,
                    const std::string& time = "0 .. 10 step 0.07") {
  return "mbd 1\nuse control\nspace 1\nparticle p(1) at 0\n" + parts + "simulate { time = " + time +
         "; integrator = " + method + " }\n";
}

// Compares the column in every row.
void expect(const Run& r, const std::string& column, double tolerance, const std::function<double(double)>& wanted) {
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.rows() > 10);
  for (std::size_t row = 0; row < r.rows(); ++row) {
    INFO(column << " at t = " << r.time[row] << ": " << r.at(row, column) << " instead of " << wanted(r.time[row]));
    CHECK(std::fabs(r.at(row, column) - wanted(r.time[row])) <= tolerance);
  }
}

// A mass of 2 moves under the force of `law`, which is sampled every 1/8 and constant between samples. x and v follow
// powers of the transition matrix of the period. `law(k, x, v)` is the force from sample k on.
struct Sampled {
  double x = 0, v = 0;
};
Sampled discrete(int samples, const std::function<double(int, double, double)>& law) {
  Sampled s;
  for (int k = 0; k < samples; ++k) {
    const double a = law(k, s.x, s.v) / 2;
    s.x += s.v / 8 + a / 128;
    s.v += a / 8;
  }
  return s;
}
Run held(const std::string& law, const std::string& method, const std::string& output = "c.u") {
  return run_both("mbd 1\nuse control\nspace 1\nparticle p(2 [kg]) at 0 [m]\n" + law + "\nforce f on p: " + output +
                  " + 1 [N]\nsimulate { time = 0 [s] .. 4 [s] step 31.25 [ms]; integrator = " + method + " }\n");
}

}  // namespace

TEST_CASE("control: holds and delays give samples") {
  for (const char* method : kMethods) {
    CAPTURE(method);
    const Run r = run_both(
        signals("ZeroOrderHold z(sin(t), period = 0.25, start = 0.1)\nUnitDelay d(sin(t), period = 0.25, start = 0.1)\n"
                "Delay one(sin(t), period = 0.25, start = 0.1)\nDelay five(sin(t), 0.25, n = 5, start = 0.1)\n"
                "Delay none(sin(t), 0.25, n = 0, start = 0.1)\nZeroOrderHold fast(p.x + 1, 0.01)\n",
                method));
    const auto sample = [](int back) {
      return [back](double t) {
        const double k = std::floor((t - 0.1) / 0.25 + 1e-12) - back;
        return k < 0 ? 0 : std::sin(0.1 + k * 0.25);
      };
    };
    expect(r, "z.y", 1e-13, sample(0));
    expect(r, "none.y", 1e-13, sample(0));
    expect(r, "d.y", 1e-13, sample(1));
    expect(r, "one.y", 1e-13, sample(1));
    expect(r, "five.y", 1e-13, sample(5));
    expect(r, "fast.y", 0, [](double) { return 1; });  // The value also holds at the start of the run.
  }
}

// The angle of a hinge is an arc tangent, whose rate is a quotient. A held value of such a signal also starts at 0 in
// its unit.
TEST_CASE("control: a law of a hinge's angle is held between samples") {
  const Run r = run_both(R"(mbd 1
use joints, control
input target [deg] = 0
param J = 2 [kg*m^2], kp = 12 [N*m], kd = 10 [N*m*s]
body wheel(mass = 1 [kg], inertia = diag(1, 1, 2) [kg*m^2]) at (0, 0, 0) [m]
Revolute hinge(ground, wheel)
PD law(setpoint = target, measured = hinge.angle, kp = kp, kd = kd, setpoint_rate = 0)
ZeroOrderHold hold(law.u, 125 [ms])
Lag lag(law.u, time_constant = 1 [s])
UnitDelay late(law.u, 125 [ms])
torque motor on wheel from ground: hold.y*ez
init { hinge.angle = 0.8 [rad] }
output hinge.rate
simulate { time = 0 [s] .. 4 [s] step 125 [ms]; integrator = rk4 }
)");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  double angle = 0.8, rate = 0;
  for (int k = 0; k < 32; ++k) {
    const double a = (-12 * angle - 10 * rate) / 2;
    angle += rate / 8 + a / 128;
    rate += a / 8;
  }
  CHECK(std::fabs(r.last("hinge.angle") - angle) < 1e-6);
  CHECK(std::fabs(r.last("hinge.rate") - rate) < 1e-6);
}

TEST_CASE("control: sampled laws are discrete systems") {
  for (const char* method : kMethods) {
    CAPTURE(method);
    const double tolerance = std::string(method) == "bdf" ? 1e-4 : 1e-9;
    const auto same = [&](const Run& r, const Sampled& wanted) {
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      CHECK(std::fabs(r.last("p.x") - wanted.x) < tolerance);
      CHECK(std::fabs(r.last("p.vx") - wanted.v) < tolerance);
    };
    double last = 0, integral = 0;
    const auto rate = [&](int k, double x) {  // This is the rate of the samples.
      const double change = k > 0 ? (x - last) * 8 : 0;
      last = x;
      return change;
    };
    same(
        held("PD law(1 [m], p.x, kp = 6 [N/m], kd = 5 [N*s/m])\nZeroOrderHold hold(law.u, 125 [ms])", method, "hold.y"),
        discrete(32, [](int, double x, double v) { return 6 * (1 - x) - 5 * v + 1; }));
    same(held("SampledPD c(1 [m], p.x, kp = 6 [N/m], kd = 5 [N*s/m], period = 125 [ms])", method),
         discrete(32, [&](int k, double x, double) { return 6 * (1 - x) - 5 * rate(k, x) + 1; }));
    same(held("SampledPID c(1 [m], p.x, kp = 6 [N/m], ki = 3 [N/(m*s)], kd = 5 [N*s/m], period = 125 [ms])", method),
         discrete(32, [&](int k, double x, double) {
           integral += 3 * (1 - x) / 8;
           return 6 * (1 - x) + integral - 5 * rate(k, x) + 1;
         }));
    integral = 0;
    int limits = 0;
    const Sampled wanted = discrete(32, [&](int k, double x, double) {
      const double all = 6 * (1 - x) + integral - 5 * rate(k, x), more = 3 * (1 - x) / 8;
      const double added = std::fabs(all + more) < 4 || all * (1 - x) < 0 ? more : 0;
      integral += added;
      limits += std::fabs(all + added) > 4 ? 1 : 0;
      return std::clamp(all + added, -4.0, 4.0) + 1;
    });
    CHECK(limits > 1);
    CHECK(limits < 20);
    same(held("LimitedSampledPID c(1 [m], p.x, kp = 6 [N/m], ki = 3 [N/(m*s)], kd = 5 [N*s/m], limit = 4 [N],\n"
              "                    period = 125 [ms])",
              method),
         wanted);
  }
  // A setpoint from outside does not contribute to the rate; a moving setpoint does.
  Run r = held("input target [m] = 1\nSampledPD c(target, p.x, 6 [N/m], 5 [N*s/m], 125 [ms], setpoint_rate = 0 [m/s])",
               "rk4");
  CHECK(r.at(0, "c.u") == 6);
  r = held("SampledPD c((2 [m/s])*t, p.x, kp = 6 [N/m], kd = 5 [N*s/m], period = 125 [ms])", "rk4");
  CHECK(r.at(0, "c.u") == 10);
  CHECK(r.at(3, "c.u") == 10);
}

TEST_CASE("control: a relay with hysteresis") {
  const auto time_to = [](double from, double to, double rest) { return std::log((from - rest) / (to - rest)); };
  for (const char* method : kMethods) {
    CAPTURE(method);
    const double tolerance = std::string(method) == "bdf" ? 1e-3 : 1e-6;
    const Run r =
        run_both(signals("state T = 20 where T' = 35 - 30*h.u - T\nHysteresis h(T, low = 19, high = 21)\n"
                         "output tw = h.rises.time, tc = h.falls.time, n = h.rises.count\n",
                         method, "0 .. 3 step 0.001"));
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
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
    CHECK(std::fabs(r.last("tw") - warm) < tolerance);
    CHECK(std::fabs(r.last("tc") - cold) < tolerance);
  }
  // The signals are beyond a level at the start of the run or of `start`, and they jump over both levels.
  const Run r =
      run_both(signals("Hysteresis above(cos(t), low = -0.5, high = 0.5, off = -2, on = 3)\n"
                       "Hysteresis below(-cos(t), low = -0.5, high = 0.5, off = -2, on = 3)\nstate s = 1\n"
                       "at one: 1.1 { s = -1 }\nat two: 2.1 { s = 1 }\nHysteresis jump(s, low = -0.5, high = 0.5)\n",
                       "rk4"));
  expect(r, "above.u", 0, [](double t) {
    const double turn = std::fmod(t, 2 * M_PI);
    return turn > 2 * M_PI / 3 && turn < 5 * M_PI / 3 ? -2 : 3;
  });
  expect(r, "below.u", 0, [](double t) {
    const double turn = std::fmod(t, 2 * M_PI);
    return turn > 2 * M_PI / 3 && turn < 5 * M_PI / 3 ? 3 : -2;
  });
  expect(r, "jump.u", 0, [](double t) { return t < 1.1 || t >= 2.1 ? 1 : 0; });
  const Run late =
      run_both(signals("Hysteresis h(cos(t), low = -2, high = 0.5, start = 6)\n", "rk4", "6 .. 10 step 0.1"));
  expect(late, "h.u", 0, [](double) { return 1; });
}

TEST_CASE("control: what is held begins as `init` says") {
  const Run r =
      run_both(signals("Hysteresis h(sin(t), low = -0.5, high = 2)\nZeroOrderHold z(t, period = 1, start = 2.001)\n"
                       "state u = 1, phase in (one, two, three) = one\nat end: 5 { u = 7; phase = phase.one }\n"
                       "param b = 3\ninit { h.side = h.side.above; z.y = -b; u = 2*b; phase = phase.three }\n",
                       "rk4"),
               {"b=4"});
  expect(r, "h.u", 0, [](double t) { return t < 7 * M_PI / 6 ? 1 : 0; });
  expect(r, "z.y", 1e-12, [](double t) { return t < 2.001 ? -4 : 2.001 + std::floor(t - 2.001); });
  expect(r, "u", 0, [](double t) { return t < 5 ? 8 : 7; });
  expect(r, "phase", 0, [](double t) { return t < 5 ? 2 : 0; });
}

TEST_CASE("control: a quantiser rounds to the nearest multiple") {
  for (const char* method : kMethods) {
    CAPTURE(method);
    const Run r =
        run_both(signals("Quantiser q(2*cos(t), step = 0.3)\nQuantiser fine(cos(t) + 5, step = 1/64)\nstate s = 0.2\n"
                         "at up: 1.1 { s = 7.3 }\nat down: 2.1 { s = -4.4 }\nQuantiser jump(s, step = 1)\n"
                         "Quantiser touch(6.5*cos(t), step = 1)\noutput n = q.rises.count + q.falls.count\n",
                         method));
    expect(r, "q.y", 1e-14, [](double t) { return 0.3 * std::floor(2 * std::cos(t) / 0.3 + 0.5); });
    expect(r, "fine.y", 1e-14, [](double t) { return std::floor((std::cos(t) + 5) * 64 + 0.5) / 64; });
    // The signal starts halfway between two levels.
    expect(r, "touch.y", 0, [](double t) { return std::floor(6.5 * std::cos(t) + 0.5); });
    expect(r, "jump.y", 0, [](double t) { return t < 1.1 ? 0 : t < 2.1 ? 7 : -4; });
    CHECK(r.last("n") == 3 * 14 + 1);
  }
}

TEST_CASE("control: a rate limiter") {
  for (const char* method : kMethods) {
    CAPTURE(method);
    const double tolerance = std::string(method) == "rk4" ? 1e-3 : std::string(method) == "bdf" ? 1e-3 : 1e-6;
    const Run r =
        run_both(signals("RateLimiter l(2, limit = 0.5, time_constant = 0.1)\n"
                         "RateLimiter down(-2, limit = 0.5, time_constant = 0.1)\n"
                         "RateLimiter ramp(0.3*t, limit = 0.5, time_constant = 0.1)\n",
                         method));
    const auto step = [](double t) { return t < 3.9 ? 0.5 * t : 2 - 0.05 * std::exp(-(t - 3.9) / 0.1); };
    expect(r, "l.y", tolerance, step);
    expect(r, "down.y", tolerance, [&](double t) { return -step(t); });
    expect(r, "ramp.y", tolerance, [](double t) { return 0.3 * (t - 0.1 * (1 - std::exp(-t / 0.1))); });
  }
}

TEST_CASE("control: play") {
  for (const char* method : kMethods) {
    CAPTURE(method);
    const Run r = run_both(signals(
        "Backlash b(sin(t), width = 0.4)\nBacklash wide(sin(t), width = 2.1)\nBacklash begins(cos(t), width = 0.4)\n"
        "output n = b.pushes.count + b.pulls.count + b.turns.count + b.returns.count, tp = b.pulls.time\n",
        method));
    // The play starts at 0. It is pushed, and after each reversal it rests until the play is used up.
    const auto play = [](double t) {
      const double turn = t - M_PI / 2;
      if (turn < 0) return std::max(0.0, std::sin(t) - 0.2);
      const bool falling = std::fmod(turn, 2 * M_PI) < M_PI;
      return falling ? std::min(0.8, std::sin(t) + 0.2) : std::max(-0.8, std::sin(t) - 0.2);
    };
    expect(r, "b.y", 1e-12, play);
    expect(r, "wide.y", 0, [](double) { return 0; });
    expect(r, "begins.y", 1e-12, [](double t) {
      return std::fmod(t, 2 * M_PI) < M_PI ? std::min(0.8, std::cos(t) + 0.2) : std::max(-0.8, std::cos(t) - 0.2);
    });
    CHECK(r.last("n") == 7);
    CHECK(std::fabs(r.last("tp") - (2 * M_PI + M_PI - std::asin(0.6))) < 1e-9);
  }
  // For a body that is pushed, the rate is that of the body.
  const Run r = run_both(R"(mbd 1
use control
coord x = 0 [m] rate 0 [m/s]
kinetic T: (0.5 [kg])*x'^2
potential V: (0.5 [N/m])*(x - 1 [m])^2
Backlash b(x, width = 50 [cm])
simulate { time = 0 [s] .. 3 [s] step 10 [ms]; integrator = auto(tol = 1e-12) }
)");
  expect(r, "b.y", 1e-9, [](double t) { return std::max(0.0, 1 - std::cos(t) - 0.25); });
}

TEST_CASE("control: filters") {
  for (const char* method : kMethods) {
    CAPTURE(method);
    const double tolerance = std::string(method) == "rk4" ? 1e-3 : std::string(method) == "bdf" ? 1e-3 : 1e-6;
    const Run r =
        run_both(signals("LowPass step(2, frequency = 3)\nLowPass slow(2, frequency = 3, damping = 1)\n"
                         "HighPass high(2, time_constant = 0.5)\nHighPass ramp(3*t, time_constant = 0.5)\n",
                         method));
    expect(r, "step.y", tolerance, [](double t) {
      const double a = 3 * std::sqrt(0.5);
      return 2 * (1 - std::exp(-a * t) * (std::cos(a * t) + std::sin(a * t)));
    });
    expect(r, "slow.y", tolerance, [](double t) { return 2 * (1 - std::exp(-3 * t) * (1 + 3 * t)); });
    expect(r, "high.y", tolerance, [](double t) { return 2 * std::exp(-t / 0.5); });
    expect(r, "ramp.y", tolerance, [](double t) { return 1.5 * (1 - std::exp(-t / 0.5)); });
  }
}

TEST_CASE("control: every part takes any unit") {
  const Run r = run_both(R"(mbd 1
use control
coord x = 0 [mm] rate 1 [m/s]
kinetic T: (0.5 [kg])*x'^2
let s = (40 [cm])*sin(t/(0.5 [s]))
ZeroOrderHold z(x, 300 [ms], start = 1 [ms])
UnitDelay d(x', 300 [ms])
Delay many(s, 100 [ms], n = 3)
SampledPD pd(s, x, kp = 1 [N/cm], kd = 1 [N*s/m], period = 0.1 [s])
SampledPID pid(s, x, kp = 1 [N], ki = 1 [N/s], kd = 1 [N*s], period = 0.1 [s], start = 50 [ms])
LimitedSampledPID lpid(s, x, kp = 1 [N/m], ki = 1 [N/(m*s)], kd = 1 [N*s/m], limit = 2 [N], period = 0.1 [s])
Hysteresis h(s, low = -10 [cm], high = 10 [cm], off = -2 [N], on = 2 [N])
Quantiser q(s, step = 3 [cm], start = 0 [s])
RateLimiter limiter(s, limit = 50 [cm/s], time_constant = 10 [ms])
Backlash b(s, width = 20 [cm])
LowPass low(s, frequency = 1 [rpm])
HighPass high(s, time_constant = 1 [min])
simulate { time = 0 [s] .. 3 [s] step 10 [ms] }
)");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.last("z.y") == doctest::Approx(2.701).epsilon(1e-9));
  CHECK(r.last("q.y") == doctest::Approx(-0.12));  // The exact value is -0.1118.
}
