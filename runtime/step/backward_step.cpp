// SPDX-License-Identifier: Apache-2.0
// Time steps in which stiff loads are taken by the backward rule (runtime/contact/timestep/backward_rule.h).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/contains.h"
#include "runtime/step/time_stepping.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr int kMostBackward = 30;          // corrections of the speeds of one step
constexpr int kWholeCorrections = 6;       // of them that are not halved
constexpr double kSlopesServe = 0.1;       // of a correction: the next one, from which slopes are taken again
constexpr double kStopsBackward = 0.5;     // the same, of one that rounding has stopped
constexpr double kRoundedBackward = 1e-9;  // of the speeds of the model: the largest such correction

}  // namespace

// Looks at the loads where the step begins, and where the speeds alone lead within it. Forces may differ there, as
// those of a spring that ends to be pressed.
bool TimeStepping::begins_stiff(double t, double h) {
  back_.acts = false;
  work_.reset();
  if (!rule_) return false;
  const std::vector<double>&y = state_.y(), &rate = state_.dy();
  const kernel::SystemLayout& l = state_.layout();
  middle_ = y;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (i < l.speeds_at() || i >= l.states_at()) middle_[i] += 0.5 * h * rate[i];
  if (!rule_->begin(t + 0.5 * h, h, middle_.data())) return false;
  rule_->hold(rows_that_hold(t + 0.5 * h));
  if (!rule_->look(t, y.data())) return false;
  back_.end = y;
  for (std::uint32_t i = 0; i < l.speeds_at(); ++i) back_.end[i] += h * rate[i];
  rule_->look(t + h, back_.end.data());
  return true;
}

// The rows, at the middle of a step, of the contacts that pressed or stuck in the step before.
std::vector<BackwardRule::Row> TimeStepping::rows_that_hold(double t) {
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t k : contacts_.reach().inequalities())
    if (rests_[k] != 0) rows.push_back(events_.unilaterals[k].row);
  for (const std::uint32_t k : contacts_.reach().frictions())
    for (std::uint32_t i = 0; sticks_[k] != 0 && i < events_.frictions[k].count; ++i)
      rows.push_back(events_.frictions[k].row + i);
  std::vector<BackwardRule::Row> out;
  if (rows.empty()) return out;
  const kernel::SystemLayout& l = state_.layout();
  contacts_.switches().turn(true, contacts_.reach());
  state_.equations().assemble_contacts(t, middle_.data());
  for (const std::uint32_t row : rows) {
    const std::uint32_t from = l.row_ptr[row], to = l.row_ptr[row + 1];
    const double* values = state_.equations().row_values();
    out.push_back({{l.column.begin() + from, l.column.begin() + to}, {values + from, values + to}});
  }
  state_.equations().clear_rows(contacts_.reach().rows());
  contacts_.switches().turn(false, contacts_.reach());
  return out;
}

// Looks at the loads where the step without contacts ends.
bool TimeStepping::ends_stiff(double t, double h) {
  if (!rule_ || !rule_->look(t + h, free_.data())) return false;
  const kernel::SystemLayout& l = state_.layout();
  std::copy_n(state_.y().begin() + l.speeds_at(), l.n_speeds, middle_.begin() + l.speeds_at());
  return true;
}

// Evaluates accelerations at the mean state of a change of the speeds. Of loads that depend on time stiff ones are
// those of the end of the step.
bool TimeStepping::take_mean_state(double t, double h, const std::vector<double>& began) {
  const kernel::SystemLayout& l = state_.layout();
  Equations& equations = state_.equations();
  back_.mean = back_.start + rule_->weighed(back_.change);
  const Vector way = 2 * rule_->weighed(back_.mean);
  back_.state = began;
  std::copy_n(way.data(), l.n_speeds, back_.state.begin() + l.speeds_at());
  equations.rates(t, back_.state.data(), rates_.data());
  for (std::uint32_t i = 0; i < l.speeds_at(); ++i) back_.state[i] = began[i] + 0.5 * h * rates_[i];
  for (std::uint32_t i = l.states_at(); i < l.n_y(); ++i) back_.state[i] = began[i] + 0.5 * h * state_.dy()[i];
  std::copy_n(back_.mean.data(), l.n_speeds, back_.state.begin() + l.speeds_at());
  const auto accelerations = [&](const std::vector<double>& rate) {
    return Eigen::Map<const Vector>(rate.data() + l.speeds_at(), l.n_speeds);
  };
  const bool constant = back_.later.size() > 0 && back_.later.isZero(0);  // in time
  back_.rate.resize(l.n_y());
  if (!constant && stepping_.rhs(t + h, back_.state.data(), back_.rate.data()) != 0) return state_.undefined(t + h);
  if (stepping_.rhs(t + 0.5 * h, back_.state.data(), dy_.data()) != 0) return state_.undefined(t + 0.5 * h);
  free_lambda_.assign(equations.lambda(), equations.lambda() + l.n_rows);
  back_.acceleration = accelerations(dy_);
  if (constant) return true;
  back_.later = rule_->stiff_part(accelerations(back_.rate) - back_.acceleration);
  back_.acceleration += back_.later;
  return true;
}

