// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/event_instant.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/numbers.h"
#include "base/text.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/constraints/reactions.h"
#include "runtime/equations/failure_text.h"
#include "runtime/equations/representation_state.h"
#include "runtime/equations/user_place.h"
#include "runtime/simulation/data/run_failure.h"

namespace mbc::runtime {

namespace {

constexpr int kMostPasses = 100;  // at one instant

}  // namespace

Diagnostic about_event(const problem::Problem& info, Kind kind, std::uint32_t event, std::vector<std::string> args,
                       Span span, double t, const char* help) {
  Diagnostic d;
  d.kind = kind;
  d.args = {printable(info.events.list[event].name)};
  std::move(args.begin(), args.end(), std::back_inserter(d.args));
  point_at(d, info, info.events.list[event].name, span);
  d.time = t;
  d.help = help;
  return d;
}

EventInstant::EventInstant(RunParts& run, AcceptedState& accepted, EventWatch& watch, KinkBranches& branches,
                           std::function<bool(double t)> certify_again)
    : run_(run),
      events_(run.info.events),
      accepted_(accepted),
      watch_(watch),
      branches_(branches),
      certify_again_(std::move(certify_again)),
      before_(events_.n_values),
      after_(events_.n_values),
      given_(run.layout.n_y() + events_.discrete.size()),
      given_by_(given_.size()),
      jump_(run.layout.n_y()),
      rate_(run.layout.n_y()),
      contact_(run, watch, certify_again_),
      jumps_(run.equations, run.info, run.projector),
      kink_jumps_(run.equations, run.info, run.options.step) {}

bool EventInstant::begin(double t) {
  if (!contact_.any()) return true;
  evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), before_);
  const double energy_before = energy();
  std::vector<std::uint32_t> fired;
  if (!contact_.begin(t, fired)) return false;
  if (contact_.changed()) run_.integrated.forget_quasi_velocities();
  if (!go_on(t)) return false;
  evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), after_);
  run_.data.work_of_events += energy() - energy_before;
  contact_.note_sides(after_);
  fired_.clear();
  row_ = 0;
  keeps_row_ = false;
  return tell(t, fired) && conclude(t);
}

void EventInstant::evaluate(double t, const double* y, double* dy, std::vector<double>& values) {
  if (contact_.shares_forces()) smallest_multipliers(run_.equations, run_.info, t, y);
  contact_.look_at_idle(t, y);
  run_.equations.outputs(t, y, dy);
  const double* first = run_.equations.output_values() + events_.first_value;
  std::copy(first, first + events_.n_values, values.begin());
  contact_.watch_idle(values);
}

// About an event, whose name is the first argument.
bool EventInstant::fail(Kind kind, std::uint32_t event, std::vector<std::string> args, Span span, double t,
                        const char* help) {
  return run_.end(RunStatus::stopped, about_event(run_.info, kind, event, std::move(args), span, t, help));
}

std::string EventInstant::shown(const problem::EventAction& action) const {
  const kernel::SystemLayout& l = run_.layout;
  if (action.kind == problem::EventAction::Kind::held) {
    const problem::DiscreteVariable& held = events_.discrete[action.index];
    const bool switched = held.use == problem::DiscreteVariable::Use::enabled;  // NAME.enabled
    return quoted_name(switched ? held.name.text().substr(0, held.name.text().rfind('.')) : held.name.text());
  }
  const std::uint32_t first = action.kind == problem::EventAction::Kind::coordinate ? 0
                              : action.kind == problem::EventAction::Kind::speed    ? l.speeds_at()
                                                                                    : l.states_at();
  return quoted_name(entry_name(run_.info, l, first + action.index));
}

bool EventInstant::execute(double t, std::vector<std::uint32_t>& fired, double tolerance) {
  if (!first_row(t, fired)) return false;
  std::vector<std::uint32_t> passed;  // what has fired in the pass before
  for (int passes = 0; !fired.empty(); ++passes) {
    if (passes == kMostPasses) return without_end(t, fired, passed);
    passed = fired;
    evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), before_);
    take_samples(t + tolerance, fired);
    const double energy_before = energy();
    if (!pass(t, fired)) return false;
    watch_.take_changes(t);
    evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), after_);
    run_.data.work_of_events += energy() - energy_before;
    if (!tell(t, fired)) return false;
    next_.clear();
    next_pass(fired, next_);
    fired.swap(next_);
  }
  return conclude(t);
}

