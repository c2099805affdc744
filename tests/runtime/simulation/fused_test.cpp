// SPDX-License-Identifier: Apache-2.0
// Tests runs whose steps are one function after their first stage (formulate/steps/step.h,
// runtime/step/fused_step.h). Rows, last state and all messages are those of a run with separate steps bit
// for bit, by both engines. The test uses every example, and cases in which steps must be refused: singular positions,
// drift that needs more than one Newton step, and values that are not finite.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <thread>

#include "api/model/settings.h"
#include "api/simulation/simulation_impl.h"
#include "mbc/mbc.h"
#include "tests/compiler/formulate/model_kernel.h"
#include "tests/support/scratch.h"
#ifdef MBC_HAVE_JIT
#include "jit/engine.h"
#endif

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr std::uint64_t kMostSteps = 1500;

struct Recorded {
  runtime::RunData data;
  std::vector<double> rows, last;
};

class Subject {
 public:
  Subject(const std::string& text, const std::string& name, const std::string& folder, const std::string& block = "") {
    CompileOptions options;
    options.folder = folder;
    Result<Simulation> made = Simulation::create(Model::from_string(text, name, options), block);
    if (!made) return;
    simulation_.emplace(*std::move(made));
    for (const sema::Simulation& s : impl().facts().simulations)
      if (s.name == block) settings_ = api::settings_of(s, {});
    impl().complete_inertia(settings_.begin, impl().written_state());
    settings_.steps = std::min(settings_.steps, kMostSteps);
    const api::EquationVariant& variant = impl().variant();
    if (variant.made().formulated.unrolled && settings_.steps > 0 &&
        runtime::steps_can_be_fused(settings_, variant.info()))
      step_ = variant.analysis().step(runtime::step_shape(settings_, variant.info()), variant.made().options);
  }
  [[nodiscard]] bool ok() const { return simulation_.has_value(); }
  [[nodiscard]] bool has_step() const { return step_.has_value(); }
  [[nodiscard]] const kernel::StepFunction& step() const { return *step_; }
  [[nodiscard]] runtime::FusedCode fused(std::shared_ptr<const kernel::NativeSlot> slot) const {
    return {[this, slot = std::move(slot)] { return runtime::FusedCode::Made{step_, slot}; }, 1};
  }

  Recorded run(runtime::FusedStep* fused) const {
    const api::EquationVariant& variant = impl().variant();
    runtime::Equations equations(variant.kernel(), variant.layout(), {}, impl().params);
    equations.set_inputs(impl().inputs);
    runtime::SimulateOptions settings = settings_;
    settings.fused = fused;
    Recorded out;
    out.last = impl().written_state();
    out.data = runtime::simulate(equations, variant.info(), settings, out.last,
                                 [&out](double t, std::span<const double> values) {
                                   out.rows.push_back(t);
                                   out.rows.insert(out.rows.end(), values.begin(), values.end());
                                   return true;
                                 });
    return out;
  }

 private:
  [[nodiscard]] Simulation::Impl& impl() const { return simulation_->impl(); }

  mutable std::optional<Simulation> simulation_;
  runtime::SimulateOptions settings_;
  std::optional<kernel::StepFunction> step_;
};

void check_same(const Recorded& pieces, const Recorded& fused) {
  const runtime::RunData &a = pieces.data, &b = fused.data;
  CHECK(a.status == b.status);
  CHECK(a.steps == b.steps);
  CHECK(a.evaluations == b.evaluations);
  CHECK(a.diagnostic.has_value() == b.diagnostic.has_value());
  if (a.diagnostic && b.diagnostic) {
    CHECK(a.diagnostic->kind == b.diagnostic->kind);
    CHECK(a.diagnostic->args == b.diagnostic->args);
    CHECK(a.diagnostic->time == b.diagnostic->time);
  }
  CHECK(a.rank_events.size() == b.rank_events.size());
  CHECK(same_bits(pieces.rows, fused.rows));
  CHECK(same_bits(pieces.last, fused.last));
  const auto numbers = [](const runtime::RunData& d) {
    const runtime::EnergyBalance& e = d.energy_balance;
    std::vector<double> out = {d.smallest_distance,
                               e.begin,
                               e.end,
                               e.work_of_loads,
                               e.work_of_constraints,
                               e.error,
                               d.reached,
                               d.largest_correction,
                               d.violation.position,
                               d.violation.velocity,
                               d.violation.acceleration};
    out.insert(out.end(), e.works.begin(), e.works.end());
    return out;
  };
  CHECK(same_bits(numbers(a), numbers(b)));
}

