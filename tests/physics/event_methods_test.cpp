// SPDX-License-Identifier: Apache-2.0
// Tests that integrators keep their order across events, and that sweeps, steps and saved simulations give the bits of
// single runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// An oscillator x'' = -x + u is pushed by a relay, u = 1 below and -1 above. Between the switches its motion is a
// cosine.
const std::string kRelay = R"(mbd 1
space 1
state u = 1
particle p(1) at 0.3 moving 0
force f on p: -p.x + u
when up: p.x - 0.5 rising { u = -1 }
when down: p.x + 0.5 falling { u = 1 }
output n = up.count + down.count
simulate { time = 0 .. 40 step STEP; integrator = METHOD }
)";

struct Oscillator {
  double t = 0, x = 0.3, v = 0, u = 1;
  void go(double to) {
    const double c = std::cos(to - t), s = std::sin(to - t), y = x - u;
    x = u + y * c + v * s;
    v = -y * s + v * c;
    t = to;
  }
  // Returns the next time at which x passes u/2 away from the middle: x - u = r cos(t - phase).
  [[nodiscard]] double next() const {
    // The phase is that of r cos(s - phase).
    const double y = x - u, r = std::sqrt(y * y + v * v), phase = std::atan2(v, y);
    const double level = 0.5 * u - u;
    if (std::fabs(level) > r) return 1e300;
    // cos(s - phase) = level/r, with a derivative of the sign of u.
    const double a = std::acos(level / r);
    double s = phase + (u > 0 ? -a : a);
    while (s <= 1e-9) s += 2 * std::numbers::pi;
    return t + s;
  }
};

double exact_end(double end, int& count) {
  Oscillator o;
  count = 0;
  for (double t = o.next(); t < end; t = o.next()) {
    o.go(t);
    o.u = -o.u;
    ++count;
  }
  o.go(end);
  return o.x;
}

double error_of(const char* method, double step) {
  int count = 0;
  const double exact = exact_end(40, count);
  const Run r = run(replaced(replaced(kRelay, "METHOD", method), "STEP", number(step)));
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("n") == count);
  return std::fabs(r.last("p.x") - exact);
}

}  // namespace

TEST_CASE("integrators keep their order across the switches of a relay") {
  int count = 0;
  exact_end(40, count);
  CHECK(count >= 10);
  struct Case {
    const char* method;
    // step from which on the order is visible; before it, errors of the first steps after an event dominate
    double order, step;
  };
  for (const Case& c : {Case{"rk4", 4, 0.0125}, Case{"ab4", 4, 0.0125}, Case{"dopri5(fixed)", 5, 0.1}}) {
    CAPTURE(c.method);
    const double coarse = error_of(c.method, c.step), fine = error_of(c.method, c.step / 4);
    CAPTURE(coarse);
    CAPTURE(fine);
    CHECK(std::log(coarse / fine) / std::log(4.0) > c.order - 0.2);
  }
  CHECK(error_of("rk4", 0.001) < 1e-9);
  CHECK(error_of("dopri5(rtol = 1e-11, atol = 1e-12)", 0.1) < 1e-8);
}

TEST_CASE("steps one by one give the bits of a run, across save and restore") {
  const std::string text = replaced(replaced(kRelay, "METHOD", "ab4"), "STEP", "0.05");
  const Run whole = run(text);
  Simulation one = compile_text(text, Engine::interpreter);
  for (int k = 0; k < 333; ++k) REQUIRE(one.step(0.05).ok());
  const std::string bytes = one.save();
  Simulation other = compile_text(text, Engine::interpreter);
  REQUIRE(other.restore(bytes).ok());
  for (int k = 333; k < 800; ++k) REQUIRE(other.step(0.05).ok());
  CHECK(other.state()[0] == whole.last("p.x"));
  CHECK(other.state()[1] == whole.last("p.vx"));
  CHECK(other.output("n").value() == whole.last("n"));
}

