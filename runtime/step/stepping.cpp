// SPDX-License-Identifier: Apache-2.0
// Makes steps of fixed size, and ends every step.
#include "runtime/step/stepping.h"

#include <algorithm>
#include <cmath>

#include "runtime/constraints/conflict_text.h"
#include "runtime/record/run_failure.h"
#include "runtime/step/fused_step.h"

namespace mbc::runtime {

namespace {

// A correction onto the constraints that changes the speeds by more than this part of the step's change is no drift. A
// method that remembers rates cannot use those before it.
constexpr double kHistoryJump = 1e-2;
constexpr double kHistoryRoundOff = 1e-9;  // of the speeds: smaller corrections are always drift

}  // namespace

bool Stepping::fused_step(double t) {
  start_ = state_.dy();
  if (!options_.fused->advance(t, state_.y(), state_.equations().inputs().data(), start_)) return false;
  state_.y().swap(start_);
  state_.data().evaluations += 3;
  state_.data().largest_correction = std::max(state_.data().largest_correction, options_.fused->moved());
  return true;
}

bool Stepping::undefined_stage() {
  Diagnostic d = integration_.method().with<Diagnostic>([&](MakesSteps auto& method) {
    return why_stage_undefined(state_.equations(), state_.info(), state_.integrated(), method.failed_time(),
                               method.failed_state());
  });
  state_.y() = start_;
  return state_.stop(std::move(d));
}

// Rates of states before a corner, extrapolated beyond it, lead off the constraints as a jump would. So a step that
// seems to jump is made again from its state alone.
bool Stepping::step(double t, double h) {
  start_ = state_.y();
  if (symmetric_) return symmetric_step(t, h);
  const auto make = [&] {
    return integration_.method().step(fast_rhs(), t, h, state_.integrated().state(), state_.integrated().rate()) == 0;
  };
  if (!make()) return undefined_stage();
  Settled settled = settle_made(t, start_, t + h, false);
  if (settled != Settled::misled) return settled == Settled::done;
  integration_.method().forget_history();
  state_.y() = start_;
  return make() ? settle(t, start_, t + h) : undefined_stage();
}

bool Stepping::symmetric_step(double t, double h) {
  using Outcome = SymmetricSteps::Outcome;
  const Outcome outcome = symmetric_->step(t, h);
  state_.data().largest_correction = std::max(state_.data().largest_correction, symmetric_->moved());
  if (outcome == Outcome::undefined) return undefined_stage();
  if (outcome != Outcome::done)
    return state_.stop(implicit_step_unsolved(t, h, options_.integrator_at, outcome == Outcome::off));
  if (!settle(t, start_, t + h, true)) return false;
  const std::vector<double>& y = state_.y();
  return !state_.equations().can_jump(Equations::k_residuals) || is_continuous({t, t + h, start_, state_.dy(), y, y});
}

bool Stepping::settle(double from, const std::vector<double>& began, double t, bool projected) {
  return settle_made(from, began, t, projected) == Settled::done;
}

Stepping::Settled Stepping::settle_made(double from, const std::vector<double>& began, double t, bool projected) {
  const auto ends_if_not = [](bool good) { return good ? Settled::done : Settled::ended; };
  IntegratedState& integrated = state_.integrated();
  std::vector<double>& y = integrated.y();
  for (std::uint32_t i = 0; i < state_.layout().work_at(); ++i)
    if (!std::isfinite(integrated.state()[i])) {
      Diagnostic d = state_overflow(state_.info(), state_.layout(), integrated.entry_of(i), t);
      y = began;
      return ends_if_not(state_.stop(std::move(d)));
    }
  const bool quasi = integrated.in_quasi_velocities();
  if (quasi && !integrated.take_speeds(t)) return ends_if_not(state_.undefined(t, y.data()));
  if (quasi) moved_ = y;
  if (!projected) normalise(state_.info(), y.data());
  if (projected ? constraints_.stabiliser().watches() : constraints_.stabiliser().acts()) {
    made_ = y;
    Stabiliser::Outcome made = constraints_.after_step(t, y.data());
    const bool corrected =
        constraints_.stabiliser().corrects() && made.before > Jumps::kSeen && made.conflicting.empty();
    const bool look = corrected || (!constraints_.stabiliser().corrects() && made.diagnostic);
    if (look) made = with_jumps({from, t, began, integrated.dy(), made_, y}, std::move(made));
    if (made.failed() && !quasi && integration_.method().used_history()) return Settled::misled;
    if (!accepts(t, y.data(), std::move(made))) return Settled::ended;
    if (settings::remembers_rates(options_.integrator) && history_jumped()) integration_.method().forget_history();
  }
  if (!quasi || moved_ == y || integrated.take_quasi_velocities(t)) return Settled::done;
  return ends_if_not(state_.undefined(t, y.data()));
}

// Returns whether the correction from made_ to y exceeds the drift of one step.
bool Stepping::history_jumped() const {
  const std::vector<double>&y = state_.y(), &dy = state_.dy();
  double moved = 0, change = 0, size = 1;
  for (std::uint32_t i = state_.layout().speeds_at(); i < state_.layout().states_at(); ++i) {
    moved = std::max(moved, std::fabs(y[i] - made_[i]));
    change = std::max(change, options_.step * std::fabs(dy[i]));
    size = std::max(size, std::fabs(y[i]));
  }
  return moved > kHistoryJump * change && moved > kHistoryRoundOff * size;
}

// Reports the jump of a row rather than its consequences. Without projection a row may be off because the step is too
// large, so its operations have to jump as well.
Stabiliser::Outcome Stepping::with_jumps(const Jumps::Step& step, Stabiliser::Outcome made) {
  std::optional<Diagnostic> jump = constraints_.stabiliser().corrects() ? jumps_.look(step) : jumps_.interrupted(step);
  if (jump) made.diagnostic = std::move(jump);
  return made;
}

bool Stepping::accepts(double t, const double* y, Stabiliser::Outcome made) {
  state_.data().largest_correction = std::max(state_.data().largest_correction, made.moved);
  if (!made.conflicting.empty())
    return state_.stop(
        conflict_diagnostic(state_.equations(), state_.info(), made.conflicting, t, y, state_.data().reached));
  return !made.diagnostic || state_.stop(std::move(*made.diagnostic));
}

}  // namespace mbc::runtime
