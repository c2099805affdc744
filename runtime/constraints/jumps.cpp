// SPDX-License-Identifier: Apache-2.0
// Compares the change of residuals in a step with the rates of the rows over the step.
#include "runtime/constraints/jumps.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "runtime/constraints/conflict_text.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/equations/user_place.h"

namespace mbc::runtime {

namespace {

constexpr int kHalvings = 44;  // per step, down to the digits of its times
constexpr double kReach = 2;   // times the change by the rates at both ends: limit for a curved motion

}  // namespace

// Bounds the rate of each row without regard to signs. It is |A| |q'| for a row of positions, and |A| |u'| + |b| for
// its rate or a row of velocities, because e' = A u' - b.
void Jumps::add_reach(double t, const double* y, const double* rates, bool accelerations) {
  const kernel::SystemLayout& l = equations_.layout();
  equations_.assemble(t, y);
  for (std::uint32_t r = 0; r < l.n_rows; ++r) {
    double sum = accelerations ? std::fabs(equations_.work()[l.b + r]) : 0, slack = 0;
    for (std::uint32_t k = l.row_ptr[r]; k < l.row_ptr[r + 1]; ++k) {
      sum += std::fabs(equations_.row_values()[k] * rates[l.column[k]]);
      slack += std::fabs(equations_.row_values()[k]) * absolute_;
    }
    reach_[r] = std::max(reach_[r], sum);
    slack_[r] = slack;
  }
}

// Returns a failure for the first row whose change in between_ exceeds that of any motion.
std::optional<Diagnostic> Jumps::jumped(const Step& step, bool position, bool at_once) {
  const double h = at_once ? 0 : step.t_new - step.t;
  for (std::size_t k = 0; k < info_.rows.size(); ++k) {
    const problem::Row& row = info_.rows[k];
    if (position ? row.level != problem::Level::position : row.level == problem::Level::acceleration) continue;
    const double size = std::sqrt(equations_.pivot_scale()[k]);
    const double seen = at_once ? kSeen : std::max(kSeen, relative_);
    const double floor = seen * projector_.size().of(position, k) * size + (at_once ? 0 : slack_[k]);
    if (!(std::fabs(between_[k]) > std::max(kReach * h * reach_[k], floor))) continue;
    const bool rate = !position && row.level == problem::Level::position, fixed = !at_once && relative_ == 0;
    const std::string continuous =
        fixed ? "if it is continuous, use shorter steps, `kinks = locate` or `integrator = auto`; else " : "";
    return about_row(info_, k, Kind::constraint_jumps, step.t_new,
                     {(rate ? "the rate of " : "") + quoted_name(row.name),
                      in_unit(std::fabs(between_[k]), row.unit, rate ? 1 : 0) +
                          (at_once ? "" : " in a step of " + text::short_number(h, 3) + " s")},
                     continuous + (position ? "let it change continuously; where parts meet, use a force that acts "
                                              "while they touch"
                                            : "let its rate change continuously, or model the impact by a force that "
                                              "acts while it lasts"));
  }
  return {};
}

// Computes how residuals change from one state to another. Residuals that no stabilisation has removed were there
// before.
void Jumps::take_change(bool position, double t, const double* y, double t_after, const double* after) {
  equations_.residuals(t, y);
  std::copy_n(equations_.residual(position), between_.size(), between_.begin());
  equations_.residuals(t_after, after);
  for (std::size_t k = 0; k < between_.size(); ++k) between_[k] = equations_.residual(position)[k] - between_[k];
}

void Jumps::at_part(const Step& step, double part, std::vector<double>& state) const {
  state.resize(step.y.size());
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = step.y[i] + part * (step.made[i] - step.y[i]);
}

// Halves the way through the step until only the switch of an operation lies between `before` and `after`.
void Jumps::to_switch(const Step& step, double& before, double& after) {
  const double h = step.t_new - step.t;
  for (int halving = 0; halving < kHalvings; ++halving) {
    const double middle = (before + after) / 2;
    at_part(step, before, here_);
    at_part(step, middle, there_);
    const bool switched =
        equations_
            .jump_between(Equations::k_residuals, step.t + before * h, here_.data(), step.t + middle * h, there_.data())
            .has_value();
    (switched ? after : before) = middle;
  }
  at_part(step, before, here_);
  at_part(step, after, there_);
}

std::optional<Diagnostic> Jumps::interrupted(const Step& step) {
  if (!equations_.jump_between(Equations::k_residuals, step.t, step.y.data(), step.t_new, step.made.data())) return {};
  double before = 0, after = 1;
  to_switch(step, before, after);
  const double h = step.t_new - step.t;
  for (const bool position : {true, false}) {
    take_change(position, step.t + before * h, here_.data(), step.t + after * h, there_.data());
    std::optional<Diagnostic> found = jumped(step, position, true);
    if (!found) continue;
    found->time = step.t + after * h;
    return found;
  }
  return {};
}

std::optional<Diagnostic> Jumps::changed(double t, const std::vector<double>& y, const std::function<void()>& change) {
  const std::size_t rows = info_.rows.size();
  equations_.residuals(t, y.data());
  const std::vector<double> positions(equations_.position_residual(), equations_.position_residual() + rows);
  const std::vector<double> rates(equations_.velocity_residual(), equations_.velocity_residual() + rows);
  change();
  equations_.residuals(t, y.data());
  for (const bool position : {true, false}) {
    for (std::size_t k = 0; k < rows; ++k)
      between_[k] =
          position ? equations_.position_residual()[k] - positions[k] : equations_.velocity_residual()[k] - rates[k];
    for (const problem::Unilateral& u : info_.events.unilaterals) between_[u.row] = 0;
    for (const problem::Friction& f : info_.events.frictions) std::fill_n(between_.begin() + f.row, f.count, 0.0);
    if (auto found = jumped({t, t, y, y, y, y}, position, true)) return found;
  }
  return {};
}

std::optional<Diagnostic> Jumps::look(const Step& step) {
  if (auto found = interrupted(step)) return found;
  const kernel::SystemLayout& l = equations_.layout();
  // Velocities are reached with the accelerations before and after.
  reach_.assign(l.n_rows, 0.0);
  add_reach(step.t, step.y.data(), step.dy.data() + l.speeds_at(), true);
  const bool defined = equations_.rhs(step.t_new, step.settled.data(), rate_.data()) == 0;
  if (defined) add_reach(step.t_new, step.settled.data(), rate_.data() + l.speeds_at(), true);
  of_rates_ = reach_;
  // Positions are reached with the speeds before and after, and with the part that accelerations add. If a cam comes to
  // rest within the step (a corner of its curvature), the speeds at both ends are almost zero.
  reach_.assign(l.n_rows, 0.0);
  add_reach(step.t, step.y.data(), step.y.data() + l.speeds_at(), false);
  add_reach(step.t_new, step.settled.data(), step.settled.data() + l.speeds_at(), false);
  for (std::uint32_t r = 0; r < l.n_rows; ++r) reach_[r] += (step.t_new - step.t) * of_rates_[r];
  take_change(true, step.t, step.y.data(), step.t_new, step.made.data());
  if (auto found = jumped(step, true, false)) return found;
  if (!defined) return {};
  reach_ = of_rates_;
  std::vector<double>& made = rate_;  // the coordinates are corrected, the speeds are not
  std::copy(step.settled.begin(), step.settled.end(), made.begin());
  std::copy(step.made.begin() + l.speeds_at(), step.made.begin() + l.states_at(), made.begin() + l.speeds_at());
  take_change(false, step.t, step.y.data(), step.t_new, made.data());
  return jumped(step, false, false);
}

}  // namespace mbc::runtime
