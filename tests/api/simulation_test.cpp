// SPDX-License-Identifier: Apache-2.0
// Tests that single steps give the bits of one run over the same steps, for every integrator, stabilisation and kind of
// formulation. A restored simulation continues bit for bit, and several simulations of one model do not disturb each
// other.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tests/api/small_simulation.h"

using namespace mbc;
using namespace mbc::test;

namespace {

const std::vector<std::string> kFixed = {
    "integrator = rk4",
    "integrator = ab4",
    "integrator = dopri5(fixed)",
    "integrator = dop853(fixed)",
    "integrator = rk4\nstabilise = none",
    "integrator = ab4\nstabilise = none",
    "integrator = rk4\nstabilise = partition",
    "integrator = rk4\nstabilise = baumgarte(alpha = 5, beta = 5)",
    "integrator = ab4\nstabilise = baumgarte(alpha = 5, beta = 5)",
    "integrator = rk4\nformulation = augmented",
    "integrator = rk4\nformulation = maggi",
    "integrator = rk4\nformulation = kane",
    "integrator = ab4\nformulation = kane",
    "integrator = rk4\nformulation = boltzmann_hamel",
    "integrator = rk4\nformulation = udwadia_kalaba(literal)",
};
const std::vector<std::string> kAdaptive = {"integrator = dopri5",
                                            "integrator = dopri5\nstabilise = none",
                                            "integrator = dopri5\nformulation = kane",
                                            "integrator = dop853",
                                            "integrator = auto",
                                            "integrator = auto\nformulation = kane"};

}  // namespace

TEST_CASE("steps and run_until give the bits of one run") {
  for (const std::string& settings : kFixed) {
    CAPTURE(settings);
    Simulation whole = make(settings);
    const RunResult result = whole.run();
    REQUIRE_MESSAGE(result.status == Status::complete, result.rendered);
    CHECK(whole.time() == result.reached);
    CHECK(same_bits(whole.state(), result.state));
    Simulation steps = make(settings);
    for (int k = 0; k < 40; ++k) REQUIRE(steps.step(0.005));
    CHECK(steps.time() == result.reached);
    CHECK(same_bits(steps.state(), result.state));
    Simulation until = make(settings);
    REQUIRE(until.run_until(0.07));
    REQUIRE(until.run_until(0.07));  // The simulation is already there.
    REQUIRE(until.run_until(0.2));
    CHECK(same_bits(until.state(), result.state));
  }
}

TEST_CASE("run_until with error control gives the bits of one run to there") {
  for (const std::string& settings : kAdaptive) {
    CAPTURE(settings);
    Simulation whole = make(settings), until = make(settings);
    RunOptions options;
    options.output_every = 40;
    const RunResult result = whole.run(options);
    REQUIRE_MESSAGE(result.status == Status::complete, result.rendered);
    REQUIRE(until.run_until(0.2));
    CHECK(until.time() == result.reached);
    CHECK(same_bits(until.state(), result.state));
    Simulation pieces = make(settings);
    for (const double t : {0.03, 0.1, 0.2}) REQUIRE(pieces.run_until(t));
    REQUIRE(pieces.state().size() == result.state.size());
    for (std::size_t k = 0; k < result.state.size(); ++k) CHECK(std::fabs(pieces.state()[k] - result.state[k]) < 1e-4);
  }
}

TEST_CASE("what is saved goes on bit for bit") {
  std::vector<std::string> all = kFixed;
  all.insert(all.end(), kAdaptive.begin(), kAdaptive.end());
  for (const std::string& settings : all) {
    CAPTURE(settings);
    Simulation one = make(settings), other = make(settings);
    REQUIRE(one.set_parameter("damp", 0.3));
    REQUIRE(one.set_input("push", 0.7));
    for (int k = 0; k < 13; ++k) REQUIRE(one.step(0.005));
    const std::string bytes = one.save();
    for (int k = 0; k < 20; ++k) REQUIRE(one.step(0.005));
    REQUIRE(other.restore(bytes));
    CHECK(other.parameter("damp").value() == 0.3);
    CHECK(other.input("push").value() == 0.7);
    for (int k = 0; k < 20; ++k) REQUIRE(other.step(0.005));
    CHECK(other.time() == one.time());
    CHECK(same_bits(other.state(), one.state()));
  }
  Simulation simulation = make("integrator = rk4");
  const std::string bytes = simulation.save();
  for (const std::string& wrong : {std::string(), bytes.substr(0, bytes.size() / 2), bytes + "x", std::string(99, 'x')})
    CHECK(simulation.restore(wrong).error().code == ErrorCode::wrong_bytes);
  std::string changed = bytes;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
  CHECK(simulation.restore(changed).error().code == ErrorCode::wrong_bytes);
  // The text of the model differs.
  CHECK(make("integrator = ab4").restore(bytes).error().code == ErrorCode::wrong_bytes);
}

