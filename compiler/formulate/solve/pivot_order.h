// SPDX-License-Identifier: Apache-2.0
// The order in which unrolled code eliminates, and what it eliminates together: for throughput little fill, for
// latency short chains of pivots, since every pivot waits for those of the rows it touches.
#pragma once
#include <cstdint>
#include <vector>

namespace mbc::formulate {

inline constexpr std::size_t kLargestPivot = 3;  // rows eliminated at once, without fractions (Bareiss)

// Blocks of rows in order of elimination. Rows with the same neighbours (those of a ball joint) form blocks, ascending.
// Of rows that are as good as each other those come first whose pivot is a number: its division is made now. `number`
// says so by row; empty: of none.
std::vector<std::vector<std::uint32_t>> pivot_order(const std::vector<std::vector<std::uint32_t>>& adjacency,
                                                    std::size_t largest_block = kLargestPivot,
                                                    const std::vector<bool>& number = {});

}  // namespace mbc::formulate
