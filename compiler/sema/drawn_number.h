// SPDX-License-Identifier: Apache-2.0
// Numbers of states that are drawn to see whether an expression vanishes everywhere.
#pragma once
#include <cmath>
#include <cstdint>

namespace mbc::sema {

// Returns a number in -1 .. 1 that has nothing to do with those of other leaves and states.
inline double drawn_number(std::uint32_t which, int state) {
  return std::sin(1 + 12.9898 * which + 78.233 * state) * std::cos(0.5 * which - 4.1414 * state);
}

}  // namespace mbc::sema
