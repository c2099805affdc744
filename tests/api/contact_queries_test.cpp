// SPDX-License-Identifier: Apache-2.0
// What a simulation says at a state of a model with contacts and friction is what a run records there: accelerations,
// multipliers, rates and outputs, at a state that is set, after a step and after a run.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mbc/mbc.h"

using namespace mbc;

namespace {

Model model_of(const std::string& text) {
  CompileOptions options;
  options.interpret = true;
  Model model = Model::from_string(text, "model.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  return model;
}

struct Recorded {
  double time;
  std::vector<double> values, state, multipliers, discrete;
};

std::vector<Recorded> rows_of(Simulation& s) {
  std::vector<Recorded> rows;
  RunOptions options;
  options.multipliers = true;
  const RunResult r = s.run(options, [&](const Row& row) {
    rows.push_back({row.time,
                    {row.values.begin(), row.values.end()},
                    {row.state.begin(), row.state.end()},
                    {row.multipliers.begin(), row.multipliers.end()},
                    {row.inputs.begin() + static_cast<std::ptrdiff_t>(s.model().inputs().size()), row.inputs.end()}});
    return true;
  });
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  REQUIRE(rows.size() >= 3);
  return rows;
}

void check_same(const std::vector<double>& found, const std::vector<double>& wanted, double tolerance) {
  REQUIRE(found.size() == wanted.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    CAPTURE(k);
    CHECK(std::fabs(found[k] - wanted[k]) <= tolerance * (1 + std::fabs(wanted[k])));
  }
}

constexpr const char* kBead = R"(mbd 1
space 2
gravity (0, -10)
particle p(2) at (0, 0) moving (1, 0)
constraint deck: p.y >= 0
output ay = p.ay, N = deck.lambda
simulate { time = 0 .. 0.2 step 0.1 }
)";

// It slides against a wall, which throws it back, and comes to rest.
constexpr const char* kCrate = R"(mbd 1
space 2
gravity (0, -10)
particle p(2) at (0, 0) moving (1, 0)
constraint deck: p.y >= 0
constraint wall: p.x <= 0.2 restitution 0.5
friction rub on p.vx: 0.2*deck.lambda
output ax = p.ax, N = deck.lambda, R = rub.lambda
simulate { time = 0 .. 1 step 0.05 }
)";

// The runners slide; the box on top sticks.
constexpr const char* kSled = R"(mbd 1
space 2
gravity (0, -10)
particle sled(3) at (0, 0) moving (2, 0)
particle box(1) at (0, 0) moving (2, 0)
constraint ground_holds: sled.y >= 0
constraint rides: box.y == sled.y
friction runners on sled.vx: 0.1*ground_holds.lambda
friction top on box.vx - sled.vx: 8
output a = sled.ax, b = box.ax, F = top.lambda
simulate { time = 0 .. 1 step 0.1 }
)";

}  // namespace

TEST_CASE("queries at the states of a run say what its rows say") {
  for (const std::string text : {kBead, kCrate, kSled}) {
    CAPTURE(text);
    const Model model = model_of(text);
    Simulation s = Simulation::create(model).value();
    const std::vector<Recorded> rows = rows_of(s);
    Simulation other = Simulation::create(model).value();
    for (const Recorded& row : rows) {
      CAPTURE(row.time);
      REQUIRE(other.set_state(row.time, row.state));
      check_same(other.columns().value(), row.values, 1e-12);
      check_same(other.rows(row.time, row.state).value().multiplier, row.multipliers, 1e-12);
      for (std::size_t k = 0; k < model.outputs().size(); ++k)
        check_same({other.output(k).value()}, other.value(model.outputs()[k].name).value(), 1e-12);
      std::vector<double> rate(row.state.size());
      REQUIRE(other.rhs(row.time, row.state, rate));
      const std::vector<double> a = other.rows(row.time, row.state).value().acceleration;
      const auto speeds = rate.begin() + static_cast<std::ptrdiff_t>(a.size());  // as many coordinates as speeds
      check_same({speeds, speeds + static_cast<std::ptrdiff_t>(a.size())}, a, 1e-12);
      CHECK(other.state() == row.state);
      CHECK(other.time() == row.time);
    }
  }
}

