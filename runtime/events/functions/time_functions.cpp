// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/functions/time_functions.h"

#include <cmath>

namespace mbc::runtime {

using kernel::Enclosure;
using kernel::Interval;

namespace {

constexpr int kMostStretches = 4000;   // bounds for one search of one function
constexpr int kWidest = 30;            // doublings of the first stretch after an instant, until the side is clear
constexpr double kTimeRoundings = 64;  // times the rounding of a value: narrower bounds show only rounding
constexpr double kNothing = 1e-12;     // of the largest value so far: less counts as zero
constexpr double kUlps = 4;            // of the time: changes that lie closer are one

}  // namespace

bool TimeFunctions::has(std::uint32_t number, Reading reading) const {
  return std::any_of(functions_.begin(), functions_.end(),
                     [&](const Function& f) { return f.number == number && f.reading == reading; });
}

void TimeFunctions::add(std::uint32_t number, Reading reading) {
  if (!has(number, reading)) functions_.push_back({.number = number, .reading = reading});
}

std::optional<Side> TimeFunctions::side(std::uint32_t number, Reading reading) const {
  for (const Function& f : functions_)
    if (begun_ && f.number == number && f.reading == reading) return f.side;
  return {};
}

double TimeFunctions::smallest(double t) const {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  return kUlps * kEpsilon * std::max(std::fabs(t), kEpsilon * length_);
}

// Returns the side throughout a stretch if it is the same. Returns the side before the stretch if the number is zero up
// to rounding or negligible compared with its largest value. Otherwise `turns` tells whether the side may change more
// than once, as far as the rate shows.
std::optional<Side> TimeFunctions::clear_side(Function& f, double from, double to, bool& turns) {
  const Enclosure over = bounds_.enclose(f.number, from, to, nullptr);
  const Interval& rate = over.rate;
  turns = may_turn(rate, f.reading);
  if (const std::optional<Side> side = side_within(over.value, f.reading); side || f.reading == Reading::truth) {
    if (side && over.value.bounded())
      f.size = std::max({f.size, std::fabs(over.value.low), std::fabs(over.value.high)});
    return side;
  }
  if (from == to || !over.value.bounded()) return {};
  const double middle = 0.5 * (from + to), width = over.value.high - over.value.low;
  const Interval there = bounds_.enclose(f.number, middle, middle, nullptr).value;
  const bool is_rounding = there.holds(0) && width <= kTimeRoundings * (there.high - there.low);
  if (turns && (is_rounding || width <= kNothing * f.size)) return f.side;
  if (!rate.bounded()) return {};
  return side_within(kernel::by_mean_value(over, there, 0.5 * (to - from)), f.reading);
}

// Returns the side at one instant. If rounding decides the sign, the side stays as it was, so a number that stays at
// zero for a while does not change.
Side TimeFunctions::side_at(const Function& f, double t) {
  return side_within(bounds_.enclose(f.number, t, t, nullptr).value, f.reading).value_or(f.side);
}

double TimeFunctions::value_behind(std::uint32_t number, std::uint32_t other) {
  double t = at_;
  for (const Function& f : functions_)
    if (f.number == number) t = f.behind;
  return bounds_.enclose(other, t, t, nullptr).value.middle();
}

bool TimeFunctions::inputs_changed() {
  const std::vector<std::uint32_t>& read = bounds_.inputs_of_time();
  inputs_.resize(read.size());
  bool changed = std::exchange(param_changes_, bounds_.param_changes()) != bounds_.param_changes();
  for (std::size_t k = 0; k < read.size(); ++k) {
    const double now = bounds_.input(read[k]);
    changed = changed || inputs_[k] != now;
    inputs_[k] = now;
  }
  return changed;
}

void TimeFunctions::begin(double t) {
  if (functions_.empty()) return;
  const bool changed = inputs_changed();
  at_ = std::max(at_, t);
  if (begun_ && !changed) return;
  begun_ = true;
  for (Function& f : functions_) begin(f, at_);
}

// Just after an instant a function may be zero up to rounding. It then has the side of the first stretch that is clear.
void TimeFunctions::begin(Function& f, double t) {
  f.change = std::numeric_limits<double>::infinity();
  f.unclear = false;
  double apart = smallest(t);
  bool turns = false;
  for (int k = 0; k < kWidest; ++k, apart *= 2) {
    const double from = t + apart, to = t + 2 * apart;
    const std::optional<Side> side = clear_side(f, from, to, turns);
    if (!side) continue;
    f.side = *side;
    f.behind = from;
    f.known = to;
    return;
  }
  f.known = f.behind = t + smallest(t);
  f.side = side_at(f, f.known);
}

void TimeFunctions::search(double t, double to) {
  begin(t);
  for (Function& f : functions_)
    if (f.known < to && !std::isfinite(f.change)) search(f, to);
}

void TimeFunctions::search(Function& f, double to) {
  f.unclear = false;
  open_.assign(1, {f.known, to});
  for (int stretches = 0; !open_.empty(); ++stretches) {
    const auto [a, b] = open_.back();
    open_.pop_back();
    if (stretches == kMostStretches) {
      f.unclear = true;
      return;
    }
    bool turns = false;
    const std::optional<Side> side = clear_side(f, a, b, turns);
    if (side && *side == f.side) {
      f.known = b;
      continue;
    }
    const bool narrow = b - a <= smallest(b);
    if (!turns || narrow || side) {
      if (side_at(f, b) != f.side) {
        f.change = located(f, a, b);
        return;
      }
      f.known = b;
      continue;
    }
    const double middle = 0.5 * (a + b);
    open_.emplace_back(middle, b);
    open_.emplace_back(a, middle);
  }
}

// Returns the first double on another side, between a time on the present side and one on the other.
double TimeFunctions::located(const Function& f, double a, double b) {
  while (true) {
    const double middle = 0.5 * (a + b);
    if (!(middle > a && middle < b)) return b;
    (side_at(f, middle) != f.side ? b : a) = middle;
  }
}

double TimeFunctions::next() const {
  double next = std::numeric_limits<double>::infinity();
  for (const Function& f : functions_) next = std::min(next, f.unclear ? std::min(f.known, f.change) : f.change);
  return next;
}

bool TimeFunctions::take_due(double t, double tolerance) {
  at_ = std::max(at_, t);
  bool due = false;
  for (const Function& f : functions_) {
    if (!(f.change <= t + tolerance)) continue;
    due = true;
    at_ = std::max(at_, f.change);
  }
  for (Function& f : functions_)
    if (f.change <= t + tolerance) begin(f, at_);
  return due;
}

}  // namespace mbc::runtime