// Who wants to know of them. False: the run ends behind one of them.
bool EventInstant::tell(double t, const std::vector<std::uint32_t>& fired) {
  for (std::uint32_t event : fired) {
    if (!events_.list[event].written()) continue;
    if (row_ == 0 && keeps_row_) {  // what samples of an input, or a kink, have led to
      row_ = events_.number_of(event);
      if (!run_.recording.kept_row(-row_)) return false;
    }
    fired_.push_back(event);
    if (run_.options.on_event) run_.options.on_event(t, event);
  }
  for (std::uint32_t event : fired) {
    if (const auto& text = events_.list[event].stop) return conclude(t) && end_by(t, *text);
    if (event == run_.options.until_event) return conclude(t) && end_by(t, events_.list[event].name);
  }
  return true;
}

// The row before the instant, where rows of events are asked for and one of the user's is among them.
bool EventInstant::first_row(double t, const std::vector<std::uint32_t>& fired) {
  fired_.clear();
  row_ = 0;
  keeps_row_ = false;
  if (!run_.options.rows_of_events) return true;
  const auto first =
      std::find_if(fired.begin(), fired.end(), [this](std::uint32_t event) { return events_.list[event].written(); });
  if (first == fired.end()) {
    keeps_row_ = contact_.any() || std::any_of(fired.begin(), fired.end(), [this](std::uint32_t event) {
                   return events_.list[event].samples != nullptr;
                 });
    return !keeps_row_ || run_.recording.keep_row(t, run_.integrated.y(), run_.integrated.dy());
  }
  row_ = events_.number_of(*first);
  return run_.recording.row_of_event(t, run_.integrated.y(), run_.integrated.dy(), -row_);
}

// The state that the instant leaves: its row, and who looks at it.
bool EventInstant::conclude(double t) {
  if (row_ != 0 && !run_.recording.row_of_event(t, run_.integrated.y(), run_.integrated.dy(), row_)) return false;
  if (!run_.options.watch_event || fired_.empty()) return true;
  const double* y = run_.integrated.y().data();
  double* dy = run_.integrated.dy().data();
  run_.equations.outputs(t, y, dy);
  for (std::uint32_t event : fired_) run_.options.watch_event(t, event, y, dy);
  return true;
}

// An event by itself, or several in turn.
bool EventInstant::without_end(double t, const std::vector<std::uint32_t>& fired,
                               const std::vector<std::uint32_t>& passed) {
  const std::uint32_t event = fired[0];
  std::string others;
  for (std::uint32_t other : passed)
    if (std::find(fired.begin(), fired.end(), other) == fired.end())
      others += (others.empty() ? "" : ", ") + quoted_name(events_.list[other].name);
  const bool alone = others.empty();
  Diagnostic d =
      about_event(run_.info, Kind::events_without_end, event, {std::to_string(kMostPasses) + " times", "one instant"},
                  events_.list[event].span, t,
                  alone ? "its body makes its own condition true again: let that read what the body has changed"
                        : "each makes the condition of the other true again: let one read what the other has changed");
  if (!alone) d.notes.push_back("in turn with " + others);
  return run_.end(RunStatus::stopped, std::move(d));
}

// What an input is from this time on, given that the times of its samples are met up to a tolerance.
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
  y_before_ = run_.integrated.y();
  assign(t, fired);
  if (!change_branches(t, fired)) return false;
  const std::uint32_t event = fired[0];
  if (changes_.positions && !assigned_rotations(t)) return false;
  normalise(run_.info, run_.integrated.y().data());
  const bool rows = run_.layout.n_rows > 0;
  if (rows && contact_.any() && !part(t)) return false;
  if (changes_.positions && bodies_differ_from_quaternions(run_.info)) turn_with_bodies();
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
  branches_.open_of_speeds();
  if (contact_.any() && !contact_.settle(t, fired)) return false;
  branches_.take_of_speeds(
      t, [this](double at, const double* y, double* dy, std::vector<double>& values) { evaluate(at, y, dy, values); });
  if (moved || contact_.changed()) run_.integrated.forget_quasi_velocities();
  return go_on(t);
}