TEST_CASE("a bead that lies on its floor is held in a new simulation, after steps, and after a run") {
  Simulation s = Simulation::create(model_of(kBead)).value();
  std::vector<double> rate(s.state().size());
  const auto at_rest = [&] {
    REQUIRE(s.rhs(s.time(), s.state(), rate));
    check_same({rate.begin(), rate.begin() + 4}, {1, 0, 0, 0}, 0);
    CHECK(s.value("p.ay").value() == std::vector<double>{0});
    CHECK(s.output("N").value() == doctest::Approx(20).epsilon(1e-14));
    CHECK(s.rows(s.time(), s.state()).value().rank == 1);
  };
  at_rest();
  REQUIRE(s.step(0.01));
  at_rest();
  REQUIRE(s.run().status == Status::complete);
  at_rest();
  s.reset();
  at_rest();
}

TEST_CASE("a state above the floor falls, and asking for it leaves the state at hand on the floor") {
  Simulation s = Simulation::create(model_of(kBead)).value();
  REQUIRE(s.step(0.01));
  const std::string before = s.save();
  std::vector<double> above = s.state(), rate(above.size());
  above[1] = 1;
  REQUIRE(s.rhs(5, above, rate));
  check_same({rate.begin(), rate.begin() + 4}, {1, 0, 0, -10}, 0);
  CHECK(s.value("p.ay", 5, above).value() == std::vector<double>{-10});
  CHECK(s.save() == before);
  CHECK(s.value("p.ay").value() == std::vector<double>{0});
}

TEST_CASE("a state below the floor is refused with the contact's name") {
  Simulation s = Simulation::create(model_of(kBead)).value();
  std::vector<double> below = s.state(), rate(below.size());
  below[1] = -0.5;
  const Result<void> asked = s.rhs(0, below, rate);
  REQUIRE_FALSE(asked.ok());
  CHECK(asked.error().code == ErrorCode::stopped);
  CHECK(asked.error().message.find("`deck`") != std::string::npos);
}

TEST_CASE("a right-hand side without checks is refused where contacts or frictions act") {
  for (const char* text : {kBead, kCrate}) {
    Simulation s = Simulation::create(model_of(text)).value();
    const Result<RhsFunction> f = s.rhs_function();
    REQUIRE_FALSE(f.ok());
    CHECK(f.error().code == ErrorCode::invalid_argument);
    CHECK(f.error().message.find("use step() or run()") != std::string::npos);
  }
}

TEST_CASE("a parameter that is set decides anew on what touches") {
  Simulation s = Simulation::create(model_of(R"(mbd 1
space 1
param lift = 0
gravity -10
particle p(1) at 0
constraint deck: p.x >= 0
force pull on p: lift
simulate { time = 0 .. 1 step 0.1 }
)"))
                     .value();
  REQUIRE(s.step(0.1));
  CHECK(s.value("p.ax").value() == std::vector<double>{0});
  REQUIRE(s.set_parameter("lift", 12));
  CHECK(s.value("p.ax").value()[0] == doctest::Approx(2).epsilon(1e-14));
}

TEST_CASE("an input that is set decides anew, for columns as for every other query") {
  Simulation s = Simulation::create(model_of(R"(mbd 1
space 1
gravity -10
input lift = 0
particle p(1) at 0
constraint deck: p.x >= 0
force pull on p: lift
output a = p.ax, N = deck.lambda
simulate { time = 0 .. 1 step 0.1; integrator = rk4 }
)"))
                     .value();
  REQUIRE(s.step(0.1));
  CHECK(s.output("N").value() == doctest::Approx(10).epsilon(1e-14));
  REQUIRE(s.set_input("lift", 12));
  const std::vector<double> columns = s.columns().value();
  const std::vector<Quantity> names = s.model().columns();
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k].name == "a") CHECK(columns[k] == doctest::Approx(2).epsilon(1e-14));
    if (names[k].name == "N") CHECK(columns[k] == 0);
  }
  CHECK(s.value("p.ax").value()[0] == doctest::Approx(2).epsilon(1e-14));
  CHECK(s.output("N").value() == 0);
}