// Returns the fraction of steps that were fused.
double check(const Subject& model) {
  REQUIRE(model.has_step());
  const Recorded pieces = model.run(nullptr);
  runtime::FusedCode to_interpret = model.fused(nullptr);
  runtime::FusedStep interpreted(to_interpret);
  check_same(pieces, model.run(&interpreted));
  const std::uint64_t fused = interpreted.steps();
#ifdef MBC_HAVE_JIT
  static std::string error;
  static const std::unique_ptr<jit::Engine> engine = jit::load_engine(error);
  REQUIRE_MESSAGE(engine != nullptr, error);
  const std::unique_ptr<jit::CompiledKernel> code = engine->compile(model.step().kernel, {}, error);
  REQUIRE_MESSAGE(code != nullptr, error);
  runtime::FusedCode compiled = model.fused(std::make_shared<const kernel::NativeSlot>(code->function("step")));
  runtime::FusedStep native(compiled);
  check_same(pieces, model.run(&native));
  CHECK(native.steps() == fused);
#endif
  return pieces.data.steps > 0 ? static_cast<double>(fused) / static_cast<double>(pieces.data.steps) : 0;
}

double check_text(const std::string& text) {
  const Subject model(text, "a.mbd", ".");
  REQUIRE(model.ok());
  return check(model);
}

}  // namespace

TEST_CASE("every example and block that is stepped by rk4") {
  int blocks = 0;
  double share = 0;
  for (const std::filesystem::path& path : example_files()) {
    CAPTURE(path.string());
    const std::string folder = path.parent_path().string();
    const Model program = Model::from_file(path.string());
    REQUIRE(program.ok());
    for (const std::string& block : program.simulations()) {
      CAPTURE(block);
      const Subject model(read_file(path), path.string(), folder, block);
      REQUIRE(model.ok());
      if (!model.has_step() || model.step().kernel.functions.front().blocks.front().code.size() > 3000) continue;
      share += check(model);
      ++blocks;
    }
  }
  MESSAGE(blocks << " blocks, " << share << " fused");
  CHECK(blocks > 25);
  CHECK(share > 15);
}

TEST_CASE("a crank through its flat positions: steps there are taken in pieces") {
  const double share = check_text(R"(mbd 1
space 2
particle p1(1) at (cos(0.7), sin(0.7))     moving (-1.3*sin(0.7), 1.3*cos(0.7))
particle p2(1) at (cos(0.7) + 2, sin(0.7)) moving (-1.3*sin(0.7), 1.3*cos(0.7))
constraint crank:   dist(ground, p1) == 1
constraint rocker:  dist((2, 0), p2) == 1
constraint coupler: dist(p1, p2) == 2
simulate { time = 0 .. 2.5 step 0.002; integrator = rk4 }
)");
  CHECK(share > 0.3);
  CHECK(share < 1);
}

