// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/time_stepping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/numbers.h"
#include "base/text.h"
#include "runtime/equations/user_place.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kFarther = 3.0;  // of the estimated displacement in a step: contacts within it are candidates

// Forces that depend on speeds are taken again while contacts change them by more than impulses are solved to.
constexpr int kForceCorrections = 6;  // at most, in one step

// The rows of contacts on bodies with equality constraints form full matrices.
constexpr std::uint64_t kMostEntries = 20'000'000;

}  // namespace

TimeStepping::TimeStepping(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                           Recording& recording, Stepping& stepping)
    : options_(options),
      state_(state),
      constraints_(constraints),
      events_(state.info().events),
      stepping_(stepping),
      contacts_(state.equations(), state.info(), constraints.projector(), options.impact, options.contact_tolerance),
      dy_(state.layout().n_y()),
      mean_dy_(state.layout().n_y()),
      rates_(state.layout().n_y()),
      accelerations_(state.layout().n_speeds),
      forces_(state.layout().n_rows),
      kept_(events_.unilaterals.size()),
      rests_(kept_.size()),
      sticks_(events_.frictions.size()) {
  note_all();
  if (options.partials) rule_.emplace(options.partials(), state.equations(), contacts_.reach().equations());
  if (rule_ && !rule_->any()) rule_.reset();
  recording.with([this] { show(); }, [this] { hide(); });
}

void TimeStepping::switch_off() { contacts_.switches().turn_all_off(); }

// ---- the start

bool TimeStepping::refuse(const std::string& what, Span at, double t) {
  Diagnostic d = diagnostic_of(Kind::timestep_unfit, t, {what}, "take `contact = event`");
  d.span = at;
  return state_.stop(std::move(d));
}

bool TimeStepping::refuse(const std::string& name, Span span, const char* help, double t) {
  Diagnostic d = diagnostic_of(Kind::timestep_unfit, t, {"`" + printable(name) + "`"}, help);
  point_at(d, state_.info(), name, span);
  return state_.stop(std::move(d));
}

// Refuses models and settings that time stepping does not support; the message names them.
bool TimeStepping::fits(double t) {
  for (const problem::Event& e : events_.list)
    if (const bool corners = e.samples && e.actions.empty(); !e.kink && !e.of_contact() && !corners)
      return refuse(
          e.name, e.span,
          e.written() ? "take `contact = event`" : "take `contact = event`, or write the signal as a function of t", t);
  for (const problem::ReactionDependentForce& load : events_.reaction_dependent)
    return refuse(load.name, load.span, "take `contact = event`: in steps a load knows no impulses", t);
  if (options_.until_event) return refuse("`--until-event`", {}, t);
  if (options_.exchange) return refuse("steps that a host makes", {}, t);
  if (state_.layout().quasi) return refuse("a formulation in independent speeds", options_.formulation_at, t);
  if ((state_.layout().n_rows - events_.contact_rows()) * state_.layout().n_speeds <= kMostEntries) return true;
  return state_.stop(
      diagnostic_of(Kind::contact_too_large, t, {std::to_string(state_.layout().n_rows + state_.layout().n_speeds)}));
}

bool TimeStepping::start(double t) {
  if (!fits(t)) return false;
  const std::optional<Gaps::Violated> off = contacts_.gaps().violated(t, state_.y());
  if (!off) return true;
  return refuse(*off, Kind::unilateral_violated, {}, t, "begin where it holds, or let what moves it there be a force");
}

bool TimeStepping::leaves(const Gaps::Violated& left, double t) {
  return refuse(left, Kind::gap_left, {text::short_number(t, 9)}, t,
                "take smaller steps, in which nothing moves by as much as its radius, or `contact = event`");
}

bool TimeStepping::refuse(const Gaps::Violated& gap, Kind kind, std::vector<std::string> more, double t,
                          const char* help) {
  const std::string& name = events_.list[events_.unilaterals[gap.unilateral].touches].name;
  more.insert(more.begin(), {printable(name), text::short_number(gap.by, 3)});
  return state_.stop(about_contact(state_.info(), gap.unilateral, kind, t, std::move(more), help));
}

// ---- outputs

// Shows outputs the contact forces and accelerations of the last step at the present state, until hide().
void TimeStepping::show() {
  std::vector<double>& dy = state_.dy();
  rate_ = dy;
  for (std::size_t i = 0; i < accelerations_.size(); ++i) dy[state_.layout().speeds_at() + i] += accelerations_[i];
  const double* lambda = state_.equations().lambda();
  Vector shown(state_.layout().n_rows);
  for (std::uint32_t i = 0; i < state_.layout().n_rows; ++i) shown[i] = forces_[i] + lambda[i];
  state_.equations().set_lambda(shown);
  show_discrete_state();
}

