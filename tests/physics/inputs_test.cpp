// SPDX-License-Identifier: Apache-2.0
// Tests input signals: step-wise samples, linear and smooth interpolation, expressions, precedence, saving, and sweeps.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>

#include "tests/physics/run.h"
#include "tests/support/scratch.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// Step-wise samples push a mass of 2, so that its motion consists of parabolas.
const std::string kHeld = R"(mbd 1
space 1
input u = 0
particle p(2) at 0
force f on p: u
output F = u
simulate held { time = 0 .. 3 step 0.5; integrator = rk4; input.u = table(t, (0, 0.3, 1.75, 3), (1, -2, 4, 0)) }
simulate free { time = 0 .. 3 step 0.5; integrator = rk4 }
simulate straight { time = 0 .. 3 step 0.5; integrator = rk4; input.u = table(t, (0, 0.3, 1.75, 3), (1, -2, 4, 0), method = linear) }
simulate spring { time = 0 .. 3 step 0.01; integrator = rk4; input.u = cos(t) - 2*p.x }
)";

struct Parabolas {
  double x = 0, v = 0, at = 0;
  void go(double to) {
    const double times[] = {0, 0.3, 1.75, 3}, force[] = {1, -2, 4, 0};
    while (at < to) {
      int i = 0;
      while (i < 2 && times[i + 1] <= at) ++i;
      const double h = std::min(to, times[i + 1]) - at, a = force[i] / 2;
      x += h * (v + 0.5 * h * a);
      v += h * a;
      at += h;
    }
  }
};

Simulation made(const std::string& text, const std::string& block) {
  CompileOptions options;
  options.interpret = true;
  const Model model = Model::from_string(text, "inputs.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  return *Simulation::create(*model.shaped(block));
}

}  // namespace

TEST_CASE("samples are held, and steps end at their times") {
  for (const char* method : {"rk4", "ab4", "dopri5(fixed)", "dopri5(rtol = 1e-9, atol = 1e-12)", "dop853", "auto",
                             "bdf(rtol = 1e-10, atol = 1e-12)"}) {
    CAPTURE(method);
    const Run r = run_both(kHeld, {std::string("held.integrator=") + method}, "held");
    REQUIRE(r.result.status == Status::complete);
    Parabolas exact;
    const double tolerance = std::string(method).starts_with("bdf") ? 1e-7 : 1e-12;
    for (std::size_t k = 0; k < r.rows(); ++k) {
      exact.go(r.time[k]);
      CHECK(std::fabs(r.at(k, "p.x") - exact.x) < tolerance);
      CHECK(std::fabs(r.at(k, "p.vx") - exact.v) < tolerance);
    }
    CHECK(r.at(0, "F") == 1);
    CHECK(r.at(1, "F") == -2);
    CHECK(r.last("F") == 0);
    CHECK(r.result.event_counts.empty());
    CHECK(r.result.events == 0);
  }
}

TEST_CASE("a signal that is straight between its points loses no order") {
  const Run r = run_both(kHeld, {}, "straight");
  double x = 0, v = 0;
  const double times[] = {0, 0.3, 1.75, 3}, force[] = {1, -2, 4, 0};
  for (int i = 0; i < 3; ++i) {
    const double h = times[i + 1] - times[i], slope = (force[i + 1] - force[i]) / h;
    x += h * (v + h * (force[i] / 4 + h * slope / 12));
    v += h * (force[i] / 2 + h * slope / 4);
  }
  CHECK(std::fabs(r.last("p.x") - x) < 1e-13);
  CHECK(std::fabs(r.last("p.vx") - v) < 1e-13);
}

TEST_CASE("a signal may be any expression of time and states") {
  // 2 x'' = cos t - 2 x from rest is x'' + x = cos(t)/2 with the solution x = t sin(t)/4.
  const Run r = run_both(kHeld, {}, "spring");
  CHECK(std::fabs(r.last("p.x") - 3 * std::sin(3.0) / 4) < 1e-9);
}

TEST_CASE("a signal has the derivatives of its expression") {
  const std::string text = R"(mbd 1
space 1
input u = 0
particle p(1) at 0.2
constraint drive: p.x == u
output du = u', ddu = u''
simulate { time = 0 .. 1 step 0.1; integrator = rk4; input.u = COURSE }
)";
  const Run r = run_both(replaced(text, "COURSE", "0.2*cos(3*t)"));
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("p.x") - 0.2 * std::cos(3.0)) < 1e-12);
  CHECK(std::fabs(r.last("p.ax") + 1.8 * std::cos(3.0)) < 1e-11);
  CHECK(std::fabs(r.last("ddu") + 1.8 * std::cos(3.0)) < 1e-12);
  const Run cubic = run_both(replaced(text, "COURSE", "table(t, (0, 0.5, 1), (0.2, 0.2, 0.2), method = cubic)"));
  CHECK(cubic.last("p.x") == doctest::Approx(0.2).epsilon(1e-12));
  const std::string rising = "table(t, (0, 0.5, 1), (0.2, 0.5, 0.6), SMOOTH)";
  CHECK(run(replaced(text, "COURSE", replaced(rising, "SMOOTH", "smooth = 2"))).values ==
        run(replaced(text, "COURSE", replaced(rising, "SMOOTH", "method = cubic"))).values);
}

