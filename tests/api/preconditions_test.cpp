// SPDX-License-Identifier: Apache-2.0
// Tests that invalid calls return an error: wrong sizes, indices and names, values that are not finite, and models with
// errors.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "mbc/mbc.h"

using namespace mbc;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Model pendulum() {
  CompileOptions options;
  options.interpret = true;
  return Model::from_string(R"(mbd 1
param L = 1
input push = 0
gravity (0, 0, -9.81)
particle p(1) at (L, 0, 0)
constraint rod: dist(ground, p) == L
force f on p: (push, 0, 0)
output height = p.z
simulate swing { time = 0 .. 0.1 step 0.01; integrator = rk4 }
test "falls" over swing { check height < 1 always }
)",
                            "pendulum.mbd", options);
}

}  // namespace

TEST_CASE("a model with errors answers every call") {
  const Model models[] = {Model(), Model::from_string("mbd 1\nparticle p(\n", "wrong.mbd"),
                          Model::from_file("/nowhere/at/all.mbd")};
  for (const Model& m : models) {
    CHECK_FALSE(m.ok());
    CHECK(m.parameters().empty());
    CHECK(m.columns().empty());
    CHECK(m.column(0).error().code == ErrorCode::out_of_range);
    CHECK(m.info().error().code == ErrorCode::model_error);
    CHECK(m.emit(Stage::kernel).error().code == ErrorCode::model_error);
    CHECK(m.shaped("").error().code == ErrorCode::model_error);
    CHECK(m.shaped(ShapeSettings{}).error().code == ErrorCode::model_error);
    CHECK(m.state_size() == 0);
    if (m.source_text().empty()) CHECK_FALSE(m.value("1 + 1"));
    CHECK(Simulation::create(m).error().code == ErrorCode::model_error);
    CHECK_FALSE(m.compiling());
    CHECK_FALSE(m.time_span(""));
  }
  CHECK(Model::from_file("/nowhere/at/all.mbd").diagnostics().size() == 1);
}

TEST_CASE("indices and names") {
  const Model model = pendulum();
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  CHECK(model.column(999).error().code == ErrorCode::out_of_range);
  CHECK(model.parameter_index("x").error().code == ErrorCode::no_such_name);
  Simulation s = Simulation::create(model).value();
  CHECK(Simulation::create(model, "none").error().code == ErrorCode::no_such_name);
  CHECK(s.parameter(1).error().code == ErrorCode::out_of_range);
  CHECK(s.parameter("x").error().code == ErrorCode::no_such_name);
  CHECK(s.set_parameter(7, 1).error().code == ErrorCode::out_of_range);
  CHECK(s.set_parameter("x", 1).error().code == ErrorCode::no_such_name);
  CHECK(s.input(1).error().code == ErrorCode::out_of_range);
  CHECK(s.set_input("L", 1).error().code == ErrorCode::no_such_name);
  CHECK(s.output(1).error().code == ErrorCode::out_of_range);
  CHECK(s.output("L").error().code == ErrorCode::no_such_name);
  CHECK(s.run_test(1).error().code == ErrorCode::out_of_range);
  DoctorOptions options;
  options.simulation = "none";
  CHECK(s.doctor(options).error().code == ErrorCode::no_such_name);
}

TEST_CASE("values that are not finite") {
  Simulation s = Simulation::create(pendulum()).value();
  for (const double x : {kNan, kInf, -kInf}) {
    CHECK(s.set_parameter("L", x).error().code == ErrorCode::not_finite);
    CHECK(s.set_input("push", x).error().code == ErrorCode::not_finite);
    CHECK(s.step(x).error().code == ErrorCode::not_finite);
    CHECK(s.run_until(x).error().code == ErrorCode::not_finite);
    CHECK(s.initial(x).error().code == ErrorCode::not_finite);
    std::vector<double> y = s.state();
    CHECK(s.set_state(x, y).error().code == ErrorCode::not_finite);
    CHECK(s.rows(x, y).error().code == ErrorCode::not_finite);
    y[2] = x;
    CHECK(s.set_state(0, y).error().code == ErrorCode::not_finite);
    CHECK(s.set_state(0, y).error().index == 2);
    CHECK(s.rows(0, y).error().code == ErrorCode::not_finite);
    CHECK(s.value("p.x", 0, y).error().code == ErrorCode::not_finite);
    std::vector<double> dy(y.size());
    CHECK_FALSE(s.rhs(0, y, dy));
    RunOptions options;
    options.span = {0.0, x};
    CHECK(s.run(options).status == Status::model_error);
    options.span = {0.0, 0.1};
    options.state = y;
    CHECK(s.run(options).status == Status::model_error);
  }
  CHECK(s.parameter("L").value() == 1);
  CHECK(s.value("sqrt(-1)").error().code == ErrorCode::undefined_value);
  CHECK(s.value("1/0*p.x").error().code == ErrorCode::undefined_value);
  CHECK(s.value("p.x +").error().code == ErrorCode::invalid_argument);
  CHECK_FALSE(s.value("p.x +").error().message.empty());
}

