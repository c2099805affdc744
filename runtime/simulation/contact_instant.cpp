// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/contact_instant.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/contains.h"
#include "base/text.h"
#include "runtime/constraints/determined_rows.h"
#include "runtime/contact/idle_rows.h"
#include "runtime/equations/user_place.h"

namespace mbc::runtime {

namespace {

constexpr double kTurnsToRest = 1e-6;  // radian: largest turn of a slip in the step in which it comes to rest

}  // namespace

ContactInstant::ContactInstant(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                               const double& lowest_rebound, EventSigns& watch,
                               std::function<bool(double t)> certify_again)
    : options_(options),
      state_(state),
      constraints_(constraints),
      events_(state.info().events),
      list_(events_.unilaterals),
      watch_(watch),
      certify_again_(std::move(certify_again)),
      rows_(state.equations(), state.info()),
      friction_(state.equations(), state.info(), constraints.projector(), rows_, options.unique_reactions,
                options.step),
      contact_(state.equations(), state.info(), constraints.projector(), rows_, friction_, options.impact,
               lowest_rebound),
      seen_(list_.size()),
      was_held_(list_.size()),
      did_stick_(events_.frictions.size()),
      met_(list_.size()),
      was_idle_(list_.size()),
      slips_(events_.frictions.size()),
      rests_(events_.frictions.size()),
      of_contact_(events_.rows_of_contact(state.layout().n_rows)),
      limit_roundings_(events_.frictions.size()) {
  for (const problem::Friction& f : events_.frictions) {
    follows_ = follows_ || f.count > 1;
    limits_vary_ = limits_vary_ || f.varies;
  }
}

bool ContactInstant::fail(Diagnostic why, double t) {
  why.time = t;
  return state_.stop(std::move(why));
}

bool ContactInstant::let_go(bool keeps, bool displaced) {
  displaced_ = displaced_ || displaced;
  for (std::size_t k = 0; !loose_ && k < did_stick_.size(); ++k)
    did_stick_[k] = discrete().sticks(events_.frictions[k]) ? 1 : 0;
  bool switched = !loose_ && friction_.release();
  for (std::size_t k = 0; k < list_.size(); ++k) {
    const bool active = discrete().is_active(list_[k]);
    if (!loose_) was_held_[k] = active ? 1 : 0;
    switched = switched || (active && !keeps);
    if (!keeps) discrete().set_active(list_[k], false);
  }
  loose_ = true;
  return switched;
}

void ContactInstant::push(const Eigen::VectorXd& taken) {
  pushed_ = true;
  friction_.push(taken);
}

bool ContactInstant::settle(double t, std::vector<std::uint32_t>& fired, bool begins) {
  was_loose_ = loose_;
  if (!loose_) let_go(true);
  for (std::size_t k = 0; k < list_.size(); ++k) {
    met_[k] = contains(fired, list_[k].touches) ? 1 : 0;
    seen_[k] = watch_.zero_of(list_[k].touches);
  }
  std::fill(was_idle_.begin(), was_idle_.end(), 0);
  for (const std::uint32_t k : idle_) was_idle_[k] = 1;
  const Contact::Outcome outcome =
      contact_.settle(t, state_.y(), {was_held_, met_, was_idle_, seen_, pushed_, displaced_, begins});
  loose_ = pushed_ = displaced_ = false;
  friction_.push({});
  if (outcome == Contact::Outcome::undefined) return state_.undefined(t);
  if (outcome == Contact::Outcome::failed) return fail(contact_.failure(), t);
  if (!settle_friction(t, fired)) return false;
  note_idle();
  note_impacts(t, fired);
  if (!begins) note_changes(t, fired);
  return go_on(t);
}

// Settles friction with the contacts that touch and do not separate.
bool ContactInstant::settle_friction(double t, const std::vector<std::uint32_t>& fired) {
  resting_.clear();
  for (const Contact::Touching& c : contact_.touching())
    if (!c.parts) resting_.push_back({c.which, c.presses, c.idle, c.begins});
  if (events_.frictions.empty() && events_.reaction_dependent.empty()) return true;
  for (std::uint32_t k = 0; k < events_.frictions.size(); ++k) {
    const problem::Friction& f = events_.frictions[k];
    slips_[k] = contains(fired, f.slips) ? 1 : 0;
    rests_[k] = contains(fired, f.rests) ? 1 : 0;
  }
  const Friction::Outcome made = friction_.settle(t, state_.y(), resting_, slips_, rests_);
  if (made == Friction::Outcome::undefined) return state_.undefined(t);
  if (made == Friction::Outcome::failed) return fail(friction_.failure(), t);
  for (const Friction::Acting& a : friction_.acting()) {
    limit_roundings_[a.which] = a.limit_rounding;
    watch_.expect(events_.list[events_.frictions[a.which].slips].value, a.limit_size);
    watch_.expect(events_.list[events_.frictions[a.which].rests].value, a.speed_size);
  }
  return true;
}

// Notes contacts that carry no force and are therefore not active, and reports what moves by a choice among several
// multipliers.
void ContactInstant::note_idle() {
  idle_.clear();
  idle_sizes_.clear();
  for (const Friction::Resting& r : resting_) {
    if (!r.idle) continue;
    const auto is_it = [&r](const Contact::Touching& c) { return c.which == r.which; };
    const auto c = std::find_if(contact_.touching().begin(), contact_.touching().end(), is_it);
    idle_.push_back(r.which);
    idle_sizes_.push_back(c->push_size > 0 ? c->gap_size / c->push_size : 0);
  }
  for (const std::string& name : friction_.shared()) add_once(state_.data().shares_taken, name);
  for (const std::string& name : friction_.undecided()) add_once(state_.data().undecided, name);
}

void ContactInstant::look_at_shares(double t, const double* y) {
  joint_rest_.forget();
  const bool shared = shares_forces() && smallest_multipliers(state_.equations(), state_.info(), t, y);
  if (!idle_.empty()) shares_of_idle(state_.equations(), state_.info(), t, y, idle_, idle_now_);
  if (shared) joint_rest_.measure(state_.equations(), state_.info(), t, y);
}

void ContactInstant::watch_shares(std::vector<double>& values) const {
  for (std::size_t k = 0; k < idle_.size(); ++k) values[list_[idle_[k]].gap] = -idle_now_[k] * idle_sizes_[k];
  for (const JointRest::Watched& w : joint_rest_.watched())
    values[events_.list[events_.frictions[w.friction].slips].value] = w.distance;
}

void ContactInstant::follow(const std::vector<double>& values) {
  for (const problem::Friction& f : events_.frictions) {
    if (f.count < 2 || discrete().sticks(f)) continue;
    double square = 0;
    for (std::uint32_t k = 0; k < f.count; ++k) square += values[f.slip + k] * values[f.slip + k];
    const double speed = std::sqrt(square);
    if (!discrete().slides(f) || !(speed > discrete().negligible_slip(f))) continue;
    for (std::uint32_t k = 0; k < f.count; ++k) discrete().direction(f, k) = values[f.slip + k] / speed;
  }
}

// Returns a sliding friction whose limit is negative. One that sticks would reach its limit before that.
std::optional<std::uint32_t> ContactInstant::negative_limit(const std::vector<double>& values) {
  for (std::uint32_t k = 0; k < events_.frictions.size(); ++k) {
    const problem::Friction& f = events_.frictions[k];
    if (f.varies && discrete().slides(f) && !(values[f.limit] >= -limit_roundings_[k])) return k;
  }
  return {};
}

bool ContactInstant::limits_hold(double t, const std::vector<double>& values) {
  const std::optional<std::uint32_t> which = negative_limit(values);
  if (!which) return true;
  const problem::Friction& f = events_.frictions[*which];
  return state_.stop(about_row(state_.info(), f.row, Kind::friction_undefined, t,
                               {printable(f.name), "negative from here on"}, problem::kLimitHelp));
}

bool ContactInstant::shares_forces() {
  if (state_.equations().beyond_dense()) return false;
  const std::vector<double>& mask = state_.equations().mask;
  bool holds = !idle_.empty(), dependent = holds;
  const auto look = [&](bool on, std::uint32_t row, std::uint32_t count) {
    holds = holds || on;
    for (std::uint32_t k = row; on && k < row + count; ++k) dependent = dependent || mask[k] == 0;
  };
  for (const problem::Unilateral& u : list_) look(discrete().is_active(u), u.row, 1);
  for (const problem::Friction& f : events_.frictions) look(discrete().sticks(f), f.row, f.count);
  for (std::uint32_t row = 0; row < mask.size() && holds && !dependent; ++row)
    dependent = mask[row] == 0 && of_contact_[row] == 0;
  return holds && dependent;
}

bool ContactInstant::turns_to_rest(const std::vector<std::uint32_t>& fired, const std::vector<double>& begins,
                                   const std::vector<double>& later) {
  return std::any_of(events_.frictions.begin(), events_.frictions.end(), [&](const problem::Friction& f) {
    if (f.count < 2 || !contains(fired, f.rests)) return false;
    const Eigen::Map<const Eigen::Vector2d> first(begins.data() + f.slip), then(later.data() + f.slip);
    const double across = std::fabs(first.x() * then.y() - first.y() * then.x());
    return first.norm() > discrete().negligible_slip(f) && across > kTurnsToRest * first.norm() * then.norm();
  });
}

double ContactInstant::rests_in(const std::vector<double>& now, const std::vector<double>& later, double apart) {
  double first = std::numeric_limits<double>::infinity();
  for (const problem::Friction& f : events_.frictions) {
    if (f.count < 2 || discrete().sticks(f) || !discrete().slides(f)) continue;
    const Eigen::Map<const Eigen::Vector2d> slip(now.data() + f.slip), then(later.data() + f.slip);
    const Eigen::Vector2d rate = (then - slip) / apart;
    if (slip.norm() > discrete().negligible_slip(f) && slip.dot(rate) < 0)
      first = std::min(first, slip.norm() / rate.norm());
  }
  return first;
}

// Reports an event that follows at this instant. Events that are found along a step are counted where they fire.
void ContactInstant::tell(double t, std::uint32_t event, std::vector<std::uint32_t>& fired) {
  if (contains(fired, event)) return;
  discrete().count(events_.list[event], t);
  ++state_.data().events;
  fired.push_back(event);
}

// Reports the contacts and frictions whose state has changed in the instant.
void ContactInstant::note_changes(double t, std::vector<std::uint32_t>& fired) {
  for (std::size_t k = 0; k < list_.size(); ++k) {
    const bool is_held = discrete().is_active(list_[k]), was_held = was_held_[k] != 0;
    if (is_held != was_held) tell(t, is_held ? list_[k].touches : list_[k].leaves, fired);
  }
  for (std::size_t k = 0; k < did_stick_.size(); ++k) {
    const problem::Friction& f = events_.frictions[k];
    const bool sticks = discrete().sticks(f), did_stick = did_stick_[k] != 0;
    if (sticks != did_stick) tell(t, sticks ? f.rests : f.slips, fired);
  }
}

void ContactInstant::note_impacts(double t, std::vector<std::uint32_t>& fired) {
  if (contact_.lowered()) ++state_.data().lowered_restitutions;
  for (const Contact::Touching& c : contact_.touching()) {
    const problem::Unilateral& u = list_[c.which];
    const problem::Event& touches = events_.list[u.touches];
    watch_.expect(events_.list[u.touches].value, c.gap_size);
    watch_.expect(events_.list[u.leaves].value, c.push_size);
    if (c.accumulates) state_.data().accumulations.push_back({touches.name, *c.accumulates});
    if (!(c.impulse > 0)) continue;
    discrete().impulse(u) = c.impulse;
    tell(t, u.touches, fired);
  }
}

// Continues with the active contacts as equations.
bool ContactInstant::go_on(double t) {
  bool switched = was_loose_;
  for (std::size_t k = 0; k < list_.size(); ++k)
    switched = switched || discrete().is_active(list_[k]) != (was_held_[k] != 0);
  switched = switched || (!events_.frictions.empty() && friction_.changed_rows());
  changed_ = switched || contact_.moved() || !events_.frictions.empty() || !events_.reaction_dependent.empty();
  if (!changed_) return true;
  if (switched && !certify_again_(t)) return false;
  std::vector<double>& y = state_.y();
  const CorrectionReport made =
      constraints_.projector().project(t, y.data(), options_.tolerance, constraints_.near_singular());
  if (made.converged) return come_to_rest(t, y);
  const auto row = static_cast<std::size_t>(std::max(made.worst_row, 0));
  const std::uint32_t which = contact_.touching().empty() ? 0 : contact_.touching().front().which;
  return state_.stop(about_contact(state_.info(), which, Kind::contact_impossible, t,
                                   {"velocities", printable(state_.info().rows[row].name)}));
}

// Parts that their rows hold at rest have no speed left, whatever rounding of impacts and projections says. Returns
// true.
bool ContactInstant::come_to_rest(double t, std::vector<double>& y) {
  hold_determined(state_.equations(), state_.info(), t, y.data());
  for (const std::uint32_t j : state_.equations().determined_speeds()) y[state_.layout().speeds_at() + j] = 0;
  return true;
}

void ContactInstant::note_sides(const std::vector<double>& values) {
  for (const problem::Unilateral& u : list_) {
    const bool is_held = discrete().is_active(u), allowed = discrete().is_enabled(u);
    watch_.idle(u.touches) = (is_held || !allowed) ? 1 : 0;
    watch_.idle(u.leaves) =
        (!is_held && !contains(idle_, &u - list_.data())) ? 1 : 0;  // an idle contact is followed for its multiplier
    for (const std::uint32_t event : {u.touches, u.leaves})
      watch_.begin_contact(event, values[events_.list[event].value]);
  }
  for (const problem::Friction& f : events_.frictions) {
    const bool sticks = discrete().sticks(f);
    watch_.idle(f.slips) = (!sticks) ? 1 : 0;
    watch_.idle(f.rests) = (!discrete().slides(f)) ? 1 : 0;
    for (const std::uint32_t event : {f.slips, f.rests}) watch_.begin_contact(event, values[events_.list[event].value]);
  }
}

}  // namespace mbc::runtime
