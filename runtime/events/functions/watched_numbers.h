// SPDX-License-Identifier: Apache-2.0
// The numbers on which the sides of events depend, for steps that are looked along in lanes (runs/batch.h): while all
// of them keep their signs, and are clear of zero, a look along a step leaves everything as it is but their sizes.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/functions/event_signs.h"

namespace mbc::runtime {

struct WatchedNumber {
  std::uint32_t value = 0;  // by number of the value
  bool truth = false;       // 1 or 0, looked at as what it is above 1/2
};

// In lanes, of the largest number seen: closer to zero no side is told. Twice what is zero behind an event.
inline constexpr double kClear = 2e-9;

// Of events that are not contact, but for the kinks.
std::vector<WatchedNumber> watched_numbers(const problem::Events& events);

// Whether all sides are closed, and all numbers on them and clear of zero, at an accepted state with these values of
// the events. By number of `numbers`: the signs that they have to keep, and how large they have been.
bool stand_clear(const std::vector<WatchedNumber>& numbers, const problem::Events& events, const EventSigns& known,
                 const std::vector<double>& values, std::span<double> signs, std::span<double> sizes);

}  // namespace mbc::runtime