// The state to which the present change of the speeds leads.
void TimeStepping::take_end_state(double t, double h, const std::vector<double>& began) {
  const kernel::SystemLayout& l = state_.layout();
  back_.state.resize(l.n_y());
  std::copy_n(back_.mean.data(), l.n_speeds, back_.state.begin() + l.speeds_at());
  state_.equations().rates(t + 0.5 * h, back_.state.data(), rates_.data());
  back_.end = began;
  for (std::uint32_t i = 0; i < l.speeds_at(); ++i) back_.end[i] += h * rates_[i];
  for (std::uint32_t i = 0; i < l.n_speeds; ++i) back_.end[l.speeds_at() + i] = back_.start[i] + back_.change[i];
}

// Finds the speeds and impulses of a step with the loads that belong to them. Returns false if the run ends here.
//
// Slopes are taken again where those at hand do not serve. Where loads jump, as a damper that acts only in touch, no
// speed may solve the step; corrections that turn round are halved, which leads to the jump.
bool TimeStepping::solve_backward(double t, double h, const std::vector<double>& began) {
  using Outcome = ContactStep::Outcome;
  const kernel::SystemLayout& l = state_.layout();
  const double size = constraints_.projector().extent(false, began.data());
  double moved = std::numeric_limits<double>::infinity(), part = 1;
  Vector last = Vector::Zero(l.n_speeds);
  impulse_ = last;
  for (int k = 0; k < kMostBackward; ++k) {
    if (!take_mean_state(t, h, began)) return false;
    Vector correction = rule_->correction(back_.change - h * back_.acceleration - impulse_);
    if (k > 0 && rule_->norm(correction) > kSlopesServe * rule_->norm(last)) {
      rule_->look(t + h, back_.state.data());
      if (!take_mean_state(t, h, began)) return false;
      correction = rule_->correction(back_.change - h * back_.acceleration - impulse_);
    }
    Vector next = back_.change - correction - rule_->jump_of(impulse_);
    for (std::uint32_t i = 0; i < l.n_speeds; ++i) free_[l.speeds_at() + i] = back_.start[i] + next[i];
    if (const Outcome made = solve_contacts(t, h, began); made != Outcome::settled) return failed(made, t);
    if (contacts_.touched()) next += contacts_.jump();
    impulse_ = contacts_.touched() ? rule_->impulse_of(contacts_.jump()) : Vector::Zero(l.n_speeds);
    const Vector step = next - back_.change;
    if (k >= kWholeCorrections) part = rule_->product(step, last) < 0 ? 0.5 * part : std::min(1.0, 2 * part);
    const double before = std::exchange(moved, rule_->norm(step) / size);
    back_.change += part * step;
    last = step;
    if (!(part * moved > options_.contact_tolerance)) break;
    if (moved > kStopsBackward * before && moved < kRoundedBackward) break;
  }
  note_backward(moved);
  return true;
}

void TimeStepping::note_backward(double missed) {
  BackwardLoads& told = state_.data().backward;
  ++told.steps;
  told.stiffest = std::max(told.stiffest, rule_->stiffest());
  told.error = std::max(told.error, missed);
  rule_->name_loads([&told](const std::string& name) { add_once(told.loads, name); });
}

// Returns the speeds that lead from the middle of the step to where it ends with these speeds.
std::vector<double> TimeStepping::speeds_from_middle(const std::vector<double>& behind) const {
  const auto n = static_cast<Eigen::Index>(behind.size());
  const Vector way = back_.start + 2 * rule_->weighed(Eigen::Map<const Vector>(behind.data(), n) - back_.start);
  return {way.data(), way.data() + n};
}

bool TimeStepping::make_backward_step(double t, double h, const std::vector<double>& began) {
  const kernel::SystemLayout& l = state_.layout();
  back_.acts = true;
  back_.start = Eigen::Map<const Vector>(began.data() + l.speeds_at(), l.n_speeds);
  back_.change = Vector::Zero(l.n_speeds);
  back_.later.resize(0);
  free_ = began;
  if (!solve_backward(t, h, began)) return false;
  contacts_.keep();
  // Positions end where gaps that close within the step are closed.
  Vector way = back_.change;
  if (contacts_.touched()) way += contacts_.way() - contacts_.jump();
  back_.mean = back_.start + rule_->weighed(way);
  take_end_state(t, h, began);
  std::vector<double>& y = state_.y();
  y = back_.end;
  for (std::uint32_t i = l.states_at(); i < l.n_y(); ++i) y[i] = began[i] + h * dy_[i];
  y[l.work_at()] += h * rule_->product(back_.mean, back_.later);
  return true;
}

// The energy that a step loses and the rule explains is part of the work of events, with that of the contacts.
bool TimeStepping::take_work(double t, double h, const std::vector<double>& began) {
  if (!back_.acts) return true;
  std::vector<double>& y = state_.y();
  back_.state = began;
  double before = 0, after = 0;
  if (!energy_at(t, back_.state, before)) return state_.undefined(t);
  if (!energy_at(t + h, y, after)) return state_.undefined(t + h);
  const std::uint32_t loads = state_.layout().work_at(), constraints = loads + 1;
  const double of_contacts = rule_->product(back_.start + 0.5 * back_.change, impulse_);
  const double missing =
      before - after + of_contacts + (y[loads] - began[loads]) + (y[constraints] - began[constraints]);
  const double lost = std::clamp(missing, 0.0, std::max(0.0, rule_->loss(back_.change, back_.mean)));
  state_.data().backward.lost += lost;
  work_ = of_contacts - lost;
  return true;
}

}  // namespace mbc::runtime
