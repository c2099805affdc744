// SPDX-License-Identifier: Apache-2.0
#include "api/fused_steps.h"

#include <algorithm>

#include "compiler/formulate/steps/step.h"

namespace mbc::api {

namespace {

// Compiling a step costs milliseconds for the smallest systems and grows faster than its length, while what it saves of
// every step grows no faster than that.
constexpr std::uint64_t kFewestSteps = 20'000, kStepsAnInstruction = 200;

}  // namespace

std::optional<kernel::StepFunction> step_function(const kernel::StepShape& shape, const lower::System& system,
                                                  formulate::FormulateOptions options) {
  options.step_parts = true;
  const formulate::Formulated parts = formulate::formulate(system, options);
  return formulate::rk4_after_rates(parts.kernel, parts.layout, shape);
}

runtime::FusedStep* FusedSteps::for_run(const runtime::SimulateOptions& run, const Compilation& compilation,
                                        const runtime::ModelInfo& info, const formulate::FormulateOptions& options,
                                        NativeCode& native) {
  if (!compilation.formulated.unrolled || compilation.large || !runtime::steps_can_be_fused(run, info)) return nullptr;
  std::unique_ptr<Fused>& fused = steps_[run.stabilisation == runtime::Stabilisation::project ? 1 : 0];
  if (fused) return &fused->step;
  const std::uint64_t code = kernel::size_of(*compilation.formulated.kernel.function("rhs")).code;
  const kernel::StepShape shape = runtime::step_shape(run, info);
  fused = std::make_unique<Fused>(
      [shape, options, &compilation, &native] {
        runtime::FusedCode::Made made;
        made.step = step_function(shape, compilation.system, options);
        if (made.step) made.slot = native.start(made.step->kernel, made.step->kernel.functions.front());
        return made;
      },
      std::max(kFewestSteps, kStepsAnInstruction * code));
  return &fused->step;
}

}  // namespace mbc::api
