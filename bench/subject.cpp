// SPDX-License-Identifier: Apache-2.0
#include "bench/subject.h"

#include <stdexcept>

#include "compiler/lower/describe.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/singular/certification.h"

namespace mbc::bench {
namespace {

constexpr double kRankTolerance = 1e-10;  // the default of a run
constexpr int kWarmUp = 6000;             // After this number of calls every function with native code uses it.

CompileOptions at_once() {
  CompileOptions options;
  options.native_at_once = true;
  options.cache = false;
  return options;
}

}  // namespace

Subject::Subject(const BenchModel& model, jit::Engine* engine)
    : program_(Simulation::create(Model::from_string(model.text, model.name, at_once())).value()),
      compilation_(compile(model.name, model.text, {})),
      engine_(engine),
      time_(model.run_to) {
  if (!program_.model().ok()) throw std::runtime_error(program_.model().render_diagnostics());
  info_ = lower::describe(compilation_.model);
  state_ = program_.initial_state();
  if (time_ <= 0) return;
  RunOptions run;
  run.span = {0.0, time_};
  state_ = program_.run(run, nullptr).state;
}

kernel::KernelFunction Subject::compile_function(const kernel::Function& function) {
  kernel::Kernel part = compilation_.formulated.kernel;
  part.functions = {function};
  std::string error;
  code_.push_back(engine_->compile(part, {}, error));
  if (!code_.back()) throw std::runtime_error(error);
  return code_.back()->function(function.name);
}

runtime::Equations& Subject::equations(bool native, runtime::SolveMode mode) {
  const formulate::Formulated& f = compilation_.formulated;
  runtime::Compiler compiler;
  if (native) compiler = [this](const kernel::Function& function) { return compile_function(function); };
  equations_.push_back(std::make_unique<runtime::Equations>(f.kernel, f.layout, compiler));
  runtime::Equations& equations = *equations_.back();
  std::vector<double> params;
  for (std::size_t i = 0; i < program_.model().parameters().size(); ++i)
    params.push_back(program_.parameter(i).value());
  equations.set_params(params);
  runtime::ConstraintProjector projector(equations, info_);
  runtime::Certification(equations, info_, projector, kRankTolerance).begin(time_, state_.data());
  equations.solve_by(mode);
  if (mode == runtime::SolveMode::literal) equations.solve_literally(kRankTolerance);
  if (!native || mode == runtime::SolveMode::fast) return equations;
  std::vector<double> dy(state_.size()), defects;
  for (int i = 0; i < kWarmUp; ++i) equations.row_defects(time_, state_.data(), dy.data(), defects);
  return equations;
}

}  // namespace mbc::bench
