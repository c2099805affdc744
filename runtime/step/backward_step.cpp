// SPDX-License-Identifier: Apache-2.0
// Time steps in which stiff loads are taken by the backward rule (runtime/contact/timestep/backward_rule.h).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/contains.h"
#include "runtime/step/time_stepping.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr int kMostBackward = 60;     // corrections of the speeds of one step
constexpr int kWholeCorrections = 6;  // of them before those that point at each other are halved

}  // namespace

// Looks at the loads where the step begins and where its rates lead, without accelerations if loads are stiff already.
// Forces may differ there, as those of a spring that is pressed only in the step.
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
  hold(t + 0.5 * h, holding(false));
  const double accelerates = rule_->look(t, y.data()) ? 0 : 1;
  back_.end = y;
  for (std::uint32_t i = l.speeds_at(); i < l.states_at(); ++i) back_.end[i] += accelerates * 0.5 * h * rate[i];
  state_.equations().rates(t, back_.end.data(), rates_.data());
  for (std::uint32_t i = l.speeds_at(); i < l.states_at(); ++i) back_.end[i] += accelerates * 0.5 * h * rate[i];
  for (std::uint32_t i = 0; i < l.speeds_at(); ++i) back_.end[i] += h * rates_[i];
  return rule_->look(t + h, back_.end.data());
}

// Returns the rows of the contacts that stay together or stick, in the step before or as this one is solved.
std::vector<std::uint32_t> TimeStepping::holding(bool now) const {
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t k : contacts_.reach().inequalities())
    if (now ? contacts_.rests(k) : rests_[k] != 0) rows.push_back(events_.unilaterals[k].row);
  for (const std::uint32_t k : contacts_.reach().frictions()) {
    const bool sticks = now ? contacts_.sticks(k) : sticks_[k] != 0;
    for (std::uint32_t i = 0; sticks && i < events_.frictions[k].count; ++i)
      rows.push_back(events_.frictions[k].row + i);
  }
  return rows;
}

