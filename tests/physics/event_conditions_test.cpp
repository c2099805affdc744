// SPDX-License-Identifier: Apache-2.0
// Tests conditions of `when` that stay at their limit, changes that are more frequent than steps, and instants that are
// close together, within and just beyond the tolerance of an instant.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

TEST_CASE("a condition that rests at its limit fires once, and again when it was clearly false") {
  // The ground keeps p.y at 0 up to rounding. A kick at 2 s lifts the particle once more.
  const Run r = run_both(R"(mbd 1
space 2
gravity (0, -10)
state phase in (flying, lying) = flying
particle p(1) at (0.1, 1) moving (0.3, 0)
particle q(1) at (3, 0.4) moving (0.05, 0)
constraint ground1: 0.7*p.y + 0.1*(q.x - 3 - 0.01*sin(5*t)) == 0
constraint still: q.x - 3 - 0.01*sin(5*t) == 0
init { disable ground1 }
when land: p.y <= 0 and p.vy < 0 and phase == phase.flying { phase = phase.lying; enable ground1; p.vy = 0 }
when touch: p.y <= 0 { }
when under: not (p.y > 0) or phase == phase.lying { }
at kick: 2 { phase = phase.flying; disable ground1; p.vy = 2 }
output n = land.count, m = touch.count, k = under.count, first = land.time
simulate { time = 0 .. 4 step 0.01; integrator = rk4 }
)");
  CAPTURE(r.result.rendered);
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("n") == 2);
  CHECK(r.last("k") <= 2);
  CHECK(std::fabs(r.last("first") - 2.4) < 0.03);
}

TEST_CASE("an input that a host sets is compared exactly") {
  const Model model = Model::from_string(
      "mbd 1\nspace 1\ninput cmd = 0\nparticle p(1) at 0\nwhen go: cmd == 1 { p.vx = 2 }\n"
      "simulate { time = 0 .. 1 step 0.1; integrator = rk4 }\n",
      "a.mbd");
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  Simulation simulation = Simulation::create(model).value();
  RunOptions options;
  options.drive = [](double t, std::span<const double>, std::span<double> u) { u[0] = t > 0.45 ? 1 : 0; };
  const RunResult r = simulation.run(options);
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(simulation.held("go.count").value() == 1);
  CHECK(simulation.held("go.time").value() == doctest::Approx(0.5));
  CHECK(r.state[0] == doctest::Approx(1));
}

TEST_CASE("what an instant makes true, but for rounding, is true there") {
  const Run r = run_both(R"(mbd 1
space 1
state phase in (off, on) = off, x0 = 0
particle p(1) at 0.3 moving -1
at meet: 0.1 { p.x = 0.2; p.vx = 0 }
at arm: 0.5 { phase = phase.on }
when go: p.x - 0.1 - 0.1 <= 0 and phase == phase.on { x0 = p.x }
when strictly: p.x - 0.1 - 0.1 < 0 and phase == phase.on { x0 = 7 }
output n = go.count, m = strictly.count, at0 = go.time
simulate { time = 0 .. 1 step 0.1; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("n") == 1);
  CHECK(r.last("at0") == 0.5);
  CHECK(r.last("m") == 0);
}

TEST_CASE("a bouncing ball by a condition is caught at each bounce, down to those that have no end") {
  for (const char* method : {"rk4", "auto"}) {
    CAPTURE(method);
    const Run r = run_both(replaced(R"(mbd 1
space 1
particle p(1) at 1 moving 0
force f on p: -10
when land: p.x <= 0 { p.vx = -0.8*p.vx }
simulate { time = 0 .. 10 step 0.01; integrator = METHOD }
)",
                                    "METHOD", method));
    CHECK(r.result.status == Status::stopped);
    CHECK(r.code() == "E0681");
    CHECK(r.last("p.x") > -1e-9);
  }
}

