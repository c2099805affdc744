// SPDX-License-Identifier: Apache-2.0
// A step of a run after its first stage, as one function (formulate/step.h: rk4_after_rates): three stages, the sums,
// quaternions of norm 1 and one Newton step onto the constraints, without a state written to memory in between. The
// bits are those of the same step in pieces, so it may be used for some steps and not for others.
#pragma once
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kernel/native_slot.h"
#include "kernel/step_function.h"
#include "runtime/equations/equations.h"
#include "runtime/equations/model_info.h"
#include "runtime/simulation/simulate.h"

namespace mbc::runtime {

// Whether steps of such a simulation can be had as one function.
bool steps_can_be_fused(const SimulateOptions& options, const ModelInfo& info);
kernel::StepShape step_shape(const SimulateOptions& options, const ModelInfo& info);

class FusedStep {
 public:
  struct Made {
    std::optional<kernel::StepFunction> step;  // nothing: steps are taken in pieces
    // Where its native code appears; nothing is done before that. Null: it is interpreted.
    std::shared_ptr<const kernel::NativeSlot> slot;
  };
  using Make = std::function<Made()>;
  // It is made when it has been asked for `worth` steps, in one run or in many.
  FusedStep(Make make, std::uint64_t worth) : make_(std::move(make)), worth_(worth) {}

  // For a run by these equations with steps of size h.
  void begin(const Equations& equations, double h);
  // Asked before every step that could be one function, from a state where Run::calm().
  [[nodiscard]] bool takes_next() { return (code_ != nullptr || ready()) && (wait_ == 0 || --wait_ == 0); }
  // From such a state: `rates` are those of y, and then the state after the step. False: the step has to be taken in
  // pieces; `rates` may hold anything then.
  bool advance(double t, const std::vector<double>& y, const double* inputs, std::vector<double>& rates);
  // Mass-weighted size of the correction of the positions in the last step.
  [[nodiscard]] double moved() const { return std::sqrt(work_[made_.step->moved]); }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  static constexpr std::uint32_t kLongestPause = 1024;
  bool ready();
  void take_parameters();
  bool refused();

  Make make_;  // until it is made
  std::uint64_t worth_, asked_ = 0;
  Made made_;
  kernel::KernelFunction code_ = nullptr;
  kernel::Registers registers_;
  const Equations* equations_ = nullptr;  // of the run at hand
  double h_ = 0;
  std::uint64_t param_changes_ = 0;  // of the equations, when they were taken
  std::vector<double> params_, work_;
  std::uint32_t wait_ = 0, pause_ = 1;  // steps to go without an attempt; after the next refusal
  std::uint64_t steps_ = 0;
};

}  // namespace mbc::runtime