// Tells the rule that these rows hold, as they are in the middle of the step.
void TimeStepping::hold(double t, std::vector<std::uint32_t> rows) {
  std::vector<BackwardRule::Row> out;
  back_.held = std::move(rows);
  if (!back_.held.empty()) {
    const kernel::SystemLayout& l = state_.layout();
    contacts_.switches().turn(true, contacts_.reach());
    state_.equations().assemble_contacts(t, middle_.data());
    for (const std::uint32_t row : back_.held) {
      const std::uint32_t from = l.row_ptr[row], to = l.row_ptr[row + 1];
      const double* values = state_.equations().row_values();
      out.push_back({{l.column.begin() + from, l.column.begin() + to}, {values + from, values + to}});
    }
    state_.equations().clear_rows(contacts_.reach().rows());
    contacts_.switches().turn(false, contacts_.reach());
  }
  rule_->hold(std::move(out));
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

// Two changes of the speeds whose corrections point at each other.
struct TimeStepping::Bracket {
  Vector from, correction, to;
  bool found = false;

  // Takes a correction that may close the bracket, or makes it smaller. Returns the change to look at next.
  Vector next(const Vector& change, const Vector& step, const BackwardRule& rule) {
    const bool along = !(rule.product(step, correction) < 0);
    if (found || !along) (along ? from : to) = change;
    found = found || !along;
    if (found) return 0.5 * (from + to);
    from = change;
    correction = step;
    return change + step;
  }
};

// Finds the speeds and impulses of a step with the loads that belong to them. Returns false if the run ends here.
//
// Slopes are taken again where those at hand do not serve. Where loads jump, as a damper that acts only in touch, no
// speed may solve the step; the changes between two corrections that point at each other are halved then.
bool TimeStepping::solve_backward(double t, double h, const std::vector<double>& began) {
  using Outcome = ContactStep::Outcome;
  const kernel::SystemLayout& l = state_.layout();
  const double size = constraints_.projector().extent(false, began.data());
  double moved = std::numeric_limits<double>::infinity(), last = moved;
  back_.change = Vector::Zero(l.n_speeds);
  back_.later.resize(0);
  free_ = began;
  Bracket bracket{.from = Vector::Zero(l.n_speeds), .correction = Vector::Zero(l.n_speeds), .to = {}};
  impulse_ = Vector::Zero(l.n_speeds);
  for (int k = 0; k < kMostBackward; ++k) {
    if (!take_mean_state(t, h, began)) return false;
    Vector correction = rule_->correction(back_.change - h * back_.acceleration - impulse_);
    if (k > 0 && rule_->norm(correction) > kSlopesServe * last) {
      rule_->look(t + h, back_.state.data());
      if (!take_mean_state(t, h, began)) return false;
      correction = rule_->correction(back_.change - h * back_.acceleration - impulse_);
    }
    last = rule_->norm(correction);
    Vector lawful = back_.change - correction - rule_->jump_of(impulse_);
    for (std::uint32_t i = 0; i < l.n_speeds; ++i) free_[l.speeds_at() + i] = back_.start[i] + lawful[i];
    if (const Outcome made = solve_contacts(t, h, began); made != Outcome::settled) return failed(made, t);
    impulse_ = Vector::Zero(l.n_speeds);
    if (contacts_.touched()) {
      lawful += contacts_.jump();
      impulse_ = rule_->impulse_of(contacts_.jump());
    }
    // The metric of the contacts is symmetric, Newton's matrix is not: it answers the impulses once they are known.
    const Vector next = back_.change - rule_->correction(back_.change - h * back_.acceleration - impulse_);
    const double before = std::exchange(moved, (rule_->norm(next - back_.change) + rule_->norm(lawful - next)) / size);
    back_.change = k < kWholeCorrections ? next : bracket.next(back_.change, next - back_.change, *rule_);
    if (!(moved > options_.contact_tolerance)) break;
    if (bracket.found && !(rule_->norm(bracket.to - bracket.from) > options_.contact_tolerance * size)) break;
    if (moved > kStopsBackward * before && moved < kRoundedBackward) break;
  }
  back_.missed = moved;
  return true;
}

void TimeStepping::note_backward() {
  BackwardLoads& told = state_.data().backward;
  ++told.steps;
  told.stiffest = std::max(told.stiffest, rule_->stiffest());
  told.error = std::max(told.error, back_.missed);
  rule_->name_loads([&told](const std::string& name) { add_once(told.loads, name); });
}

// Returns the speeds that lead from the middle of the step to where it ends with these speeds.
std::vector<double> TimeStepping::speeds_from_middle(const std::vector<double>& behind) const {
  const auto n = static_cast<Eigen::Index>(behind.size());
  const Vector way = back_.start + 2 * rule_->weighed(Eigen::Map<const Vector>(behind.data(), n) - back_.start);
  return {way.data(), way.data() + n};
}

// Loads whose force jumps or bends within the step may give it energy; it is made again, stiff loads all backward.
bool TimeStepping::make_backward_step(double t, double h, const std::vector<double>& began) {
  const kernel::SystemLayout& l = state_.layout();
  back_.acts = true;
  back_.start = Eigen::Map<const Vector>(began.data() + l.speeds_at(), l.n_speeds);
  double missing = 0;
  if (!take_backward_end(t, h, began) || !energy_missing(t, h, began, missing)) return false;
  const double change = rule_->norm(back_.change), size = constraints_.projector().extent(false, began.data());
  if (-missing > 0.5 * (kBackwardGain * change * change + kRoundedGain * size * size)) {
    rule_->take_whole();
    if (!take_backward_end(t, h, began)) return false;
  }
  contacts_.keep();
  note_backward();
  return true;
}

// Solves the step and moves to its end.
bool TimeStepping::take_backward_end(double t, double h, const std::vector<double>& began) {
  const kernel::SystemLayout& l = state_.layout();
  std::vector<double>& y = state_.y();
  y = began;
  if (!solve_backward(t, h, began)) return false;
  if (std::vector<std::uint32_t> rows = holding(true); rows != back_.held) {
    hold(t + 0.5 * h, std::move(rows));
    if (!solve_backward(t, h, began)) return false;
  }
  // Positions end where gaps that close within the step are closed.
  Vector way = back_.change;
  if (contacts_.touched()) way += contacts_.way() - contacts_.jump();
  back_.mean = back_.start + rule_->weighed(way);
  take_end_state(t, h, began);
  y = back_.end;
  for (std::uint32_t i = l.states_at(); i < l.n_y(); ++i) y[i] = began[i] + h * dy_[i];
  y[l.work_at()] += h * rule_->product(back_.mean, back_.later);
  return true;
}

// Computes what the energy at the end of a step lacks of that at its beginning and of the work in it.
bool TimeStepping::energy_missing(double t, double h, const std::vector<double>& began, double& missing) {
  std::vector<double>& y = state_.y();
  back_.state = began;
  double before = 0, after = 0;
  if (!energy_at(t, back_.state, before)) return state_.undefined(t);
  if (!energy_at(t + h, y, after)) return state_.undefined(t + h);
  const std::uint32_t loads = state_.layout().work_at(), constraints = loads + 1;
  work_ = rule_->product(back_.start + 0.5 * back_.change, impulse_);
  missing = before - after + *work_ + (y[loads] - began[loads]) + (y[constraints] - began[constraints]);
  return true;
}

// The energy that a step loses and the rule explains is part of the work of events, with that of the contacts.
bool TimeStepping::take_work(double t, double h, const std::vector<double>& began) {
  double missing = 0;
  if (!back_.acts) return true;
  if (!energy_missing(t, h, began, missing)) return false;
  const double lost = std::clamp(missing, 0.0, std::max(0.0, rule_->loss(back_.change, back_.mean)));
  state_.data().backward.lost += lost;
  *work_ -= lost;
  return true;
}

}  // namespace mbc::runtime
