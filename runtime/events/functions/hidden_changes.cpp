// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/functions/hidden_changes.h"

#include <utility>

namespace mbc::runtime {

using kernel::Enclosure;
using kernel::Interval;

namespace {
constexpr int kMostLooks = 400;  // bounds per step
}

HiddenChanges::HiddenChanges(const problem::Events& events, const std::vector<std::uint32_t>& watched,
                             EventBounds& bounds, const TimeFunctions& time_functions, Zero zero)
    : events_(events),
      bounds_(bounds),
      time_functions_(time_functions),
      zero_(std::move(zero)),
      middles_(kDeepest + 1) {
  for (const std::uint32_t event : watched) {
    const problem::Event& e = events.list[event];
    bool bounded = !e.of_contact(), of_state = false;
    each_number(e, [&](std::uint32_t number, Reading) {
      bounded = bounded && bounds.of(number) != EventBounds::Of::unknown;
      of_state = of_state || bounds.of(number) == EventBounds::Of::state;
    });
    if (bounded && of_state) events_of_state_.push_back(event);
  }
}

void HiddenChanges::begin_step(double t, double h) {
  t_ = t;
  h_ = h;
  looks_ = 0;
  unclear_ = false;
}

void HiddenChanges::begin_piece(double first, double last, const DensePolynomials::Row& row,
                                const std::vector<Side>& sides, const std::vector<char>& idle) {
  loud_.clear();
  fits_ = polynomials_.fit(bounds_.entries(), first, last, h_, row);
  if (!fits_) return;
  enclose_states(first, last);
  for (const std::uint32_t event : events_of_state_)
    if (idle[event] == 0 && may_hide(event, sides[event], first, last)) loud_.push_back(event);
}

void HiddenChanges::enclose_states(double a, double b) {
  from_ = a;
  to_ = b;
  polynomials_.enclose(a, b, states_);
  if (a == b) return;
  const double middle = 0.5 * (a + b);
  polynomials_.enclose(middle, middle, in_middle_);
}

HiddenChanges::Over HiddenChanges::of_number(std::uint32_t number, Reading reading, double a, double b) {
  if (const std::optional<Side> side = time_functions_.side(number, reading)) return {*side, true};
  const double from = t_ + a * h_, to = t_ + b * h_;
  const Enclosure e = bounds_.enclose(number, from, to, states_.data());
  const bool turns = may_turn(e.rate, reading);
  std::optional<Side> side = side_within(e.value, reading);
  if (!side && reading != Reading::truth && e.rate.bounded() && a != b) {
    const double middle = 0.5 * (from + to);
    const Interval there = bounds_.enclose(number, middle, middle, in_middle_.data()).value;
    side = side_within(kernel::by_mean_value(e, there, 0.5 * (to - from)), reading);
  }
  const double zero = reading == Reading::truth ? 0 : zero_(number);
  const bool rests = -zero <= e.value.low && e.value.high <= zero && zero > 0;
  if (rests) side.reset();
  return {side.value_or(Side::open), side.has_value() || !turns || rests};
}

// Returns the side of an event over the states that enclose_states() has bounded.
HiddenChanges::Over HiddenChanges::over(std::uint32_t event, double a, double b) {
  const problem::Event& e = events_.list[event];
  ++looks_;
  if (e.kind != problem::Event::Kind::condition) return of_number(e.value, Reading::number, a, b);
  int open = 0;
  bool once = true;
  const Side side = combined(e.terms, [&](const problem::ConditionTerm& c) {
    const Over made = of_number(c.value, reading_of(c), a, b);
    if (made.side == Side::open) {
      ++open;
      once = once && made.once;
    }
    return made.side;
  });
  return {side, once && open <= 1};
}

// Returns whether the event may leave its side and return to it.
bool HiddenChanges::may_hide(std::uint32_t event, Side at_a, double a, double b) {
  if (at_a == Side::open) return true;  // an open side says nothing until it closes
  const Over made = over(event, a, b);
  return made.side == Side::open && !made.once;
}

Side HiddenChanges::at(std::uint32_t event, double theta) { return over(event, theta, theta).side; }

std::optional<double> HiddenChanges::find(double a, double b, const std::vector<Side>& sides,
                                          const std::vector<char>& idle) {
  if (!fits_ || loud_.empty() || looks_ > kMostLooks) return {};
  Level& level = levels_[0];
  level.clear();
  enclose_states(a, b);
  for (const std::uint32_t event : loud_)
    if (idle[event] == 0 && sides[event] != Side::open && may_hide(event, sides[event], a, b))
      level.push_back({.event = event, .at_a = sides[event]});
  if (level.empty()) return {};
  enclose_states(a, a);
  for (Suspect& s : level) s.rests_at_a = at(s.event, a) == Side::open;
  enclose_states(b, b);
  for (Suspect& s : level) s.at_b = at(s.event, b);
  return search(0, a, b);
}

// Keeps the events that may hide a change in one half of the part of `from`. A number that is zero at both ends of the
// half rests there.
void HiddenChanges::fill(Level& level, const Level& from, bool left, double a, double b,
                         const std::vector<Side>& at_middle) {
  level.clear();
  enclose_states(a, b);
  for (std::size_t k = 0; k < from.size(); ++k) {
    const Suspect& s = from[k];
    const bool rests_at_middle = at_middle[k] == Side::open, rests_at_a = left ? s.rests_at_a : rests_at_middle;
    if (rests_at_middle && (left ? rests_at_a : s.at_b == Side::open)) continue;
    const Side at_a = left || rests_at_middle ? s.at_a : at_middle[k];
    if (may_hide(s.event, at_a, a, b)) level.push_back({s.event, at_a, left ? at_middle[k] : s.at_b, rests_at_a});
  }
}

std::optional<double> HiddenChanges::search(std::size_t depth, double a, double b) {
  const Level& level = levels_[depth];
  if (level.empty()) return {};
  if (depth == kDeepest || looks_ > kMostLooks) {
    unclear_ = unclear_ || looks_ > kMostLooks;
    return {};
  }
  const double middle = 0.5 * (a + b);
  std::vector<Side>& at_middle = middles_[depth];
  at_middle.clear();
  enclose_states(middle, middle);
  for (const Suspect& s : level) at_middle.push_back(at(s.event, middle));
  fill(levels_[depth + 1], level, true, a, middle, at_middle);
  if (const std::optional<double> found = search(depth + 1, a, middle)) return found;
  bool changed = false, back = false;
  for (std::size_t k = 0; k < level.size(); ++k) {
    const bool other = at_middle[k] != Side::open && at_middle[k] != level[k].at_a;
    changed = changed || other;
    back = back || (other && level[k].at_b == level[k].at_a);
  }
  if (back) return middle;
  fill(levels_[depth + 1], level, false, middle, b, at_middle);
  const std::optional<double> found = search(depth + 1, middle, b);
  return found && changed ? middle : found;  // the middle lies before a change that hides after it
}

}  // namespace mbc::runtime
