// SPDX-License-Identifier: Apache-2.0
// Attempts at a step whose size the method chooses: their errors, and the first that is accurate enough.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/singular/offset_from_singularity.h"
#include "runtime/step/adaptive_steps.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

// The smallest step near a singular position, in units of the last step, or of offset_from_singularity if less.
constexpr double kSingularStep = 1e-4;
constexpr int kAttemptsToLook = 3;  // at a step, before its terms and its clock are looked at

}  // namespace

// Makes one attempt and returns its error, which is infinite if a value is undefined. `shrunk` is the longest attempt
// at the step over this one.
double AdaptiveSteps::attempt(double t, double h, double shrunk) {
  trial_steps_.forget();
  IntegratedState& integrated = state_.integrated();
  return integration_.method().with<double>([&](EstimatesErrors auto& method) {
    const bool evaluated = method.step(stepping_.fast_rhs(), t, h, integrated.state(), integrated.rate()) == 0 &&
                           method.estimate(stepping_.rhs(), t) == 0;
    if (!evaluated) return std::numeric_limits<double>::infinity();
    if (plan_.options().control.by_sizes) {
      const auto entry = [&](std::size_t i) { return integrated.entry_of(i); };
      trial_.take(sizes_);
      trial_.look(method.y_new(), entry);
      trial_.look_at_change(sizes_, {integrated.state(), integrated.rate(), method.y_new(), h, shrunk}, entry);
      terms_.raise(trial_, h);
    }
    rounded_in_ = clock_.helps() ? h : 0;
    return error_of_attempt();
  });
}

double AdaptiveSteps::error_of_attempt() {
  return integration_.method().with<double>([&](EstimatesErrors auto& method) {
    return method.error(control_, state_.integrated().state(), [&](std::size_t i) { return size(i, method.y_new()); });
  });
}

// Returns the error of the last attempt, which was not accurate enough, with sizes that the terms of the rates raise.
double AdaptiveSteps::attempt_by_terms(double t, double h, double error) {
  if (!terms_.measure(t, sizes_)) return error;
  terms_.raise(trial_, h);
  const double found = error_of_attempt();
  terms_.set_helps(2 * found < error);
  return found;
}

// Returns the same error beyond what the clock rounds.
double AdaptiveSteps::attempt_by_clock(double t, double h, double error) {
  IntegratedState& integrated = state_.integrated();
  if (!is_late(plan_.options().begin, plan_.length()) ||
      !clock_.measure(stepping_.fast_rhs(), {t, h, integrated.state(), integrated.rate(), y_new()}))
    return error;
  rounded_in_ = h;
  const double found = error_of_attempt();
  clock_.set_helps(2 * found < error);
  if (!clock_.helps()) rounded_in_ = 0;
  return found;
}

// Tries steps from t until one is accurate enough. Returns its size, or 0 if there is none.
double AdaptiveSteps::accepted_step(double t) {
  const bool by_sizes = plan_.options().control.by_sizes;
  if (by_sizes) terms_.begin(t, sizes_);
  if (integration_.method().get<Taylor>()) return series_step(t);
  IntegratedState& integrated = state_.integrated();
  const bool near_singular = constraints_.near_singular();
  // Near a singular position the drift that is left is amplified, and no step would be small enough.
  const double drift =
      near_singular
          ? kSingularStep *
                std::min(integration_.pace(),
                         offset_from_singularity(state_.equations(), t, integrated.y().data(), integrated.dy().data()))
          : 0;
  const double smallest = std::max(control_.smallest(t), drift);
  int attempts = 0;
  double longest = 0;
  for (double wanted = control_.next(t, smallest);;) {
    const double h = on_clock(t, wanted);
    longest = std::max(longest, h);
    double error = attempt(t, h, longest / h);
    const bool looks = ++attempts >= (terms_.helps() ? 1 : kAttemptsToLook) && by_sizes;
    if (looks && !control_.accepts(error) && std::isfinite(error)) error = attempt_by_terms(t, h, error);
    const bool by_clock = attempts >= (clock_.helps() ? 1 : kAttemptsToLook);
    if (by_clock && !control_.accepts(error) && std::isfinite(error)) error = attempt_by_clock(t, h, error);
    if (control_.accepts(error)) {
      control_.accept(error);
      const bool rounded = std::exchange(rounded_in_, 0) > 0;
      state_.data().accuracy.add(rounded ? error_of_attempt() : error, t);
      return h;
    }
    ++state_.data().rejected;
    if (!std::isfinite(error) && events_ && events_->opens_modes()) {
      if (!accepted_.evaluate_again(t)) return 0;
      continue;
    }
    const bool shortest = wanted <= smallest;
    if (shortest && std::isfinite(error) && !near_singular && crosses_jump(t, h)) {
      control_.accept(plan_.options().control.rtol);
      rounded_in_ = 0;
      return h;
    }
    if (shortest || stuck(t)) {
      fail(t, h, std::isfinite(error));
      return 0;
    }
    wanted = std::max(control_.reject(error), smallest);
  }
}

// Returns whether the last attempt, of the smallest size, is inaccurate because rates jump within it.
bool AdaptiveSteps::crosses_jump(double t, double h) {
  const StepSettings& c = plan_.options().control;
  const std::vector<double>&y = state_.integrated().state(), &end = y_new();
  const auto small = [&](std::size_t i) {
    return c.by_sizes ? c.rtol * size(i, end) : c.atol + c.rtol * std::max(std::fabs(y[i]), std::fabs(end[i]));
  };
  const double rest = plan_.options().begin + plan_.length() - t;
  const bool crossed = rate_jump_.crossed(stepping_.fast_rhs(), t, h, y, state_.integrated().rate(), end,
                                          state_.layout().work_at(), small);
  if (crossed) state_.data().accuracy.add(h / std::max(rest, h), t);
  return crossed;
}

// Returns the difference of the times between which a step from t leads. At late times (Unix seconds) t + h is rounded
// by far more than a step may be off, and the state has to move by the rounded difference.
double AdaptiveSteps::on_clock(double t, double h) {
  const double shown = (t + h) - t;
  return shown > 0 && std::fabs(shown - h) > kClockRounding * h ? shown : h;
}

}  // namespace mbc::runtime
