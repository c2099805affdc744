// SPDX-License-Identifier: Apache-2.0
// Tests changes that must not affect the numbers: names, the order of statements, units, and the origin of parameter
// values.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

double largest_difference(const Run& a, const std::vector<std::string>& names_a, const Run& b,
                          const std::vector<std::string>& names_b) {
  REQUIRE(a.result.status == Status::complete);
  REQUIRE(b.result.status == Status::complete);
  REQUIRE(a.rows() == b.rows());
  double difference = 0;
  for (std::size_t row = 0; row < a.rows(); ++row)
    for (std::size_t i = 0; i < names_a.size(); ++i)
      difference = std::max(difference, std::fabs(a.at(row, names_a[i]) - b.at(row, names_b[i])));
  return difference;
}

const char* const kHead = "mbd 1\nspace 2\n";
const char* const kTail = "simulate { time = 0 .. 1 step 0.001; integrator = rk4; stabilise = project }\n";

}  // namespace

TEST_CASE("names and the order of statements do not change the motion") {
  const std::string one =
      std::string(kHead) +
      "particle a(1) at (1, 0)\nparticle b(2) at (1, 0.7) moving (0.3, 0)\ngravity (0, -9.81)\n"
      "force f on a: -0.2*a.vel\nconstraint r1: dist(ground, a) == 1\nconstraint r2: dist(a, b) == 0.7\n" +
      kTail;
  const std::string other =
      std::string(kHead) + kTail +
      "constraint lower: 0.7 == dist(first_after_second, second)\n"
      "particle first_after_second(2) moving (0.3, 0) at (1, 0.7)\nconstraint upper: dist(second, ground) == 1\n"
      "force on second: -c*second.vel\nparam c = 0.2\ngravity (0, -g)\nlet g = 9.81\nparticle second(1) at (1, 0)\n";
  const Run a = run_both(one), b = run_both(other);
  CHECK(largest_difference(a, {"a.x", "a.y", "b.x", "b.y", "b.vx", "b.ay"}, b,
                           {"second.x", "second.y", "first_after_second.x", "first_after_second.y",
                            "first_after_second.vx", "first_after_second.ay"}) < 1e-11);
}

TEST_CASE("a model with units computes what the same model without them does") {
  const std::string plain =
      std::string(kHead) +
      "param k = 50, l = 0.5\nparticle a(1.5) at (0.6, 0) moving (0, 1.5)\ngravity (0, -9.81)\n"
      "force spring on a: -k*(norm(a.pos) - l)*unit(a.pos)\nconstraint line: a.y == 2*t*0.75 + 0.1*a.x - 0.06\n" +
      "output stretch = norm(a.pos) - l\n"
      "simulate { time = 0 .. 1 step 0.001; stabilise = none; integrator = rk4; assemble }\n";
  const std::string with_units =
      std::string(kHead) +
      "param k = 0.05 [kN/m], l = 50 [cm]\nparticle a(1500 [g]) at (60, 0) [cm] moving (0, 5.4) [km/h]\ngravity (0, "
      "-9.81) [m/s^2]\n"
      "force spring on a: -k*(norm(a.pos) - l)*unit(a.pos)\nconstraint line: a.y == 2*t*(0.75 [m/s]) + 0.1*a.x - 6 "
      "[cm]\n"
      "output stretch = norm(a.pos) - l\n"
      "simulate { time = 0 [s] .. 1000 [ms] step 1 [ms]; stabilise = none; integrator = rk4; assemble }\n";
  const Run a = run_both(plain), b = run_both(with_units);
  const std::vector<std::string> names{"a.x", "a.y", "a.vx", "a.vy", "a.ax", "a.ay", "stretch"};
  CHECK(largest_difference(a, names, b, names) < 1e-13);
  Simulation p = compile_text(with_units, Engine::interpreter);
  CHECK(p.model().time_unit() == "s");
  CHECK(p.model().columns()[0].unit == "m");
  CHECK(compile_text(plain, Engine::interpreter).model().columns()[0].unit.empty());
}

TEST_CASE("a parameter set from outside equals the literal in the text, for values and for structure") {
  const std::string text = example("pendulum");
  const Run edited = run_both(replaced(replaced(text, "l = 1 [m]", "l = 1.3 [m]"), "w0 = 4 [rad/s]", "w0 = 1 [rad/s]"));
  const Run set = run_both(text, {"l = 1.3 [m]", "w0 = 1 [rad/s]"});
  const std::vector<std::string> names{"bob.x", "bob.y", "bob.vx", "bob.vy", "angle"};
  CHECK(largest_difference(edited, names, set, names) <= 1e-15);
  CHECK(edited.at(0, "bob.y") == -1.3);  // The initial values follow the parameter.
  const Run span = run_both(text, {"swing.time.end = 1 [s]"});
  CHECK(span.time.back() == 1.0);
  CHECK(span.rows() == 1001);
}

TEST_CASE("changing a parameter of a program at hand equals setting it, and compiles nothing") {
  if (!have_native()) return;
  const std::string text = example("pendulum");
  Simulation program = compile_text(text, Engine::native);
  const Run before = run(program);
  REQUIRE(program.set_parameter("l", 1.3));
  REQUIRE(program.set_parameter("w0", 1.0));
  CHECK_FALSE(program.set_parameter("no_such_name", 1.0));
  const Run after = run(program);
  std::vector<std::string> stages;  // Functions are compiled when they are first needed, and none may appear twice.
  for (const StageTime& s : program.model().stage_times()) stages.push_back(s.name);
  std::sort(stages.begin(), stages.end());
  CHECK(std::adjacent_find(stages.begin(), stages.end()) == stages.end());
  const Run fresh = run(text, Engine::native, {"l = 1.3 [m]", "w0 = 1 [rad/s]"});
  CHECK(after.values == fresh.values);
  CHECK(after.values != before.values);
  REQUIRE(program.set_parameter("l", 1.0));
  REQUIRE(program.set_parameter("w0", 4.0));
  CHECK(run(program).values == before.values);
}

TEST_CASE("a run is repeated bit for bit, in pieces too") {
  Simulation program = compile_text(example("spherical_pendulum"), Engine::interpreter);
  const Run whole = run(program), again = run(program);
  CHECK(whole.values == again.values);
  RunOptions first;
  first.span = {{0.0, 2.0}};
  const Run one = run(program, first);
  RunOptions second;
  second.span = {{2.0, 5.0}};
  second.state = one.result.state;
  const Run two = run(program, second);
  CHECK(one.rows() + two.rows() == whole.rows() + 1);
  double difference = 0;
  for (const char* name : {"bob.x", "bob.y", "bob.z"})
    difference = std::max(difference, std::fabs(two.last(name) - whole.last(name)));
  CHECK(difference < 1e-12);
}

TEST_CASE("recording fewer rows does not change those that are recorded") {
  Simulation program = compile_text(example("double_pendulum_redundant"), Engine::interpreter);
  const Run all = run(program);
  RunOptions options;
  options.output_every = 7;
  const Run some = run(program, options);
  REQUIRE(some.rows() == 4000 / 7 + 2);
  for (std::size_t row = 0; row + 1 < some.rows(); ++row) REQUIRE(some.at(row, "m2.x") == all.at(7 * row, "m2.x"));
  CHECK(some.last("m2.x") == all.last("m2.x"));
}