// What is given to whom; twice is a contradiction.
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
  const kernel::SystemLayout& l = run_.layout;
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
  std::vector<double>& y = run_.integrated.y();
  for (std::uint32_t at : given_list_) {
    if (at < y.size())
      y[at] = given_[at];
    else
      discrete()[at - run_.layout.n_y()] = given_[at];
  }
  for (std::uint32_t event : fired) {
    if (events_.list[event].kink) continue;
    discrete().count(events_.list[event], t);
    if (events_.list[event].written()) ++run_.data.events;
  }
}

// Quaternions that were assigned are of length 1: what was assigned is hard.
bool EventInstant::assigned_rotations(double t) {
  constexpr double kOfLength1 = 1e-6;
  for (const std::uint32_t first : run_.info.quaternions) {
    const double* q = run_.integrated.y().data() + first;
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (std::fabs(length - 1) <= kOfLength1) continue;
    const auto given = std::find_if(given_list_.begin(), given_list_.end(),
                                    [&](std::uint32_t at) { return at >= first && at < first + 4; });
    if (given == given_list_.end()) continue;
    const std::string entry = entry_name(run_.info, run_.layout, first);
    Diagnostic d;
    d.kind = Kind::not_a_rotation;
    d.args = {quoted_name(entry.substr(0, entry.rfind('.')) + ".quat"),
              "its quaternion has the length " + text::short_number(length)};
    for (const problem::EventAction& action : events_.list[given_by_[*given] - 1].actions)
      if (action.kind == problem::EventAction::Kind::coordinate && action.index == *given) d.span = action.span;
    name_instances(d, run_.info, entry);
    d.time = t;
    return run_.end(RunStatus::stopped, std::move(d));
  }
  return true;
}

// An equation that is another one from here on is none that a motion follows; what touches or sticks lets go.
bool EventInstant::change_branches(double t, const std::vector<std::uint32_t>& fired) {
  std::vector<std::uint32_t> kinks;
  std::copy_if(fired.begin(), fired.end(), std::back_inserter(kinks),
               [this](std::uint32_t event) { return events_.list[event].kink.has_value(); });
  if (kinks.empty()) return true;
  const auto change = [&] {
    for (std::uint32_t event : kinks) branches_.change(event, before_);
  };
  kink_jumps_.before(t, run_.integrated.y(), run_.integrated.dy());
  std::optional<Diagnostic> jump;
  if (run_.layout.n_rows > 0)
    jump = jumps_.changed(t, run_.integrated.y(), change);
  else
    change();
  for (std::size_t k = 0; k < kinks.size() && !jump; ++k)
    jump = kink_jumps_.after(t, kinks[k], run_.data.energy_balance.exchanged);
  if (jump) return run_.end(RunStatus::stopped, *std::move(jump));
  if (run_.layout.n_rows == 0) return true;
  if (!contact_.any() || meets_constraints(run_.equations, run_.projector, t, run_.integrated.y())) return true;
  return !contact_.let_go(false, true) || certify_again_(t);
}

// What touches or sticks and would have to move with what was assigned, or with what its row depends on (the speed of a
// belt), is let go: it neither pulls nor moves anything in an instant but by its impulse.
bool EventInstant::part(double t) {
  if (changes_.positions && contact_.let_go(true) && !certify_again_(t)) return false;
  const bool alone = !changes_.speeds && !changes_.impulses && !changes_.rows;
  const bool others = changes_.held && alone && events_.held_in_rows;
  if (changes_.positions ? keeps_contact(t)
                         : !others || meets_constraints(run_.equations, run_.projector, t, run_.integrated.y()))
    return true;
  return !contact_.let_go(false, true) || certify_again_(t);
}

