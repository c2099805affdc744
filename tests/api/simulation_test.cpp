// SPDX-License-Identifier: Apache-2.0
// Steps asked for one by one give the bits of one run over the same steps, for every integrator, stabilisation and kind
// of formulation; what is saved and restored goes on bit for bit; several simulations of one model do not disturb each
// other.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "mbc/mbc.h"

using namespace mbc;

namespace {

// A pendulum of two rods with a row that repeats another one, damping, an input and a state.
std::string text_of(const std::string& settings) {
  return R"(mbd 1
param L = 0.5
param damp = 0.1
input push = 0.2
gravity (0, 0, -9.81)
particle a(1) at (L, 0, 0)
particle b(2) at (L, L, 0)
constraint first: dist(ground, a) == L
constraint second: dist(a, b) == L
force drag on b: -damp*b.vel + (push, 0, 0)
state x = 0.3 where x' = b.z - x
output height = b.z
simulate { time = 0 .. 0.2 step 0.005
)" + settings +
         "\n}\n";
}

Simulation make(const std::string& settings) {
  CompileOptions options;
  options.interpret = true;
  const Model model = Model::from_string(text_of(settings), "model.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  return Simulation::create(model).value();
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

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
    REQUIRE(until.run_until(0.07));  // it is there
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
  CHECK(make("integrator = ab4").restore(bytes).error().code == ErrorCode::wrong_bytes);  // another text
}

// FNV-1a, as saved bytes end with.
std::string with_sum(std::string bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

// Cut, with bytes changed: an error, and the simulation is as it was. With the check sum made right again such bytes
// may be those of another state; what they say of lengths, indices and choices is looked at, so nothing ends the
// process.
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
  // an input that changes between steps acts as one that `drive` sets
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
  CHECK(refused == 41);  // every row
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
  CHECK(model.shaped("two")->stage_times().size() == two.stage_times().size());  // made once
  ShapeSettings settings;
  settings.formulation = Formulation::augmented;
  CHECK(model.shaped(settings)->shape().formulation == Formulation::augmented);
  CHECK(model.shaped("three").error().code == ErrorCode::no_such_name);
}

TEST_CASE("parameters and inputs that an observer sets count from its row on") {
  for (const std::string settings :
       {"integrator = rk4", "integrator = ab4", "integrator = dopri5(fixed)", "integrator = rk4\nformulation = kane",
        "integrator = ab4\nstabilise = partition"}) {
    CAPTURE(settings);
    // changed in the middle: as one run to there and another one, which remembers nothing, from there
    Simulation changed = make(settings), before = make(settings), after = make(settings);
    const RunResult whole = changed.run({}, [&](const Row& row) {
      if (row.time == 20 * 0.005) {
        REQUIRE(changed.set_parameter("damp", 0.9));
        REQUIRE(changed.set_input("push", -0.4));
      }
      return true;
    });
    REQUIRE_MESSAGE(whole.status == Status::complete, whole.rendered);
    for (int k = 0; k < 20; ++k) REQUIRE(before.step(0.005));
    REQUIRE(after.set_parameter("damp", 0.9));
    REQUIRE(after.set_input("push", -0.4));
    REQUIRE(after.set_state(before.time(), before.state()));
    for (int k = 0; k < 20; ++k) REQUIRE(after.step(0.005));
    CHECK(same_bits(whole.state, after.state()));
  }
}

TEST_CASE("an input that an observer sets leaves the others what `drive` has made them") {
  const Model model = Model::from_string(R"(mbd 1
space 1
input a = 0
input b = 0
particle p(1) at 0
force pull on p: a + 10*b
simulate { time = 0 .. 1 step 0.25; integrator = rk4 }
)",
                                         "model.mbd");
  Simulation s = Simulation::create(model).value();
  RunOptions options;
  options.drive = [](double t, std::span<const double>, std::span<double> inputs) { inputs[0] = t < 0.1 ? 3 : 5; };
  double velocity = 0;
  const RunResult r = s.run(options, [&](const Row& row) {
    if (row.time == 0) REQUIRE(s.set_input("b", 1));
    velocity = row.values[1];
    return true;
  });
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(velocity == doctest::Approx(0.25 * (3 + 10) + 0.75 * (5 + 10)).epsilon(1e-14));
}

TEST_CASE("after a run of another block step() goes on with that block") {
  const Model model = Model::from_string(R"(mbd 1
gravity (0, 0, -9.81)
particle p(1) at (0.6, 0, -0.8)
constraint rod: norm(p.pos) == 1
simulate first  { time = 0 .. 0.1 step 0.01; integrator = ab4; stabilise = none }
simulate second { time = 1 .. 1.1 step 0.01; formulation = kane; stabilise = partition; integrator = rk4 }
)",
                                         "model.mbd");
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  Simulation both = Simulation::create(model, "first").value(), second = Simulation::create(model, "second").value();
  RunOptions options;
  options.simulation = "second";
  REQUIRE(both.run(options).status == Status::complete);
  REQUIRE(second.run().status == Status::complete);
  CHECK(both.model().shape().formulation == Formulation::kane);
  for (int k = 0; k < 5; ++k) {
    REQUIRE(both.step(0.01));
    REQUIRE(second.step(0.01));
  }
  CHECK(same_bits(both.state(), second.state()));
  both.reset();
  CHECK(both.time() == 1);
}