TEST_CASE("a simulation that has ended says so") {
  Simulation s = compile_text(R"(mbd 1
space 1
particle p(1) at 1 moving -1
when hit: p.x falling { stop "hit" }
simulate { time = 0 .. 5 step 0.1; integrator = rk4 }
)",
                              Engine::interpreter);
  const Result<void> went = s.run_until(3);
  REQUIRE(!went.ok());
  CHECK(went.error().message == "the motion has ended: hit");
}

TEST_CASE("members of a sweep with events at known times go side by side, with the bits of single runs") {
  const std::string text = R"(mbd 1
param kp = 30, period = 0.02
gravity (0, 0, -9.81)
input wind = 0
particle bob(1) at (0.4, 0, 0.9)
constraint rod: norm(bob.pos) == norm((0.4, 0, 0.9))
constraint plane: bob.y == 0
state u = 0, u_late = 0
force drive on bob: (u_late + wind, 0, 0)
every control: period from 0.005 { u = -kp*bob.x - 6*bob.vx; u_late = u }
at push: 0.7315 { impulse on bob: (0.3, 0, 0) }
simulate s { time = 0 .. 2 step 0.001; integrator = rk4; input.wind = table(t, (0, 0.61, 1.3), (0, 1, -1), beyond = hold) }
)";
  for (const char* vary : {"kp = 20 .. 40 count 11", "period = 0.011 .. 0.031 count 11"}) {
    CAPTURE(vary);
    SweepOptions options;
    options.vary = {vary};
    options.record = {"final(bob.x)", "max_over(bob.x)", "final(control.count)"};
    options.jobs = 1;
    const SweepResult swept = sweep_text(text, "lanes.mbd", options);
    REQUIRE(swept.rows.size() == 11);
    CHECK(swept.steps_together > 8 * swept.steps_alone);
    for (const std::size_t k : {0u, 3u, 10u}) {
      const std::string value =
          std::string(vary).substr(0, std::string(vary).find('=')) + "= " + number(swept.rows[k].varied[0]);
      const Run alone = run(text, Engine::interpreter, {value});
      double most = -1;
      for (std::size_t row = 0; row < alone.rows(); ++row) most = std::max(most, alone.at(row, "bob.x"));
      REQUIRE(swept.rows[k].recorded.size() == 3);
      CHECK(swept.rows[k].recorded[0] == alone.last("bob.x"));
      CHECK(swept.rows[k].recorded[1] == most);
      CHECK(swept.rows[k].recorded[2] == static_cast<double>(alone.result.event_counts[0].count));
    }
  }
}

namespace {

// The recorded values of every member must be those of a separate run to the bit. The last two are the largest value of
// a quantity and the number of firings of an event.
void check_members(const std::string& text, const SweepResult& swept, const std::string& varied,
                   const std::string& extreme, const std::string& counted) {
  for (const SweepMember& m : swept.rows) {
    CAPTURE(m.number);
    const Run alone = run(text, Engine::interpreter, {varied + " = " + number(m.varied[0])});
    REQUIRE(alone.result.status == Status::complete);
    REQUIRE(m.recorded.size() == swept.sweep.records.size());
    double most = -HUGE_VAL, count = -1;
    for (std::size_t row = 0; row < alone.rows(); ++row) most = std::max(most, alone.at(row, extreme));
    for (const EventCount& e : alone.result.event_counts)
      if (e.name == counted) count = static_cast<double>(e.count);
    for (std::size_t k = 0; k + 2 < m.recorded.size(); ++k) {
      CAPTURE(swept.sweep.records[k].name);
      CHECK(m.recorded[k] == alone.last(swept.sweep.records[k].name));
    }
    CHECK(m.recorded[m.recorded.size() - 2] == most);
    CHECK(m.recorded.back() == count);
  }
}

}  // namespace

