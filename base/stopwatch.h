// SPDX-License-Identifier: Apache-2.0
// Elapsed seconds on a monotonic clock.
#pragma once
#include <chrono>

namespace mbc {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace mbc