TEST_CASE("changes that come many times in a step of the method are all found") {
  for (const char* method : {"auto", "dopri5(rtol = 1e-6, atol = 1e-9)", "bdf", "rk4"}) {
    CAPTURE(method);
    const Run r = run_both(replaced(R"(mbd 1
space 1
particle p(1) at 0 moving 1
when up: sin(200*t + 0.1) rising { }
when low: sin(200*t + 0.1) < -0.5 { }
output n = up.count, m = low.count, last = up.time
simulate { time = 0 .. 10 step 0.01; integrator = METHOD }
)",
                                    "METHOD", method));
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.last("n") == 318);
    CHECK(r.last("m") == 318);
    CHECK(std::fabs(r.last("last") - (318 * 2 * std::acos(-1.0) - 0.1) / 200) < 1e-12);
  }
}

TEST_CASE("rows of a step that is made again are written once, and none from behind an event") {
  // A pulse between the rows makes the method repeat the step with an earlier end. The event before the pulse is also
  // found in this step.
  const Run r = run_both(R"(mbd 1
space 1
state n = 0
particle p(1) at 0 moving 1
force f on p: 400*exp(-(200*(t - 7.005))^2)
when hit: p.x - 6.95 rising { n = n + 1; p.vx = -p.vx }
simulate { time = 0 .. 20 step 0.01; kinks = ignore }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("n") == 2);  // It passes once before and once more with the speed after the pulse.
  double largest = 0;
  for (std::size_t k = 1; k < r.rows(); ++k) {
    CHECK(r.time[k] > r.time[k - 1]);
    if (r.time[k] < 6.99) largest = std::max(largest, r.at(k, "p.x"));
    if (r.time[k] < 6.94) CHECK(std::fabs(r.at(k, "p.x") - r.time[k]) < 1e-9);
  }
  CHECK(largest < 6.95 + 1e-12);
  // The pulse adds sqrt(pi)/200*400 to the speed.
  CHECK(std::fabs(r.last("p.vx") + (-1 + 2 * std::sqrt(std::acos(-1.0)))) < 1e-5);
}

TEST_CASE("events that are next to each other are no failure of the method for stiff problems") {
  const Run r = run_both(R"(mbd 1
space 1
state a = 0, b = 0, c = 0, d = 0, e = 0
particle p(1) at 0 moving 1
force f on p: -1000*p.vx + 1000
at one: 1 { a = a + 1 }
at two: 1.0000000000003 { b = b + 1 }
at three: 1.0000000000006 { c = c + 1 }
when passed: p.x - 1 rising { d = d + 1 }
when again: p.x - 1 - 1e-12 rising { e = e + 1 }
output n = a + b + c + d + e
simulate { time = 0 .. 2 step 0.5; integrator = bdf }
)");
  CAPTURE(r.result.rendered);
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("n") == 5);
}

TEST_CASE("an angle that goes round passes no zero where it jumps") {
  const std::string text = R"(mbd 1
coord phi = 0 rate 1
kinetic wheel: phi'^2/2
let angle = atan2(sin(phi), cos(phi))
when up: angle rising { }
when down: angle falling { }
when half: atan2(sin(t + 1), cos(t + 1)) - 0.5 crossing { }
when behind: angle < -0.5 { }
every tick: 0.7 { }
at back: 20 { impulse on phi: -2 }
output n = up.count, m = down.count, h = half.count, b = behind.count
output tb = behind.time, tu = up.time, td = down.time, th = half.time
simulate { time = 0 .. 30 step STEP; integrator = METHOD }
)";
  const double pi = std::acos(-1.0);
  for (const char* method : {"rk4", "auto", "dopri5", "bdf"})
    for (const char* step : {"0.05", "0.5"}) {
      CAPTURE(method);
      CAPTURE(step);
      const Run r = run_both(replaced(replaced(text, "METHOD", method), "STEP", step));
      REQUIRE(r.result.status == Status::complete);
      CHECK(r.last("n") == 3);
      CHECK(std::fabs(r.last("tu") - 6 * pi) < 1e-9);
      CHECK(r.last("m") == 2);  // This is the way back.
      CHECK(std::fabs(r.last("td") - (40 - 4 * pi)) < 1e-9);
      CHECK(r.last("h") == 4);
      CHECK(std::fabs(r.last("th") - (8 * pi - 0.5)) < 1e-9);
      CHECK(r.last("b") == 5);  // The events are at pi, 3 pi, 5 pi, and twice on the way back.
      CHECK(std::fabs(r.last("tb") - (40 - 4 * pi + 0.5)) < 1e-9);
    }
}
