// SPDX-License-Identifier: Apache-2.0
// Rows between the ends of steps: they are taken from the dense output, brought onto the constraints, and compared with
// the motion.
#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/step/adaptive_steps.h"

namespace mbc::runtime {

namespace {

constexpr double kRowsToLook = 4;                // in a step, from which on they are compared with its slope
constexpr double kUnseen = 1e4;                  // of the tolerance: largest unnoticed change by a row
constexpr double kAdaptiveRowsRounding = 1e-13;  // replaces a smaller tolerance

// Returns whether the rate at a row agrees with the slope of the dense output, by the change that their difference
// would cause between two rows. A load that is short compared with the step may lie between all stages. size(i) is the
// size that the error of entry i is relative to.
template <class Size>
bool meets_slope(const std::vector<double>& rate, const std::vector<double>& slope, std::uint32_t from,
                 std::uint32_t to, double limit, Size&& size) {
  for (std::uint32_t i = from; i < to; ++i)
    if (!(std::fabs(rate[i] - slope[i]) <= limit * size(i))) return false;
  return true;
}

}  // namespace

// With events, rows are recorded only when the final step is known. A step that ends earlier because a row is not on
// the motion is searched for events again.
bool AdaptiveSteps::rows_on_motion(double t, double& t_new, double& h, bool& cut) {
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

void AdaptiveSteps::interpolate(StepPoint at, std::vector<double>& row) {
  integration_.method().with<void>(
      [&](DenseOutput auto& method) { method.interpolate(at, state_.integrated().state(), row); });
}

// Records the rows after t and before t_new. Their interpolated states are projected onto the constraints; the
// integration does not use them.
bool AdaptiveSteps::record_between(double t, double t_new, double h) {
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
    if (!seen_.only_looks) companions_.inside_step(at, (at - t) / h, row_);
    if (seen_.off_motion) {
      seen_.off_motion = last > t ? last : at;
      return true;
    }
    last = at;
  }
  return true;
}

// Computes the slope of the dense output at a row, as the rate of [q; u; s].
bool AdaptiveSteps::slope_at(double t, double h, double at) {
  seen_.slope.resize(row_.size());
  if (!state_.integrated().in_quasi_velocities()) {
    integration_.method().with<void>([&](EstimatesErrors auto& method) {
      method.slope({at, (at - t) / h}, seen_.slope);
    });
    return true;
  }
  constexpr double kPart = 3e-4;  // of the step; the dense output is one polynomial over the whole step
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

// Repeats the step up to the last row on the motion. If there is none, it tries a step to the first row with control of
// its error. The following steps begin with sizes no larger than the distance of rows.
bool AdaptiveSteps::end_at_row(double t, double& t_new, double& h) {
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

// Checks that constraints do not jump within the step, one of whose rows is off the constraints. If they jump, rows
// before the jump are off as well.
bool AdaptiveSteps::whole_step_is_continuous() {
  if (!state_.equations().can_jump(Equations::k_residuals) || std::exchange(seen_.checked, seen_.end) == seen_.end)
    return true;
  const std::optional<std::vector<double>> end = end_of_step(seen_.end);
  if (!end) return true;
  return stepping_.is_continuous({t_, seen_.end, accepted_state_, state_.dy(), *end, *end});
}

// Returns whether rows contradict each other at the end of a step in which a row has no solution. After the crossing of
// a singular position they have one again. Rows that contradict each other from within the step on have none, and no
// motion follows.
bool AdaptiveSteps::end_contradicts() {
  if (seen_.met == seen_.end) return false;
  std::optional<std::vector<double>> end = end_of_step(seen_.end);
  if (!end) return false;
  normalise(state_.info(), end->data());
  const bool contradicts = !constraints_.after_trial(seen_.end, end->data()).conflicting.empty();
  if (!contradicts) seen_.met = seen_.end;
  return contradicts;
}

// Records the integrated state in row_. `apart` is the time between two rows if the slope is to be checked, else 0.
bool AdaptiveSteps::record_at(double t, double apart) {
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
    // The step crosses a singular position, and the row lies near it. The projection uses the generic rank, or is left
    // out on the position itself. The ends of steps decide whether the motion continues.
    row_ = seen_.state;
    if (!constraints_.generic_rank().project(t, row_.data(), plan_.options().tolerance)) row_ = seen_.state;
  } else if (!stepping_.accepts(t, row_.data(), std::move(made))) {
    return false;
  }
  if (!seen_.only_looks) accepted_.follow_angles(t, row_.data());
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
  // After a gradient has vanished the motion is not determined, so no row is recorded there.
  std::optional<Diagnostic> why;
  if (!beside) why = constraints_.vanished_gradient(t, row_);
  if (why) state_.stop(std::move(*why));
  if (!why && recording_.row(t, row_, row_rate_, false)) return true;
  state_.data().reached = t;
  state_.y() = row_;
  return false;
}

}  // namespace mbc::runtime
