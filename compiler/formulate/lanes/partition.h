// SPDX-License-Identifier: Apache-2.0
// Eight equal parts of a system that is long and thin (chains, ladders, rows of bodies on joints): every operation on
// one of them is the same operation on all, in eight lanes.
//
// The rows of the constraints are sorted into levels, so that rows of a level share speeds with rows of the next and
// the previous level only. Nine levels at equal distances are the separators; the levels between two of them belong to
// a lane. Separators, and what is left at both ends, are solved after the lanes. Parts are equal when their rows,
// speeds and coordinates, each in the order of their numbers, are coupled in the same way. Their statements may differ:
// rows of different statements become different templates (compiler/formulate/lanes/lane_template.h).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ragged_array.h"
#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/solve/pattern.h"

namespace mbc::formulate {

inline constexpr std::uint32_t kLanes = 8;
inline constexpr std::uint32_t kNoLane = 0xffffffffu;

// One thing in each lane: numbers in the system.
using Across = std::array<std::uint32_t, kLanes>;

struct LaneSlot {  // of a row, speed or coordinate
  std::uint32_t lane = kNoLane, local = 0;
};

struct LanePartition {
  std::vector<Across> rows;                   // in order of elimination
  std::vector<Across> speeds;                 // ascending in each lane
  std::vector<Across> coordinates;            // ascending in each lane
  std::vector<std::uint32_t> separator_rows;  // rows of no lane: separators and both ends, ascending
  // Separator rows next to a lane, the k-th one of each lane: indices into separator_rows.
  std::vector<Across> interface_rows;
  // Rows that the certification has to leave out for the partition to be used, ascending: further ones on the speeds of
  // others, where most speeds have fewer.
  std::vector<std::uint32_t> extra;

  // lane kNoLane: in none; local of such a row: index into separator_rows, and behind them into `extra`
  std::vector<LaneSlot> row_at, speed_at, coordinate_at;

  [[nodiscard]] bool in_lane(const LaneSlot& m) const { return m.lane != kNoLane; }
  // What a lane calls a row: the index of one of its own, behind those the index of an interface row; kNoLane: neither.
  [[nodiscard]] std::uint32_t name_of(std::uint32_t row, std::uint32_t lane) const;
};

// Speeds that M couples, and what is coupled through them.
struct InertiaBlocks {
  RaggedArray speeds;                   // of each block, ascending
  RaggedArray rows;                     // that touch it, ascending
  std::vector<std::uint32_t> of_speed;  // block of each speed

  // `without`: rows that count as not there, ascending.
  InertiaBlocks(const Pattern& pattern, std::uint32_t n_speeds, const std::vector<std::uint32_t>& without = {});
};

// Rows that most likely repeat what others say: of those on the same speeds the ones beyond the usual number.
std::vector<std::uint32_t> repeated_rows(const Pattern& pattern);

// Nothing where the system has no such parts, or they are too short to pay.
// `extra`: rows that `blocks` does without.
std::optional<LanePartition> partition_in_lanes(const System& system, const Pattern& pattern,
                                                const InertiaBlocks& blocks, std::vector<std::uint32_t> extra = {});

}  // namespace mbc::formulate
