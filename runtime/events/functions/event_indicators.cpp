// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/functions/event_indicators.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/contains.h"

namespace mbc::runtime {

namespace {

// Relative to its largest value: an angle this far from zero has wrapped and not passed zero.
constexpr double kBehindRound = 0.5;

}  // namespace

// Returns the event function itself, or for a condition a number that is positive where the condition holds. The
// margins of comparisons are combined by minimum and maximum as in fuzzy logic (L. A. Zadeh, Information and Control 8
// (1965) 338-353).
double EventIndicators::margin(std::uint32_t event, const std::vector<double>& values) const {
  const problem::Event& e = events_.list[event];
  if (e.kind != problem::Event::Kind::condition) return values[e.value];
  return combined(e.terms, [&](const problem::ConditionTerm& c) {
    const double value = values[c.value];
    return c.kind == problem::ConditionTerm::Kind::comparison ? value : value != 0 ? 1.0 : -1.0;
  });
}

// Returns the size up to which the margin counts as zero.
double EventIndicators::nothing_of(std::uint32_t event) const {
  const problem::Event& e = events_.list[event];
  double nothing = std::numeric_limits<double>::min();
  if (e.kind != problem::Event::Kind::condition) return std::max(nothing, signs_.zero_of(event));
  for (const problem::ConditionTerm& c : e.terms)
    if (c.kind == problem::ConditionTerm::Kind::comparison) nothing = std::max(nothing, signs_.zero_of_number(c.value));
  return nothing;
}

double EventIndicators::value(std::uint32_t event, const std::vector<double>& values) const {
  const double of = margin(event, values);
  if (signs_.is_idle(event) || !std::isfinite(of)) return 1;
  if (signs_.side(event) != Side::open) return of;
  const problem::Event& e = events_.list[event];
  if (e.of_contact()) return of - std::min(signs_.at_begin(e.value), 0.0) + nothing_of(event);
  return of + leans_[event] * nothing_of(event);
}

// A number exactly at zero counts as passed, because a host may locate the change that exactly.
Side EventIndicators::side(std::uint32_t event, const std::vector<double>& values) const {
  const problem::Event& e = events_.list[event];
  const double v = values[e.value];
  const Side was = signs_.side(event);
  if (was == Side::open) {
    if (e.kind == problem::Event::Kind::condition) return signs_.clear_of(event, values);
    if (e.of_contact()) return signs_.leaves_rest(event, values);
    return signs_.at_zero(e.value, v) ? Side::open : signs_.side_of(event, values);
  }
  if (e.kind == problem::Event::Kind::condition) return signs_.side_of(event, values);
  if (v == 0) return was == Side::above ? Side::below : Side::above;
  return signs_.side_of(event, values);
}

void EventIndicators::take_sides(const std::vector<double>& values, std::vector<std::uint32_t>& fired) {
  for (const std::uint32_t event : signs_.watched()) {
    const problem::Event& e = events_.list[event];
    if (signs_.is_idle(event) || (e.kink && !std::isfinite(values[e.value]))) continue;
    signs_.measure(event, values);
    const Side was = signs_.side(event), now = side(event, values);
    if (now == Side::open) signs_.open_truth(event);
    if (now == Side::open || now == was) continue;
    const bool round = e.of_angles && e.kind != problem::Event::Kind::condition && was != Side::open &&
                       std::fabs(values[e.value]) > kBehindRound * signs_.size_of(e.value);
    const bool listed = contains(fired, event);
    if (round || listed || !signs_.fires(event, was, now)) {
      if (!listed) signs_.side(event) = now;
      continue;
    }
    fired.push_back(event);
    signs_.side(event) = Side::open;
    leans_[event] = static_cast<double>(now);
  }
}

bool EventIndicators::at_edge(const std::vector<double>& values) const {
  return std::any_of(signs_.watched().begin(), signs_.watched().end(), [&](std::uint32_t event) {
    return !signs_.is_idle(event) && signs_.side(event) != Side::open &&
           std::fabs(margin(event, values)) <= nothing_of(event);
  });
}

// A step of `floor` lies on one side of its edges, so its event function always leans to that side.
void EventIndicators::begin(const std::vector<double>& values) {
  signs_.begin_step(values);
  for (const std::uint32_t event : signs_.watched()) {
    const problem::Event& e = events_.list[event];
    if (!signs_.is_idle(event)) signs_.measure(event, values);
    if (signs_.side(event) != Side::open) leans_[event] = 0;
    if (signs_.side(event) == Side::open && leans_[event] == 0) leans_[event] = margin(event, values) < 0 ? -1 : 1;
    if (e.kink && e.kink->kind == problem::Discontinuity::Kind::steps) leans_[event] = -1;
  }
}

void EventIndicators::leave_zero(const std::vector<double>& values) {
  for (const std::uint32_t event : signs_.watched()) {
    const problem::Event& e = events_.list[event];
    if (signs_.is_idle(event) || (e.kink && !std::isfinite(values[e.value]))) continue;
    signs_.measure(event, values);
    if (signs_.side(event) != Side::open) continue;
    const Side now = side(event, values);
    if (now != Side::open && !signs_.fires(event, Side::open, now)) signs_.side(event) = now;
  }
}

}  // namespace mbc::runtime