TEST_CASE(
    "members of a sweep with a `when` go side by side, and leave for the step that has it, with the bits of single "
    "runs") {
  // The model has a relay, a machine that switches a load, an assigned velocity, a condition with a label, an angle,
  // samples, a rod, and a body with Euler parameters.
  const std::string text = R"(mbd 1
use joints
param k = 4, gain = 1
gravity (0, 0, -1)
state u = 1, phase in (push, pull) = push, w = 0
particle p(1) at (0.3, 0, 0)
constraint plane: p.y == 0
force relay on p: (u - k*p.x, 0, 1)
when up: p.x - 0.5 rising { u = -gain }
when down: p.x + 0.2 falling { u = gain }
body b(mass = 1, inertia = diag(0.1, 0.2, 0.3)) at (0, 1, -0.5)
Revolute hinge(ground.at(0, 1, 0), b.at(0, 0, 0.5), axis = ey)
torque drive on b: (0, 0.2*sin(t), 0)
when far: phase == phase.push and p.vx > 0.4 { phase = phase.pull; disable drive }
when back: phase == phase.pull and (p.vx < -0.4 or p.z > 7) { phase = phase.push; enable drive }
when wall: hinge.angle - 0.12 rising { p.vx = 0.7*p.vx }
every control: 0.13 { w = -0.2*p.vx }
force servo on p: (w, 0, 0)
simulate s { time = 0 .. 5 step 0.01; integrator = rk4; bodies = euler_parameters }
)";
  for (const bool interpret : {true, false}) {
    SweepOptions options;
    options.vary = {"k = 2 .. 4 count 19"};
    options.record = {"p.x", "p.vx", "u", "max_over(p.x)", "up.count"};
    options.jobs = 2;
    options.compile.interpret = interpret;
    const SweepResult swept = sweep_text(text, "lanes.mbd", options);
    REQUIRE_MESSAGE(swept.status == Status::complete, swept.rendered);
    REQUIRE(swept.rows.size() == 19);
    CHECK(swept.steps_together > 4 * swept.steps_alone);
    CHECK(swept.steps_alone > 0);
    check_members(text, swept, "k", "p.x", "up");
  }
}

TEST_CASE("a step in lanes is looked along: two changes inside one, and one that only touches") {
  const std::string text = R"(mbd 1
space 1
param top = 1
state n = 0
particle p(1) at 0 moving 1
force weight on p: -0.5 - n
when high: p.x - top crossing { n = n + 0.001 }
simulate s { time = 0 .. 4.5 step 0.5; integrator = rk4 }
)";
  SweepOptions options;
  options.vary = {"top = (0.5, 0.9, 0.99, 0.9999, 1, 1.0001, 1.1, 2, 3)"};
  options.record = {"p.x", "n", "max_over(p.x)", "high.count"};
  options.jobs = 1;
  const SweepResult swept = sweep_text(text, "lanes.mbd", options);
  REQUIRE_MESSAGE(swept.status == Status::complete, swept.rendered);
  CHECK(swept.steps_together > 0);
  check_members(text, swept, "top", "p.x", "high");
  CHECK(swept.rows[2].recorded.back() == 2);  // Both firings are within the step from 1.5 to 2 or the step to 2.5.
  CHECK(swept.rows[7].recorded.back() == 0);
}

