// SPDX-License-Identifier: Apache-2.0
// Rows between the ends of steps: the continuous extension, brought onto the constraints, and whether it is the motion.
#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/record/run_failure.h"
#include "runtime/step/adaptive_loop.h"

namespace mbc::runtime {

namespace {

constexpr double kRowsToLook = 4;                // in a step, from which on they are compared with its slope
constexpr double kUnseen = 1e4;                  // of the tolerance: what a row may add unseen
constexpr double kAdaptiveRowsRounding = 1e-13;  // in place of a tolerance below that

// What the rate at a row would change in the time between two rows, against the slope of the extension: a load, short
// against the step, that none of the stages has met. size(i): what an error of the entry is compared with.
template <class Size>
bool meets_slope(const std::vector<double>& rate, const std::vector<double>& slope, std::uint32_t from,
                 std::uint32_t to, double limit, Size&& size) {
  for (std::uint32_t i = from; i < to; ++i)
    if (!(std::fabs(rate[i] - slope[i]) <= limit * size(i))) return false;
  return true;
}

}  // namespace

// Where events are watched rows are written once the step that leads there is known: one that ends earlier, since a row
// is not on the motion, is looked at for events again.
bool AdaptiveLoop::rows_on_motion(double t, double& t_new, double& h, bool& cut) {
  if (!events_ || !events_->watches() || stiff_) return true;
  for (const std::uint64_t first_row = next_row_;;) {
    seen_.only_looks = true;
    const bool good = record_between(t, t_new, h);
    seen_.only_looks = false;
    next_row_ = first_row;
    if (!good) return false;
    if (!seen_.off_motion) return true;
    events_->look_again();
    if (!end_at_row(t, t_new, h)) return false;
    cut = true;
    const double whole = h;
    EventRun::StepVerdict looked = shortened(t, h);
    for (; looked == EventRun::StepVerdict::retry; looked = shortened(t, h)) {
      if (!accepted_.evaluate_again(t)) return false;
      control_.shorten_next(h);
      if ((h = accepted_step(t)) == 0) return false;
    }
    if (looked == EventRun::StepVerdict::ended) return false;
    if (h != whole) t_new = plan_.row_time_near(t + h);
  }
}

void AdaptiveLoop::interpolate(StepPoint at, std::vector<double>& row) {
  integration_.method().with<void>(
      [&](DenseOutput auto& method) { method.interpolate(at, state_.integrated().state(), row); });
}

// The rows after t and before t_new. The interpolated state is brought onto the constraints by the smallest
// correction; it is recorded only, the integration does not see it.
bool AdaptiveLoop::record_between(double t, double t_new, double h) {
  if (!(next_time() < t_new)) return true;
  seen_.end = t + h;
  const bool extended =
      (stiff_ || trial_steps_.inside(h)) && integration_.method().with<bool>([&](DenseOutput auto& method) {
        return method.extend(stepping_.fast_rhs(), t, state_.integrated().state()) == 0;
      });
  if (!extended) {
    fail(t, h, false);
    return false;
  }
  const double apart = plan_.options().step * static_cast<double>(plan_.options().rows_apart());
  const bool looks = !stiff_ && t_new - t >= kRowsToLook * apart;
  if (seen_.only_looks && !looks) return true;
  double last = t;
  for (; next_time() < t_new; next_row_ += plan_.options().rows_apart()) {
    const double at = next_time();
    if (looks && !slope_at(t, h, at)) return false;
    interpolate({at, (at - t) / h}, row_);
    if (!record_at(at, looks ? apart : 0)) return false;
    if (seen_.off_motion) {
      seen_.off_motion = last > t ? last : at;
      return true;
    }
    last = at;
  }
  return true;
}

// The slope of the continuous extension at a row, as the rate of [q; u; s].
bool AdaptiveLoop::slope_at(double t, double h, double at) {
  seen_.slope.resize(row_.size());
  if (!state_.integrated().in_quasi_velocities()) {
    integration_.method().with<void>([&](EstimatesErrors auto& method) {
      method.slope({at, (at - t) / h}, seen_.slope);
    });
    return true;
  }
  constexpr double kPart = 3e-4;  // of the step: the extension is a polynomial over all of it
  const double apart = kPart * h, first = std::max(at - apart, t), second = std::min(at + apart, t + h);
  const auto state = [&](double time) {
    interpolate({time, (time - t) / h}, row_);
    return state_.equations().quasi().to_speeds(time, row_.data(), row_.data()) == 0;
  };
  if (!state(first)) return state_.undefined(first, row_.data());
  seen_.slope = row_;
  if (!state(second)) return state_.undefined(second, row_.data());
  for (std::size_t i = 0; i < row_.size(); ++i) seen_.slope[i] = (row_[i] - seen_.slope[i]) / (second - first);
  return true;
}

// The step again: to the last row that was on the motion, or, where the first one was not, towards that, with control
// of its error. What follows begins with steps no longer than rows are apart.
bool AdaptiveLoop::end_at_row(double t, double& t_new, double& h) {
  const double end = *seen_.off_motion;
  seen_.off_motion.reset();
  ++state_.data().rejected;
  const double apart = plan_.options().step * static_cast<double>(plan_.options().rows_apart());
  const bool first = next_time() == end;
  control_.shorten_next(first ? end - t : apart);
  if (first) {
    h = accepted_step(t);
    t_new = h == end - t ? end : t + h;
    return h != 0;
  }
  t_new = end;
  h = end - t;
  if (std::isfinite(attempt(t, h))) return true;
  fail(t, h, false);
  return false;
}

// Of the step at hand, one of whose rows is off the constraints: where they jump, rows before that are off as well.
bool AdaptiveLoop::whole_step_is_continuous() {
  if (!state_.equations().can_jump(Equations::k_residuals) || std::exchange(seen_.checked, seen_.end) == seen_.end)
    return true;
  const std::optional<std::vector<double>> end = end_of_step(seen_.end);
  if (!end) return true;
  return stepping_.is_continuous({t_, seen_.end, accepted_state_, state_.dy(), *end, *end});
}

// Looks at the end of a step, one of whose rows is not met between its ends. On a singular position that is passed they
// are met again at its end; rows that contradict each other from within the step on are not, and nothing behind is a
// motion.
bool AdaptiveLoop::end_contradicts() {
  if (seen_.met == seen_.end) return false;
  std::optional<std::vector<double>> end = end_of_step(seen_.end);
  if (!end) return false;
  normalise(state_.info(), end->data());
  const bool contradicts = !constraints_.after_trial(seen_.end, end->data()).conflicting.empty();
  if (!contradicts) seen_.met = seen_.end;
  return contradicts;
}

// The state in row_, as it is integrated. apart: the time between two rows, where the slope is looked at; else 0.
bool AdaptiveLoop::record_at(double t, double apart) {
  const auto undefined = [&] { return state_.undefined(t, row_.data()); };
  const bool quasi = state_.integrated().in_quasi_velocities();
  if (quasi && state_.equations().quasi().to_speeds(t, row_.data(), row_.data()) != 0) return undefined();
  normalise(state_.info(), row_.data());
  seen_.state = row_;
  Stabiliser::Outcome made = constraints_.between_steps(t, row_.data());
  if (made.before > Jumps::kSeen && !made.failed() && constraints_.stabiliser().corrects() &&
      !whole_step_is_continuous())
    return false;
  const bool beside = made.failed() && constraints_.generic_rank().watches() && !end_contradicts();
  if (beside) {
    // The step goes across a singular position, and the row lies beside it: what the generic rank holds is corrected,
    // or, on the position itself, nothing. Whether the motion goes on is decided at the ends of steps.
    row_ = seen_.state;
    if (!constraints_.generic_rank().project(t, row_.data(), plan_.options().tolerance)) row_ = seen_.state;
  } else if (!stepping_.accepts(t, row_.data(), std::move(made))) {
    return false;
  }
  ++state_.data().evaluations;
  const std::int32_t failed = beside ? constraints_.generic_rank().rhs(t, row_.data(), row_rate_.data())
                              : state_.layout().quasi
                                  ? state_.equations().rhs(t, row_.data(), row_rate_.data())
                                  : constraints_.singular_limit().rhs(t, row_.data(), row_rate_.data());
  if (failed != 0) return undefined();
  if (apart > 0 && !beside) {
    const StepSettings& c = plan_.options().control;
    const auto of = [&](std::uint32_t i) { return c.by_sizes ? trial_[i] : c.atol / c.rtol + std::fabs(row_[i]); };
    const double least = integration_.method().get<Taylor>() ? std::max(c.rtol, kAdaptiveRowsRounding) : c.rtol;
    if (!meets_slope(row_rate_, seen_.slope, state_.layout().speeds_at(), state_.layout().work_at(),
                     kUnseen * least / apart, of)) {
      seen_.off_motion = t;
      return true;
    }
  }
  if (seen_.only_looks) return true;
  // behind a gradient that has vanished nothing is determined: no row there is written
  std::optional<Diagnostic> why;
  if (!beside) why = constraints_.vanished_gradient(t, row_);
  if (why) state_.stop(std::move(*why));
  if (!why && recording_.row(t, row_, row_rate_, false)) return true;
  state_.data().reached = t;
  state_.y() = row_;
  return false;
}

}  // namespace mbc::runtime
