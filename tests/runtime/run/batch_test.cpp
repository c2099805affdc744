// SPDX-License-Identifier: Apache-2.0
// Tests members of a sweep that make their steps eight at a time (compiler/formulate/steps/step,
// runtime/run/batch). Each member equals a separate run bit for bit, by both engines, with any other
// members and on any number of threads. This also holds if a member crosses a singular position, contradicts its rows
// or has a value that is not finite.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "mbc/mbc.h"

using namespace mbc;

namespace {

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

std::string text_of(double value) {
  std::ostringstream out;
  out.precision(17);
  out << std::showpoint << value;
  return out.str();
}

struct Case {
  std::string text, folder = ".", simulation, parameter, unit;
  std::vector<double> values;
  std::vector<std::string> record;
};

SweepResult run(const Case& c, const std::vector<double>& values, bool interpret, unsigned jobs = 1) {
  SweepOptions o;
  o.compile.interpret = interpret;
  o.compile.native_at_once = !interpret;
  o.compile.folder = c.folder;
  o.name = c.simulation;
  o.jobs = jobs;
  o.record = c.record;
  std::string list;
  for (const double v : values) list += (list.empty() ? "(" : ", ") + text_of(v) + c.unit;
  o.vary = {c.parameter + " = " + list + ")"};
  return sweep_text(c.text, "a.mbd", o);
}

void check_same(const SweepMember& a, const SweepMember& b) {
  CHECK(a.varied == b.varied);
  CHECK(a.status == b.status);
  CHECK(a.reason == b.reason);
  CHECK(same(a.recorded, b.recorded));
}

// Runs the members together, on two and on four threads, and one by one (a sweep of one member uses no lanes). Returns
// the fraction of steps in lanes.
double check_members(const Case& c, bool interpret) {
  const SweepResult all = run(c, c.values, interpret);
  REQUIRE_MESSAGE(all.status == Status::complete, all.rendered);
  REQUIRE(all.rows.size() == c.values.size());
  const SweepResult threads[] = {run(c, c.values, interpret, 3)};
  for (std::size_t k = 0; k < c.values.size(); ++k) {
    CAPTURE(c.values[k]);
    const SweepResult alone = run(c, {c.values[k]}, interpret);
    REQUIRE(alone.rows.size() == 1);
    CHECK(alone.steps_together == 0);
    check_same(all.rows[k], alone.rows[0]);
    for (const SweepResult& t : threads) check_same(all.rows[k], t.rows[k]);
  }
  const double steps = static_cast<double>(all.steps_together + all.steps_alone);
  return steps > 0 ? static_cast<double>(all.steps_together) / steps : 0;
}

double check_engines(const Case& c) {
  const double share = check_members(c, true);
#ifdef MBC_HAVE_JIT
  CHECK(check_members(c, false) == share);
  const SweepResult interpreted = run(c, c.values, true), native = run(c, c.values, false);
  CHECK(native.engine.find("native") != std::string::npos);
  for (std::size_t k = 0; k < c.values.size(); ++k) check_same(interpreted.rows[k], native.rows[k]);
#endif
  return share;
}

std::vector<double> spread(double from, double to, int count) {
  std::vector<double> out;
  for (int k = 0; k < count; ++k) out.push_back(from + (to - from) * k / (count - 1));
  return out;
}

const char* const kPendulums = R"(mbd 1
space 2
param a = 0.5
gravity (0, -9.81)
particle p1(1) at (sin(a), -cos(a))
particle p2(1) at (sin(a) + sin(2*a), -cos(a) - cos(2*a))
constraint r1: dist((0, 0), p1) == 1
constraint r2: dist(p1, p2) == 1
)";

}  // namespace

TEST_CASE("double pendulums, free and kept on their rods; 11 members are a group and a part of one") {
  for (const std::string stabilise : {"none", "project"}) {
    CAPTURE(stabilise);
    const Case c{kPendulums + std::string("simulate s { time = 0 .. 1 step 0.001; integrator = rk4\n stabilise = ") +
                     stabilise + " }\n",
                 ".",
                 "s",
                 "a",
                 "",
                 spread(0.1, 1.5, 11),
                 {}};
    CHECK(check_engines(c) > 0.99);
  }
}

