// A step of a run after its first stage, as one function (formulate/step.h: rk4_after_rates): three stages, the sums,
// quaternions of norm 1 and one Newton step onto the constraints, without a state written to memory in between. The
// bits are those of the same step in pieces, so it may be used for some steps and not for others.
#pragma once
#include <cmath>
#include <memory>
#include <vector>

#include "compiler/formulate/step.h"
#include "runtime/equations.h"
#include "runtime/model_info.h"
#include "runtime/native_slot.h"
#include "runtime/simulate.h"

namespace mbc::runtime {

// Whether steps of such a simulation can be had as one function.
bool steps_can_be_fused(const SimulateOptions& options, const ModelInfo& info);
formulate::StepShape step_shape(const SimulateOptions& options, const ModelInfo& info);

class FusedStep {
 public:
  // `slot`: where its native code appears; nothing is done before that. Null: it is interpreted.
  FusedStep(formulate::StepFunction step, std::shared_ptr<const NativeSlot> slot);

  // For a run by these equations with steps of size h.
  void begin(const Equations& equations, double h);
  // From an accepted state where Run::calm(): `rates` are those of y, and then the state after the step. False: the
  // step has to be taken in pieces; `rates` may hold anything then.
  bool advance(double t, const std::vector<double>& y, const double* inputs, std::vector<double>& rates);
  // Mass-weighted size of the correction of the positions in the last step.
  [[nodiscard]] double moved() const { return std::sqrt(work_[step_.moved]); }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  static constexpr std::uint32_t kLongestPause = 1024;
  bool refused();

  formulate::StepFunction step_;
  std::shared_ptr<const NativeSlot> slot_;
  kernel::KernelFunction code_ = nullptr;
  Registers registers_;
  std::vector<double> params_, work_;
  std::uint32_t wait_ = 0, pause_ = 1;  // steps to go without an attempt; after the next refusal
  std::uint64_t steps_ = 0;
};

}  // namespace mbc::runtime