TEST_CASE("a span that the step does not divide ends with a shorter step") {
  for (const std::string integrator : {"rk4", "ab4", "dopri5(fixed)", "dopri5"}) {
    CAPTURE(integrator);
    const Model model = Model::from_string(
        "mbd 1\nparticle p(1) at (1, 0, 0)\nforce on p: -p.pos\n"
        "simulate { time = 0 .. 1 step 0.3; integrator = " +
            integrator + " }\n",
        "model.mbd");
    REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
    Simulation s = Simulation::create(model).value(), until = Simulation::create(model).value();
    std::vector<double> times;
    const RunResult r = s.run({}, [&](const Row& row) {
      times.push_back(row.time);
      return true;
    });
    REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
    CHECK(times == std::vector<double>{0, 0.3, 0.6, 3 * 0.3, 1});
    CHECK(r.end == 1);
    CHECK(r.last_step == doctest::Approx(0.1));
    REQUIRE(until.run_until(1));
    CHECK(same_bits(r.state, until.state()));
    if (integrator == "rk4") CHECK(summary_text(r).find("4 steps of 0.3, the last one of 0.1") != std::string::npos);
  }
}

TEST_CASE("arguments of instances as parameters") {
  const std::string text = R"(mbd 1
model Bob(length = 1, n: int = 1) {
  particle p[i in 1..n](1) at (i*length, 0, 0)
  constraint rod[1]: norm(p[1].pos) == length
}
gravity (0, 0, -9.81)
Bob b(length = 2)
simulate { time = 0 .. 1 step 0.01; integrator = rk4 }
)";
  const auto made = [&](const std::vector<std::string>& parameters, const std::vector<std::string>& set = {}) {
    CompileOptions options;
    options.parameters = parameters;
    options.set = set;
    return Model::from_string(text, "model.mbd", options);
  };
  const Model model = made({"b.length"});
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  REQUIRE(model.parameters().size() == 1);
  CHECK(model.parameters()[0].name == "b.length");
  Simulation s = Simulation::create(model).value();
  CHECK(s.parameter("b.length").value() == 2);
  REQUIRE(s.set_parameter("b.length", 0.5));
  s.reset();
  CHECK(s.state()[0] == 0.5);
  Simulation set = Simulation::create(made({}, {"b.length = 0.5"})).value();
  CHECK(same_bits(s.run().state, set.run().state));
  CHECK(s.value("b.length").value() == std::vector<double>{0.5});
  CHECK(made({"b.n"}).diagnostics().front().message == "`b.n` cannot be varied: it shapes the model");
  CHECK(made({"b.lenght"}).diagnostics().front().message == "there is no parameter or input `b.lenght` to vary");
  Simulation plain = Simulation::create(made({})).value();
  CHECK(plain.set_parameter("b.lenght", 1).error().message ==
        "there is no parameter `b.lenght`: did you mean `b.length`?");
  CHECK(plain.set_parameter("b.length", 1).error().message ==
        "there is no parameter `b.length`: it is an argument of an instance or shapes the model; "
        "CompileOptions::parameters makes an argument a parameter, CompileOptions::set gives it a value");
}

