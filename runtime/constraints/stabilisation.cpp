// SPDX-License-Identifier: Apache-2.0
// Applies the chosen stabilisation after a step and decides whether its result is a motion of the model.
#include "runtime/constraints/stabilisation.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/equations/failure_text.h"
#include "runtime/equations/user_place.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

Stabiliser::Stabiliser(Equations& equations, const problem::Problem& info, ConstraintProjector& projector,
                       Stabilisation choice, double tolerance)
    : equations_(equations),
      info_(info),
      projector_(projector),
      choice_(choice),
      tolerance_(tolerance),
      corrects_(!info.rows.empty() && (choice == Stabilisation::project || choice == Stabilisation::partition)),
      acts_(corrects_ || choice == Stabilisation::baumgarte) {
  if (corrects_ && choice == Stabilisation::partition) partitioning_.emplace(equations, info, projector);
}

Stabiliser::Outcome Stabiliser::after_step(double t, double* y, bool near) {
  if (choice_ == Stabilisation::baumgarte) return watch(t, y);
  // Near a singular position no choice of dependent coordinates is good.
  CorrectionReport made;
  if (partitioning_ && !near && partitioning_->solve(t, y, tolerance_, made)) return judge(t, made, near);
  return between_steps(t, y, near);
}

Stabiliser::Outcome Stabiliser::after_trial(double t, double* y, bool near) {
  keep();
  Outcome made = after_step(t, y, near);
  restore();
  return made;
}

Stabiliser::Outcome Stabiliser::between_steps(double t, double* y, bool near) {
  if (!corrects_) return {};
  const CorrectionReport made = projector_.project(t, y, tolerance_, near);
  Outcome out = judge(t, made, near);
  if (made.converged || made.after[0] > 0 || made.after[1] > 0) return out;
  equations_.residuals(t, y);  // The residuals may be undefined at the state where the search ended.
  for (std::size_t k = 0; k < info_.rows.size(); ++k)
    if (!std::isfinite(equations_.position_residual()[k]) || !std::isfinite(equations_.velocity_residual()[k]))
      out.diagnostic = undefined_value(equations_, info_, t, y);
  return out;
}

Stabiliser::Outcome Stabiliser::judge(double t, const CorrectionReport& made, bool near) const {
  Outcome out;
  out.moved = made.moved[0];
  out.before = std::max(made.before[0] / projector_.size().position, made.before[1] / projector_.size().speed);
  const auto row = static_cast<std::size_t>(std::max(made.worst_row, 0));
  const auto name = [&] { return quoted_name(info_.rows[row].name); };
  // At rest the speeds are rounding, and so are their corrections.
  const bool jumps = (near || made.near_singular) && made.moved[1] > kAtRest * projector_.size().speed;
  if (!made.converged) {
    for (const ProjectionReport& level : made.details)
      if (level.status == ProjectionStatus::inconsistent && out.conflicting.empty())
        out.conflicting = level.conflicting;
    out.diagnostic = about_row(
        info_, row, Kind::projection_failed, t, {name(), text::short_number(std::max(made.after[0], made.after[1]), 3)},
        "run it with a ten times smaller step: if it stops at the same time, the mechanism cannot go on from"
        " here");
  } else if (jumps && made.moved[1] > kEndJump * made.speed) {
    // This is not a branch but the last position of the motion, which only infinite velocities could leave.
    out.diagnostic = about_row(info_, row, Kind::projection_failed, t, {name(), text::short_number(made.before[1], 3)},
                               "look whether the mechanism can move on from this position at all");
  } else if (jumps && made.moved[1] > kBranchJump * made.speed) {
    out.diagnostic = about_row(info_, row, Kind::bifurcation, t,
                               {"the rows become dependent and one step would change the velocities by " +
                                text::short_number(made.moved[1] / made.speed, 2) + " of their size"},
                               "use a smaller step, or add a constraint that excludes the other branch");
  }
  return out;
}

// Baumgarte's terms let a violation decay if they can. At singular positions, or with a step too large for alpha and
// beta, the violation grows instead, and the result is not a motion of the model.
Stabiliser::Outcome Stabiliser::watch(double t, const double* y) {
  if (info_.rows.empty()) return {};
  equations_.residuals(t, y);
  const auto extent = projector_.extents(true, y), speed = projector_.extents(false, y);
  for (std::size_t k = 0; k < info_.rows.size(); ++k) {
    const double e = std::fabs(equations_.position_residual()[k]), rate = std::fabs(equations_.velocity_residual()[k]);
    const double size = std::sqrt(equations_.pivot_scale()[k]);
    if (!(size > 0) || (e <= kNotHeld * extent[k] * size && rate <= kNotHeld * speed[k] * size)) continue;
    Outcome out;
    out.diagnostic = about_row(info_, k, Kind::projection_failed, t,
                               {quoted_name(info_.rows[k].name), text::short_number(std::max(e, rate), 3)},
                               "`baumgarte` does not hold it here: use `stabilise = project`, or a smaller step");
    return out;
  }
  return {};
}

}  // namespace mbc::runtime
