// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/exchange_events.h"

#include <algorithm>

namespace mbc::runtime {

ExchangeEvents::ExchangeEvents(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                               AcceptedState& accepted, EventRun& events)
    : options_(options),
      state_(state),
      constraints_(constraints),
      accepted_(accepted),
      events_(events),
      indicators_(state_.info().events, events.signs()),
      values_(state_.info().events.n_values) {
  events.leave_looking();
}

void ExchangeEvents::begin(double t) {
  const std::vector<double>& values = events_.values_now(t);
  indicators_.begin(values);
  events_.follow(values);
}

// Two events belong to one instant if they lie within the tolerance of times. An event that the host has located to the
// last bit before its change also belongs to it.
bool ExchangeEvents::arrive(double t) {
  values_ = events_.values_now(t);
  fired_.clear();
  const bool edge = indicators_.at_edge(values_);
  indicators_.take_sides(values_, fired_);
  if (!fired_.empty() || edge) {
    const double soon = events_.tolerance(t);
    y_ = state_.y();
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += soon * state_.dy()[i];
    if (events_.values_at(t + soon, y_.data(), values_)) indicators_.take_sides(values_, fired_);
    if (!accepted_.evaluate_again(t)) return false;
    if (!draw_out(t)) return false;
  }
  if (!events_.arrive(t, fired_)) return false;
  begin(t);
  return true;
}

// Moves positions back to a contact that the host has not located but passed at the end of its step. The gap is treated
// as an equality row for the projection; velocities stay.
bool ExchangeEvents::draw_out(double t) {
  const problem::DiscreteState discrete = state_.discrete();
  std::vector<double*> drawn;
  for (const problem::Unilateral& u : state_.info().events.unilaterals) {
    const bool touches = std::find(fired_.begin(), fired_.end(), u.touches) != fired_.end();
    if (touches && values_[u.gap] < 0 && !events_.signs().rests(u.touches, values_))
      drawn.push_back(&discrete[u.active]);
  }
  if (drawn.empty()) return true;
  std::vector<double>& y = state_.y();
  const std::uint32_t first = state_.layout().speeds_at(), last = state_.layout().states_at();
  const std::vector<double> speeds(y.begin() + first, y.begin() + last);
  for (double* active : drawn) *active = 1;
  bool good = events_.certify_again(t);
  if (good) constraints_.projector().project(t, y.data(), options_.tolerance, constraints_.near_singular());
  for (double* active : drawn) *active = 0;
  std::copy(speeds.begin(), speeds.end(), y.begin() + first);
  good = good && events_.certify_again(t);
  if (good && constraints_.stabiliser().corrects())
    constraints_.projector().project(t, y.data(), options_.tolerance, constraints_.near_singular());
  state_.integrated().forget_quasi_velocities();
  return good && accepted_.evaluate_again(t);
}

void ExchangeEvents::passed(double t) {
  const std::vector<double>& values = events_.values_now(t);
  indicators_.leave_zero(values);
  events_.hold_modes(t);
  events_.follow(values);
}

bool ExchangeEvents::indicators(double t, double* y, double* out) {
  if (!events_.values_at(t, y, values_)) return false;
  for (const std::uint32_t event : events_.signs().watched()) *out++ = indicators_.value(event, values_);
  return true;
}

}  // namespace mbc::runtime
