#include "runtime/fused_step.h"

#include <algorithm>

namespace mbc::runtime {

bool steps_can_be_fused(const SimulateOptions& options, const ModelInfo& info) {
  return options.integrator == Integrator::rk4 && !options.literal && !info.inertia_by_hand &&
         (options.stabilisation == Stabilisation::none || options.stabilisation == Stabilisation::project);
}

formulate::StepShape step_shape(const SimulateOptions& options, const ModelInfo& info) {
  formulate::StepShape shape;
  shape.project = options.stabilisation == Stabilisation::project;
  shape.coordinate_of_speed = info.coordinate_of_speed;
  shape.quaternions = info.quaternions;
  shape.n_recorded = static_cast<std::uint32_t>(info.outputs.size());
  return shape;
}

FusedStep::FusedStep(formulate::StepFunction step, std::shared_ptr<const NativeSlot> slot)
    : step_(std::move(step)),
      slot_(std::move(slot)),
      registers_(make_registers(step_.kernel)),
      params_(step_.kernel.n_params),
      work_(step_.kernel.n_work) {}

void FusedStep::begin(const Equations& equations, double h) {
  std::copy(equations.params().begin(), equations.params().end(), params_.begin());
  params_[step_.half] = 0.5 * h;
  params_[step_.whole] = h;
  wait_ = 0;
  pause_ = 1;
  steps_ = 0;
}

// What stands in its way is likely to last: a drift that one Newton step does not remove, a row nearby.
bool FusedStep::refused() {
  wait_ = pause_;
  pause_ = std::min(2 * pause_, kLongestPause);
  return false;
}

bool FusedStep::advance(double t, const std::vector<double>& y, const double* inputs, std::vector<double>& rates) {
  if (wait_ > 0) {
    --wait_;
    return false;
  }
  std::int32_t failed = 0;
  if (slot_ && code_ == nullptr) code_ = slot_->load(std::memory_order_acquire);
  if (code_ != nullptr)
    failed = code_(t, y.data(), params_.data(), inputs, nullptr, work_.data(), rates.data());
  else if (slot_)
    return false;
  else
    failed = interpret(step_.kernel.functions.front(), t, y.data(), params_.data(), inputs, nullptr, work_.data(),
                       rates.data(), registers_);
  if (failed != 0) return refused();
  pause_ = 1;
  ++steps_;
  return true;
}

}  // namespace mbc::runtime
