// SPDX-License-Identifier: Apache-2.0
// Stiff motions in the loop of methods that choose their steps: how they are noticed, and steps of the method for them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/limits.h"
#include "runtime/record/run_failure.h"
#include "runtime/step/adaptive_loop.h"

namespace mbc::runtime {

namespace {

constexpr std::uint64_t kLookForStiffness = 50;  // steps between two looks
constexpr std::uint64_t kStiffSteps = 15, kSmoothSteps = 6;
constexpr std::uint64_t kBackSteps = 200;  // of the method for stiff problems
constexpr double kStiffnessSeen = 1e-2;    // of the tolerance: a difference that is looked at
constexpr double kAtLimit = 0.5;           // of the limit of stability: steps held by it vary below it

}  // namespace

// The same by the method for stiff problems, which sees to its errors itself.
double AdaptiveLoop::stiff_step(double t, double last_time) {
  if (plan_.options().control.by_sizes) {
    trial_.take(sizes_);
    trial_.look(state_.y());  // an event may have given it a speed
    trial_.look_at_rate(state_.dy(), [](std::size_t i) { return static_cast<std::uint32_t>(i); });
  }
  if (!stiff_->step(t, last_time)) return 0;
  state_.data().accuracy.add(stiff_->error(), t);
  if (plan_.options().control.by_sizes) {
    trial_.take(sizes_);
    trial_.look(y_new());
  }
  const Bdf& method = *integration_.method().get<Bdf>();
  if (!stuck(t)) return method.length();
  return too_small(method.worst(), t, method.length());
}

// Whether the steps are as short as the fastest decay asks for, and not the accuracy: Hairer and Wanner's test, some
// steps in a row.
void AdaptiveLoop::look_for_stiffness(double t, double h) {
  auto* method = integration_.method().get<Dop853>();
  if (!method || told_stiff_ || (state_.data().steps % kLookForStiffness != 0 && stiff_steps_ == 0)) return;
  if (method->end_rate(stepping_.fast_rhs(), t) != 0) return;  // the end of the step is looked at next
  const double rate =
      method->stiffness([this](std::size_t i) { return size(i); }, kStiffnessSeen * plan_.options().control.rtol);
  if (rate * h <= kAtLimit * Dop853::kStable) {
    if (stiff_steps_ > 0 && ++other_steps_ == kSmoothSteps) stiff_steps_ = other_steps_ = 0;
    return;
  }
  other_steps_ = 0;
  if (++stiff_steps_ < kStiffSteps) return;
  stiff_rate_ = rate;
  vibrates_ = method->vibrates(stepping_.fast_rhs(), t, [this](std::size_t i) { return size(i); });
  if (may_turn_stiff()) {
    changes_ = true;
    return;
  }
  told_stiff_ = true;
  state_.data().warnings.push_back(
      stiff(state_.info(), state_.layout(), state_.integrated().entry_of(method->stiffest()), t, rate, h, vibrates_));
}

// Of `auto` the tolerance relative to the sizes of the model, of `bdf` itself the larger of rtol |y| and atol.
StiffSteps::Limits AdaptiveLoop::limits() const {
  const StepSettings& c = plan_.options().control;
  if (c.by_sizes)
    return {control_.max_step(), c.tolerance, [this](std::size_t entry, double) { return trial_[entry]; }};
  return {control_.max_step(), c.rtol,
          [floor = c.atol / c.rtol](std::size_t, double value) { return std::max(std::fabs(value), floor); }};
}

bool AdaptiveLoop::may_turn_stiff() const {
  return plan_.options().control.by_sizes && plan_.options().partials && !plan_.options().literal &&
         !state_.integrated().in_quasi_velocities() && state_.layout().n_y() <= kernel::kMostStiffStates;
}

// Between two steps: `auto` goes on with the other method.
void AdaptiveLoop::change_method(double t) {
  if (!std::exchange(changes_, false)) return;
  stiff_steps_ = other_steps_ = 0;
  const bool to_stiff = !stiff_;
  if (to_stiff)
    stiff_.emplace(plan_.options(), state_, constraints_, integration_, stepping_, limits());
  else {
    stiff_.reset();
    integration_.method().use<Dop853>(state_.y().size());
  }
  state_.data().method_changes.push_back({t, stiff_rate_, to_stiff, vibrates_});
}

// Whether steps of the explicit method would be as long as those of the method for stiff problems, many in a row.
void AdaptiveLoop::look_for_smoothness(double h) {
  if (!plan_.options().control.by_sizes) return;
  const double rate = stiff_->fastest();
  other_steps_ = rate * h <= kAtLimit * Dop853::kStable ? other_steps_ + 1 : 0;
  if (other_steps_ < kBackSteps) return;
  stiff_rate_ = rate;
  changes_ = true;
}

}  // namespace mbc::runtime