// u+ = u- + P M^-1 J
bool EventInstant::give_impulses(double t) {
  std::vector<double>& y = run_.integrated.y();
  // forces stay as they are: they do nothing in an instant
  const bool begins = run_.equations.rhs_of_given_forces(t, y.data(), rate_.data()) == 0;
  const Eigen::Map<const Eigen::VectorXd> lambda(run_.equations.lambda(), run_.layout.n_rows);
  Eigen::VectorXd taken = -lambda;
  for (const problem::EventAction& impulse : impulses_) discrete()[impulse.index] += before_[impulse.value];
  const bool defined = run_.equations.rhs_of_given_forces(t, y.data(), jump_.data()) == 0;
  taken += lambda;
  contact_.push(taken);
  for (const problem::EventAction& impulse : impulses_) discrete()[impulse.index] = 0;
  if (!begins || !defined) return run_.undefined(t);
  const kernel::SystemLayout& l = run_.layout;
  for (std::uint32_t i = l.speeds_at(); i < l.states_at(); ++i)
    if (given_by_[i] == 0) y[i] += jump_[i] - rate_[i];
  return true;
}

// Nothing moves positions in an instant but an assignment.
bool EventInstant::positions_hold(double t, std::uint32_t event) {
  if (changes_.positions) return true;
  int row = 0;
  const double* y = run_.integrated.y().data();
  const double worst = run_.projector.worst(true, t, y, &row);
  const auto k = static_cast<std::size_t>(row);
  if (worst * run_.projector.size().of(true, k) <= kInitialTolerance * run_.projector.extents(true, y)[k]) return true;
  const std::string off = text::short_number(std::fabs(run_.equations.position_residual()[k]), 3);
  const bool enabled = std::any_of(events_.switched_rows.begin(), events_.switched_rows.end(),
                                   [&](const problem::SwitchedRow& s) { return s.row == k; });
  if (enabled && changes_.rows)
    return fail(Kind::enabled_off, event, {quoted_name(run_.info.rows[k].name), off}, events_.list[event].span, t,
                "let it be enabled where the positions satisfy it");
  return fail(Kind::event_off_constraints, event, {quoted_name(run_.info.rows[k].name) + " is off by " + off},
              events_.list[event].span, t,
              "assign positions that satisfy the constraints together with what they depend on");
}

bool EventInstant::onto_constraints(double t, std::uint32_t event) {
  if (!positions_hold(t, event)) return false;
  std::vector<double>& y = run_.integrated.y();
  if (changes_.speeds && !changes_.positions) {
    if (contact_.any() && !changes_.impulses && !changes_.rows && !keeps_contact(t)) {
      if (contact_.let_go(false) && !certify_again_(t)) return false;
    }
    return by_assembly(t, event);
  }
  if (!changes_.rows && !changes_.impulses && meets_constraints(run_.equations, run_.projector, t, y)) return true;
  const CorrectionReport made =
      run_.projector.project(t, y.data(), run_.options.tolerance, run_.certification.near_singular());
  if (made.converged) return true;
  const auto row = static_cast<std::size_t>(std::max(made.worst_row, 0));
  return fail(Kind::event_off_constraints, event, {quoted_name(run_.info.rows[row].name) + " cannot be met"},
              events_.list[event].span, t, "let the event change velocities so that the constraints can hold");
}

// A body that is turned goes on turning about the same of its axes, whatever it is described by.
void EventInstant::turn_with_bodies() {
  const kernel::SystemLayout& l = run_.layout;
  std::vector<char> chosen(l.n_speeds, 0);
  for (std::uint32_t at : given_list_)
    if (at >= l.speeds_at() && at < l.states_at()) chosen[at - l.speeds_at()] = 1;
  keep_angular_velocities(run_.info, y_before_, chosen, run_.integrated.y());
}

// The same of bodies that the constraints have turned: velocities are found anew from those before.
bool EventInstant::go_on_turning(double t, std::uint32_t event) {
  if (!bodies_differ_from_quaternions(run_.info)) return true;
  const kernel::SystemLayout& l = run_.layout;
  std::vector<double>& y = run_.integrated.y();
  std::copy(y_before_.begin() + l.speeds_at(), y_before_.begin() + l.states_at(), y.begin() + l.speeds_at());
  for (std::uint32_t at : given_list_)
    if (at >= l.speeds_at() && at < l.states_at()) y[at] = given_[at];
  turn_with_bodies();
  return by_assembly(t, event);
}

