// SPDX-License-Identifier: Apache-2.0
// The order of elimination of unrolled code, and the rows that are eliminated together. Throughput needs little fill;
// latency needs short chains of pivots, since every pivot waits for those of the rows it is coupled with.
#pragma once
#include <cstdint>
#include <vector>

namespace mbc::formulate {

inline constexpr std::size_t kLargestPivot = 3;  // rows eliminated at once, without fractions (Bareiss)

// Returns blocks of rows in order of elimination. Rows with the same neighbours (those of a ball joint) form blocks,
// ascending. Among equally good rows, those whose pivot is a number come first, because its division is made at compile
// time. `number` marks such rows; empty: none.
std::vector<std::vector<std::uint32_t>> pivot_order(const std::vector<std::vector<std::uint32_t>>& adjacency,
                                                    std::size_t largest_block = kLargestPivot,
                                                    const std::vector<bool>& number = {});

}  // namespace mbc::formulate
