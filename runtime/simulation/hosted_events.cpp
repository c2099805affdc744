// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/hosted_events.h"

#include <algorithm>

namespace mbc::runtime {

void HostedEvents::begin(double t) {
  events_.instant_.evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), values_);
  indicators_.begin(values_);
  if (events_.instant_.follows()) events_.instant_.follow(values_);
}

// Two events are of one instant where they lie within the tolerance of times, and one that a host has located to the
// last bit before its change happens there.
bool HostedEvents::arrive(double t) {
  events_.instant_.evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), values_);
  const bool edge = indicators_.at_edge(values_);
  indicators_.take_sides(values_, fired_);
  if (!fired_.empty() || edge) {
    const double soon = events_.tolerance(t);
    y_ = run_.integrated.y();
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += soon * run_.integrated.dy()[i];
    if (events_.values_at(t + soon, y_.data(), values_)) indicators_.take_sides(values_, fired_);
    if (!accepted_.evaluate_again(t)) return false;
    if (!draw_out(t)) return false;
  }
  if (!events_.arrive(t)) return false;
  begin(t);
  return true;
}

// Where a host has not located a touch but gone on to the end of its step, positions are brought back to it, as rows
// that are equations are kept; velocities stay.
bool HostedEvents::draw_out(double t) {
  const problem::DiscreteState discrete = run_.discrete_state();
  std::vector<double*> drawn;
  for (const problem::Unilateral& u : events_.events_.unilaterals) {
    const bool touches = std::find(fired_.begin(), fired_.end(), u.touches) != fired_.end();
    if (touches && values_[u.gap] < 0 && !events_.watch_.rests(u.touches, values_))
      drawn.push_back(&discrete[u.active]);
  }
  if (drawn.empty()) return true;
  std::vector<double>& y = run_.integrated.y();
  const std::uint32_t first = run_.layout.speeds_at(), last = run_.layout.states_at();
  const std::vector<double> speeds(y.begin() + first, y.begin() + last);
  for (double* active : drawn) *active = 1;
  bool good = events_.certify_again(t);
  if (good) run_.projector.project(t, y.data(), run_.options.tolerance, run_.certification.near_singular());
  for (double* active : drawn) *active = 0;
  std::copy(speeds.begin(), speeds.end(), y.begin() + first);
  good = good && events_.certify_again(t);
  if (good && run_.stabiliser.corrects())
    run_.projector.project(t, y.data(), run_.options.tolerance, run_.certification.near_singular());
  run_.integrated.forget_quasi_velocities();
  return good && accepted_.evaluate_again(t);
}

void HostedEvents::passed(double t) {
  events_.instant_.evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), values_);
  indicators_.leave_zero(values_);
  events_.hold_branches(t);
  if (events_.instant_.follows()) events_.instant_.follow(values_);
}

bool HostedEvents::indicators(double t, double* y, double* out) {
  if (!events_.values_at(t, y, values_)) return false;
  for (const std::uint32_t event : events_.watch_.watched()) *out++ = indicators_.value(event, values_);
  return true;
}

}  // namespace mbc::runtime