void TimeStepping::show_discrete_state() {
  for (std::size_t k = 0; k < kept_.size(); ++k) discrete().set_active(events_.unilaterals[k], rests_[k] != 0);
  for (std::size_t k = 0; k < sticks_.size(); ++k) {
    const problem::Friction& f = events_.frictions[k];
    discrete().set_sticks(f, sticks_[k] != 0);
    const double force = Eigen::Map<const Vector>(forces_.data() + f.row, f.count).norm();
    if (sticks_[k] != 0 || !(force > 0)) continue;
    discrete().negligible_slip(f) =
        std::numeric_limits<double>::max();  // the force acts at any slip, not only against that after the step
    for (std::uint32_t i = 0; i < f.count; ++i) discrete().direction(f, i) = -forces_[f.row + i] / force;
    if (f.size) discrete()[*f.size] = force;
  }
}

void TimeStepping::hide() {
  state_.dy() = rate_;
  contacts_.switches().turn_all_off();
}

// ---- a step

// Makes the step without contacts by the midpoint rule.
bool TimeStepping::make_free_step(double t, double h) {
  const std::vector<double>&y = state_.y(), &rate = state_.dy();
  middle_ = y;
  for (std::size_t i = 0; i < y.size(); ++i) middle_[i] += 0.5 * h * rate[i];
  if (stepping_.rhs(t + 0.5 * h, middle_.data(), dy_.data()) != 0) return state_.undefined(t + 0.5 * h);
  free_lambda_.assign(state_.equations().lambda(), state_.equations().lambda() + state_.layout().n_rows);
  free_ = y;
  for (std::size_t i = 0; i < y.size(); ++i) free_[i] += h * dy_[i];
  return true;
}

bool TimeStepping::failed(ContactStep::Outcome outcome, double t) {
  if (outcome == ContactStep::Outcome::undefined) return state_.undefined(t);
  Diagnostic d = contacts_.failure();
  d.time = t;
  return state_.stop(std::move(d));
}

bool TimeStepping::energy_at(double t, std::vector<double>& y, double& energy) {
  state_.equations().energies(t, y.data(), dy_.data());
  energy = state_.equations().kinetic() + state_.equations().potential();
  return std::isfinite(energy);
}

// Evaluates the rates at the middle with the mean of the speeds at both ends.
bool TimeStepping::take_mean_rates(double t, double h, const std::vector<double>& began) {
  const std::uint32_t speeds_at = state_.layout().speeds_at();
  for (std::uint32_t i = 0; i < state_.layout().n_speeds; ++i)
    middle_[speeds_at + i] = 0.5 * (began[speeds_at + i] + (free_[speeds_at + i] + contacts_.jump()[i]));
  return stepping_.rhs(t + 0.5 * h, middle_.data(), mean_dy_.data()) == 0 || state_.undefined(t + 0.5 * h);
}

// Returns whether forces depend on the speeds that contacts change: a damper at a part that lies on the ground would
// act against its free fall. Such a part may be small beside the forces of the contacts and large beside what else
// moves the model: a light damper under a heavy car at rest.
bool TimeStepping::forces_differ(double t, double h) {
  const kernel::SystemLayout& l = state_.layout();
  const auto change = [&](std::uint32_t i) { return mean_dy_[l.speeds_at() + i] - dy_[l.speeds_at() + i]; };
  bool any = false;
  for (std::uint32_t i = 0; i < l.n_speeds && !any; ++i) any = change(i) != 0;
  if (!any) return false;
  state_.equations().assemble(t + 0.5 * h, middle_.data());
  double changed = 0, jumped = 0;
  for (std::size_t k = 0; k < l.mass.size(); ++k) {
    const auto [i, j] = l.mass[k];
    if (i != j) continue;
    const double inertia = state_.equations().work()[l.M + k], jump = contacts_.jump()[i] / h;
    changed += inertia * change(i) * change(i);
    jumped += inertia * jump * jump;
  }
  return changed > options_.contact_tolerance * options_.contact_tolerance * jumped;
}

