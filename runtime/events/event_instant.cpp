// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/event_instant.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/contains.h"
#include "base/numbers.h"
#include "base/text.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/constraints/reactions.h"
#include "runtime/equations/failure_text.h"
#include "runtime/equations/representation_state.h"
#include "runtime/equations/user_place.h"

namespace mbc::runtime {

EventInstant::EventInstant(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                           Integration& integration, Recording& recording, AcceptedState& accepted, EventSigns& signs,
                           DiscontinuityModes& modes, std::function<bool(double t)> certify_again)
    : options_(options),
      state_(state),
      constraints_(constraints),
      integration_(integration),
      recording_(recording),
      events_(state_.info().events),
      accepted_(accepted),
      signs_(signs),
      modes_(modes),
      certify_again_(std::move(certify_again)),
      before_(events_.n_values),
      after_(events_.n_values),
      given_(state_.layout().n_y() + events_.discrete.size()),
      given_by_(given_.size()),
      jump_(state_.layout().n_y()),
      rate_(state_.layout().n_y()),
      contact_(options, state, constraints, integration.lowest_rebound(), signs, certify_again_),
      jumps_(state_.equations(), state_.info(), constraints_.projector()),
      discontinuity_jumps_(state_.equations(), state_.info(), options_.step),
      held_numbers_(
          state_, constraints_.projector(), signs_, options_.step,
          [this](double t, const double* y, double* dy, std::vector<double>& values) { evaluate(t, y, dy, values); }) {}

bool EventInstant::begin(double t) {
  if (!contact_.any()) return true;
  evaluate(t, state_.y().data(), state_.dy().data(), before_);
  const double energy_before = energy();
  std::vector<std::uint32_t> fired;
  if (!contact_.begin(t, fired)) return false;
  if (contact_.changed()) state_.integrated().forget_quasi_velocities();
  if (!go_on(t)) return false;
  evaluate(t, state_.y().data(), state_.dy().data(), after_);
  state_.data().work_of_events += energy() - energy_before;
  contact_.note_sides(after_);
  fired_.clear();
  row_ = 0;
  keeps_row_ = false;
  return tell(t, fired) && conclude(t);
}

void EventInstant::evaluate(double t, const double* y, double* dy, std::vector<double>& values) {
  contact_.look_at_shares(t, y);
  state_.equations().outputs(t, y, dy);
  const double* first = state_.equations().output_values() + events_.first_value;
  std::copy(first, first + events_.n_values, values.begin());
  contact_.watch_shares(values);
}

bool EventInstant::execute(double t, std::vector<std::uint32_t>& fired, double tolerance) {
  if (!first_row(t, fired)) return false;
  std::vector<std::uint32_t> passed;  // the events of the pass before
  for (int passes = 0; !fired.empty(); ++passes) {
    if (passes == kMostPasses) return without_end(t, fired, passed);
    passed = fired;
    evaluate(t, state_.y().data(), state_.dy().data(), before_);
    take_samples(t + tolerance, fired);
    const double energy_before = energy();
    if (!pass(t, fired)) return false;
    signs_.take_changes(t);
    evaluate(t, state_.y().data(), state_.dy().data(), after_);
    state_.data().work_of_events += energy() - energy_before;
    if (!tell(t, fired)) return false;
    find_held_numbers(t, after_);
    next_.clear();
    next_pass(fired, next_);
    fired.swap(next_);
  }
  return conclude(t);
}

// Sets inputs to the samples that hold from this time on. `t` is later by the tolerance up to which sample times are
// met.
void EventInstant::take_samples(double t, const std::vector<std::uint32_t>& fired) {
  for (std::uint32_t event : fired) {
    const problem::Event& e = events_.list[event];
    if (!e.samples || e.actions.empty()) continue;
    const std::span<const double> times = e.samples->arguments();
    before_[e.actions[0].value] = e.samples->value(std::clamp(t, times.front(), times.back()), 0);
  }
}

bool EventInstant::pass(double t, std::vector<std::uint32_t>& fired) {
  changes_ = {};
  impulses_.clear();
  if (!collect(t, fired)) return false;
  y_before_ = state_.y();
  assign(t, fired);
  if (!change_modes(t, fired)) return false;
  const std::uint32_t event = fired[0];
  if (changes_.positions && !assigned_rotations(t)) return false;
  normalise(state_.info(), state_.y().data());
  const bool rows = state_.layout().n_rows > 0;
  if (rows && contact_.any() && !part(t)) return false;
  if (changes_.positions && bodies_differ_from_quaternions(state_.info())) turn_with_bodies();
  if (rows && changes_.positions && !(by_assembly(t, event) && go_on_turning(t, event))) return false;
  if (rows && changes_.rows && !positions_hold(t, event)) return false;
  if ((changes_.rows || changes_.positions) && !certify_again_(t)) return false;
  if (changes_.impulses || changes_.speeds || changes_.rows) {
    const bool keeps = changes_.speeds && !changes_.impulses && !changes_.rows;
    const bool switched = contact_.any() && contact_.let_go(keeps);
    if (switched && !certify_again_(t)) return false;
  }
  if (changes_.impulses && !give_impulses(t)) return false;
  const bool moved = changes_.positions || changes_.speeds || changes_.impulses || changes_.rows;
  if (rows && (moved || (changes_.held && events_.held_in_rows)) && !onto_constraints(t, event)) return false;
  modes_.open_of_speeds();
  if (contact_.any() && !contact_.settle(t, fired)) return false;
  modes_.take_of_speeds(
      t, [this](double at, const double* y, double* dy, std::vector<double>& values) { evaluate(at, y, dy, values); });
  if (moved || contact_.changed()) state_.integrated().forget_quasi_velocities();
  return go_on(t);
}

// Collects the assignments of all events. Two assignments to one quantity are a contradiction.
bool EventInstant::collect(double t, const std::vector<std::uint32_t>& fired) {
  for (std::uint32_t k : given_list_) given_by_[k] = 0;
  given_list_.clear();
  for (std::uint32_t event : fired)
    for (const problem::EventAction& action : events_.list[event].actions) {
      if (!std::isfinite(before_[action.value]))
        return fail(Kind::event_undefined, event, {"what is assigned"}, action.span, t);
      if (action.kind == problem::EventAction::Kind::impulse)
        impulses_.push_back(action);
      else if (collides(t, event, action))
        return false;
    }
  changes_.impulses = !impulses_.empty();
  return true;
}

bool EventInstant::collides(double t, std::uint32_t event, const problem::EventAction& action) {
  const kernel::SystemLayout& l = state_.layout();
  std::uint32_t at = action.index;
  switch (action.kind) {
    case problem::EventAction::Kind::held:
      at += l.n_y();
      (events_.discrete[action.index].use == problem::DiscreteVariable::Use::enabled ? changes_.rows : changes_.held) =
          true;
      break;
    case problem::EventAction::Kind::speed:
      at += l.speeds_at();
      changes_.speeds = true;
      break;
    case problem::EventAction::Kind::state:
      at += l.states_at();
      changes_.held = true;
      break;
    case problem::EventAction::Kind::coordinate:
    case problem::EventAction::Kind::impulse:
      changes_.positions = true;
      break;
  }
  const bool switched = at >= l.n_y() && events_.discrete[action.index].use == problem::DiscreteVariable::Use::enabled;
  if (given_by_[at] != 0 && !(switched && given_[at] == before_[action.value]))
    return !fail(switched ? Kind::switched_both_ways : Kind::events_collide, given_by_[at] - 1,
                 {printable(events_.list[event].name), shown(action)}, action.span, t);
  if (given_by_[at] == 0) given_list_.push_back(at);
  given_by_[at] = event + 1;
  given_[at] = before_[action.value];
  return false;
}

void EventInstant::assign(double t, const std::vector<std::uint32_t>& fired) {
  std::vector<double>& y = state_.y();
  for (std::uint32_t at : given_list_) {
    if (at < y.size())
      y[at] = given_[at];
    else
      discrete()[at - state_.layout().n_y()] = given_[at];
  }
  for (std::uint32_t event : fired) {
    if (events_.list[event].kink) continue;
    discrete().count(events_.list[event], t);
    if (events_.list[event].written()) ++state_.data().events;
  }
}

// Checks that quaternions that were assigned have length 1. They are not normalised, because assigned values are hard.
bool EventInstant::assigned_rotations(double t) {
  constexpr double kOfLength1 = 1e-6;
  for (const std::uint32_t first : state_.info().quaternions) {
    const double* q = state_.y().data() + first;
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (std::fabs(length - 1) <= kOfLength1) continue;
    const auto given = std::find_if(given_list_.begin(), given_list_.end(),
                                    [&](std::uint32_t at) { return at >= first && at < first + 4; });
    if (given == given_list_.end()) continue;
    const std::string entry = entry_name(state_.info(), state_.layout(), first);
    Diagnostic d = diagnostic_of(Kind::not_a_rotation, t,
                                 {quoted_name(entry.substr(0, entry.rfind('.')) + ".quat"),
                                  "its quaternion has the length " + text::short_number(length)});
    for (const problem::EventAction& action : events_.list[given_by_[*given] - 1].actions)
      if (action.kind == problem::EventAction::Kind::coordinate && action.index == *given) d.span = action.span;
    name_instances(d, state_.info(), entry);
    return state_.stop(std::move(d));
  }
  return true;
}

// Refuses a mode that changes an equation, because no motion follows such a change. Contacts and frictions that would
// have to jump are released.
bool EventInstant::change_modes(double t, const std::vector<std::uint32_t>& fired) {
  std::vector<std::uint32_t> kinks;
  std::copy_if(fired.begin(), fired.end(), std::back_inserter(kinks),
               [this](std::uint32_t event) { return events_.list[event].kink.has_value(); });
  if (kinks.empty()) return true;
  const auto change = [&] {
    for (std::uint32_t event : kinks) modes_.change(event, before_);
  };
  discontinuity_jumps_.before(t, state_.y(), state_.dy());
  std::optional<Diagnostic> jump;
  if (state_.layout().n_rows > 0)
    jump = jumps_.changed(t, state_.y(), change);
  else
    change();
  for (std::size_t k = 0; k < kinks.size() && !jump; ++k)
    jump = discontinuity_jumps_.after(t, kinks[k], state_.data().energy_balance.exchanged);
  if (jump) return state_.stop(*std::move(jump));
  if (state_.layout().n_rows == 0) return true;
  if (!contact_.any() || meets_constraints(state_.equations(), constraints_.projector(), t, state_.y())) return true;
  return !contact_.let_go(false, true) || certify_again_(t);
}

// Releases contacts and frictions that would have to move with an assignment or with a value in their row, such as the
// speed of a belt. Such a row does not pull in an instant; it acts only by its impulse.
bool EventInstant::part(double t) {
  if (changes_.positions && contact_.let_go(true) && !certify_again_(t)) return false;
  const bool alone = !changes_.speeds && !changes_.impulses && !changes_.rows;
  const bool others = changes_.held && alone && events_.held_in_rows;
  if (changes_.positions ? keeps_contact(t)
                         : !others || meets_constraints(state_.equations(), constraints_.projector(), t, state_.y()))
    return true;
  return !contact_.let_go(false, true) || certify_again_(t);
}

// u+ = u- + P M^-1 J
bool EventInstant::give_impulses(double t) {
  std::vector<double>& y = state_.y();
  // Forces stay as they are, because they do nothing in an instant.
  const bool begins = state_.equations().rhs_of_given_forces(t, y.data(), rate_.data()) == 0;
  const Eigen::Map<const Eigen::VectorXd> lambda(state_.equations().lambda(), state_.layout().n_rows);
  Eigen::VectorXd taken = -lambda;
  for (const problem::EventAction& impulse : impulses_) discrete()[impulse.index] += before_[impulse.value];
  const bool defined = state_.equations().rhs_of_given_forces(t, y.data(), jump_.data()) == 0;
  taken += lambda;
  contact_.push(taken);
  for (const problem::EventAction& impulse : impulses_) discrete()[impulse.index] = 0;
  if (!begins || !defined) return state_.undefined(t);
  const kernel::SystemLayout& l = state_.layout();
  for (std::uint32_t i = l.speeds_at(); i < l.states_at(); ++i)
    if (given_by_[i] == 0) y[i] += jump_[i] - rate_[i];
  return true;
}

// Checks the position rows. Only an assignment moves positions in an instant.
bool EventInstant::positions_hold(double t, std::uint32_t event) {
  if (changes_.positions) return true;
  int row = 0;
  const double* y = state_.y().data();
  const double worst = constraints_.projector().worst(true, t, y, &row);
  const auto k = static_cast<std::size_t>(row);
  if (worst * constraints_.projector().size().of(true, k) <=
      kInitialTolerance * constraints_.projector().extents(true, y)[k])
    return true;
  const std::string off = text::short_number(std::fabs(state_.equations().position_residual()[k]), 3);
  const bool enabled = std::any_of(events_.switched_rows.begin(), events_.switched_rows.end(),
                                   [&](const problem::SwitchedRow& s) { return s.row == k; });
  if (enabled && changes_.rows)
    return fail(Kind::enabled_off, event, {quoted_name(state_.info().rows[k].name), off}, events_.list[event].span, t,
                "let it be enabled where the positions satisfy it");
  return fail(Kind::event_off_constraints, event, {quoted_name(state_.info().rows[k].name) + " is off by " + off},
              events_.list[event].span, t,
              "assign positions that satisfy the constraints together with what they depend on");
}

bool EventInstant::onto_constraints(double t, std::uint32_t event) {
  if (!positions_hold(t, event)) return false;
  std::vector<double>& y = state_.y();
  if (changes_.speeds && !changes_.positions) {
    if (contact_.any() && !changes_.impulses && !changes_.rows && !keeps_contact(t)) {
      if (contact_.let_go(false) && !certify_again_(t)) return false;
    }
    return by_assembly(t, event);
  }
  if (!changes_.rows && !changes_.impulses && meets_constraints(state_.equations(), constraints_.projector(), t, y))
    return true;
  const CorrectionReport made =
      constraints_.projector().project(t, y.data(), options_.tolerance, constraints_.near_singular());
  if (made.converged) return true;
  const auto row = static_cast<std::size_t>(std::max(made.worst_row, 0));
  return fail(Kind::event_off_constraints, event, {quoted_name(state_.info().rows[row].name) + " cannot be met"},
              events_.list[event].span, t, "let the event change velocities so that the constraints can hold");
}

// Keeps the angular velocity of a body that an assignment has turned, whatever coordinates describe the body.
void EventInstant::turn_with_bodies() {
  const kernel::SystemLayout& l = state_.layout();
  std::vector<char> chosen(l.n_speeds, 0);
  for (std::uint32_t at : given_list_)
    if (at >= l.speeds_at() && at < l.states_at()) chosen[at - l.speeds_at()] = 1;
  keep_angular_velocities(state_.info(), y_before_, chosen, state_.y());
}

// Keeps the angular velocities of bodies that the constraints have turned. The velocities are found again from those
// before.
bool EventInstant::go_on_turning(double t, std::uint32_t event) {
  if (!bodies_differ_from_quaternions(state_.info())) return true;
  const kernel::SystemLayout& l = state_.layout();
  std::vector<double>& y = state_.y();
  std::copy(y_before_.begin() + l.speeds_at(), y_before_.begin() + l.states_at(), y.begin() + l.speeds_at());
  for (std::uint32_t at : given_list_)
    if (at >= l.speeds_at() && at < l.states_at()) y[at] = given_[at];
  turn_with_bodies();
  return by_assembly(t, event);
}

// Returns whether the assigned velocities keep active contacts closed.
bool EventInstant::keeps_contact(double t) {
  std::vector<double> y = state_.y();
  return meets_constraints(state_.equations(), constraints_.projector(), t, y) || assembled(t, y).met;
}

// Finds a state that satisfies the constraints. Assigned values are hard. Other positions are soft if a position was
// assigned; other velocities are always soft.
bool EventInstant::by_assembly(double t, std::uint32_t event) {
  std::vector<double>& y = state_.y();
  if (meets_constraints(state_.equations(), constraints_.projector(), t, y)) return true;
  const AssemblyResult made = assembled(t, y);
  if (made.met) return true;
  const std::string why =
      made.diagnostic && !made.diagnostic->args.empty() ? made.diagnostic->args[0] : "none was found";
  return fail(Kind::event_off_constraints, event, {why}, events_.list[event].span, t,
              "assign fewer of them: what is not assigned moves as the constraints want");
}

AssemblyResult EventInstant::assembled(double t, std::vector<double>& y) {
  AssemblyProblem problem;
  const kernel::SystemLayout& l = state_.layout();
  problem.soft_coordinate.assign(l.n_coordinates, changes_.positions ? 1 : 0);
  problem.soft_speed.assign(l.n_speeds, 1);
  problem.wished_coordinate.assign(l.n_coordinates, 0);
  problem.wished_speed.assign(l.n_speeds, 0);
  problem.speeds_in_rate = events_.speeds_in_rate;
  problem.speeds_in_rate.resize(l.n_coordinates);
  problem.stop = options_.stop;
  problem.as_given = false;
  for (std::uint32_t at : given_list_) {
    if (at < l.n_coordinates) problem.soft_coordinate[at] = 0;
    if (at >= l.speeds_at() && at < l.states_at()) problem.soft_speed[at - l.speeds_at()] = 0;
  }
  return assemble(state_.equations(), state_.info(), problem, constraints_.projector(), t, y);
}

// Restarts the integration from the state after the instant, as from an initial state.
bool EventInstant::go_on(double t) {
  integration_.method().forget_history();
  constraints_.vanishing_rows().forget();
  if (state_.integrated().in_quasi_velocities()) {
    state_.equations().quasi().hold_momenta(t, state_.y().data());
    if (!state_.evaluate_rate(t)) return false;
    if (!state_.integrated().take_quasi_velocities(t)) return state_.undefined(t);
  }
  return accepted_.evaluate_again(t);
}

// Notes the sides of the event functions after a pass. A side that this pass has changed fires in the next one.
void EventInstant::next_pass(const std::vector<std::uint32_t>& fired, std::vector<std::uint32_t>& next) {
  contact_.note_sides(after_);
  for (std::uint32_t event : signs_.watched()) {
    const problem::Event& e = events_.list[event];
    if (e.of_contact()) continue;
    const Side was = signs_.side(event), now = signs_.side_of(event, after_);
    const bool has_fired = contains(fired, event);
    if (e.kind == problem::Event::Kind::condition) {
      const bool fires = !has_fired && was == Side::below &&
                         (now == Side::above || (now == Side::open && signs_.became_true(event, before_, after_)));
      if (fires) next.push_back(event);
      if (has_fired)
        signs_.side(event) = signs_.clear_of(event, after_);
      else if (fires || was != Side::below || now != Side::open)
        signs_.side(event) = now;
      continue;
    }
    if (!has_fired) {
      if (was == Side::open || now == Side::open) continue;
      const bool fires = signs_.fires(event, was, now);
      if (fires) next.push_back(event);
      if (fires || !signs_.rests(event, after_)) signs_.side(event) = now;
      continue;
    }
    signs_.side(event) = signs_.rests(event, after_) ? Side::open : now;
  }
}

}  // namespace mbc::runtime