TEST_CASE("rows of every level, time and parameters in forces, states of the model") {
  const Case c{R"(mbd 1
param k = 3
particle p(2) at (1, 0, 0) moving (0, 1, 0.2)
particle q(1) at (1, 1, 0)  moving (0, 1, 0)
state x = 0.1 where x' = p.y - k*x
force f on p: (-k*p.x, 0.1*sin(3*t), -p.z^3)
force drag on q: -0.2*q.vel + (0, 0, x)
constraint circle: p.x^2 + p.y^2 == 1
constraint knife: q.vx*sin(q.y) - q.vy*cos(q.y)*0 == 0
simulate s { time = 0 .. 2 step 0.002; integrator = rk4 }
)", ".", "s", "k", "", spread(1, 5, 9), {"p.x", "q.y", "x", "final(p.vy)"}};
  CHECK(check_engines(c) > 0.9);
}

TEST_CASE("bodies described by quaternions, projected, on a ball joint and free") {
  const Case c{R"(mbd 1
param w = 1
gravity (0, 0, -9.81)
body a(mass = 1, inertia = diag(0.1, 0.2, 0.25)) at (0.5, 0, 0) moving (0, 0.5*w, 0) spinning (0, 0, w)
body b(mass = 1, inertia = diag(0.1, 0.2, 0.25)) at (0, 3, 0) spinning (w, 0.1, 2)
point ha on a at (-0.5, 0, 0)
constraint joint: ha.pos == (0, 0, 0)
simulate s { time = 0 .. 0.5 step 0.001; integrator = rk4 }
)", ".", "s", "w", "", spread(0.5, 3, 9), {}};
  CHECK(check_engines(c) > 0.9);
}

TEST_CASE("angles: sines and cosines of eight members by one call, of one that has turned very far by its own") {
  const Case c{R"(mbd 1
param a = 0.5 [rad], fast = 1
space 2
coord th1 = a rate fast
coord th2 = 2*a
gravity (0, -9.81)
particle p1(1) follows (sin(th1), -cos(th1))
particle p2(1) follows (sin(th1) + sin(th2 + 0.1*sin(7*t)), -cos(th1) - cos(th2))
simulate s { time = 0 .. 1 step 0.001; integrator = rk4 }
)", ".", "s", "fast", "", {1, 2, 3, 1e11, -4, 5e8, 0.1, 0, 7}, {}};
  CHECK(check_engines(c) > 0.5);
}

TEST_CASE("a value that is not finite stays in its member and is said there") {
  const Case c{R"(mbd 1
param c = 1
particle p(1) at (0, 0, 0) moving (1, 0, 0)
force f on p: (0, sqrt(c - t), 0)
simulate s { time = 0 .. 1 step 0.01; integrator = rk4 }
)", ".", "s", "c", "", {2, 0.5, 3, 0.25, 4, 5, 6, 7, 8, 0.75}, {}};
  CHECK(check_engines(c) > 0.5);
  const SweepResult r = run(c, c.values, true);
  CHECK(r.failed == 3);
  CHECK(r.rows[1].reason.find("E06") == 0);
  CHECK(r.rows[3].reason.find("t = 0.2") != std::string::npos);
}

TEST_CASE("rows of a level that is not corrected stand beside those that are") {
  const Case c{R"(mbd 1
param m = 1
space 2
gravity (0, -9.81)
particle p(1) at (0, 0) moving (1, 0)
particle q(m) at (0, -1)
constraint knife: p.vy == 0
constraint rod: dist(p, q) == 1
simulate s { time = 0 .. 5 step 0.01; integrator = rk4 }
)", ".", "s", "m", "", {2, 1, 3}, {}};
  CHECK(check_engines(c) > 0.9);
  Case accelerated = c;
  accelerated.text.insert(accelerated.text.find("simulate"), "constraint push: q.ax == 0.3*sin(t)*m\n");
  check_engines(accelerated);
}

