// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/event_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace mbc::runtime {

namespace {

using Side = EventWatch::Side;
using Kind = EventInfo::Kind;

constexpr int kSamples = 6;  // of a step: one more than the order of the highest method
constexpr int kFinest = 12;  // behind an event the first look is at 4^-kFinest of the step
constexpr double kUlps = 4;  // to which a change is located
constexpr int kMostHalvings = 200;
constexpr double kAtZero = 1e-9;  // of the largest number seen: behind an event this much of it is zero
constexpr double kSeen = 1e-13;   // and a difference of this much of it is more than rounding

}  // namespace

EventWatch::EventWatch(const EventsInfo& events)
    : events_(events),
      idle_(events.list.size()),
      sides_(events.list.size(), Side::open),
      trial_(events.list.size()),
      sizes_(events.list.size()),
      zero_(events.list.size()),
      last_(events.list.size()),
      values_(events.n_values) {
  for (std::uint32_t k = 0; k < events.list.size(); ++k) {
    if (events.list[k].timed()) continue;
    watched_.push_back(k);
  }
  brackets_.reserve(watched_.size());
}

bool EventWatch::of_rates() const {
  return std::any_of(watched_.begin(), watched_.end(),
                     [&](std::uint32_t k) { return events_.list[k].of_rates && idle_[k] == 0; });
}

Side EventWatch::side_of(std::uint32_t event, const std::vector<double>& values) const {
  const EventInfo& e = events_.list[event];
  const double v = values[e.value];
  if (e.kind == Kind::condition) return v != 0 ? Side::above : Side::below;
  return v > 0 ? Side::above : v < 0 ? Side::below : Side::open;
}

bool EventWatch::fires(std::uint32_t event, Side from, Side to) const {
  if (events_.list[event].of_contact()) return to == Side::below && from != to;  // at zero nothing is held, or pressed
  if (from == Side::open || to == Side::open || from == to) return false;
  const Kind kind = events_.list[event].kind;
  return kind == Kind::crossing || (kind == Kind::falling) == (to == Side::below);
}

bool EventWatch::finite(const std::vector<double>& values) {
  for (std::uint32_t event : watched_) {
    undefined_ = event;
    if (idle_[event] == 0 && !std::isfinite(values[events_.list[event].value])) return false;
  }
  return true;
}

// One look along the step: sides go on from point to point, and each change that fires an event is kept.
bool EventWatch::sample(double theta, const Dense& dense) {
  if (!dense(theta, values_) || !finite(values_)) return false;
  for (std::uint32_t event : watched_) {
    if (idle_[event] != 0) continue;
    Side now = side_of(event, values_);
    if (events_.list[event].kind != Kind::condition) {
      const double value = values_[events_.list[event].value];
      sizes_[event] = std::max(sizes_[event], std::fabs(value));
      if (trial_[event] == Side::open) now = leaves(event, theta, value);
    }
    if (now == Side::open || (quiet(event, now) && rests(event, values_))) continue;
    if (fires(event, trial_[event], now)) brackets_.push_back({event, last_[event], theta, trial_[event], now});
    trial_[event] = now;
    last_[event] = theta;
  }
  return true;
}

// A change to a side that fires nothing. Where a number rests at zero (a guard on what a constraint now holds, a
// control on its switching curve) rounding would make it, and the way back would fire.
bool EventWatch::quiet(std::uint32_t event, Side now) const {
  return trial_[event] != Side::open && trial_[event] != now && !fires(event, trial_[event], now);
}

bool EventWatch::rests(std::uint32_t event, const std::vector<double>& values) const {
  const EventInfo& e = events_.list[event];
  return e.kind != Kind::condition && at_zero(event, values[e.value]);
}

bool EventWatch::at_zero(std::uint32_t event, double value) const {
  return std::fabs(value) <= kAtZero * sizes_[event];
}

// The side to which an open number goes: it is clear of zero, or on the way to be so within the step.
Side EventWatch::leaves(std::uint32_t event, double theta, double value) const {
  const double moved = value - zero_[event], size = sizes_[event];
  if (!at_zero(event, value)) return value > 0 ? Side::above : Side::below;
  if (std::fabs(moved) <= kSeen * size || std::fabs(moved) <= kAtZero * size * theta) return Side::open;
  return moved > 0 ? Side::above : Side::below;
}

// `open`: a side is.
bool EventWatch::begin_look(const Dense& dense, bool& open) {
  trial_ = sides_;
  std::fill(last_.begin(), last_.end(), 0.0);
  brackets_.clear();
  open = false;
  for (std::uint32_t event : watched_) open = open || (sides_[event] == Side::open && idle_[event] == 0);
  if (!open) return true;
  if (!dense(0, values_) || !finite(values_)) return false;
  for (std::uint32_t event : watched_) zero_[event] = values_[events_.list[event].value];
  return true;
}

