// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/model_exchange.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/contains.h"
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
      again_(state_.layout().n_y()),
      events_(events),
      values_(state_.info().events.n_values) {
  if (events == nullptr) return;
  indicators_.emplace(state_.info().events, events->signs());
  events->leave_looking();
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
  if (!events_->values_at(t, again_.data(), values_)) return no_rate(t);
  for (const std::uint32_t event : events_->signs().watched()) *out++ = indicators_->value(event, values_);
  return true;
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
  if (!events_) return true;
  const std::vector<double>& values = events_->values_now(t);
  indicators_->leave_zero(values);
  if (!events_->hold_modes(t)) return false;
  events_->follow(values);
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
  return accepted_.evaluate(t) && (!events_ || arrive(t));
}

// ---- events

void ModelExchange::begin_events(double t) {
  const std::vector<double>& values = events_->values_now(t);
  indicators_->begin(values);
  events_->follow(values);
}

// Two events belong to one instant if they lie within the tolerance of times. An event that the host has located to the
// last bit before its change also belongs to it.
bool ModelExchange::arrive(double t) {
  values_ = events_->values_now(t);
  fired_.clear();
  const bool edge = indicators_->at_edge(values_);
  indicators_->take_sides(values_, fired_);
  if (!fired_.empty() || edge) {
    const double soon = events_->tolerance(t);
    y_ = state_.y();
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += soon * state_.dy()[i];
    if (events_->values_at(t + soon, y_.data(), values_)) indicators_->take_sides(values_, fired_);
    if (!accepted_.evaluate_again(t)) return false;
    if (!draw_out(t)) return false;
  }
  if (!events_->arrive(t, fired_)) return false;
  begin_events(t);
  return true;
}

// Moves positions back to a contact that the host has not located but passed at the end of its step. The gap is treated
// as an equality row for the projection; velocities stay.
bool ModelExchange::draw_out(double t) {
  const problem::DiscreteState discrete = state_.discrete();
  std::vector<double*> drawn;
  for (const problem::Unilateral& u : state_.info().events.unilaterals) {
    if (contains(fired_, u.touches) && values_[u.gap] < 0 && !events_->signs().rests(u.touches, values_))
      drawn.push_back(&discrete[u.active]);
  }
  if (drawn.empty()) return true;
  std::vector<double>& y = state_.y();
  const std::uint32_t first = state_.layout().speeds_at(), last = state_.layout().states_at();
  const std::vector<double> speeds(y.begin() + first, y.begin() + last);
  for (double* active : drawn) *active = 1;
  bool good = events_->certify_again(t);
  if (good) constraints_.projector().project(t, y.data(), options_.tolerance, constraints_.near_singular());
  for (double* active : drawn) *active = 0;
  std::copy(speeds.begin(), speeds.end(), y.begin() + first);
  good = good && events_->certify_again(t);
  if (good && constraints_.stabiliser().corrects())
    constraints_.projector().project(t, y.data(), options_.tolerance, constraints_.near_singular());
  state_.integrated().forget_quasi_velocities();
  return good && accepted_.evaluate_again(t);
}

void ModelExchange::transfer(Archive& archive) {
  if (indicators_) archive(*indicators_);
  known_ = false;
}

}  // namespace mbc::runtime
