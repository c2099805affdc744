// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/runs/hosted_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/constraints/conflict_text.h"
#include "runtime/simulation/data/run_failure.h"

namespace mbc::runtime {

HostedRun::HostedRun(RunParts& run, AcceptedState& accepted, Stepping& stepping, EventRun* events)
    : run_(run),
      accepted_(accepted),
      stepping_(stepping),
      events_(events),
      given_(run.layout.n_y()),
      y_(run.layout.n_y()),
      again_(run.layout.n_y()) {}

std::size_t HostedRun::indicator_count() const {
  const std::vector<EventInfo>& list = run_.info.events.list;
  const auto followed = [this](const EventInfo& e) { return e.followed(run_.options.locates_kinks); };
  return events_ != nullptr ? static_cast<std::size_t>(std::count_if(list.begin(), list.end(), followed)) : 0;
}

// ---- looking

bool HostedRun::look(double t, const double* given) {
  if (known_ && t == t_ && std::equal(given_.begin(), given_.end(), given)) return true;
  why_.reset();
  t_ = t;
  given_.assign(given, given + given_.size());
  y_ = given_;
  normalise(run_.info, y_.data());
  Stabiliser::Outcome made = run_.stabiliser.between_steps(t, y_.data(), run_.certification.near_singular());
  off_ = made.before;
  if (!made.conflicting.empty())
    why_ = conflict_diagnostic(run_.equations, run_.info, made.conflicting, t, y_.data(), run_.data.reached);
  if (made.diagnostic) why_ = std::move(made.diagnostic);
  known_ = !why_;
  return known_;
}

bool HostedRun::no_rate(double t) {
  why_ = why_undefined(run_.equations, run_.info, t, y_.data());
  return false;
}

bool HostedRun::rate(double t, const double* given, double* dy) {
  if (!look(t, given)) return false;
  const auto finite = [&] {
    ++run_.data.evaluations;
    return run_.equations.fast_rhs(t, y_.data(), dy) || run_.equations.rhs(t, y_.data(), dy) == 0;
  };
  if (finite()) return true;
  // by the functions as they are written: the branch that is held may have no value there
  return (events_ != nullptr && events_->opens_branches() && finite()) || no_rate(t);
}

bool HostedRun::indicators(double t, const double* given, double* out) {
  if (!look(t, given)) return false;
  if (events_ == nullptr) return true;
  again_ = y_;
  return events_->indicators(t, again_.data(), out) || no_rate(t);
}

// ---- steps and instants

double HostedRun::next_time() const {
  return events_ != nullptr ? events_->next_time() : std::numeric_limits<double>::infinity();
}

bool HostedRun::completed(double t, const double* given, double& off) {
  if (!look(t, given)) return run_.end(RunStatus::stopped, *why_);
  off = off_;
  ++run_.data.steps;
  run_.integrated.y() = y_;
  run_.integrated.forget_quasi_velocities();
  if (!accepted_.evaluate(t)) return false;
  if (events_ != nullptr) events_->passed_hosted(t);
  return true;
}

bool HostedRun::instant(double t, const double* given) {
  known_ = false;
  std::vector<double>& y = run_.integrated.y();
  y.assign(given, given + y.size());
  normalise(run_.info, y.data());
  if (run_.stabiliser.corrects()) {
    Stabiliser::Outcome made = run_.stabiliser.after_step(t, y.data(), run_.certification.near_singular());
    if (!stepping_.accepts(t, y.data(), std::move(made))) return false;
  }
  run_.integrated.forget_quasi_velocities();
  return accepted_.evaluate(t) && (events_ == nullptr || events_->arrive_hosted(t));
}

void HostedRun::transfer(Archive& archive) {
  if (events_ != nullptr) events_->transfer_hosted(archive);
  known_ = false;
}

// ---- what it asks of the events

void EventRun::begin_hosted(double t) {
  instant_.evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), values_);
  indicators_.begin(values_);
  if (instant_.follows()) instant_.follow(values_);
}

// Two events are of one instant where they lie within the tolerance of times, and one that a host has located to the
// last bit before its change happens there.
bool EventRun::arrive_hosted(double t) {
  instant_.evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), values_);
  const bool edge = indicators_.at_edge(values_);
  indicators_.take_sides(values_, fired_);
  if (!fired_.empty() || edge) {
    const double soon = tolerance(t);
    y_ = run_.integrated.y();
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += soon * run_.integrated.dy()[i];
    if (values_at(t + soon, y_.data(), values_)) indicators_.take_sides(values_, fired_);
    if (!accepted_.evaluate_again(t)) return false;
    if (!draw_out(t)) return false;
  }
  if (!arrive(t)) return false;
  begin_hosted(t);
  return true;
}

// Where a host has not located a touch but gone on to the end of its step, positions are brought back to it, as rows
// that are equations are kept; velocities stay.
bool EventRun::draw_out(double t) {
  std::vector<double*> drawn;
  for (const UnilateralInfo& u : events_.unilaterals) {
    const bool touches = std::find(fired_.begin(), fired_.end(), u.touches) != fired_.end();
    if (touches && values_[u.gap] < 0 && !watch_.rests(u.touches, values_))
      drawn.push_back(&run_.equations.inputs()[events_.held_at + u.active]);
  }
  if (drawn.empty()) return true;
  std::vector<double>& y = run_.integrated.y();
  const std::uint32_t first = run_.layout.speeds_at(), last = run_.layout.states_at();
  const std::vector<double> speeds(y.begin() + first, y.begin() + last);
  for (double* active : drawn) *active = 1;
  bool good = certify_again(t);
  if (good) run_.projector.project(t, y.data(), run_.options.tolerance, run_.certification.near_singular());
  for (double* active : drawn) *active = 0;
  std::copy(speeds.begin(), speeds.end(), y.begin() + first);
  good = good && certify_again(t);
  if (good && run_.stabiliser.corrects())
    run_.projector.project(t, y.data(), run_.options.tolerance, run_.certification.near_singular());
  run_.integrated.forget_quasi_velocities();
  return good && accepted_.evaluate_again(t);
}

void EventRun::passed_hosted(double t) {
  instant_.evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), values_);
  indicators_.leave_zero(values_);
  hold_branches(t);
  if (instant_.follows()) instant_.follow(values_);
}

bool EventRun::indicators(double t, double* y, double* out) {
  if (!values_at(t, y, values_)) return false;
  for (const std::uint32_t event : watch_.watched()) *out++ = indicators_.value(event, values_);
  return true;
}

}  // namespace mbc::runtime
