// SPDX-License-Identifier: Apache-2.0
// The steps before and after the solve: the state into lanes, M^-1 f, accelerations from the multipliers, all other
// rates, and accelerations out of lanes.
#pragma once
#include "compiler/formulate/lanes/lane_places.h"
#include "compiler/formulate/lanes/lane_template.h"

namespace mbc::formulate {

void write_into_lanes(const LaneContext& c, kernel::Function& f);
// Writes f and M^-1 f of the blocks whose f is not literal (lane_forces.cpp).
void write_free_accelerations(const LaneContext& c, kernel::Function& f);
// Writes u'_i = (M^-1 f)_i + sum_j (M^-1)_ij sum_k A_kj lambda_k, in lanes or in deriv.
void write_accelerations(const LaneContext& c, kernel::Function& f);
void write_out_of_lanes(const LaneContext& c, kernel::Function& f);
// Writes q', s' and the power of loads.
void write_rates(const LaneContext& c, kernel::Function& f);

// Calls take(speeds, lanes) for each block of M, with its speeds in all lanes, or those of one block outside of the
// lanes.
template <class Take>
void each_inertia_block(const LaneSystem& s, Take&& take) {
  const InertiaBlocks& blocks = s.blocks;
  std::vector<bool> done(blocks.speeds.size(), false);
  for (const Across& first : s.partition.speeds) {
    const std::uint32_t block = blocks.of_speed[first[0]];
    if (done[block]) continue;
    std::vector<Across> speeds(blocks.speeds[block].size());
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t own = blocks.of_speed[first[lane]];
      done[own] = true;
      for (std::size_t i = 0; i < speeds.size(); ++i) speeds[i][lane] = blocks.speeds[own][i];
    }
    take(speeds, kLanes);
  }
  for (std::size_t b = 0; b < blocks.speeds.size(); ++b) {
    if (done[b]) continue;
    std::vector<Across> speeds;
    for (std::uint32_t c : blocks.speeds[b]) speeds.push_back({c});
    take(speeds, 1u);
  }
}

// Returns the speeds of one lane, in the form of a block outside of the lanes.
inline std::vector<Across> one_lane(const std::vector<Across>& speeds, std::uint32_t lane) {
  std::vector<Across> one;
  for (const Across& c : speeds) one.push_back({c[lane]});
  return one;
}

}  // namespace mbc::formulate
