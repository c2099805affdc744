#include "runtime/api/fused_steps.h"

namespace mbc::api {

std::optional<formulate::StepFunction> step_function(const runtime::SimulateOptions& run, const lower::System& system,
                                                     const runtime::ModelInfo& info,
                                                     formulate::FormulateOptions options) {
  options.step_parts = true;
  const formulate::Formulated parts = formulate::formulate(system, options);
  return formulate::rk4_after_rates(parts.kernel, parts.layout, runtime::step_shape(run, info));
}

runtime::FusedStep* FusedSteps::for_run(const runtime::SimulateOptions& run, const lower::System& system,
                                        const runtime::ModelInfo& info, const formulate::FormulateOptions& options,
                                        NativeCode& native) {
  if (!runtime::steps_can_be_fused(run, info)) return nullptr;
  Kind& kind = kinds_[run.stabilisation == runtime::Stabilisation::project ? 1 : 0];
  kind.steps_asked_for += static_cast<double>(run.steps);
  if (kind.tried || kind.steps_asked_for < kWorthFusing) return kind.step.get();
  kind.tried = true;
  std::optional<formulate::StepFunction> step = step_function(run, system, info, options);
  if (!step) return nullptr;
  auto slot = native.start(step->kernel, step->kernel.functions.front());
  kind.step = std::make_unique<runtime::FusedStep>(std::move(*step), std::move(slot));
  return kind.step.get();
}

}  // namespace mbc::api
