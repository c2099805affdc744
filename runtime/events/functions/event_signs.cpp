// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/functions/event_signs.h"

#include <cmath>

namespace mbc::runtime {

namespace {

using EventKind = problem::Event::Kind;

constexpr double kEventSignsSeen =
    1e-13;  // of the largest number seen: a difference of this much is more than rounding

Side at_limit(const problem::ConditionTerm& c) { return c.at_limit ? Side::above : Side::below; }

}  // namespace

EventSigns::EventSigns(const problem::Events& events, bool kinks, const double& gaps_known)
    : events_(events),
      gaps_known_(gaps_known),
      idle_(events.list.size()),
      timed_(events.list.size()),
      held_(events.n_values),
      of_held_(events.list.size()),
      sides_(events.list.size(), Side::open),
      sizes_(events.n_values),
      roundings_(events.n_values),
      zero_(events.n_values) {
  for (std::uint32_t k = 0; k < events.list.size(); ++k)
    if (events.list[k].followed(kinks)) watched_.push_back(k);
}

void EventSigns::know(TimeFunctions* time_functions) {
  time_functions_ = time_functions;
  std::fill(timed_.begin(), timed_.end(), 0);
  for (const std::uint32_t event : watched_)
    each_number(events_.list[event], [&](std::uint32_t number, Reading reading) {
      if (time_functions != nullptr && time_functions->has(number, reading)) timed_[event] = 1;
    });
}

void EventSigns::hold(const std::vector<char>& numbers) {
  held_ = numbers;
  for (const std::uint32_t event : watched_) {
    of_held_[event] = 0;
    each_signed_number(events_.list[event], [&](std::uint32_t number) {
      if (held_[number] != 0) of_held_[event] = 1;
    });
  }
}

bool EventSigns::of_rates() const {
  return std::any_of(watched_.begin(), watched_.end(),
                     [&](std::uint32_t k) { return events_.list[k].of_rates && idle_[k] == 0; });
}

// Returns the truth of a condition. `compared` gives the side of a comparison by its margin. Sides that depend on the
// time alone are known.
template <class Compared>
Side EventSigns::truth(std::uint32_t event, const std::vector<double>& values, Compared&& compared) const {
  return combined(events_.list[event].terms, [&](const problem::ConditionTerm& c) {
    if (const std::optional<Side> known = known_side(c.value, reading_of(c))) return *known;
    return c.kind == problem::ConditionTerm::Kind::exact ? exact_side(c, values) : compared(c, values[c.value]);
  });
}

// If a jump inside the term is at its discontinuity up to rounding, the truth is decided by rounding and therefore
// open.
Side EventSigns::exact_side(const problem::ConditionTerm& term, const std::vector<double>& values) const {
  for (const std::uint32_t edge : term.edges)
    if (at_zero(edge, values[edge])) return Side::open;
  return values[term.value] != 0 ? Side::above : Side::below;
}

Side EventSigns::side_of(std::uint32_t event, const std::vector<double>& values) const {
  const problem::Event& e = events_.list[event];
  const double v = values[e.value];
  if (of_held_[event] != 0) return e.kind != EventKind::condition ? Side::open : clear_of(event, values);
  if (e.kind != EventKind::condition) {
    if (timed_[event] != 0)
      if (const std::optional<Side> known = known_side(e.value, Reading::number)) return *known;
    return v > 0 ? Side::above : v < 0 ? Side::below : Side::open;
  }
  if (holds(event, values)) return Side::above;
  return clear_of(event, values) == Side::below ? Side::below : Side::open;
}

// Returns whether a condition is true by its values and by the known sides of the time alone.
bool EventSigns::holds(std::uint32_t event, const std::vector<double>& values) const {
  const problem::Event& e = events_.list[event];
  if (timed_[event] == 0) return values[e.value] != 0;
  return combined(e.terms, [&](const problem::ConditionTerm& c) {
           if (const std::optional<Side> known = known_side(c.value, reading_of(c))) return *known;
           const double v = values[c.value];
           const bool holds = c.kind == problem::ConditionTerm::Kind::exact ? v != 0 : v > 0 || (v == 0 && c.at_limit);
           return holds ? Side::above : Side::below;
         }) == Side::above;
}

Side EventSigns::clear_of(std::uint32_t event, const std::vector<double>& values) const {
  return truth(event, values, [&](const problem::ConditionTerm& c, double margin) {
    return at_zero(c.value, margin) ? Side::open : margin > 0 ? Side::above : Side::below;
  });
}

bool EventSigns::became_true(std::uint32_t event, const std::vector<double>& before,
                             const std::vector<double>& after) const {
  const problem::Event& e = events_.list[event];
  if (e.kind != EventKind::condition || side_of(event, before) != Side::below) return false;
  return truth(event, after, [&](const problem::ConditionTerm& c, double margin) {
           return at_zero(c.value, margin) ? at_limit(c) : margin > 0 ? Side::above : Side::below;
         }) == Side::above;
}

Side EventSigns::begins_on(std::uint32_t event, const std::vector<double>& values, const std::vector<double>& terms,
                           double roundings) const {
  const problem::Event& e = events_.list[event];
  const auto zero = [&](std::uint32_t number) { return std::fabs(values[number]) <= roundings * terms[number]; };
  if (e.kind != EventKind::condition) return zero(e.value) ? Side::open : side_of(event, values);
  return truth(event, values, [&](const problem::ConditionTerm& c, double margin) {
    return zero(c.value) ? at_limit(c) : margin > 0 ? Side::above : Side::below;
  });
}

bool EventSigns::fires(std::uint32_t event, Side from, Side to) const {
  if (events_.list[event].of_contact()) return to == Side::below && from != to;  // at zero no contact is active
  if (from == Side::open || to == Side::open || from == to) return false;
  const EventKind kind = events_.list[event].kind;
  return kind == EventKind::crossing || (kind == EventKind::falling) == (to == Side::below);
}

void EventSigns::measure(std::uint32_t event, const std::vector<double>& values) {
  each_signed_number(events_.list[event], [&](std::uint32_t number) { expect(number, std::fabs(values[number])); });
}

bool EventSigns::rests(std::uint32_t event, const std::vector<double>& values) const {
  const problem::Event& e = events_.list[event];
  if (e.kind == EventKind::condition || known_side(e.value, Reading::number)) return false;
  return at_zero(e.value, values[e.value]);
}

bool EventSigns::at_zero(std::uint32_t number, double value) const {
  return std::fabs(value) <= zero_of_number(number);
}

// Returns the size that counts as zero. Gaps are followed down to their rounding, because a rebound may be low.
double EventSigns::zero_of(std::uint32_t event) const {
  const problem::Event& e = events_.list[event];
  const double gap = e.kind == EventKind::touches ? std::max(kEventSignsSeen, gaps_known_) : kEventSignsSeen;
  return (e.may_graze() ? gap : kAtZero) * sizes_[e.value];
}

void EventSigns::begin_contact(std::uint32_t event, double value) {
  sides_[event] = value > zero_of(event) ? Side::above : Side::open;
}

Side EventSigns::leaves_rest(std::uint32_t event, const std::vector<double>& values) const {
  const double value = values[events_.list[event].value];
  if (value > zero_of(event)) return Side::above;
  return missing(event, value) ? Side::below : Side::open;
}

// Returns the side to which an open number goes.
Side EventSigns::leaves_zero(std::uint32_t number, double theta, double value) const {
  if (held_[number] != 0) return Side::open;
  const double moved = value - zero_[number], size = sizes_[number];
  if (!at_zero(number, value)) return value > 0 ? Side::above : Side::below;
  if (std::fabs(moved) <= std::max(kEventSignsSeen * size, roundings_[number]) ||
      std::fabs(moved) <= kAtZero * size * theta)
    return Side::open;
  return moved > 0 ? Side::above : Side::below;
}

// A condition whose side opened within this step has no known direction, so only a clear truth counts.
Side EventSigns::leaves(std::uint32_t event, double theta, const std::vector<double>& values) const {
  const problem::Event& e = events_.list[event];
  if (e.of_contact()) return leaves_rest(event, values);
  if (e.kind != EventKind::condition) return leaves_zero(e.value, theta, values[e.value]);
  if (sides_[event] != Side::open) return clear_of(event, values);
  return truth(event, values,
               [&](const problem::ConditionTerm& c, double margin) { return leaves_zero(c.value, theta, margin); });
}

void EventSigns::open_truth(Side& side, std::uint32_t event) const {
  if (events_.list[event].kind == EventKind::condition && side == Side::above) side = Side::open;
}

double EventSigns::rest_of(std::uint32_t event) const {
  const std::uint32_t number = events_.list[event].value;
  const double begin = std::min(zero_[number], 0.0);
  return begin < -zero_of(event) ? begin : std::max(begin, -kEventSignsSeen * sizes_[number]);
}

// Returns whether a gap or contact force that has rested is missing.
bool EventSigns::missing(std::uint32_t event, double value) const { return value < rest_of(event) - zero_of(event); }

Side EventSigns::at_instant(std::uint32_t event, const std::vector<double>& values) const {
  const double value = values[events_.list[event].value];
  const bool rests = sides_[event] == Side::open && events_.list[event].of_contact() && value <= zero_of(event) &&
                     !missing(event, value);
  return rests ? Side::open : side_of(event, values);
}

}  // namespace mbc::runtime