TEST_CASE("a power that is not finite ends a member as it ends a run") {
  const Case support{R"(mbd 1
param k = 1
particle p(1) at (1, 0, 0)
particle s(1) follows (sin(t), 0, 0)
force f on p: (-k*p.x, 0, 0)
force g on s: (sqrt(abs(t - 0.5) - 0.1), 0, 0)
simulate r { time = 0 .. 1 step 0.01; integrator = rk4 }
)", ".", "r", "k", "", {1, 2, 3}, {}};
  check_engines(support);
  CHECK(run(support, support.values, true).failed == 3);
  const Case diverges{R"(mbd 1
param w = 1
particle p(1) at (1, 0, 0) moving (0, w, 0)
force f on p: 100*w*p.pos
simulate s { time = 0 .. 60 step 0.05; integrator = rk4 }
)", ".", "s", "w", "", {1, 2, 0.1}, {}};
  check_engines(diverges);
}

TEST_CASE("members pass a singular position one after the other, and alone") {
  const Case c{R"(mbd 1
param a = 0.7, w = 1.3
particle p1(1) at (cos(a), sin(a))     moving (-w*sin(a), w*cos(a))
particle p2(1) at (cos(a) + 2, sin(a)) moving (-w*sin(a), w*cos(a))
space 2
constraint crank:   dist(ground, p1) == 1
constraint rocker:  dist((2, 0), p2) == 1
constraint coupler: dist(p1, p2) == 2
simulate turn { time = 0 .. 2.5 step 0.002; integrator = rk4 }
)", ".", "turn", "w", "", spread(1, 3, 9), {}};
  const double share = check_engines(c);
  CHECK(share > 0.3);
  CHECK(share < 1);
}

TEST_CASE("initial and final values") {
  const Case c{kPendulums + std::string("simulate s { time = 0 .. 1 step 0.001; integrator = rk4 }\n"),
               ".",
               "s",
               "a",
               "",
               spread(0.1, 1.5, 9),
               {"p1.x - initial(p1.x)", "final(p2.y)"}};
  CHECK(check_engines(c) > 0.99);
}

TEST_CASE("extremes over all rows, of outputs with accelerations and multipliers; undefined ones") {
  Case c{
      kPendulums +
          std::string(
              "output E = energy.total, pull = r1.lambda\nsimulate s { time = 0 .. 1 step 0.001; integrator = rk4 }\n"),
      ".",
      "s",
      "a",
      "",
      spread(0.1, 1.5, 9),
      {"max_over(p2.x)", "min_over(pull)", "max_over(abs(p1.ay))", "initial(p1.x)", "final(E)", "min_over(E)"}};
  CHECK(check_engines(c) > 0.99);
  c.record = {"max_over(sqrt(1.2 - p2.x))", "max_over(E)"};  // This value is undefined in some members only.
  const double share = check_engines(c);
  CHECK(share > 0.2);
  CHECK(share < 0.99);
  c.text += "output narrow = sqrt(1.4 - p2.x)\n";  // The member ends where this output is undefined.
  CHECK(check_engines(c) > 0.1);
}

TEST_CASE("every example with a parameter and a fixed step: nothing shows in its members") {
  int looked_at = 0;
  double together = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(MBC_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".mbd") continue;
    CAPTURE(entry.path().string());
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    Simulation program = Simulation::create(Model::from_file(entry.path().string())).value();
    REQUIRE(program.model().ok());
    if (program.model().parameters().empty() || program.model().simulations().empty()) continue;
    const std::string simulation = program.model().simulations().front();
    const TimeSpan time = program.model().time_span(simulation).value();
    if ((time.end - time.begin) / time.step > 2000) continue;
    for (std::size_t k = 0; k < program.model().parameters().size(); ++k) {
      const Quantity q = program.model().parameters()[k];
      const double value = program.parameter(k).value();
      if (q.name.find_first_of("[.") != std::string::npos || value == 0) continue;
      const Case c{text.str(), entry.path().parent_path().string(),       simulation,
                   q.name,     q.unit.empty() ? "" : " [" + q.unit + "]", {value, value * 1.01, value * 0.98},
                   {}};
      // The settings of the run depend on this parameter.
      if (run(c, {value}, true).status != Status::complete) continue;
      together += check_members(c, false);
      ++looked_at;
      break;
    }
  }
  CHECK(looked_at > 15);
  CHECK(together > 5);
}
