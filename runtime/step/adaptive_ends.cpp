// SPDX-License-Identifier: Apache-2.0
// Ends of a run for want of a step: none is accurate enough or defined, or the steps make no progress.
#include "runtime/record/growing_rate.h"
#include "runtime/record/run_failure.h"
#include "runtime/step/adaptive_steps.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr std::uint64_t kPatience = 100000;  // attempts between two checks of progress

}  // namespace

// Ends the run because no step from t down to that size is accurate enough for an integrated entry. Returns 0, the size
// of the next step.
double AdaptiveSteps::too_small(std::size_t entry, double t, double h) {
  Diagnostic d = step_too_small(state_.info(), state_.layout(), state_.integrated().entry_of(entry), t, h,
                                constraints_.near_singular(), constraints_.stabiliser().corrects(),
                                plan_.options().control.by_sizes);
  if (!constraints_.near_singular())
    name_growth(d, state_.equations(), state_.info(), t, accepted_state_.data(), state_.dy().data(), h,
                kSoonGrown * plan_.length());
  state_.stop(std::move(d));
  return 0;
}

// Ends the run because no step from t is small enough.
void AdaptiveSteps::fail(double t, double h, bool evaluated) {
  const IntegratedState& integrated = state_.integrated();
  if (evaluated)
    too_small(control_.worst(), t, h);
  else if (const Bdf* bdf = integration_.method().get<Bdf>())
    state_.undefined(bdf->time(), bdf->y_new().data());
  else
    state_.stop(integration_.method().with<Diagnostic>([&](MakesSteps auto& method) {
      return why_stage_undefined(state_.equations(), state_.info(), integrated, method.failed_time(),
                                 method.failed_state());
    }));
}

// Returns whether accepted steps make no progress because the rates jump back and forth. Their size is close to the
// rounding of the time, or they are far shorter than other steps of the run and one in ten is rejected. Short steps
// that make progress do not end a run, however long it takes.
bool AdaptiveSteps::stuck(double t) {
  state_.equations().poll();
  const std::uint64_t attempts = state_.data().steps + state_.data().rejected;
  if (attempts < looked_at_ + kPatience) return false;
  const double way = t - was_at_;
  const bool shortest = way < kNearlyShortest * kPatience * control_.smallest(t);
  const bool shrunk = way < kShrunk * kPatience * state_.data().largest_step && way < kShrunk * plan_.length() &&
                      state_.data().rejected - rejected_then_ > kPatience / 10;
  looked_at_ = attempts;
  rejected_then_ = state_.data().rejected;
  was_at_ = t;
  return shortest || shrunk;
}

}  // namespace mbc::runtime