TEST_CASE("members of a sweep in steps of their own size have the bits of single runs") {
  // The rows decide where steps end. The load is short compared with the steps and is detected only at rows.
  const std::string text = R"(mbd 1
param k = 1
gravity (0, 0, -9.81)
particle p(1) at (0.8, 0, -0.6)
constraint rod: norm(p.pos) == 1
constraint plane: p.y == 0
state u = 0
force short on p: (k*exp(-((t - 2.345)/0.02)^2) + u, 0, 0)
when left: p.x falling { u = -0.1*k }
simulate s { time = 0 .. 5 step 0.01; integrator = METHOD }
)";
  for (const char* method : {"auto", "dop853", "dopri5(rtol = 1e-6, atol = 1e-8)", "auto; kinks = ignore",
                             "auto; stabilise = partition", "bdf(rtol = 1e-6, atol = 1e-8)"}) {
    CAPTURE(method);
    const std::string model = replaced(text, "METHOD", method);
    SweepOptions options;
    options.vary = {"k = 5 .. 25 count 5"};
    options.record = {"p.x", "p.vz", "max_over(p.x)", "left.count"};
    for (const bool extremes : {true, false}) {
      if (!extremes) options.record = {"p.x", "p.vz"};
      const SweepResult swept = sweep_text(model, "steps.mbd", options);
      REQUIRE_MESSAGE(swept.status == Status::complete, swept.rendered);
      if (extremes) check_members(model, swept, "k", "p.x", "left");
      for (const SweepMember& m : swept.rows) {
        const Run alone = run(model, Engine::interpreter, {"k = " + number(m.varied[0])});
        CHECK(m.recorded[0] == alone.last("p.x"));
        CHECK(m.recorded[1] == alone.last("p.vz"));
      }
    }
  }
}

TEST_CASE("members of a sweep with contact and switched rows go one by one, with the bits of single runs") {
  // The model has an impact, a sticking friction, a condition, a switched constraint, samples, and a located
  // discontinuity.
  const std::string text = R"(mbd 1
space 2
param v = 1
gravity (0, -10)
state u = 0
particle p(1) at (0, 0.2) moving (v, 0)
particle q(1) at (1, 1)
constraint deck: p.y >= 0 restitution 0.3
friction rub on p.vx: 0.4*deck.lambda
constraint rod: p.vx == q.vx
init { disable rod }
force pull on q: (u - max(q.x - 1.2, 0), 10)
at tie: 0.45 { enable rod }
when far: q.x - 1.1 rising { disable rod; u = -1 }
every control: 0.05 { u = 0.9*u + 0.3 }
simulate s { time = 0 .. 1.5 step 0.01; integrator = METHOD }
)";
  for (const char* method : {"rk4", "rk4; kinks = locate", "ab4"}) {
    CAPTURE(method);
    const std::string model = replaced(text, "METHOD", method);
    SweepOptions options;
    options.vary = {"v = 0.5 .. 1.5 count 11"};
    options.record = {"final(p.x)",        "final(q.vy)",      "max_over(p.y)",
                      "final(deck.count)", "final(rub.count)", "final(far.count)"};
    options.jobs = 2;
    const SweepResult swept = sweep_text(model, "events.mbd", options);
    REQUIRE(swept.rows.size() == 11);
    CHECK(swept.steps_together == 0);
    for (const std::size_t k : {0u, 4u, 7u, 10u}) {
      CAPTURE(k);
      Simulation alone = compile_text(model, Engine::interpreter, {"v = " + number(swept.rows[k].varied[0])});
      const Run r = run(alone);
      REQUIRE(r.result.status == Status::complete);
      REQUIRE(swept.rows[k].recorded.size() == 6);
      double most = -1;
      for (std::size_t row = 0; row < r.rows(); ++row) most = std::max(most, r.at(row, "p.y"));
      CHECK(swept.rows[k].recorded[0] == r.last("p.x"));
      CHECK(swept.rows[k].recorded[1] == r.last("q.vy"));
      CHECK(swept.rows[k].recorded[2] == most);
      const auto fired = [&](const std::string& name) {
        for (const EventCount& e : r.result.event_counts)
          if (e.name == name) return static_cast<double>(e.count);
        return -1.0;
      };
      CHECK(swept.rows[k].recorded[3] == fired("deck"));
      CHECK(swept.rows[k].recorded[4] == fired("rub.rests"));
      CHECK(swept.rows[k].recorded[5] == fired("far"));
      CHECK(fired("deck") > 1);
      CHECK(fired("rub.rests") > 0);
    }
  }
}

