// SPDX-License-Identifier: Apache-2.0
// The terms of the checks of a test, as the compiler writes them and a run decides them.
#pragma once
#include <cstdint>

namespace mbc::kernel {

// initial(e), final(e), min_over(e), max_over(e): a number of a whole run.
enum class RunValueKind : std::uint8_t { initial, final, minimum, maximum };

// When a check is decided: at the last row, at every row, at one, where an event fires.
enum class CheckWhen : std::uint8_t { end, always, at, event };

// equal: |lhs - rhs| <= limit in the largest component. The others: a condition is 1; below (lhs < rhs), above and
// unequal have sides to show.
enum class CheckRelation : std::uint8_t { condition, equal, below, above, unequal };

}  // namespace mbc::kernel