// Makes the step without contacts again, with the forces at the mean of the speeds at both ends.
void TimeStepping::take_free_step(double t, double h, const std::vector<double>& began) {
  const kernel::SystemLayout& l = state_.layout();
  dy_ = mean_dy_;
  free_lambda_.assign(state_.equations().lambda(), state_.equations().lambda() + l.n_rows);
  for (std::uint32_t i = l.speeds_at(); i < l.n_y(); ++i) free_[i] = began[i] + h * dy_[i];
  for (std::uint32_t i = l.speeds_at(); i < l.states_at(); ++i) middle_[i] = 0.5 * (began[i] + free_[i]);
  state_.equations().rates(t + 0.5 * h, middle_.data(), rates_.data());
  for (std::uint32_t i = 0; i < l.speeds_at(); ++i) free_[i] = began[i] + h * rates_[i];
}

// Returns the work of the contacts, whose impulses act at the mean of the speeds at both ends.
double TimeStepping::work_of_contacts(double t, double h, const std::vector<double>& began) {
  const kernel::SystemLayout& l = state_.layout();
  state_.equations().assemble(t + 0.5 * h, middle_.data());
  const auto mean = [&](std::uint32_t i) {
    return 0.5 * (began[l.speeds_at() + i] + free_[l.speeds_at() + i] + contacts_.jump()[i]);
  };
  double work = 0;
  for (std::size_t k = 0; k < l.mass.size(); ++k) {
    const auto [i, j] = l.mass[k];
    const double inertia = state_.equations().work()[l.M + k];
    work += inertia * mean(i) * contacts_.jump()[j];
    if (i != j) work += inertia * mean(j) * contacts_.jump()[i];
  }
  return work;
}

// Solves the contacts of a step with the forces that belong to their solution. Returns false if the run ends here.
bool TimeStepping::meet_contacts(double t, double h, const std::vector<double>& began) {
  using Outcome = ContactStep::Outcome;
  work_.reset();
  Outcome made = solve_contacts(t, h, began);
  for (int again = 0; made == Outcome::settled && contacts_.touched(); ++again) {
    if (!take_mean_rates(t, h, began)) return false;
    if (again == kForceCorrections || !forces_differ(t, h)) break;
    take_free_step(t, h, began);
    made = solve_contacts(t, h, began);
    if (made == Outcome::settled) work_ = work_of_contacts(t, h, began);
  }
  return made == Outcome::settled || failed(made, t);
}

// Returns how far a coordinate has moved at the middle, plus how far one would move to the end with these speeds.
double TimeStepping::way_with(double t, double h, const double* speeds) {
  std::copy_n(speeds, state_.layout().n_speeds, middle_.begin() + state_.layout().speeds_at());
  state_.equations().rates(t + 0.5 * h, middle_.data(), rates_.data());
  double fastest = 1;  // rate of the time
  for (std::uint32_t i = 0; i < state_.layout().speeds_at(); ++i) fastest = std::max(fastest, std::fabs(rates_[i]));
  return contacts_.gaps().way_to(t + 0.5 * h, middle_) + 0.5 * h * fastest;
}

// Solves the candidate contacts of a step. If a coordinate moves farther than assumed, it solves again with more
// candidates.
ContactStep::Outcome TimeStepping::solve_contacts(double t, double h, const std::vector<double>& began) {
  const std::uint32_t speeds_at = state_.layout().speeds_at();
  Gaps& gaps = contacts_.gaps();
  std::vector<double>& y = state_.y();
  gaps.begin(t, y);
  const double free = way_with(t, h, free_.data() + speeds_at);
  for (double way = kFarther * free;;) {
    gaps.reach(way);
    const ContactStep::Outcome made = contacts_.solve({.t = t + 0.5 * h,
                                                       .h = h,
                                                       .before = began.data() + speeds_at,
                                                       .free = free_.data() + speeds_at,
                                                       .dy = dy_.data(),
                                                       .lambda = free_lambda_.data(),
                                                       .metric = back_.acts ? &rule_->metric() : nullptr},
                                                      middle_);
    if (made != ContactStep::Outcome::settled || !contacts_.touched()) return made;
    behind_.resize(state_.layout().n_speeds);
    for (std::size_t i = 0; i < behind_.size(); ++i) behind_[i] = free_[speeds_at + i] + contacts_.jump()[i];
    if (back_.acts) behind_ = speeds_from_middle(behind_);
    const double needed = way_with(t, h, behind_.data());
    if (!(needed > way)) return made;
    way = kFarther * needed;
  }
}

