// SPDX-License-Identifier: Apache-2.0
// Steps as one function (runtime/simulation/fused_step.h) for the runs of a program.
#pragma once
#include <array>
#include <memory>

#include "api/native_code.h"
#include "compiler/pipeline.h"
#include "runtime/simulation/fused_step.h"

namespace mbc::api {

class FusedSteps {
 public:
  // For a run that is about to be made, by the kernel of the compilation, which was made with these options; null when
  // it takes its steps in pieces, as those of models that are dropped (build.h) do. `compilation` and `native` outlive
  // the object.
  runtime::FusedStep* for_run(const runtime::SimulateOptions& run, const Compilation& compilation,
                              const runtime::ModelInfo& info, const formulate::FormulateOptions& options,
                              NativeCode& native);
  // The kernel is another one, and native code has been discarded.
  void forget() { steps_ = {}; }

 private:
  struct Fused {
    Fused(runtime::FusedCode::Make make, std::uint64_t worth) : code(std::move(make), worth), step(code) {}
    runtime::FusedCode code;
    runtime::FusedStep step;
  };
  std::array<std::unique_ptr<Fused>, 2> steps_;  // without and with projection
};

// The function, where the system has one.
std::optional<kernel::StepFunction> step_function(const kernel::StepShape& shape, const lower::System& system,
                                                  formulate::FormulateOptions options);

}  // namespace mbc::api