bool EventWatch::measure(double h, std::uint32_t event, const Made& made, double& value) {
  if (!made(h, values_) || !finite(values_)) return false;
  value = values_[events_.list[event].value];
  return true;
}

bool EventWatch::crossed(const Bracket& bracket, double value) const {
  const EventInfo& e = events_.list[bracket.event];
  if (e.kind == Kind::condition) return value != 0;
  return bracket.to == Side::above ? value >= 0 : value <= 0;
}

// On steps of the method. `real`: there is a change; what the dense output shows may be none.
bool EventWatch::locate(const Bracket& bracket, double t, double h, const Made& made, double& at, bool& real) {
  const bool halves = events_.list[bracket.event].kind == Kind::condition;
  double b = bracket.behind * h, fb = 0, a = bracket.before * h, fa = 0;
  if (!measure(b, bracket.event, made, fb)) return false;
  if (!crossed(bracket, fb) && b < h) {
    b = h;
    if (!measure(b, bracket.event, made, fb)) return false;
  }
  real = crossed(bracket, fb);
  if (!real) return true;
  if (a > 0) {
    if (!measure(a, bracket.event, made, fa)) return false;
    if (crossed(bracket, fa)) {
      b = a;
      fb = fa;
      a = fa = 0;
    }
  }
  int same = 0;  // how often the same end has moved
  for (int k = 0; k < kMostHalvings; ++k) {
    const double finest = kUlps * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t), std::fabs(t + b));
    if (b - a <= finest) break;
    const bool secant = !halves && fa != 0 && fb != fa && k % 4 != 3;
    double x = secant ? b - fb * (b - a) / (fb - fa) : 0.5 * (a + b);
    x = std::clamp(x, a + 0.4 * finest, b - 0.4 * finest);
    if (!(x > a && x < b)) break;
    double fx = 0;
    if (!measure(x, bracket.event, made, fx)) return false;
    const bool behind = crossed(bracket, fx);
    same = behind ? std::max(same, 0) + 1 : std::min(same, 0) - 1;
    if (behind && same > 1) fa *= 0.5;
    if (!behind && same < -1) fb *= 0.5;
    (behind ? b : a) = x;
    (behind ? fb : fa) = fx;
  }
  at = b;
  return true;
}

// At the located change: which events belong to that instant, and on which side the others are.
bool EventWatch::take_sides(double at, double tolerance, const Made& made, std::vector<std::uint32_t>& fired) {
  const std::vector<Side> before = sides_;
  if (!made(at, values_) || !finite(values_)) return false;
  for (std::uint32_t event : watched_)
    if (idle_[event] != 0)
      continue;
    else if (sides_[event] == Side::open)
      sides_[event] = trial_[event];
    else if (const Side now = side_of(event, values_);
             now != Side::open && (fires(event, sides_[event], now) || !rests(event, values_)))
      sides_[event] = now;
  if (!made(at + tolerance, values_) || !finite(values_)) return false;
  for (std::uint32_t event : watched_) {
    if (idle_[event] != 0) continue;
    const Side later = side_of(event, values_);
    const bool listed = std::find(fired.begin(), fired.end(), event) != fired.end();
    if (!listed && !fires(event, sides_[event], later) && !fires(event, before[event], sides_[event])) continue;
    if (!listed) fired.push_back(event);
    sides_[event] = Side::open;
  }
  return true;
}

// The earliest of the changes between two looks; `at` stays where none of them is real: their events are then on the
// side they were on.
bool EventWatch::locate_all(double t, double h, const Made& made, double& at, std::vector<std::uint32_t>& fired) {
  for (const Bracket& bracket : brackets_) {
    double found = 0;
    bool real = false;
    if (!locate(bracket, t, h, made, found, real)) return false;
    if (!real) trial_[bracket.event] = bracket.from;
    if (!real || (!fired.empty() && found >= at)) continue;
    at = found;
    fired.assign(1, bracket.event);
  }
  brackets_.clear();
  return true;
}

EventWatch::Found EventWatch::look(double t, double h, double tolerance, const Dense& dense, const Made& made,
                                   double& at, std::vector<std::uint32_t>& fired) {
  bool open = false;
  if (!begin_look(dense, open)) return Found::undefined;
  for (int k = open ? -kFinest : 1; k <= kSamples; ++k) {
    if (k == -1) k = 1;  // the first points lie at 4^k of the step, the others are Chebyshev's
    const double theta = k < 0           ? std::pow(4.0, k)
                         : k == kSamples ? 1
                                         : 0.5 * (1 - std::cos(std::numbers::pi * k / kSamples));
    if (k < 0 && theta * h <= 4 * tolerance) continue;
    if (!sample(theta, dense) || !locate_all(t, h, made, at, fired)) return Found::undefined;
    if (!fired.empty()) return take_sides(at, tolerance, made, fired) ? Found::change : Found::undefined;
  }
  sides_ = trial_;
  return Found::nothing;
}

}  // namespace mbc::runtime
