// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/contact_instant.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "runtime/equations/user_place.h"

namespace mbc::runtime {

ContactInstant::ContactInstant(RunParts& run, EventWatch& watch, std::function<bool(double t)> certify_again)
    : run_(run),
      events_(run.info.events),
      list_(events_.unilaterals),
      watch_(watch),
      certify_again_(std::move(certify_again)),
      contact_(run.equations, run.info, run.projector),
      was_held_(list_.size()),
      met_(list_.size()) {}

bool ContactInstant::fail(const Contact::Failure& failure, double t) {
  Diagnostic d;
  d.kind = failure.kind;
  d.args = failure.args;
  const EventInfo& event = events_.list[list_[failure.which].touches];
  point_at(d, run_.info, event.name, event.span);
  d.time = t;
  d.help = failure.help;
  return run_.end(RunStatus::stopped, std::move(d));
}

bool ContactInstant::settle(double t, const std::vector<std::uint32_t>& fired) {
  for (std::size_t k = 0; k < list_.size(); ++k) {
    was_held_[k] = held(list_[k].active) != 0 ? 1 : 0;
    met_[k] = std::find(fired.begin(), fired.end(), list_[k].touches) != fired.end() ? 1 : 0;
  }
  const Contact::Outcome outcome = contact_.settle(t, run_.integrated.y(), was_held_, met_);
  if (outcome == Contact::Outcome::undefined) return run_.undefined(t);
  if (outcome == Contact::Outcome::failed) return fail(contact_.failure(), t);
  note_impacts(t);
  return go_on(t);
}

void ContactInstant::note_impacts(double t) {
  if (contact_.lowered()) ++run_.data.lowered_restitutions;
  for (const Contact::Touching& c : contact_.touching()) {
    const UnilateralInfo& u = list_[c.which];
    const EventInfo& touches = events_.list[u.touches];
    watch_.expect(u.touches, c.gap_size);
    watch_.expect(u.leaves, c.push_size);
    if (c.accumulates) run_.data.accumulations.push_back({touches.name, *c.accumulates});
    if (!(c.impulse > 0)) continue;
    held(u.impulse) = c.impulse;
    if (met_[c.which] != 0) continue;  // those that have fired are counted with all events
    held(touches.count) += 1;
    held(touches.time) = t;
  }
}

// With the rows that press as equations.
bool ContactInstant::go_on(double t) {
  bool switched = false;
  for (std::size_t k = 0; k < list_.size(); ++k)
    switched = switched || (held(list_[k].active) != 0) != (was_held_[k] != 0);
  changed_ = switched || contact_.moved();
  if (!changed_) return true;
  if (switched && !certify_again_(t)) return false;
  std::vector<double>& y = run_.integrated.y();
  const CorrectionReport made =
      run_.projector.project(t, y.data(), run_.options.tolerance, run_.certification.near_singular());
  if (made.converged) return true;
  const auto row = static_cast<std::size_t>(std::max(made.worst_row, 0));
  const std::uint32_t which = contact_.touching().empty() ? 0 : contact_.touching().front().which;
  return fail({Kind::contact_impossible, which, {"velocities", printable(run_.info.rows[row].name)}}, t);
}

void ContactInstant::note_sides(const std::vector<double>& values) {
  for (const UnilateralInfo& u : list_) {
    const bool is_held = held(u.active) != 0, allowed = !u.enabled || held(*u.enabled) != 0;
    watch_.set_idle(u.touches, is_held || !allowed);
    watch_.set_idle(u.leaves, !is_held);
    for (const std::uint32_t event : {u.touches, u.leaves})
      watch_.begin_contact(event, values[events_.list[event].value]);
  }
}

}  // namespace mbc::runtime