TEST_CASE("the host comes before the command line, that before the block, and that before the declaration") {
  const auto last = [](const std::vector<std::string>& set, const std::string& block) {
    return run(kHeld, Engine::interpreter, set, block).at(1, "F");
  };
  CHECK(last({}, "free") == 0);
  CHECK(last({}, "held") == -2);
  CHECK(last({"u=5"}, "held") == 5);
  CHECK(last({"u=5"}, "free") == 5);
  CHECK(last({"input.u=7*t"}, "held") == 3.5);
  CHECK(last({"input.u=7*t"}, "free") == 3.5);
  for (const char* block : {"held", "free", "straight"}) {
    Simulation s = made(kHeld, block);
    REQUIRE(s.set_input("u", 9).ok());
    RunOptions options;
    options.simulation = block;
    CHECK(run(s, options).at(1, "F") == 9);
    Simulation driven = made(kHeld, block);
    options.drive = [](double t, std::span<const double>, std::span<double> inputs) { inputs[0] = 10 + t; };
    CHECK(run(driven, options).at(1, "F") == 10.5);
  }
}

TEST_CASE("blocks with other signals are run one after the other by one simulation") {
  Simulation s = made(kHeld, "held");
  for (const char* block : {"held", "straight", "free", "spring", "held"}) {
    CAPTURE(block);
    RunOptions options;
    options.simulation = block;
    CHECK(run(s, options).values == run(kHeld, Engine::interpreter, {}, block).values);
  }
}

TEST_CASE("steps one by one give the bits of a run with held samples, across save and restore") {
  const Run whole = run(kHeld, Engine::interpreter, {}, "held");
  Simulation one = made(kHeld, "held");
  for (int k = 0; k < 3; ++k) REQUIRE(one.step(0.5).ok());
  const std::string bytes = one.save();
  Simulation other = made(kHeld, "free");
  REQUIRE(other.restore(bytes).ok());
  for (int k = 0; k < 3; ++k) REQUIRE(other.step(0.5).ok());
  CHECK(other.state()[0] == whole.last("p.x"));
  CHECK(other.state()[1] == whole.last("p.vx"));
  // The host then takes over the input.
  REQUIRE(one.set_input("u", 0).ok());
  const double v = one.state()[1];
  REQUIRE(one.step(0.5).ok());
  CHECK(one.state()[1] == doctest::Approx(v).epsilon(1e-15));
}

TEST_CASE("a run that begins within the samples begins with the one that holds there") {
  Simulation s = made(kHeld, "held");
  RunOptions options;
  options.simulation = "held";
  options.span = {1.0, 2.0};
  const Run r = run(s, options);
  CHECK(r.at(0, "F") == -2);
  CHECK(r.last("F") == 4);
}

TEST_CASE("sweeps over a block with a signal give single runs, and an input that is varied is the sweep's") {
  const std::string text = replaced(kHeld, "particle p(2)", "param m = 2\nparticle p(m)");
  for (const char* block : {"held", "straight", "spring"}) {
    SweepOptions options;
    options.name = block;
    options.compile.interpret = true;
    options.vary = {"m = (1, 2, 3.5)"};
    options.record = {"p.x"};
    const SweepResult swept = sweep_text(text, "inputs.mbd", options, [&](const SweepMember& m) {
      CHECK(m.recorded.at(0) == run(text, Engine::interpreter, {"m=" + number(m.varied[0])}, block).last("p.x"));
      return true;
    });
    CHECK_MESSAGE(swept.status == Status::complete, swept.rendered);
    CHECK(swept.members == 3);
  }
}