// Whether velocities that were assigned are such that what touches stays together.
bool EventInstant::keeps_contact(double t) {
  std::vector<double> y = run_.integrated.y();
  return meets_constraints(run_.equations, run_.projector, t, y) || assembled(t, y).met;
}

// What was assigned is hard. Positions are soft where one of them was assigned, velocities always.
bool EventInstant::by_assembly(double t, std::uint32_t event) {
  std::vector<double>& y = run_.integrated.y();
  if (meets_constraints(run_.equations, run_.projector, t, y)) return true;
  const AssemblyResult made = assembled(t, y);
  if (made.met) return true;
  const std::string why =
      made.diagnostic && !made.diagnostic->args.empty() ? made.diagnostic->args[0] : "none was found";
  return fail(Kind::event_off_constraints, event, {why}, events_.list[event].span, t,
              "assign fewer of them: what is not assigned moves as the constraints want");
}

AssemblyResult EventInstant::assembled(double t, std::vector<double>& y) {
  AssemblyProblem problem;
  const kernel::SystemLayout& l = run_.layout;
  problem.soft_coordinate.assign(l.n_coordinates, changes_.positions ? 1 : 0);
  problem.soft_speed.assign(l.n_speeds, 1);
  problem.wished_coordinate.assign(l.n_coordinates, 0);
  problem.wished_speed.assign(l.n_speeds, 0);
  problem.speeds_in_rate = events_.speeds_in_rate;
  problem.speeds_in_rate.resize(l.n_coordinates);
  problem.stop = run_.options.stop;
  problem.as_given = false;
  for (std::uint32_t at : given_list_) {
    if (at < l.n_coordinates) problem.soft_coordinate[at] = 0;
    if (at >= l.speeds_at() && at < l.states_at()) problem.soft_speed[at - l.speeds_at()] = 0;
  }
  return assemble(run_.equations, run_.info, problem, run_.projector, t, y);
}

// From the state after it, as from an initial one.
bool EventInstant::go_on(double t) {
  run_.method.forget_history();
  run_.vanishing_rows.forget();
  if (run_.integrated.in_quasi_velocities()) {
    run_.equations.quasi().hold_momenta(t, run_.integrated.y().data());
    if (!run_.evaluate_rate(t)) return false;
    if (!run_.integrated.take_quasi_velocities(t)) return run_.undefined(t);
  }
  return accepted_.evaluate_again(t);
}

// Where the values are after a pass; what has changed its side by that fires in the next one.
void EventInstant::next_pass(const std::vector<std::uint32_t>& fired, std::vector<std::uint32_t>& next) {
  contact_.note_sides(after_);
  for (std::uint32_t event : watch_.watched()) {
    const problem::Event& e = events_.list[event];
    if (e.of_contact()) continue;
    const Side was = watch_.side(event), now = watch_.side_of(event, after_);
    const bool has_fired = std::find(fired.begin(), fired.end(), event) != fired.end();
    if (e.kind == problem::Event::Kind::condition) {
      const bool fires = !has_fired && was == Side::below &&
                         (now == Side::above || (now == Side::open && watch_.became_true(event, before_, after_)));
      if (fires) next.push_back(event);
      if (has_fired)
        watch_.side(event) = watch_.clear_of(event, after_);
      else if (fires || was != Side::below || now != Side::open)
        watch_.side(event) = now;
      continue;
    }
    if (!has_fired) {
      if (was == Side::open || now == Side::open) continue;
      const bool fires = watch_.fires(event, was, now);
      if (fires) next.push_back(event);
      if (fires || !watch_.rests(event, after_)) watch_.side(event) = now;
      continue;
    }
    watch_.side(event) = watch_.rests(event, after_) ? Side::open : now;
  }
}

// The last row is that of the end.
bool EventInstant::end_by(double t, const std::string& text) {
  run_.data.ended_by = text;
  run_.data.reached = t;
  run_.recording.row(t, run_.integrated.y(), run_.integrated.dy(), true);
  return false;
}

}  // namespace mbc::runtime
