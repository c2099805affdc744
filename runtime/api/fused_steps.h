// Steps as one function (runtime/fused_step.h) for the runs of a program, made when so many steps have been asked for
// that compiling them is worth it.
#pragma once
#include <array>
#include <memory>

#include "compiler/lower/system.h"
#include "runtime/api/native_code.h"
#include "runtime/fused_step.h"

namespace mbc::api {

class FusedSteps {
 public:
  // For a run that is about to be made; null when it takes its steps in pieces. `options`: those of the kernel at hand,
  // which is straight-line code.
  runtime::FusedStep* for_run(const runtime::SimulateOptions& run, const lower::System& system,
                              const runtime::ModelInfo& info, const formulate::FormulateOptions& options,
                              NativeCode& native);
  // The kernel at hand is another one, and native code has been discarded.
  void forget() { kinds_ = {}; }

 private:
  // Making them costs a formulation, and a run of small systems wins a few tenths of a microsecond a step.
  static constexpr double kWorthFusing = 50'000;

  struct Kind {
    double steps_asked_for = 0;
    bool tried = false;
    std::unique_ptr<runtime::FusedStep> step;
  };
  std::array<Kind, 2> kinds_;  // without and with projection
};

// The function, where the system has one.
std::optional<formulate::StepFunction> step_function(const runtime::SimulateOptions& run, const lower::System& system,
                                                     const runtime::ModelInfo& info,
                                                     formulate::FormulateOptions options);

}  // namespace mbc::api
