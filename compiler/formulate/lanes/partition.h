// SPDX-License-Identifier: Apache-2.0
// Eight equal parts of a system that is long and thin (chains, ladders, rows of bodies on joints): every operation is
// the same on all parts and runs in eight lanes.
//
// The rows of the constraints are sorted into levels, so that rows of a level share speeds only with rows of the next
// and the previous level. Nine levels at equal distances are the separators; the levels between two of them belong to a
// lane. Separators, and the rows at both ends, are solved after the lanes. Parts are equal if their rows, speeds and
// coordinates, each in the order of their numbers, are coupled in the same way. Their statements may differ: rows of
// different statements become different templates (compiler/formulate/lanes/lane_template.h).
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

// One item in each lane: numbers in the system.
using Across = std::array<std::uint32_t, kLanes>;

struct LaneSlot {  // the lane of a row, speed or coordinate
  std::uint32_t lane = kNoLane, local = 0;
};

struct LanePartition {
  std::vector<Across> rows;                   // in order of elimination
  std::vector<Across> speeds;                 // ascending in each lane
  std::vector<Across> coordinates;            // ascending in each lane
  std::vector<std::uint32_t> separator_rows;  // rows of no lane: separators and both ends, ascending
  // Separator rows next to a lane, the k-th one of each lane, as indices into separator_rows.
  std::vector<Across> interface_rows;
  // Rows that the certification has to leave out for the partition to be valid, ascending: additional rows on the same
  // speeds, where most speeds have fewer.
  std::vector<std::uint32_t> extra;

  // kNoLane: in no lane; `local` of such a row: index into separator_rows followed by `extra`
  std::vector<LaneSlot> row_at, speed_at, coordinate_at;

  [[nodiscard]] bool in_lane(const LaneSlot& m) const { return m.lane != kNoLane; }
  // Returns the name of a row in a lane: the index of one of its own rows, or after these the index of an interface
  // row; kNoLane: neither.
  [[nodiscard]] std::uint32_t name_of(std::uint32_t row, std::uint32_t lane) const;
};

// Blocks of speeds that M couples, and the rows that are coupled through them.
struct InertiaBlocks {
  RaggedArray speeds;                   // speeds of each block, ascending
  RaggedArray rows;                     // rows that contain its speeds, ascending
  std::vector<std::uint32_t> of_speed;  // block of each speed

  // `without`: rows to ignore, ascending.
  InertiaBlocks(const Pattern& pattern, std::uint32_t n_speeds, const std::vector<std::uint32_t>& without = {});
};

// Returns rows that are probably redundant: of the rows on the same speeds, those beyond the usual number.
std::vector<std::uint32_t> repeated_rows(const Pattern& pattern);

// Returns nothing if the system has no such parts, or if they are too short to pay. `extra`: rows that `blocks`
// ignores.
std::optional<LanePartition> partition_in_lanes(const System& system, const Pattern& pattern,
                                                const InertiaBlocks& blocks, std::vector<std::uint32_t> extra = {});

}  // namespace mbc::formulate
