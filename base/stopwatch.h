// SPDX-License-Identifier: Apache-2.0
// Seconds on a clock that nobody sets.
#pragma once
#include <chrono>

namespace mbc {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace mbc