TEST_CASE("names that are set are taken to the letter") {
  CompileOptions options;
  options.set = {"damp\r = 3"};
  const Model model = Model::from_string(text_of("integrator = rk4"), "model.mbd", options);
  REQUIRE_FALSE(model.ok());
  CHECK(model.diagnostics().front().kind == "unknown_override");
}

TEST_CASE("a part of `time` for all blocks refuses those that cannot have it, and no others") {
  const std::string text =
      "mbd 1\nparticle p(1) at (0, 0, 0) moving (1, 0, 0)\n"
      "simulate short { time = 0 .. 1 step 0.1; integrator = rk4 }\nsimulate long { time = 0 .. 10 step 1; integrator "
      "= rk4 }\n";
  CompileOptions options;
  options.set = {"time.step = 2"};
  const Model model = Model::from_string(text, "model.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  Simulation s = Simulation::create(model).value();
  RunOptions run;
  run.simulation = "long";
  CHECK(s.run(run).steps == 5);
  run.simulation = "short";
  const RunResult refused = s.run(run);
  CHECK(refused.status == Status::model_error);
  REQUIRE(refused.diagnostic);
  CHECK(refused.diagnostic->message == "the step 2 is longer than the time span 0 .. 1");
  options.set = {"time.step = 20"};
  CHECK_FALSE(Model::from_string(text, "model.mbd", options).ok());
}

TEST_CASE("a tolerance that was not met is not claimed") {
  const auto stabilise = [](const std::string& tol) {
    Simulation s = make("integrator = rk4\nstabilise = project(tol = " + tol + ")");
    const RunResult r = s.run();
    REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
    CHECK((r.met > 1e-17) == (tol == "1e-17"));
    return r.stabilise;
  };
  CHECK(stabilise("1e-12") == "project(tol = 1e-12)");
  CHECK(stabilise("1e-17").starts_with("project(tol = 1e-17), met to "));  // below the rounding of doubles
}

TEST_CASE("a row has the state of its time, also where the integrator steps over it") {
  for (const std::string settings : {"auto", "dopri5", "dop853", "bdf", "rk4"}) {
    const Model model = Model::from_string(
        "mbd 1\nparticle p(1) at (0, 0, 1) moving (2, 0, 0)\ngravity (0, 0, -9.81)\noutput z = p.z\n"
        "simulate { time = 0 .. 1 step 0.05; integrator = " +
            settings + " }\n",
        "fall.mbd", {.interpret = true});
    REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
    Simulation simulation = Simulation::create(model).value();
    const std::size_t z = model.output_index("z").value();
    std::size_t rows = 0;
    const RunResult result = simulation.run({}, [&](const Row& row) {
      CAPTURE(settings);
      CAPTURE(row.time);
      ++rows;
      CHECK(row.state[0] == doctest::Approx(2 * row.time).epsilon(1e-6));
      CHECK(row.state[2] == doctest::Approx(1 - 9.81 / 2 * row.time * row.time).epsilon(1e-5));
      CHECK(row.values[model.column_count() - model.outputs().size() + z] == row.state[2]);
      return true;
    });
    CHECK(result.status == Status::complete);
    CHECK(rows == 21);
  }
}
