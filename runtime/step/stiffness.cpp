// SPDX-License-Identifier: Apache-2.0
// Detects stiff motions in steps whose size the method chooses, and makes steps of the method for them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/limits.h"
#include "runtime/record/run_failure.h"
#include "runtime/step/adaptive_steps.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr std::uint64_t kLookForStiffness = 50;  // steps between two checks
constexpr std::uint64_t kStiffSteps = 15, kSmoothSteps = 6;
constexpr std::uint64_t kBackSteps = 200;     // steps of the method for stiff problems
constexpr std::uint64_t kRepeatedToLook = 3;  // repetitions of one step, before the terms of the rates are looked at
constexpr double kStiffnessSeen = 1e-2;       // of the tolerance: smallest difference that is evaluated
constexpr double kAtLimit = 0.5;              // of the limit of stability: steps at the limit vary below it

}  // namespace

// Takes the sizes for a step by the method for stiff problems.
void AdaptiveSteps::stiff_sizes() {
  const Bdf& method = *integration_.method().get<Bdf>();
  trial_.take(sizes_);
  terms_.raise_for_any_step(trial_);
  trial_.look(state_.y());  // an event may have given it a speed
  trial_.look_at_rate(state_.dy(), method.has_history() ? method.attempted() : integration_.pace());
}

// Measures what the clock rounds at the accepted state in a step like the last one, which is no error. Returns whether
// it is more than a step may be off.
bool AdaptiveSteps::look_at_clock_of_stiff(double t) {
  if (!is_late(plan_.options().begin, plan_.length())) return false;
  clock_seen_ = 0;
  const Bdf& method = *integration_.method().get<Bdf>();
  const double h = method.has_history() ? method.attempted() : integration_.pace();
  const std::vector<double>& y = state_.y();
  const auto onto_rows = [this](double at, double* moved) {
    return !constraints_.stabiliser().corrects() ||
           constraints_.projector().project(at, moved, plan_.options().tolerance, false).converged;
  };
  const bool known = clock_.measure_state(stepping_.fast_rhs(), {t, h, y, state_.dy(), y}, onto_rows);
  clock_.set_helps(known);
  rounded_in_ = h;
  clock_.set_helps(known && stiff_->is_rounded());
  return clock_.helps();
}

// Makes a step by the method for stiff problems, which controls its errors itself. Where it is repeated for want of a
// size the terms of the rates give one to the next steps; where it fails, to another attempt.
double AdaptiveSteps::stiff_step(double t, double last_time) {
  const bool by_sizes = plan_.options().control.by_sizes;
  if (by_sizes) {
    terms_.begin(t, sizes_);
    if (stiff_repeated_ >= kRepeatedToLook && terms_.measure(t, sizes_)) terms_.set_helps(true);
    stiff_sizes();
  }
  const Bdf& method = *integration_.method().get<Bdf>();
  if (clock_.helps() ? ++clock_seen_ >= RateTerms::kStepsToLook : stiff_repeated_ > 0) look_at_clock_of_stiff(t);
  const std::uint64_t rejected = state_.data().rejected;
  bool made = stiff_->step(t, last_time);
  if (!made && by_sizes && stiff_->shrunk() && terms_.measure(t, sizes_)) {
    terms_.set_helps(true);
    stiff_sizes();
    made = stiff_->step(t, last_time);
  }
  if (!made && stiff_->shrunk() && look_at_clock_of_stiff(t)) made = stiff_->step(t, last_time);
  // A formula by the side at hand may be undefined on the other one.
  if (!made && stiff_->undefined() && events_ && events_->opens_modes()) {
    if (!accepted_.evaluate_again(t)) return 0;
    made = stiff_->step(t, last_time);
  }
  if (!made && stiff_->undefined()) stiff_->stop_undefined();
  if (!made) return stiff_->shrunk() ? too_small(method.worst(), t, method.attempted()) : 0;
  stiff_repeated_ = state_.data().rejected - rejected;
  state_.data().accuracy.add(stiff_->error(), t);
  if (by_sizes) {
    trial_.take(sizes_);
    terms_.raise_for_any_step(trial_);
    trial_.look(y_new());
  }
  if (!stuck(t)) return method.length();
  return too_small(method.worst(), t, method.length());
}