TEST_CASE("a pure number is taken in the unit of an input, an angle is converted once") {
  const std::string text = R"(mbd 1
param start = 30 [deg], n = 30, twice = 2*start
let half = start/2
def same(x) = 1*x
coord b = 0.7
input u UNIT = VALUE
kinetic T: 0.5*b'^2
output value = u
simulate { time = 0 .. 1 step 0.5 }
)";
  const double deg = std::acos(-1.0) / 180;
  const auto value = [&](const std::string& unit, const std::string& written,
                         const std::vector<std::string>& set = {}) {
    const Run r = run_both(replaced(replaced(text, "UNIT", unit), "VALUE", written), set);
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    return r.at(1, "value");
  };
  const auto close = [](double x, double y) { return std::fabs(x - y) < 1e-15; };
  for (const char* written : {"30", "n", "same(n)", "30 [deg]", "start", "twice/2", "2*half", "same(start)",
                              "(1/12) [rev]", "asin(sin(start))"}) {
    CAPTURE(std::string(written));
    CHECK(close(value("[deg]", written), 30 * deg));
  }
  CHECK(close(value("[rev]", "0.25"), 90 * deg));
  CHECK(close(value("[rev]", "start"), 30 * deg));
  CHECK(value("[deg]", "0.5 [rad]") == 0.5);
  CHECK(close(value("[deg]", "atan2(1, 1)"), 45 * deg));
  CHECK(close(value("[deg]", "start", {"start=60 [deg]"}), 60 * deg));
  CHECK(value("[deg]", "start", {"start=0.25"}) == 0.25);
  CHECK(close(value("[deg]", "n", {"n=15"}), 15 * deg));
  CHECK(close(value("[deg]", "n", {"n=15 [deg]"}), 15 * deg));

  // These values are also tested as input signals, in which pure numbers may depend on the time.
  for (const char* written :
       {"30", "n", "30*cos(0*t)", "n*cos(0*t)", "30 [deg]", "start", "half + half*cos(0*t)",
        "table(t, (0, 2), (30, 30))", "table(t, (0, 2), (30, 30) [deg])", "table(t, (0, 2), (30 [deg], 1))",
        "table(t, (0, 2), (30, 30), method = linear)", "table(t, (0, 2), (30, 30) [deg], method = cubic)",
        "1*table(t, (0, 2), (30, 30) [deg])"}) {
    CAPTURE(std::string(written));
    const std::string with = replaced(text, "step 0.5", std::string("step 0.5; input.u = ") + written);
    const Run r = run_both(replaced(replaced(with, "UNIT", "[deg]"), "VALUE", "0"));
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(close(r.at(1, "value"), 30 * deg));
  }
  const std::string of_b = replaced(text, "step 0.5", "step 0.5; input.u = b");
  CHECK(run_both(replaced(replaced(of_b, "UNIT", "[deg]"), "VALUE", "0")).at(1, "value") == 0.7);
  CHECK(close(value("[deg]", "0", {"input.u=30"}), 30 * deg));  // as it is written in the block
  CHECK(close(value("[deg]", "0", {"input.u=30 [deg]"}), 30 * deg));
}

TEST_CASE("columns of files are angles where their header says so") {
  const Folder folder;
  std::ofstream(folder / "a.csv") << "t,deg [deg],plain,rad [rad]\n0,30,30,0.5\n2,30,30,0.5\n";
  const auto value = [&](const std::string& more) {
    std::ofstream(folder / "m.mbd") << "mbd 1\ncoord b = 0\ninput u [deg] = 0\nkinetic T: b'^2\noutput value = u\n"
                                    << "simulate { time = 0 .. 1 step 0.5; input.u = table(t, \"a.csv\", " << more
                                    << ") }\n";
    const Model model = Model::from_file(folder / "m.mbd");
    REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
    Simulation s = *Simulation::create(model);
    return run(s).last("value");
  };
  for (const char* method : {"", ", method = linear"}) {
    CHECK(std::fabs(value(std::string("column = \"deg\"") + method) - std::acos(-1.0) / 6) < 1e-15);
    CHECK(std::fabs(value(std::string("column = \"plain\"") + method) - std::acos(-1.0) / 6) < 1e-15);
    CHECK(value(std::string("column = \"rad\"") + method) == 0.5);
  }
}

TEST_CASE("a file has the signal of an input in the column of its name") {
  const Folder folder;
  std::ofstream(folder / "u.csv") << "t [s],w [N],u [N]\n0,1,2\n1,3,4\n";
  std::ofstream(folder / "m.mbd") << R"(mbd 1
space 1
input u [N] = 0, w [N] = 0
particle p(1 [kg]) at 0 [m]
force f on p: u + w
output u, w
simulate { time = 0 [s] .. 1 [s] step 0.5 [s]; input.u = table(t, "u.csv"); input.w = table(t, "u.csv", method = linear) }
)";
  CompileOptions options;
  options.interpret = true;
  const Model model = Model::from_file(folder / "m.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  Simulation s = *Simulation::create(model);
  const Run r = run(s);
  CHECK(r.at(1, "u") == 2);
  CHECK(r.at(1, "w") == 2);
  CHECK(r.last("u") == 4);
  CHECK(r.last("w") == 3);
}