// Appends the FNV-1a sum that saved bytes end with.
std::string with_sum(std::string bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

// Truncated or changed bytes give an error, and the simulation does not change. With a corrected check sum such bytes
// may be those of another state. Their lengths, indices and choices are checked, so that nothing ends the process.
TEST_CASE("bytes that were spoilt are refused") {
  std::vector<std::string> all = kFixed;
  all.insert(all.end(), kAdaptive.begin(), kAdaptive.end());
  std::mt19937_64 random(3);
  for (const std::string& settings : all) {
    CAPTURE(settings);
    Simulation simulation = make(settings);
    for (int k = 0; k < 7; ++k) REQUIRE(simulation.step(0.005));
    const std::string bytes = simulation.save();
    const std::string body = bytes.substr(0, bytes.size() - sizeof(std::uint64_t));
    REQUIRE(with_sum(body) == bytes);
    int taken = 0;
    for (int k = 0; k < 200; ++k) {
      std::string spoilt = body;
      if (k % 3 == 0) spoilt.resize(random() % body.size());
      for (std::uint64_t n = random() % 3 + (k % 3 == 0 ? 0 : 1); n > 0 && !spoilt.empty(); --n) {
        char& byte = spoilt[random() % spoilt.size()];
        byte = static_cast<char>(byte ^ static_cast<char>(1 + random() % 255));
      }
      const std::string without_sum = spoilt + bytes.substr(body.size());
      if (spoilt != body) CHECK(simulation.restore(without_sum).error().code == ErrorCode::wrong_bytes);
      Simulation other = make(settings);
      if (!other.restore(with_sum(spoilt))) continue;
      ++taken;
      CHECK(other.state().size() == simulation.state().size());
      CHECK(std::isfinite(other.time()));
      for (int step = 0; step < 5; ++step)
        if (!other.step(0.005)) break;
    }
    CHECK(taken < 200);
    CHECK(simulation.save() == bytes);
  }
}

TEST_CASE("after a step that fails the state and the time are those before it") {
  for (const char* settings : {"integrator = dopri5", "integrator = dopri5(rtol = 1e-10)", "integrator = rk4"}) {
    const Model model = Model::from_string(std::string("mbd 1\nparticle p(1) at (0, 0, 0) moving (1, 0, 0)\n") +
                                               "constraint a: p.x == t\n"
                                               "constraint b: p.x == t + max(0, t - 0.5)^3\n"
                                               "simulate s { time = 0 .. 1 step 0.01; " +
                                               settings + " }\n",
                                           "conflict.mbd");
    REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
    Simulation s = Simulation::create(model).value();
    CAPTURE(settings);
    CHECK(s.run_until(1).error().code == ErrorCode::stopped);
    CHECK(s.time() >= 0.4);
    CHECK(s.time() < 0.52);
    CHECK(std::fabs(s.state()[0] - s.time()) < 1e-9);
    const double before = s.time();
    CHECK_FALSE(s.step(0.1));
    CHECK(s.time() - before < 0.1);
    CHECK(std::fabs(s.state()[0] - s.time()) < 1e-9);
  }
}

TEST_CASE("parameters leave the state alone, reset evaluates it again, inputs count from the state at hand") {
  Simulation s = make("integrator = rk4");
  REQUIRE(s.set_parameter("L", 2));
  CHECK(s.state()[0] == 0.5);
  s.reset();
  CHECK(s.state()[0] == 2);
  CHECK(s.output("height").value() == 0);
  CHECK(s.value("2*L").value() == std::vector<double>{4});
  REQUIRE(s.step(0.01));
  Simulation same = make("integrator = rk4");
  REQUIRE(same.set_parameter("L", 2));
  same.reset();
  REQUIRE(same.set_input("push", 1));
  REQUIRE(same.step(0.01));
  CHECK_FALSE(same_bits(same.state(), s.state()));
  // An input that changes between steps acts like one that `drive` sets.
  Simulation stepped = make("integrator = rk4"), driven = make("integrator = rk4");
  for (int k = 0; k < 40; ++k) {
    REQUIRE(stepped.set_input("push", 0.01 * k));
    REQUIRE(stepped.step(0.005));
  }
  RunOptions options;
  int calls = 0;
  options.drive = [&](double, std::span<const double>, std::span<double> inputs) { inputs[0] = 0.01 * calls++; };
  CHECK(same_bits(driven.run(options).state, stepped.state()));
}

TEST_CASE("several simulations of one model, interleaved, are what they are alone") {
  const Model model = Model::from_string(text_of("integrator = ab4"), "model.mbd");
  REQUIRE(model.ok());
  std::vector<Simulation> together;
  for (int k = 0; k < 5; ++k) {
    together.push_back(Simulation::create(model).value());
    REQUIRE(together.back().set_parameter("damp", 0.1 * k));
  }
  for (int step = 0; step < 40; ++step)
    for (Simulation& s : together) REQUIRE(s.step(0.005));
  for (int k = 0; k < 5; ++k) {
    Simulation alone = Simulation::create(model).value();
    REQUIRE(alone.set_parameter("damp", 0.1 * k));
    CHECK(same_bits(alone.run().state, together[static_cast<std::size_t>(k)].state()));
  }
}

TEST_CASE("the plain right-hand side is that of the simulation, and says when it is not") {
  Simulation simulation = make("integrator = rk4");
  const RhsFunction f = simulation.rhs_function().value();
  const std::vector<double> y = simulation.state();
  REQUIRE(f.size == y.size());
  std::vector<double> plain(f.size), checked(f.size);
  for (const double push : {0.2, 1.5}) {
    simulation.set_input("push", push).value();
    simulation.rhs(0.1, y, checked).value();
    CHECK(f.call(f.context, 0.1, y.data(), plain.data()) == 0);
    CHECK(same_bits(plain, checked));
  }
  int refused = 0;
  const RunResult result = simulation.run({}, [&](const Row&) {
    refused += f.call(f.context, 0, y.data(), plain.data()) == -1 ? 1 : 0;
    return true;
  });
  CHECK(refused == 41);  // This happens for every row.
  CHECK(result.status == Status::complete);
  simulation.rhs(0.1, y, checked).value();
  CHECK(f.call(f.context, 0.1, y.data(), plain.data()) == 0);
  CHECK(same_bits(plain, checked));
  std::vector<double> bad = y;
  bad[0] = std::nan("");
  CHECK(f.call(f.context, 0, bad.data(), plain.data()) > 0);
}

TEST_CASE("the plain right-hand side ends with the shape it was asked for, and sees what events have set") {
  CompileOptions options;
  options.interpret = true;
  const Model turning = Model::from_string(R"(mbd 1
body b(mass = 1, inertia = diag(1, 2, 3)) at (0, 0, 0)
simulate one { time = 0 .. 0.1 step 0.01; integrator = rk4; bodies = quaternion }
simulate two { time = 0 .. 0.1 step 0.01; integrator = rk4; bodies = natural })",
                                           "turning.mbd", options);
  REQUIRE_MESSAGE(turning.ok(), turning.render_diagnostics());
  Simulation simulation = Simulation::create(turning, "one").value();
  const RhsFunction f = simulation.rhs_function().value();
  std::vector<double> y = simulation.state(), dy(64);
  CHECK(f.call(f.context, 0, y.data(), dy.data()) == 0);
  RunOptions other;
  other.simulation = "two";
  CHECK(simulation.run(other).status == Status::complete);
  REQUIRE(simulation.model().state_size() != f.size);
  CHECK(f.call(f.context, 0, y.data(), dy.data()) == -1);
  const RhsFunction anew = simulation.rhs_function().value();
  y = simulation.state();
  CHECK(anew.size == y.size());
  CHECK(anew.call(anew.context, 0, y.data(), dy.data()) == 0);

  const Model switched = Model::from_string(R"(mbd 1
particle p(1) at (0, 0, 0)
state u = 0
force f on p: (u, 0, 0)
at kick: 0.05 { u = 3 }
simulate { time = 0 .. 0.1 step 0.01; integrator = rk4 })",
                                            "switched.mbd", options);
  REQUIRE_MESSAGE(switched.ok(), switched.render_diagnostics());
  Simulation moved = Simulation::create(switched).value();
  const RhsFunction g = moved.rhs_function().value();
  y = moved.state();
  REQUIRE(g.call(g.context, 0, y.data(), dy.data()) == 0);
  CHECK(dy[3] == 0);
  moved.run_until(0.06).value();
  REQUIRE(g.call(g.context, 0, y.data(), dy.data()) == 0);
  CHECK(dy[3] == 3);
}

TEST_CASE("shapes share the text") {
  const Model model = Model::from_string(R"(mbd 1
body b(mass = 1, inertia = diag(1, 2, 3)) at (0, 0, 0) spinning (0.1, 2, 0.1)
constraint held: b.pos == (0, 0, 0)
simulate one { time = 0 .. 0.1 step 0.01; integrator = rk4 }
simulate two { time = 0 .. 0.1 step 0.01; bodies = natural; formulation = kane; integrator = rk4 }
)",
                                         "model.mbd");
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  CHECK(model.shape().bodies == Representation::quaternion);
  const Model two = model.shaped("two").value();
  CHECK(two.shape().bodies == Representation::natural);
  CHECK(two.shape().formulation == Formulation::kane);
  CHECK(two.state_size() > model.state_size());
  CHECK(model.shaped("two")->stage_times().size() == two.stage_times().size());  // The shape is made only once.
  ShapeSettings settings;
  settings.formulation = Formulation::augmented;
  CHECK(model.shaped(settings)->shape().formulation == Formulation::augmented);
  CHECK(model.shaped("three").error().code == ErrorCode::no_such_name);
}