// Makes a step of which all loads are those of the middle.
bool TimeStepping::make_midpoint_step(double t, double h, const std::vector<double>& began) {
  if (!meet_contacts(t, h, began)) return false;
  contacts_.keep();
  if (contacts_.touched() && !energy_at(t + h, free_, free_energy_)) return state_.undefined(t + h);
  impulse_ = contacts_.jump();
  std::vector<double>& y = state_.y();
  y = free_;
  if (!contacts_.touched()) return true;
  Vector moved = 0.5 * h * contacts_.way();
  constraints_.projector().displace(true, t + 0.5 * h, y.data(), moved.data());
  for (std::uint32_t i = 0; i < state_.layout().n_speeds; ++i)
    y[state_.layout().speeds_at() + i] += contacts_.jump()[i];
  for (std::uint32_t i = state_.layout().states_at(); i < state_.layout().n_y(); ++i) y[i] = began[i] + h * mean_dy_[i];
  return true;
}

bool TimeStepping::step(double t, double h) {
  std::vector<double>& y = state_.y();
  const std::vector<double> began = y;
  const bool backward = begins_stiff(t, h);
  if (!backward && !make_free_step(t, h)) return false;
  if (!(backward ? make_backward_step(t, h, began) : make_midpoint_step(t, h, began))) return false;
  note(t, h);
  if (!stepping_.settle(t, began, t + h)) return false;
  Gaps& gaps = contacts_.gaps();
  if (!gaps.move_back(t + h, y)) return state_.undefined(t + h);
  if (const std::optional<Gaps::Violated> left = gaps.left(y)) return leaves(*left, t);
  if (gaps.moved() && constraints_.stabiliser().acts())
    constraints_.projector().project(t + h, y.data(), options_.tolerance, constraints_.near_singular());
  state_.data().penetration = std::max(state_.data().penetration, gaps.missing());
  state_.data().penetration_before = std::max(state_.data().penetration_before, gaps.missing_before());
  double energy = 0;
  if (contacts_.touched() && !energy_at(t + h, y, energy)) return state_.undefined(t + h);
  if (!take_work(t, h, began)) return false;
  // The step without contacts misses the energy that its forces at other speeds would give.
  const std::uint32_t loads = state_.layout().work_at(), constraints = loads + 1;
  if (work_)
    state_.data().work_of_events += *work_;
  else if (contacts_.touched())
    state_.data().work_of_events +=
        energy - free_energy_ - (y[loads] - free_[loads]) - (y[constraints] - free_[constraints]);
  ++state_.data().steps;
  return true;
}

void TimeStepping::note_all() {
  noted_.resize(kept_.size());
  std::iota(noted_.begin(), noted_.end(), 0U);
}

// Notes mean forces, impacts and changes of friction.
void TimeStepping::note(double t, double h) {
  for (std::uint32_t i = 0; i < state_.layout().n_speeds; ++i) accelerations_[i] = impulse_[i] / h;
  for (std::uint32_t i = 0; i < state_.layout().n_rows; ++i) forces_[i] = contacts_.impulses()[i] / h;
  for (std::uint32_t k = 0; k < sticks_.size(); ++k) note_friction(k, t + h);
  state_.data().contact_error = std::max(state_.data().contact_error, contacts_.error());
  if (contacts_.lowered()) ++state_.data().lowered_restitutions;
  for (const std::uint32_t k : noted_) kept_[k] = rests_[k] = 0;
  noted_ = contacts_.reach().inequalities();
  for (const std::uint32_t k : noted_) {
    const problem::Unilateral& u = events_.unilaterals[k];
    kept_[k] = contacts_.impulses()[u.row] > 0 ? 1 : 0;
    rests_[k] = contacts_.rests(k) ? 1 : 0;
    if (!contacts_.met(k)) continue;
    discrete().impulse(u) = contacts_.impulses()[u.row];
    tell(u.touches, t + h);
  }
}

// Reports a change of friction. A friction that sticks from the first step on has not come to rest.
void TimeStepping::note_friction(std::uint32_t k, double t) {
  const double sticks = contacts_.sticks(k) ? 1 : 0;
  const problem::Friction& f = events_.frictions[k];
  if (std::exchange(sticks_[k], sticks) != sticks && state_.data().steps > 0) tell(sticks != 0 ? f.rests : f.slips, t);
}

void TimeStepping::tell(std::uint32_t event, double t) {
  discrete().count(events_.list[event], t);
  ++state_.data().events;
  if (options_.on_event) options_.on_event(t, event);
}

}  // namespace mbc::runtime