TEST_CASE("an answer does not depend on what was asked before") {
  const Model model = model_of(kCrate);
  Simulation fresh = Simulation::create(model).value(), asked = Simulation::create(model).value();
  const std::vector<Recorded> rows = rows_of(fresh);
  for (const Recorded& row : rows) {  // forwards in one simulation, each alone in a new one
    Simulation alone = Simulation::create(model).value();
    std::vector<double> first(row.state.size()), second(row.state.size());
    REQUIRE(asked.rhs(row.time, row.state, first));
    REQUIRE(alone.rhs(row.time, row.state, second));
    CHECK(first == second);
  }
}

// In the flat position the coupler follows from the other rows; with a force on one arm it holds elsewhere.
TEST_CASE("rates after rows at a singular position are those of all rows") {
  const Model model = model_of(R"(mbd 1
space 2
gravity (0, -1)
particle a(1) at (cos(0.9), sin(0.9))
particle b(1) at (2 + cos(0.9), sin(0.9))
constraint left: dist(ground, a) == 1
constraint right: dist(ground.at(2, 0), b) == 1
constraint coupler: dist(a, b) == 2
force f on a: (1.5, 0.3)
simulate { time = 0 .. 1 step 0.1 }
)");
  Simulation s = Simulation::create(model).value();
  const std::vector<double> regular = s.state();
  std::vector<double> flat(regular.size()), before(regular.size()), after(regular.size());
  flat[0] = 1;
  flat[2] = 3;
  REQUIRE(s.rhs(0, regular, before));
  CHECK(s.rows(0, flat).value().rank == 2);
  REQUIRE(s.rhs(0, regular, after));
  CHECK(before == after);
  CHECK(before[4] == doctest::Approx(before[6]).epsilon(1e-12));  // the coupler stays parallel
}

TEST_CASE("M u' = f + C + A^T lambda with non-ideal forces, loads of reactions, and sliding friction") {
  const std::string wire = R"(mbd 1
gravity (0, 0, -10)
particle p(2) at (0, 0, 0) moving (1, 0, 0)
constraint wire: (p.y, p.z) == (0, 0) nonideal { force on p: (-1*p.vx, 0, 3) }
simulate { time = 0 .. 1 step 0.01 }
)";
  const std::string rubs = R"(mbd 1
gravity (0, 0, -10)
particle p(2) at (0, 0, 0) moving (1, 0, 0)
constraint wire: (p.y, p.z) == (0, 0)
force drag on p: (-0.25*wire.lambda[2]*p.vx, 0, 0)
simulate { time = 0 .. 1 step 0.01 }
)";
  for (const std::string& text : {wire, rubs, std::string(kSled)}) {
    CAPTURE(text);
    Simulation s = Simulation::create(model_of(text)).value();
    const RowSet r = s.rows(0, s.state()).value();
    REQUIRE(r.C.size() == r.n);
    for (std::size_t i = 0; i < r.n; ++i) {
      double left = 0, right = r.f[i] + r.C[i];
      for (std::size_t j = 0; j < r.n; ++j) left += r.M[i * r.n + j] * r.acceleration[j];
      for (std::size_t k = 0; k < r.m; ++k) right += r.A[k * r.n + i] * r.multiplier[k];
      CHECK(left == doctest::Approx(right).epsilon(1e-13));
    }
  }
  Simulation s = Simulation::create(model_of(wire)).value();
  const RowSet r = s.rows(0, s.state()).value();
  check_same(r.acceleration, {-0.5, 0, 0}, 1e-14);
  check_same(r.C, {-1, 0, 3}, 1e-13);
  check_same(r.multiplier, {0, 17}, 1e-13);
  Simulation t = Simulation::create(model_of(rubs)).value();
  check_same(t.rows(0, t.state()).value().f, {-5, 0, -20}, 1e-13);
}

