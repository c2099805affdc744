// SPDX-License-Identifier: Apache-2.0
// The numbers that decide the sides of events, for steps in lanes (runtime/run/batch.h). While all of them keep their
// signs and are clear of zero, a look along a step changes nothing but their sizes.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/functions/event_signs.h"

namespace mbc::runtime {

struct WatchedNumber {
  std::uint32_t value = 0;  // by number of the value
  bool truth = false;       // a truth, 1 or 0, compared with 1/2
};

// In lanes a number closer to zero than this part of its largest value has no side. It is twice the size that counts as
// zero after an event.
inline constexpr double kClear = 2e-9;

// Returns the numbers of events other than contacts and discontinuities.
std::vector<WatchedNumber> watched_numbers(const problem::Events& events);

// Returns whether all sides are closed and all numbers are on them and clear of zero, at an accepted state with these
// event functions. Fills the signs that the numbers have to keep and their largest sizes, in the order of `numbers`.
bool stand_clear(const std::vector<WatchedNumber>& numbers, const problem::Events& events, const EventSigns& known,
                 const std::vector<double>& values, std::span<double> signs, std::span<double> sizes);

}  // namespace mbc::runtime