TEST_CASE("a run is left within a step that has many events, and gone on with bit for bit") {
  for (const char* method : {"rk4", "ab4", "dopri5(fixed)"}) {
    CAPTURE(method);
    const std::string text = replaced(R"(mbd 1
space 1
state u = 0, n = 0
particle p(1) at 1 moving 0
force f on p: u - p.x^3
every sample: 1e-4 { u = -4*p.x - 3*p.vx; n = n + 1 }
when passes: p.x - 0.5 crossing { n = n + 1000 }
simulate { time = 0 .. 3 step 0.4; integrator = METHOD }
)",
                                      "METHOD", method);
    const Run whole = run(text);
    REQUIRE(whole.result.status == Status::complete);
    for (const std::uint64_t steps : {1001u, 2500u, 13000u}) {
      std::string bytes;
      double left = 0;
      RunOptions until;
      until.pause = [&](const Pause& pause) {
        if (pause.steps < steps) return std::string();
        bytes = pause.save();
        left = pause.time;
        return std::string("far enough");
      };
      Simulation one = compile_text(text, Engine::interpreter), other = compile_text(text, Engine::interpreter);
      const Run first = run(one, until);
      CHECK(first.result.status == Status::interrupted);
      CHECK(first.result.steps < steps + 1100);
      CHECK(left > first.time.back() + 0.01);
      RunOptions on;
      on.resume = bytes;
      const Run rest = run(other, on);
      REQUIRE(rest.result.status == Status::complete);
      CHECK(first.rows() + rest.rows() == whole.rows());
      CHECK(rest.result.state == whole.result.state);
      CHECK(rest.result.events == whole.result.events);
      CHECK(rest.result.steps == whole.result.steps);
      CHECK(std::equal(rest.values.rbegin(), rest.values.rend(), whole.values.rbegin()));
    }
  }
}

// The rope of length 1 becomes taut when the ball is at its end. From then on a row holds the number at zero.
TEST_CASE("what a row holds at zero does not fire again") {
  for (const char* method :
       {"auto", "auto(tol = 1e-7)", "auto(tol = 1e-6)", "rk4", "ab4", "bdf", "taylor", "dopri5", "dop853"})
    for (const char* stabilise : {"project", "baumgarte"}) {
      CAPTURE(method);
      CAPTURE(stabilise);
      const Run r = run(R"(mbd 1
space 2
gravity (0, -9.81)
particle p(1) at (0.6, 0)
constraint rope: norm(p.pos) == 1
init { disable rope }
when taut: norm(p.pos) - 1 rising { enable rope }
when longer: norm(p.pos) > 1 { }
when square: p.x^2 + p.y^2 - 1 crossing { }
when parts: p.x*p.vx + p.y*p.vy crossing { }
when left: p.x falling { }
output n = taut.count, m = longer.count, s = square.count, v = parts.count, l = left.count
simulate { time = 0 .. 5 step 0.01; integrator = )" +
                        std::string(method) + "; stabilise = " + stabilise + " }\n");
      REQUIRE(r.result.status == Status::complete);
      CHECK(r.last("n") == 1);
      CHECK(r.last("m") == 1);
      CHECK(r.last("s") == 1);
      CHECK(r.last("v") == 0);  // The rope makes it zero; it does not pass.
      CHECK(r.last("l") == 3);
    }
}

TEST_CASE("two events on one number, of which one ends the step before the other's zero") {
  for (const char* settings :
       {"0.1; integrator = rk4", "0.07; integrator = rk4", "1; integrator = rk4", "0.1; integrator = ab4", "0.1",
        "0.1; integrator = dopri5", "0.1; integrator = bdf", "0.1; integrator = taylor"}) {
    CAPTURE(settings);
    const Run r = run(R"(mbd 1
space 1
particle p(1) at 0.3 moving -1.1
force g on p: 2
when c: p.x crossing { }
when r: p.x rising { }
when f: p.x falling { }
output nc = c.count, nr = r.count, nf = f.count
simulate { time = 0 .. 1 step )" +
                      std::string(settings) + " }\n");
    CHECK(r.last("nc") == 2);
    CHECK(r.last("nr") == 1);
    CHECK(r.last("nf") == 1);
  }
}
