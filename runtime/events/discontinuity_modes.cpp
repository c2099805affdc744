// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/discontinuity_modes.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "runtime/record/run_failure.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr double kAtEdge = 1e-12;         // of a step of `floor`: a value this close to its end may belong to both
constexpr double kSlope = 1e-3;           // part of a time step over which a slope is measured
constexpr std::uint32_t kMostRefits = 8;  // per time step

}  // namespace

DiscontinuityModes::DiscontinuityModes(const SimulateOptions& options, RunState& state, EventSigns& signs)
    : options_(options), state_(state), signs_(signs), events_(state_.info().events), values_(events_.n_values) {
  for (std::uint32_t event = 0; options_.locates_kinks && event < events_.list.size(); ++event)
    if (events_.list[event].kink) kinks_.push_back(event);
  if (events_.frictions.empty()) return;
  std::copy_if(kinks_.begin(), kinks_.end(), std::back_inserter(of_speeds_),
               [this](std::uint32_t event) { return events_.list[event].kink->of_speeds && !steps(event); });
}

void DiscontinuityModes::open(const RunState& state) {
  const problem::DiscreteState discrete = state.discrete();
  for (const problem::Event& e : state.info().events.list)
    if (e.kink) discrete.mode(*e.kink) = 0;
}

bool DiscontinuityModes::waits() const {
  return std::any_of(kinks_.begin(), kinks_.end(), [this](std::uint32_t event) {
    return mode(event) == 0 && (steps(event) || signs_.side(event) != Side::open);
  });
}

bool DiscontinuityModes::hold(const std::vector<double>& values) {
  bool changed = false;
  for (const std::uint32_t event : kinks_) {
    if (mode(event) != 0) continue;
    if (!steps(event)) {
      if (!known_side(event) && !takes_side(event, values)) continue;
      mode(event) = static_cast<double>(known_side(event).value_or(signs_.side(event)));
      changed = changed || mode(event) != 0;
      continue;
    }
    const double x = inside(event, values);
    if (!std::isfinite(x)) continue;
    mode(event) = step_of(event, x);
    changed = true;
    const bool edge = !known_side(event) && std::fabs(x - std::round(x)) <= kAtEdge * std::max(1.0, std::fabs(x));
    signs_.side(event) = edge ? Side::open : Side::below;
  }
  return changed;
}

// Corrects a side that steps with open modes have left behind, because they look for no changes: a formula by the old
// side may be undefined there, such as sqrt(max(h, 0)) for h > 0. Returns false where the side is not known, at zero.
bool DiscontinuityModes::takes_side(std::uint32_t event, const std::vector<double>& values) {
  const double value = values[events_.list[event].value];
  if (value * static_cast<double>(signs_.side(event)) >= 0) return true;
  if (signs_.rests(event, values)) return false;
  signs_.side(event) = value > 0 ? Side::above : Side::below;
  return true;
}

// Returns the argument of the function. If it depends on the time alone, it is taken where it is clear of the end of a
// step of `floor`.
double DiscontinuityModes::inside(std::uint32_t event, const std::vector<double>& values) const {
  const problem::Event& e = events_.list[event];
  return known_side(event) ? signs_.value_behind(e.value, e.kink->inside) : values[e.kink->inside];
}

// Returns the middle of the step of `floor` that x lies in. A known time is only met up to the tolerance of an instant,
// so an x just before an end counts as the step after it.
double DiscontinuityModes::step_of(std::uint32_t event, double x) const {
  constexpr double kMet = 1e-6;  // of a step
  const double next = std::round(x);
  return (events_.list[event].timed() && std::fabs(x - next) <= kMet ? next : std::floor(x)) + 0.5;
}

bool DiscontinuityModes::fits(std::uint32_t event) const {
  const Side side = signs_.side(event);
  if (side == Side::open || mode(event) == 0) return true;
  return steps(event) ? side == Side::below : (side == Side::above) == (mode(event) > 0);
}

bool DiscontinuityModes::fit() const {
  for (const std::uint32_t event : kinks_)
    if (!fits(event)) return false;
  return true;
}

std::vector<std::uint32_t> DiscontinuityModes::at_jumps() const {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t event : kinks_) {
    const bool jumps = !is_edge(event) && !steps(event) && mode(event) != 0;
    if (jumps && signs_.side(event) == Side::open && !known_side(event)) out.push_back(event);
  }
  return out;
}

bool DiscontinuityModes::takes_other_side(std::vector<std::uint32_t>& jumps, const std::vector<double>& values) {
  bool any = false;
  std::erase_if(jumps, [&](std::uint32_t event) {
    const double value = values[events_.list[event].value];
    if (signs_.rests(event, values)) return false;
    if (value * mode(event) < 0) {
      signs_.side(event) = value > 0 ? Side::above : Side::below;
      any = true;
    }
    return true;
  });
  return any;
}

