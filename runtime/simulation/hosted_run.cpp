// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/hosted_run.h"

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
      given_(run.layout.n_y()),
      y_(run.layout.n_y()),
      again_(run.layout.n_y()) {
  if (events != nullptr) events_.emplace(run, accepted, *events);
}

std::size_t HostedRun::indicator_count() const {
  const std::vector<problem::Event>& list = run_.info.events.list;
  const auto followed = [this](const problem::Event& e) { return e.followed(run_.options.locates_kinks); };
  return events_ ? static_cast<std::size_t>(std::count_if(list.begin(), list.end(), followed)) : 0;
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
  return (events_ && events_->opens_branches() && finite()) || no_rate(t);
}

bool HostedRun::indicators(double t, const double* given, double* out) {
  if (!look(t, given)) return false;
  if (!events_) return true;
  again_ = y_;
  return events_->indicators(t, again_.data(), out) || no_rate(t);
}

// ---- steps and instants

double HostedRun::next_time() const { return events_ ? events_->next_time() : std::numeric_limits<double>::infinity(); }

bool HostedRun::completed(double t, const double* given, double& off) {
  if (!look(t, given)) return run_.end(RunStatus::stopped, *why_);
  off = off_;
  ++run_.data.steps;
  run_.integrated.y() = y_;
  run_.integrated.forget_quasi_velocities();
  if (!accepted_.evaluate(t)) return false;
  if (events_) events_->passed(t);
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
  return accepted_.evaluate(t) && (!events_ || events_->arrive(t));
}

void HostedRun::transfer(Archive& archive) {
  if (events_) archive(*events_);
  known_ = false;
}

}  // namespace mbc::runtime
