// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/held_numbers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr int kHeldStates = 2;  // projected states at which a held number has to be zero

// Returns whether an event watches a number of the state that rows may hold.
bool may_be_held(const problem::Event& e) { return !e.of_contact() && !e.of_rates; }

}  // namespace

HeldNumbers::HeldNumbers(RunState& state, ConstraintProjector& projector, EventSigns& signs, double later,
                         Evaluate evaluate)
    : state_(state),
      projector_(projector),
      signs_(signs),
      later_(later),
      evaluate_(std::move(evaluate)),
      held_(state.info().events.n_values),
      y_(state.layout().n_y()),
      dy_(y_.size()),
      w_(state.layout().n_speeds),
      displaced_(held_.size()),
      projected_(held_.size()) {
  if (state.layout().n_rows == 0) return;
  for (const std::uint32_t event : signs.watched()) {
    const problem::Event& e = state.info().events.list[event];
    if (may_be_held(e) && !signs.is_timed(event))
      each_signed_number(e, [this](std::uint32_t number) { numbers_.push_back(number); });
  }
  std::sort(numbers_.begin(), numbers_.end());
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
}

// Displaces y_ at random, by a part of the size of the model. Angles move by a part of a radian at most.
void HeldNumbers::displace(double t, SplitMix64& random) {
  const problem::Problem& info = state_.info();
  const kernel::SystemLayout& l = state_.layout();
  const ModelSize& size = projector_.size();
  y_ = state_.y();
  for (const bool position : {true, false}) {
    for (std::uint32_t j = 0; j < l.n_speeds; ++j) {
      const std::uint32_t q = info.coordinate_of_speed[j];
      const bool turns = q == problem::Problem::kNoCoordinate || info.sizes[q] == problem::Problem::Size::one;
      const double of_mass = size.root_inertia.empty() ? 0 : size.root_inertia[j];
      const double reach = of_mass > 0 ? size.of(position) / of_mass : 1;
      w_[j] = kHeldAside * (turns && position ? std::min(reach, 1.0) : reach) * random.next();
    }
    projector_.displace(position, t, y_.data(), w_.data());
  }
  for (std::uint32_t i = l.states_at(); i < l.work_at(); ++i)
    y_[i] += kHeldAside * (1 + std::fabs(y_[i])) * random.next();
}

// Keeps as held only what is zero at y_ after its projection. Returns whether there is any.
bool HeldNumbers::hold_on_rows(double t, const std::vector<double>& values) {
  evaluate_(t, y_.data(), dy_.data(), displaced_);
  const bool met = projector_.project(t + later_, y_.data(), kRoundOffShown, false).converged;
  evaluate_(t + later_, y_.data(), dy_.data(), projected_);
  bool any = false;
  for (const std::uint32_t number : numbers_) {
    if (held_[number] == 0) continue;
    const double varies = std::fabs(displaced_[number] - values[number]) / kHeldAside;
    held_[number] = met && std::fabs(projected_[number]) <= kHeldToZero * varies ? 1 : 0;
    any = any || held_[number] != 0;
  }
  return any;
}

// A number that was held and has drifted from zero with its rows stays a candidate.
void HeldNumbers::find(double t, const std::vector<double>& values) {
  if (numbers_.empty()) return;
  SplitMix64 random(1);
  displace(t, random);
  evaluate_(t, y_.data(), dy_.data(), displaced_);
  bool any = false;
  for (const std::uint32_t number : numbers_) {
    const double varies = std::fabs(displaced_[number] - values[number]) / kHeldAside;
    const bool zero = signs_.at_zero(number, values[number]) || std::fabs(values[number]) <= kHeldToZero * varies;
    held_[number] = zero && varies > 0 ? 1 : 0;
    any = any || held_[number] != 0;
  }
  for (int k = 0; any && k < kHeldStates; ++k) {
    if (k > 0) displace(t, random);
    any = hold_on_rows(t, values);
  }
  signs_.hold(held_);
  for (const std::uint32_t event : signs_.watched()) {
    const problem::Event& e = state_.info().events.list[event];
    if (signs_.is_held(event) && e.kind != problem::Event::Kind::condition) signs_.side(event) = Side::open;
  }
  // The multipliers and outputs become those of the current state again. Its rate stays as it was accepted.
  state_.equations().rhs(t, state_.y().data(), dy_.data());
  evaluate_(t, state_.y().data(), state_.dy().data(), displaced_);
}

}  // namespace mbc::runtime