bool DiscontinuityModes::refit(double t, double h, const Evaluate& evaluate) {
  refits_ = t == refit_at_ ? refits_ + 1 : 1;
  refit_at_ = t;
  std::vector<std::uint32_t> unfit;
  for (const std::uint32_t event : kinks_)
    if (!fits(event)) unfit.push_back(event);
  for (const std::uint32_t event : unfit) {
    const problem::Discontinuity& kink = *events_.list[event].kink;
    if (refits_ > kMostRefits && is_edge(event)) {
      release(event);
      continue;
    }
    if (refits_ > kMostRefits || (kink.kind == problem::Discontinuity::Kind::jump && slides(t, h, event, evaluate)))
      return chatters(t, event);
    double next = 0;
    if (steps(event)) {
      evaluate(t, state_.y().data(), state_.dy().data(), values_);
      next = mode(event) + (values_[kink.inside] < mode(event) ? -1 : 1);
    }
    mode(event) = next;
  }
  return true;
}

// Returns whether the motion by each of the two modes leads to the other mode.
bool DiscontinuityModes::slides(double t, double h, std::uint32_t event, const Evaluate& evaluate) {
  const double held = mode(event);
  mode(event) = 1;
  const double from_above = slope(t, h, event, evaluate, above_);
  mode(event) = -1;
  const double from_below = slope(t, h, event, evaluate, below_);
  mode(event) = held;
  return from_above < 0 && from_below > 0;
}

// Returns the slope of the event function along the motion by the current modes, or nan if the rate is undefined.
double DiscontinuityModes::slope(double t, double h, std::uint32_t event, const Evaluate& evaluate,
                                 std::vector<double>& rate) {
  const std::vector<double>& y = state_.y();
  rate.resize(y.size());
  if (state_.equations().rhs(t, y.data(), rate.data()) != 0) return std::nan("");
  const std::uint32_t number = events_.list[event].value;
  evaluate(t, y.data(), rate.data(), values_);
  const double now = values_[number], after = kSlope * h;
  y_ = y;
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += after * rate[i];
  std::vector<double> unused(y.size());
  evaluate(t + after, y_.data(), unused.data(), values_);
  return (values_[number] - now) / after;
}

bool DiscontinuityModes::holds() const {
  return std::any_of(kinks_.begin(), kinks_.end(), [this](std::uint32_t event) { return mode(event) != 0; });
}

bool DiscontinuityModes::open_all() {
  const bool any = holds();
  for (const std::uint32_t event : kinks_) mode(event) = 0;
  return any;
}

void DiscontinuityModes::release(std::uint32_t event) {
  const std::uint32_t number = events_.list[event].value;
  signs_.expect(number, kReleased * signs_.size_of(number));
  signs_.side(event) = Side::open;
  mode(event) = 0;
}

void DiscontinuityModes::change(std::uint32_t event, const std::vector<double>& values) {
  const problem::Event& e = events_.list[event];
  ++state_.data().kinks;
  if (steps(event)) {
    mode(event) = step_of(event, inside(event, values));
    return;
  }
  if (const std::optional<Side> known = known_side(event)) {
    mode(event) = static_cast<double>(*known);
    return;
  }
  // A mode that was in use ends here, even if rounding puts the instant on the wrong side of zero.
  const double v = values[e.value], held = mode(event);
  mode(event) = held != 0 ? -held : v > 0 ? 1 : v < 0 ? -1 : 0;
}

void DiscontinuityModes::open_of_speeds() {
  for (const std::uint32_t event : of_speeds_) mode(event) = 0;
}

void DiscontinuityModes::take_of_speeds(double t, const Evaluate& evaluate) {
  for (const std::uint32_t event : of_speeds_) {
    evaluate(t, state_.y().data(), state_.dy().data(), values_);
    const double value = values_[events_.list[event].value];
    const bool clear = !signs_.rests(event, values_);
    mode(event) = clear ? std::copysign(1.0, value) : leaves_to(t, event, evaluate);
    if (!clear) signs_.side(event) = Side::open;
  }
}

// Returns the mode by which an event function at zero moves to the side of that mode, or 0 if it stays at zero.
double DiscontinuityModes::leaves_to(double t, std::uint32_t event, const Evaluate& evaluate) {
  for (const double way : {1.0, -1.0}) {
    mode(event) = way;
    const double gained = slope(t, options_.step, event, evaluate, above_) * kSlope * options_.step;
    values_[events_.list[event].value] = gained;
    if (gained * way > 0 && !signs_.rests(event, values_)) return way;
  }
  return 0;
}

// The diagnostic names the entry of the state whose rate depends most on the mode.
bool DiscontinuityModes::chatters(double t, std::uint32_t event) {
  const std::vector<double>& y = state_.y();
  above_.assign(y.size(), 0);
  below_.assign(y.size(), 0);
  const double held = mode(event), other = steps(event) ? held + 1 : -1;
  mode(event) = other;
  state_.equations().rhs(t, y.data(), below_.data());
  mode(event) = steps(event) ? held : 1;
  state_.equations().rhs(t, y.data(), above_.data());
  mode(event) = held;
  std::uint32_t worst = state_.layout().speeds_at();
  for (std::uint32_t i = state_.layout().speeds_at(); i < state_.layout().work_at(); ++i)
    if (std::fabs(above_[i] - below_[i]) > std::fabs(above_[worst] - below_[worst])) worst = i;
  return state_.stop(chattering(state_.info(), state_.layout(), worst, events_.list[event].span, t));
}

}  // namespace mbc::runtime
