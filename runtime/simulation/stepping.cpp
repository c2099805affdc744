// SPDX-License-Identifier: Apache-2.0
// Steps of fixed size, and the end of every step.
#include "runtime/simulation/stepping.h"

#include <algorithm>
#include <cmath>

#include "runtime/constraints/conflict_text.h"
#include "runtime/simulation/data/fused_step.h"
#include "runtime/simulation/data/run_failure.h"

namespace mbc::runtime {

namespace {

// A correction onto the constraints that changes the speeds by more than this fraction of what the step did is no
// drift: the rates before it are of no use to a method that remembers them.
constexpr double kHistoryJump = 1e-2;
constexpr double kHistoryRoundOff = 1e-9;  // of the speeds: below this it is drift in any case

}  // namespace

bool Stepping::fused_step(double t) {
  start_ = run_.integrated.dy();
  if (!run_.options.fused->advance(t, run_.integrated.y(), run_.equations.inputs().data(), start_)) return false;
  run_.integrated.y().swap(start_);
  run_.data.evaluations += 3;
  run_.data.largest_correction = std::max(run_.data.largest_correction, run_.options.fused->moved());
  return true;
}

bool Stepping::undefined_stage() {
  Diagnostic d = run_.method.with<Diagnostic>([&](MakesSteps auto& method) {
    return why_stage_undefined(run_.equations, run_.info, run_.integrated, method.failed_time(), method.failed_state());
  });
  run_.integrated.y() = start_;
  return run_.end(RunStatus::stopped, std::move(d));
}

bool Stepping::step(double t, double h) {
  start_ = run_.integrated.y();
  if (symmetric_) return symmetric_step(t, h);
  const auto rhs = [this](double at, const double* state, double* rate) { return fast_rhs(at, state, rate); };
  if (run_.method.step(rhs, t, h, run_.integrated.state(), run_.integrated.rate()) != 0) return undefined_stage();
  return settle(t, start_, t + h);
}

bool Stepping::symmetric_step(double t, double h) {
  using Outcome = SymmetricSteps::Outcome;
  const Outcome outcome = symmetric_->step(t, h);
  run_.data.largest_correction = std::max(run_.data.largest_correction, symmetric_->moved());
  if (outcome == Outcome::undefined) return undefined_stage();
  if (outcome != Outcome::done)
    return run_.end(RunStatus::stopped,
                    implicit_step_unsolved(t, h, run_.options.integrator_at, outcome == Outcome::off));
  if (!settle(t, start_, t + h, true)) return false;
  const std::vector<double>& y = run_.integrated.y();
  return !run_.equations.can_jump(Equations::k_residuals) ||
         is_continuous({t, t + h, start_, run_.integrated.dy(), y, y});
}

bool Stepping::settle(double from, const std::vector<double>& began, double t, bool projected) {
  IntegratedState& integrated = run_.integrated;
  std::vector<double>& y = integrated.y();
  for (std::uint32_t i = 0; i < run_.layout.work_at(); ++i)
    if (!std::isfinite(integrated.state()[i])) {
      Diagnostic d = state_overflow(run_.info, run_.layout, integrated.entry_of(i), t);
      y = began;
      return run_.end(RunStatus::stopped, std::move(d));
    }
  const bool quasi = integrated.in_quasi_velocities();
  if (quasi && !integrated.take_speeds(t))
    return run_.end(RunStatus::stopped, why_undefined(run_.equations, run_.info, t, y.data()));
  if (quasi) moved_ = y;
  if (!projected) normalise(run_.info, y.data());
  if (projected ? run_.stabiliser.watches() : run_.stabiliser.acts()) {
    made_ = y;
    Stabiliser::Outcome made = run_.stabiliser.after_step(t, y.data(), run_.certification.near_singular());
    const bool corrected = run_.stabiliser.corrects() && made.before > Jumps::kSeen && made.conflicting.empty();
    const bool look = corrected || (!run_.stabiliser.corrects() && made.diagnostic);
    if (look) made = with_jumps({from, t, began, integrated.dy(), made_, y}, std::move(made));
    if (!accepts(t, y.data(), std::move(made))) return false;
    if (settings::remembers_rates(run_.options.integrator) && history_jumped()) run_.method.forget_history();
  }
  if (!quasi || moved_ == y || integrated.take_quasi_velocities(t)) return true;
  return run_.end(RunStatus::stopped, why_undefined(run_.equations, run_.info, t, y.data()));
}

// The correction from made_ to y is not the drift of one step.
bool Stepping::history_jumped() const {
  const std::vector<double>&y = run_.integrated.y(), &dy = run_.integrated.dy();
  double moved = 0, change = 0, size = 1;
  for (std::uint32_t i = run_.layout.speeds_at(); i < run_.layout.states_at(); ++i) {
    moved = std::max(moved, std::fabs(y[i] - made_[i]));
    change = std::max(change, run_.options.step * std::fabs(dy[i]));
    size = std::max(size, std::fabs(y[i]));
  }
  return moved > kHistoryJump * change && moved > kHistoryRoundOff * size;
}

// A row that jumps comes before what else its jump has led to. Where nothing is corrected, rows that are off need not
// have jumped: the step may be too large.
Stabiliser::Outcome Stepping::with_jumps(const Jumps::Step& step, Stabiliser::Outcome made) {
  std::optional<Diagnostic> jump = run_.stabiliser.corrects() ? jumps_.look(step) : jumps_.interrupted(step);
  if (jump) made.diagnostic = std::move(jump);
  return made;
}

bool Stepping::accepts(double t, const double* y, Stabiliser::Outcome made) {
  run_.data.largest_correction = std::max(run_.data.largest_correction, made.moved);
  if (!made.conflicting.empty())
    return run_.end(RunStatus::stopped,
                    conflict_diagnostic(run_.equations, run_.info, made.conflicting, t, y, run_.data.reached));
  return !made.diagnostic || run_.end(RunStatus::stopped, std::move(*made.diagnostic));
}

}  // namespace mbc::runtime