// Machines, held states, counts, samples, contacts, friction, discontinuities and cut ropes.
TEST_CASE("with the discrete state of a row the columns are those of the row, whatever the events have done") {
  for (const std::string name :
       {"bouncing_ball", "relay", "clutch", "walker", "sliding_crate", "hopper", "hit_and_miss", "sampled_pendulum",
        "string_cut", "belt_stick_slip", "braked_wheel", "cradle"}) {
    CAPTURE(name);
    CompileOptions options;
    options.interpret = true;
    const Model model = Model::from_file(MBC_SOURCE_DIR "/examples/" + name + ".mbd", options);
    REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
    const std::string block = model.simulations().front();
    Simulation s = Simulation::create(model, block).value();
    RunOptions run;
    run.simulation = block;
    std::vector<Recorded> rows;
    const RunResult r = s.run(run, [&](const Row& row) {
      rows.push_back({row.time,
                      {row.values.begin(), row.values.end()},
                      {row.state.begin(), row.state.end()},
                      {},
                      {row.inputs.begin() + static_cast<std::ptrdiff_t>(s.model().inputs().size()), row.inputs.end()}});
      return true;
    });
    REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
    Simulation other = Simulation::create(model, block).value();
    for (std::size_t k = 0; k < rows.size(); k += std::max<std::size_t>(rows.size() / 8, 1)) {
      const Recorded& row = rows[k];
      CAPTURE(row.time);
      REQUIRE(other.set_state(row.time, row.state));
      REQUIRE(other.set_discrete_state(row.discrete));
      check_same(other.columns().value(), row.values, 1e-12);
      CHECK(other.discrete_state().value() == row.discrete);
    }
  }
}

TEST_CASE("a discrete state that the model cannot have is refused by name") {
  Simulation s = Simulation::create(model_of(kBead)).value();
  std::vector<double> values = s.discrete_state().value();
  const std::vector<std::string> names = s.discrete_names();
  REQUIRE(names.size() == values.size());
  const auto active = std::find(names.begin(), names.end(), "deck.active");
  REQUIRE(active != names.end());
  CHECK(values[static_cast<std::size_t>(active - names.begin())] == 1);
  values[static_cast<std::size_t>(active - names.begin())] = 0.5;
  const Result<void> refused = s.set_discrete_state(values);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "`deck.active` cannot be 0.5");
  values.pop_back();
  CHECK(s.set_discrete_state(values).error().code == ErrorCode::wrong_size);
}

TEST_CASE("settling makes the impacts of a run's beginning, and what is asked then is the first row of that run") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
particle p(2) at (0, 0) moving (1, -3)
constraint deck: p.y >= 0 restitution 0.5
friction rub on p.vx: 0.2*deck.lambda
simulate { time = 0 .. 0.1 step 0.1 }
)";
  const Model model = model_of(text);
  Simulation s = Simulation::create(model).value(), run = Simulation::create(model).value();
  CHECK(s.state()[3] == -3);
  std::vector<double> rate(s.state().size());
  REQUIRE(s.rhs(0, s.state(), rate));
  CHECK(s.state()[3] == -3);
  REQUIRE(s.settle());
  CHECK(s.time() == 0);
  CHECK(s.state()[3] == doctest::Approx(1.5).epsilon(1e-14));
  std::vector<double> first;
  run.run({}, [&](const Row& row) {
    if (first.empty()) first.assign(row.values.begin(), row.values.end());
    return true;
  });
  check_same(s.columns().value(), first, 1e-14);
  REQUIRE(s.settle());  // nothing is left to do
  check_same(s.columns().value(), first, 1e-14);
}
