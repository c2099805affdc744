// SPDX-License-Identifier: Apache-2.0
// Names of the spaces of a kernel, for its text and for the messages of verify().
#pragma once
#include <iterator>

#include "kernel/kernel.h"

namespace mbc::kernel {

inline constexpr const char* kSpaceNames[] = {"time", "state", "params", "inputs", "mask", "work", "deriv"};

// A damaged kernel may hold any number.
[[nodiscard]] inline bool is_space(Space space) { return static_cast<std::size_t>(space) < std::size(kSpaceNames); }
[[nodiscard]] inline const char* space_name(Space space) {
  return is_space(space) ? kSpaceNames[static_cast<std::size_t>(space)] : "?";
}

}  // namespace mbc::kernel
