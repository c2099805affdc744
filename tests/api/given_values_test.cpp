// SPDX-License-Identifier: Apache-2.0
// Tests the values that a host sets between runs: states, inputs that have an input signal, and discrete states; and
// the values that it does not change.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace mbc {
namespace {

Simulation simulation_of(const std::string& text, const std::string& block = "") {
  const Model model = Model::from_string("mbd 1\n" + text, "a.mbd", {.interpret = true});
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  return Simulation::create(model, block).value();
}

constexpr const char* kSignal =
    "space 1\nparticle p(1) at 0\ninput u = 0\nforce f on p: u\n"
    "simulate { time = 0 .. 1 step 0.01; integrator = rk4; input.u = 2*t }\n";  // The exact motion is x = t^3/3.

}  // namespace

TEST_CASE("a state given after a run rests on nothing that the run had met") {
  Simulation s = simulation_of(
      "space 1\ngravity -10\nparticle p(1) at 0.1\nconstraint deck: p.x >= 0 restitution 0\n"
      "simulate { time = 0 .. 1 step 0.01; integrator = rk4 }\n");
  REQUIRE(s.run().status == Status::complete);
  CHECK(s.state()[0] == doctest::Approx(0).epsilon(1e-12));
  std::vector<double> y = s.state();
  y[0] = 5, y[1] = 0;
  s.set_state(0, y).value();
  s.run_until(0.5).value();
  CHECK(s.state()[0] == doctest::Approx(5 - 10 * 0.125).epsilon(1e-12));
  REQUIRE(s.run().status == Status::complete);
  RunOptions options;
  options.span = {{0, 0.5}};
  options.state = y;
  const RunResult again = s.run(options);
  REQUIRE_MESSAGE(again.status == Status::complete, again.rendered);
  CHECK(again.state[0] == doctest::Approx(5 - 10 * 0.125).epsilon(1e-12));
}

TEST_CASE("a signal is back after a run that was driven") {
  Simulation s = simulation_of(kSignal);
  RunOptions options;
  options.drive = [](double, std::span<const double>, std::span<double> u) { u[0] = 0; };
  const RunResult still = s.run(options);
  REQUIRE(still.status == Status::complete);
  CHECK(still.state[0] == 0);
  s.reset();
  s.run_until(1).value();
  CHECK(s.state()[0] == doctest::Approx(1.0 / 3).epsilon(1e-12));
  CHECK(s.run().state[0] == doctest::Approx(1.0 / 3).epsilon(1e-12));
}

TEST_CASE("an input that cannot be set changes nothing") {
  Simulation s = simulation_of(
      "space 1\nparticle p(1) at 0\ninput u = 0\nforce f on p: u\noutput rate = u'\n"
      "simulate { time = 0 .. 1 step 0.01; integrator = rk4; input.u = 2*t }\n");
  const Result<void> refused = s.set_input("u", 1);  // u' is known only from the input signal.
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::model_error);
  const RunResult ran = s.run();
  REQUIRE_MESSAGE(ran.status == Status::complete, ran.rendered);
  CHECK(ran.state[0] == doctest::Approx(1.0 / 3).epsilon(1e-12));
}

TEST_CASE("a machine is set to one of its labels") {
  Simulation s = simulation_of(
      "space 1\nparticle p(1) at 0 moving 1\nstate phase in (low, high) = low\n"
      "when up: p.x > 0.5 { phase = phase.high }\nsimulate { time = 0 .. 1 step 0.01; integrator = rk4 }\n");
  for (const double wrong : {-1.0, 0.5, 2.0}) {
    const Result<void> set = s.set_held("phase", wrong);
    REQUIRE_FALSE(set.ok());
    CHECK(set.error().message == "`phase` is a whole number from 0 to 1");
  }
  s.set_held("phase", 1).value();
  CHECK(s.held("phase").value() == 1);
}

TEST_CASE("columns are those of a recorded row, and looking at them changes nothing") {
  const std::string text =
      "particle p(2) at (1, 0, 0) moving (0, 0.5, 0)\nconstraint rod: dot(p.pos, p.pos) == 1\ngravity (0, 0, -9.81)\n"
      "output T = energy.kinetic, f = rod.lambda\nsimulate { time = 0 .. 0.5 step 0.01; integrator = ab4 }\n";
  Simulation run = simulation_of(text), looked = simulation_of(text), plain = simulation_of(text);
  std::vector<std::vector<double>> rows;
  REQUIRE(run.run({},
                  [&](const Row& row) {
                    rows.emplace_back(row.values.begin(), row.values.end());
                    return true;
                  })
              .status == Status::complete);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (k > 0) looked.step(0.01).value();
    if (k > 0) plain.step(0.01).value();
    CHECK(looked.columns().value() == rows[k]);
  }
  CHECK(looked.state() == plain.state());
}

// A motion with a negative mass could be computed: the equations alone do not refuse it.
TEST_CASE("values that no text could have are refused before anything moves with them") {
  Simulation s = simulation_of(
      "space 1\nparam m = 1\nparticle p(m) at 0\n"
      "force f on p: 1\nsimulate { time = 0 .. 1 step 0.01; integrator = rk4 }\n");
  for (const double m : {-1.0, 0.0}) {
    s.set_parameter("m", m).value();
    const std::vector<double> before = s.state();
    const Result<void> moved = s.step(0.01);
    REQUIRE(!moved.ok());
    CHECK(moved.error().code == ErrorCode::model_error);
    REQUIRE(moved.error().diagnostics.size() == 1);
    CHECK(moved.error().diagnostics[0].code == "E0406");
    CHECK(s.state() == before);
    CHECK(!s.rows(0, before).ok());
    const RunResult result = s.run();
    CHECK(result.status == Status::model_error);
    CHECK(result.diagnostic->code == "E0406");
  }
  s.set_parameter("m", 2).value();
  CHECK(s.step(0.01).ok());
  s.reset();
  bool refused = false;
  const RunResult result = s.run({}, [&](const Row&) {
    refused = !s.set_parameter("m", -1).ok() && s.parameter("m").value() == 2;
    return true;
  });
  CHECK(result.status == Status::complete);
  CHECK(refused);
}

}  // namespace mbc