// Counts steps that are as short as the fastest decay requires. They are held by the limit of stability (Hairer and
// Wanner's test), or they are shorter although the motion hardly changes within one. In the second case their errors
// are those of the decay, which loads that follow the motion excite in all stages. An explicit method loses its order
// there (Hairer and Wanner, "Solving Ordinary Differential Equations II", section IV.15).
void AdaptiveSteps::look_for_stiffness(double t, double h) {
  auto* method = integration_.method().get<Dop853>();
  if (!method || told_stiff_ || (state_.data().steps % kLookForStiffness != 0 && stiff_steps_ == 0)) return;
  if (method->end_rate(stepping_.fast_rhs(), t) != 0) return;  // the end of the step is evaluated next
  const auto size_of = [this](std::size_t i) { return size(i); };
  const double rate = method->stiffness(size_of, kStiffnessSeen * plan_.options().control.rtol);
  const bool at_limit = rate * h > kAtLimit * Dop853::kStable;
  const bool decays = !at_limit && may_turn_stiff() && rate * h > kFastDecay &&
                      method->change_of_rates(size_of) < kSlowMotion &&
                      !method->vibrates(stepping_.fast_rhs(), t, size_of);
  if (!at_limit && !decays) {
    if (stiff_steps_ > 0 && ++other_steps_ == kSmoothSteps) stiff_steps_ = other_steps_ = 0;
    return;
  }
  other_steps_ = 0;
  if (++stiff_steps_ < kStiffSteps) return;
  stiff_rate_ = rate;
  vibrates_ = at_limit && method->vibrates(stepping_.fast_rhs(), t, size_of);
  if (may_turn_stiff()) {
    changes_ = true;
    return;
  }
  told_stiff_ = true;
  state_.data().warnings.push_back(
      stiff(state_.info(), state_.layout(), state_.integrated().entry_of(method->stiffest()), t, rate, h, vibrates_));
}

// Returns the tolerance: for `auto` relative to the sizes of the model, for `bdf` the larger of rtol |y| and atol.
StiffSteps::Limits AdaptiveSteps::limits() const {
  const StepSettings& c = plan_.options().control;
  const double tolerance = c.by_sizes ? c.tolerance : c.rtol;
  const auto rounded = [this](std::size_t entry) {
    return clock_.helps() && rounded_in_ > 0 ? clock_.of_state(entry, rounded_in_) : 0;
  };
  if (c.by_sizes)
    return {control_.max_step(), tolerance, [this](std::size_t entry, double) { return trial_[entry]; }, rounded};
  return {control_.max_step(), tolerance,
          [floor = c.atol / c.rtol](std::size_t, double value) { return std::max(std::fabs(value), floor); }, rounded};
}

bool AdaptiveSteps::may_turn_stiff() const {
  return plan_.options().control.by_sizes && plan_.options().partials && !plan_.options().literal &&
         !state_.integrated().in_quasi_velocities() && state_.layout().n_y() <= kernel::kMostStiffStates;
}

// Changes the method of `auto` between two steps.
void AdaptiveSteps::change_method(double t) {
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

// Counts steps that the explicit method could make as long. After many in a row `auto` returns to it.
void AdaptiveSteps::look_for_smoothness(double h) {
  if (!plan_.options().control.by_sizes) return;
  const double rate = stiff_->fastest();
  other_steps_ = rate * h <= kAtLimit * Dop853::kStable ? other_steps_ + 1 : 0;
  if (other_steps_ < kBackSteps) return;
  stiff_rate_ = rate;
  changes_ = true;
}

}  // namespace mbc::runtime
