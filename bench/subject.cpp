#include "bench/subject.h"

#include <stdexcept>

#include "runtime/api/describe.h"
#include "runtime/certification.h"
#include "runtime/stabilise.h"

namespace mbc::bench {
namespace {

constexpr double kRankTolerance = 1e-10;  // the default of a run

}  // namespace

Subject::Subject(const BenchModel& model, jit::Engine* engine)
    : program_(Program::from_string(model.text, model.name)),
      compilation_(compile(model.name, model.text, {})),
      time_(model.run_to) {
  if (!program_.ok()) throw std::runtime_error(program_.render_diagnostics());
  info_ = api::describe(compilation_.model);
  std::string error;
  if (engine != nullptr) code_ = engine->compile(compilation_.formulated.kernel, {}, error);
  if (!error.empty()) throw std::runtime_error(error);
  state_ = program_.initial_state();
  if (time_ <= 0) return;
  RunOptions run;
  run.span = {0.0, time_};
  state_ = program_.simulate(run, nullptr).state;
}

runtime::Equations& Subject::equations(bool native, runtime::SolveMode mode) {
  const formulate::Formulated& f = compilation_.formulated;
  equations_.push_back(std::make_unique<runtime::Equations>(f.kernel, f.layout, native ? code_.get() : nullptr));
  runtime::Equations& equations = *equations_.back();
  std::vector<double> params;
  for (std::size_t i = 0; i < program_.parameters().size(); ++i) params.push_back(program_.parameter(i));
  equations.set_params(params);
  runtime::Projector projector(equations, info_);
  runtime::Certification(equations, info_, projector, kRankTolerance).begin(time_, state_.data());
  equations.mode = mode;
  equations.literal_tolerance = kRankTolerance;
  return equations;
}

}  // namespace mbc::bench