TEST_CASE("work of loads and of constraints, states, inputs and powers are those of the pieces") {
  CHECK(check_text(R"(mbd 1
param k = 3
input u = 0.5
particle p(2) at (1, 0, 0) moving (0.05, 1, 0.2)
state x = 0.1 where x' = p.y - k*x + u
force f on p: (-k*p.x, 0.1*sin(3*t), -p.z^3)
force drag on p: -0.2*p.vel + (0, 0, x)
constraint circle: p.x^2 + p.y^2 == 1 + 0.1*t
simulate { time = 0 .. 2 step 0.002; integrator = rk4 }
)") == 1);
}

TEST_CASE("large steps: a drift that one Newton step does not remove") {
  const double share = check_text(R"(mbd 1
space 2
gravity (0, -9.81)
particle p(1) at (1, 0)
constraint rod: dist(ground, p) == 1
simulate { time = 0 .. 20 step 0.2; integrator = rk4 }
)");
  CHECK(share < 1);
}

TEST_CASE("what is not finite within a step is said as it is without") {
  for (const std::string force : {"(0, sqrt(0.5 - t), 0)", "1e3*p.pos*norm(p.pos)^2", "(log(1.2 - p.x), 0, 0)"}) {
    CAPTURE(force);
    const Subject model("mbd 1\nparticle p(1) at (1, 0, 0) moving (1, 0, 0)\nforce f on p: " + force +
                            "\nsimulate { time = 0 .. 1 step 0.01; integrator = rk4 }\n",
                        "a.mbd", ".");
    REQUIRE(model.ok());
    check(model);
    CHECK(model.run(nullptr).data.status == runtime::RunStatus::stopped);
  }
}

TEST_CASE("a model without constraints, and bodies described by quaternions") {
  CHECK(check_text(R"(mbd 1
particle p(1) at (1, 0, 0) moving (0, 1, 0)
force f on p: -p.pos/norm(p.pos)^3
simulate { time = 0 .. 10 step 0.01; integrator = rk4 }
)") == 1);
  for (const std::string stabilise : {"project", "none"})
    CHECK(check_text(R"(mbd 1
gravity (0, 0, -9.81)
body a(mass = 1, inertia = diag(0.1, 0.2, 0.25)) at (0.5, 0, 0) moving (0, 0.5, 0) spinning (0, 0, 1)
body b(mass = 1, inertia = diag(0.1, 0.2, 0.25)) at (0, 3, 0) spinning (2, 0.1, 2)
point ha on a at (-0.5, 0, 0)
constraint joint: ha.pos == (0, 0, 0)
simulate { time = 0 .. 0.5 step 0.001; integrator = rk4
  stabilise = )" + stabilise +
                     " }\n") == 1);
}

TEST_CASE("runs on several threads share kernel, layout and fused step, and give the bits of a run alone") {
  constexpr std::size_t kThreads = 8;
  const Subject model(R"(mbd 1
gravity (0, 0, -9.81)
body b(mass = 1, inertia = diag(0.1, 0.2, 0.25)) at (0.5, 0, 0) moving (0, 0.5, 0) spinning (0, 0, 1)
point h on b at (-0.5, 0, 0)
constraint joint: h.pos == (0, 0, 0)
simulate { time = 0 .. 0.5 step 0.001; integrator = rk4 }
)",
                      "threads.mbd", ".");
  REQUIRE(model.has_step());
  const Recorded alone = model.run(nullptr);
  runtime::FusedCode code = model.fused(nullptr);
  std::vector<Recorded> made(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < kThreads; ++k)
    threads.emplace_back([&, k] {
      runtime::FusedStep step(code);
      made[k] = model.run(k % 4 == 0 ? nullptr : &step);  // Some threads do not use fused steps.
    });
  for (std::thread& thread : threads) thread.join();
  for (const Recorded& run : made) check_same(alone, run);
}

TEST_CASE("a program makes its steps in one function when enough of them are asked for, and its rows stay the same") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -9.81)
param m = 1
particle p(m) at (1, 0)
constraint rod: dist(ground, p) == 1
simulate { time = 0 .. 60 step 0.001; integrator = rk4 }
)";
  CompileOptions interpret;
  interpret.interpret = true;
  Simulation one = Simulation::create(Model::from_string(text, "a.mbd")).value(),
             other = Simulation::create(Model::from_string(text, "a.mbd", interpret)).value();
  for (const double m : {1.0, 2.0}) {
    one.set_parameter("m", m).value();
    other.set_parameter("m", m).value();
    const RunResult a = one.run({}, {}), b = other.run({}, {});
    CHECK(a.status == Status::complete);
    CHECK(same_bits(a.state, b.state));
    CHECK(a.largest_correction == b.largest_correction);
    CHECK(a.evaluations == b.evaluations);
  }
}

TEST_CASE("a parameter that a host sets at a row counts from there on, however the steps are made") {
  const std::string text = R"(mbd 1
param damp = 0.1
gravity (0, 0, -9.81)
particle p(1) at (1, 0, 0) moving (0, 1, 0)
constraint rod: dist(ground, p) == 1
force d on p: -damp*p.vel
simulate { time = 0 .. 60 step 0.001; integrator = rk4 }
)";
  std::vector<double> last[2];
  for (const bool interpret : {false, true}) {
    CompileOptions compile;
    compile.interpret = interpret;
    Simulation program = Simulation::create(Model::from_string(text, "a.mbd", compile)).value();
    for (int run = 0; run < 2; ++run) {  // In the second run the function is available.
      program.set_parameter("damp", 0.1).value();
      const RunResult r = program.run({}, [&program](const Row& row) {
        if (row.time > 30) program.set_parameter("damp", 0.5).value();
        return true;
      });
      CHECK(r.status == Status::complete);
      last[interpret ? 1 : 0] = r.state;
    }
  }
  CHECK(same_bits(last[0], last[1]));
}
