// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/model_exchange.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/constraints/conflict_text.h"
#include "runtime/record/run_failure.h"

namespace mbc::runtime {

ModelExchange::ModelExchange(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                             AcceptedState& accepted, Stepping& stepping, EventRun* events)
    : options_(options),
      state_(state),
      constraints_(constraints),
      accepted_(accepted),
      stepping_(stepping),
      given_(state_.layout().n_y()),
      y_(state_.layout().n_y()),
      again_(state_.layout().n_y()) {
  if (events != nullptr) events_.emplace(options, state, constraints, accepted, *events);
}

std::size_t ModelExchange::indicator_count() const {
  const std::vector<problem::Event>& list = state_.info().events.list;
  const auto followed = [this](const problem::Event& e) { return e.followed(options_.locates_kinks); };
  return events_ ? static_cast<std::size_t>(std::count_if(list.begin(), list.end(), followed)) : 0;
}

// ---- rates and indicators

bool ModelExchange::look(double t, const double* given) {
  if (known_ && t == t_ && std::equal(given_.begin(), given_.end(), given)) return true;
  why_.reset();
  t_ = t;
  given_.assign(given, given + given_.size());
  y_ = given_;
  normalise(state_.info(), y_.data());
  Stabiliser::Outcome made = constraints_.between_steps(t, y_.data());
  off_ = made.before;
  if (!made.conflicting.empty())
    why_ =
        conflict_diagnostic(state_.equations(), state_.info(), made.conflicting, t, y_.data(), state_.data().reached);
  if (made.diagnostic) why_ = std::move(made.diagnostic);
  known_ = !why_;
  return known_;
}

bool ModelExchange::no_rate(double t) {
  why_ = why_undefined(state_.equations(), state_.info(), t, y_.data());
  return false;
}

bool ModelExchange::rate(double t, const double* given, double* dy) {
  if (!look(t, given)) return false;
  const auto finite = [&] {
    ++state_.data().evaluations;
    return state_.equations().fast_rhs(t, y_.data(), dy) || state_.equations().rhs(t, y_.data(), dy) == 0;
  };
  if (finite()) return true;
  // The functions are evaluated as written, because the mode may have no value at this state.
  return (events_ && events_->opens_modes() && finite()) || no_rate(t);
}

bool ModelExchange::indicators(double t, const double* given, double* out) {
  if (!look(t, given)) return false;
  if (!events_) return true;
  again_ = y_;
  return events_->indicators(t, again_.data(), out) || no_rate(t);
}

// ---- steps and instants

double ModelExchange::next_time() const {
  return events_ ? events_->next_time() : std::numeric_limits<double>::infinity();
}

bool ModelExchange::completed(double t, const double* given, double& off) {
  if (!look(t, given)) return state_.stop(*why_);
  off = off_;
  ++state_.data().steps;
  state_.y() = y_;
  state_.integrated().forget_quasi_velocities();
  if (!accepted_.evaluate(t)) return false;
  if (events_) events_->passed(t);
  return true;
}

bool ModelExchange::instant(double t, const double* given) {
  known_ = false;
  std::vector<double>& y = state_.y();
  y.assign(given, given + y.size());
  normalise(state_.info(), y.data());
  if (constraints_.stabiliser().corrects()) {
    Stabiliser::Outcome made = constraints_.after_step(t, y.data());
    if (!stepping_.accepts(t, y.data(), std::move(made))) return false;
  }
  state_.integrated().forget_quasi_velocities();
  return accepted_.evaluate(t) && (!events_ || events_->arrive(t));
}

void ModelExchange::transfer(Archive& archive) {
  if (events_) archive(*events_);
  known_ = false;
}

}  // namespace mbc::runtime
