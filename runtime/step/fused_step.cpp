// SPDX-License-Identifier: Apache-2.0
// Decides whether a step can be one function, and calls it.
#include "runtime/step/fused_step.h"

#include <algorithm>

namespace mbc::runtime {

bool steps_are_alike(const SimulateOptions& options, const problem::Problem& info) {
  return options.integrator == Integrator::rk4 && !options.time_stepping && !options.literal && !info.inertia_by_hand &&
         !(options.locates_kinks && info.events.has_kinks()) &&
         (options.stabilisation == Stabilisation::none || options.stabilisation == Stabilisation::project);
}

// Steps can be fused if all events are at known times; a step between them is that of a model without events.
bool steps_can_be_fused(const SimulateOptions& options, const problem::Problem& info) {
  return steps_are_alike(options, info) && info.events.timed();
}

kernel::StepShape step_shape(const SimulateOptions& options, const problem::Problem& info) {
  kernel::StepShape shape;
  shape.project = options.stabilisation == Stabilisation::project;
  shape.coordinate_of_speed = info.coordinate_of_speed;
  shape.quaternions = info.quaternions;
  shape.n_recorded = static_cast<std::uint32_t>(info.outputs.size());
  return shape;
}

const FusedCode::Made* FusedCode::ask() {
  if (const Made* made = ready_.load(std::memory_order_acquire)) return made;
  if (asked_.fetch_add(1, std::memory_order_relaxed) + 1 < worth_) return nullptr;
  const std::unique_lock lock(making_, std::try_to_lock);
  if (!lock) return nullptr;  // another thread makes it; meanwhile steps in pieces give the same bits
  if (make_) {
    made_ = make_();
    make_ = {};
    ready_.store(&made_, std::memory_order_release);
  }
  return ready_.load(std::memory_order_acquire);
}

void FusedStep::begin(const Equations& equations, const ModelSize& size, double h) {
  equations_ = &equations;
  size_[0] = size.position;
  size_[1] = size.speed;
  h_ = h;
  if (made_ && made_->step) take_parameters();
  pause_.restart();
  steps_ = 0;
}

void FusedStep::take_parameters() {
  std::copy(equations_->params().begin(), equations_->params().end(), params_.begin());
  params_[made_->step->half] = 0.5 * h_;
  params_[made_->step->whole] = h_;
  for (int level = 0; level < 2; ++level)
    params_[made_->step->residual_limits + static_cast<std::uint32_t>(level)] = kernel::residual_limit(size_[level]);
  param_changes_ = equations_->param_changes();
}

bool FusedStep::ready() {
  if (!made_) {
    made_ = shared_.ask();
    if (!made_ || !made_->step) return false;
    const kernel::Kernel& kernel = made_->step->kernel;
    registers_ = kernel::make_registers(kernel);
    params_.resize(kernel.n_params);
    work_.resize(kernel.n_work);
    take_parameters();
  }
  if (!made_->step) return false;
  if (made_->slot && code_ == nullptr) code_ = made_->slot->load(std::memory_order_acquire);
  return code_ != nullptr || !made_->slot;
}

bool FusedStep::advance(double t, const std::vector<double>& y, const double* inputs, std::vector<double>& rates) {
  if (equations_->param_changes() != param_changes_) take_parameters();  // a host may set them at any row
  const std::int32_t failed = code_ != nullptr
                                  ? code_(t, y.data(), params_.data(), inputs, nullptr, work_.data(), rates.data())
                                  : interpret(made_->step->kernel.functions.front(), t, y.data(), params_.data(),
                                              inputs, nullptr, work_.data(), rates.data(), registers_);
  if (failed != 0) {
    // The step failed because of a drift that one Newton step does not remove, or a row near the others.
    pause_.refused();
    static_cast<void>(pause_.over());  // this step is the first one that is skipped
    return false;
  }
  pause_.succeeded();
  ++steps_;
  return true;
}

}  // namespace mbc::runtime
