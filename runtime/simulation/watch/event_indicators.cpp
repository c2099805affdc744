// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/watch/event_indicators.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbc::runtime {

namespace {

// Of its largest value: an angle this far from zero has gone round, not through it.
constexpr double kBehindRound = 0.5;

}  // namespace

// A number itself. Of a condition one that is above zero where it holds: the sides of comparisons are joined as by
// fuzzy logic, by the least and the greatest (L. A. Zadeh, Information and Control 8 (1965) 338-353).
double EventIndicators::margin(std::uint32_t event, const std::vector<double>& values) const {
  const problem::Event& e = events_.list[event];
  if (e.kind != problem::Event::Kind::condition) return values[e.value];
  std::vector<double> of(e.terms.size());
  for (std::size_t k = 0; k < of.size(); ++k) {
    const problem::ConditionTerm& c = e.terms[k];
    switch (c.kind) {
      case problem::ConditionTerm::Kind::comparison:
        of[k] = values[c.value];
        break;
      case problem::ConditionTerm::Kind::exact:
        of[k] = values[c.value] != 0 ? 1 : -1;
        break;
      case problem::ConditionTerm::Kind::all:
        of[k] = std::min(of[c.a], of[c.b]);
        break;
      case problem::ConditionTerm::Kind::any:
        of[k] = std::max(of[c.a], of[c.b]);
        break;
      case problem::ConditionTerm::Kind::negation:
        of[k] = -of[c.a];
        break;
    }
  }
  return of.back();
}

// How much of its margin counts as zero.
double EventIndicators::nothing_of(std::uint32_t event) const {
  const problem::Event& e = events_.list[event];
  double nothing = std::numeric_limits<double>::min();
  if (e.kind != problem::Event::Kind::condition) return std::max(nothing, watch_.zero_of(event));
  for (const problem::ConditionTerm& c : e.terms)
    if (c.kind == problem::ConditionTerm::Kind::comparison)
      nothing = std::max(nothing, EventWatch::kAtZero * watch_.sizes_[c.value]);
  return nothing;
}

double EventIndicators::value(std::uint32_t event, const std::vector<double>& values) const {
  const double of = margin(event, values);
  if (watch_.idle_[event] != 0 || !std::isfinite(of)) return 1;
  if (watch_.sides_[event] != Side::open) return of;
  const problem::Event& e = events_.list[event];
  if (e.of_contact()) return of - std::min(watch_.zero_[e.value], 0.0) + nothing_of(event);
  return of + leans_[event] * nothing_of(event);
}

// By watch_.values_. A number exactly at zero has passed it: a host may have located it so well.
EventIndicators::Side EventIndicators::side(std::uint32_t event) const {
  const problem::Event& e = events_.list[event];
  const double v = watch_.values_[e.value];
  const Side was = watch_.sides_[event];
  if (was == Side::open) {
    if (e.kind == problem::Event::Kind::condition) return watch_.clear_of(event, watch_.values_);
    if (e.of_contact()) return watch_.leaves_rest(event);
    return watch_.at_zero(e.value, v) ? Side::open : watch_.side_of(event, watch_.values_);
  }
  if (e.kind == problem::Event::Kind::condition) return watch_.side_of(event, watch_.values_);
  if (v == 0) return was == Side::above ? Side::below : Side::above;
  return watch_.side_of(event, watch_.values_);
}

void EventIndicators::take_sides(const std::vector<double>& values, std::vector<std::uint32_t>& fired) {
  watch_.values_ = values;
  for (const std::uint32_t event : watch_.watched_) {
    const problem::Event& e = events_.list[event];
    if (watch_.idle_[event] != 0 || (e.kink && !std::isfinite(watch_.values_[e.value]))) continue;
    watch_.measure_sizes(e);
    const Side was = watch_.sides_[event], now = side(event);
    if (now == Side::open) watch_.open_truth(watch_.sides_[event], event);
    if (now == Side::open || now == was) continue;
    const bool round = e.of_angles && e.kind != problem::Event::Kind::condition && was != Side::open &&
                       std::fabs(watch_.values_[e.value]) > kBehindRound * watch_.sizes_[e.value];
    const bool listed = std::find(fired.begin(), fired.end(), event) != fired.end();
    if (round || listed || !watch_.fires(event, was, now)) {
      if (!listed) watch_.sides_[event] = now;
      continue;
    }
    fired.push_back(event);
    watch_.sides_[event] = Side::open;
    leans_[event] = static_cast<double>(now);
  }
}

bool EventIndicators::at_edge(const std::vector<double>& values) const {
  return std::any_of(watch_.watched_.begin(), watch_.watched_.end(), [&](std::uint32_t event) {
    return watch_.idle_[event] == 0 && watch_.sides_[event] != Side::open &&
           std::fabs(margin(event, values)) <= nothing_of(event);
  });
}

// A step of `floor` is one side of its edges.
void EventIndicators::begin(const std::vector<double>& values) {
  watch_.values_ = watch_.zero_ = values;
  for (const std::uint32_t event : watch_.watched_) {
    const problem::Event& e = events_.list[event];
    if (watch_.idle_[event] == 0) watch_.measure_sizes(e);
    if (watch_.sides_[event] != Side::open) leans_[event] = 0;
    if (watch_.sides_[event] == Side::open && leans_[event] == 0)
      leans_[event] = margin(event, watch_.values_) < 0 ? -1 : 1;
    if (e.kink && e.kink->kind == problem::Discontinuity::Kind::steps) leans_[event] = -1;
  }
}

void EventIndicators::leave_zero(const std::vector<double>& values) {
  watch_.values_ = values;
  for (const std::uint32_t event : watch_.watched_) {
    const problem::Event& e = events_.list[event];
    if (watch_.idle_[event] != 0 || (e.kink && !std::isfinite(watch_.values_[e.value]))) continue;
    watch_.measure_sizes(e);
    if (watch_.sides_[event] != Side::open) continue;
    const Side now = side(event);
    if (now != Side::open && !watch_.fires(event, Side::open, now)) watch_.sides_[event] = now;
  }
}

}  // namespace mbc::runtime
