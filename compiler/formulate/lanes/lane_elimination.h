// SPDX-License-Identifier: Apache-2.0
// The pattern of L for the rows of a lane, the same in all lanes, and the pairs of separator rows that share speeds.
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compiler/formulate/lanes/partition.h"

namespace mbc::formulate {

struct LaneElimination {
  using Names = std::vector<std::uint32_t>;  // names of rows in a lane (LanePartition::name_of), ascending

  std::vector<Names> coupled;              // by local row: later rows and interface rows it shares speeds with
  std::vector<Names> reach;                // by local row: entries of its column of L, `coupled` and fill
  std::vector<std::uint32_t> reach_begin;  // begin of each column in one array of all columns; last: its size
  // Numbers of pairs of separator rows, by their indices in separator_rows, first < second.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> separator_pair;

  LaneElimination(const Pattern& pattern, const InertiaBlocks& blocks, const LanePartition& partition);

  [[nodiscard]] std::uint32_t n_entries() const { return reach_begin.back(); }
  // Returns the entry of row `name` in the column of the local row `column` < name.
  [[nodiscard]] std::uint32_t entry(std::uint32_t column, std::uint32_t name) const;
};

// Returns the number of the pair (i <= j) of n interface rows, row by row in the upper triangle.
inline std::uint32_t interface_pair(std::uint32_t i, std::uint32_t j, std::uint32_t n) {
  if (j < i) std::swap(i, j);
  return i * n - i * (i + 1) / 2 + j;
}

}  // namespace mbc::formulate