TEST_CASE("sizes") {
  Simulation s = Simulation::create(pendulum()).value();
  const std::vector<double> y = s.state(), none, shorter(y.size() - 1, 0.0), longer(y.size() + 1, 0.0);
  std::vector<double> dy(y.size());
  for (const std::vector<double>& wrong : {none, shorter, longer}) {
    CHECK(s.rows(0, wrong).error().code == ErrorCode::wrong_size);
    CHECK(s.value("p.x", 0, wrong).error().code == ErrorCode::wrong_size);
    CHECK(s.set_state(0, wrong).error().code == ErrorCode::wrong_size);
    CHECK(s.rhs(0, wrong, dy).error().code == ErrorCode::wrong_size);
    std::vector<double> rate(wrong.size());
    CHECK(s.rhs(0, y, rate).error().code == ErrorCode::wrong_size);
    RunOptions options;
    options.span = {0.0, 0.1};
    options.state = wrong;
    if (!wrong.empty()) CHECK(s.run(options).status == Status::model_error);
  }
  CHECK(s.rhs(0, y, dy));
}

TEST_CASE("times and steps") {
  Simulation s = Simulation::create(pendulum()).value();
  CHECK(s.step(0).error().code == ErrorCode::invalid_argument);
  CHECK(s.step(-1).error().code == ErrorCode::invalid_argument);
  REQUIRE(s.step(0.01));
  CHECK(s.run_until(0).error().code == ErrorCode::invalid_argument);
  RunOptions options;
  for (const std::pair<double, double>& span : {std::pair{1.0, 0.0}, {1.0, 1.0}}) {
    options.span = span;
    const RunResult r = s.run(options);
    CHECK(r.status == Status::model_error);
    CHECK(r.steps == 0);
    CHECK_FALSE(r.rendered.empty());
  }
  CHECK(s.time() == doctest::Approx(0.01));
  std::vector<double> off = s.state();
  off[0] += 0.5;
  REQUIRE(s.set_state(0, off));
  CHECK(s.step(0.01).error().code == ErrorCode::inconsistent);
  CHECK(s.state() == off);
  CHECK(s.time() == 0);
}

TEST_CASE("numbers that are at least 1") {
  Simulation s = Simulation::create(pendulum()).value();
  RunOptions run;
  run.output_every = 0;
  const RunResult refused = s.run(run);
  CHECK(refused.status == Status::model_error);
  CHECK(refused.rendered == "output_every is 1 for every row, 2 for every other one, and never 0\n");
  CHECK(s.time() == 0);
  DoctorOptions doctor;
  doctor.max_steps = 0;
  CHECK(s.doctor(doctor).error().code == ErrorCode::invalid_argument);
  CHECK(s.doctor(doctor).error().message == "a motion has at least one step: max_steps is 0");
}

TEST_CASE("a model that was moved from is the model it was") {
  Model model = pendulum();
  const Model other = std::move(model);
  CHECK(model.ok());  // NOLINT(bugprone-use-after-move): the test uses a moved-from model on purpose
  CHECK(model.state_size() == other.state_size());
  CHECK(Simulation::create(model).ok());
}

TEST_CASE("a run is in progress") {
  Simulation s = Simulation::create(pendulum()).value();
  int rows = 0;
  const RunResult r = s.run({}, [&](const Row& row) {
    ++rows;
    CHECK(s.rows(row.time, row.state).error().code == ErrorCode::invalid_argument);
    CHECK(s.step(0.01).error().code == ErrorCode::invalid_argument);
    CHECK(s.run().status == Status::model_error);
    CHECK(s.set_parameter("L", 1));
    return true;
  });
  CHECK(r.status == Status::complete);
  CHECK(rows == 11);
}

TEST_CASE("a failed result keeps its value to itself") {
  Simulation s = Simulation::create(pendulum()).value();
  CHECK_THROWS_AS(static_cast<void>(s.parameter("x").value()), BadResult);
  CHECK_THROWS_AS(s.set_parameter("x", 1).value(), BadResult);
  CHECK(s.parameter("x").value_or(4) == 4);
}
