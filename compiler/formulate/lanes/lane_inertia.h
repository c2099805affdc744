// SPDX-License-Identifier: Apache-2.0
// The parts of M and f that are numbers at compile time: M^-1 block by block, and M^-1 f where no force of a block
// depends on the state.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/lanes/partition.h"

namespace mbc::formulate {

// Returns whether the form of a system allows lanes: literal masses, no work of constraints, no prescribed forces.
bool suits_lanes(const System& system, const InertiaBlocks& blocks);

class LaneInertia {
 public:
  // The system suits lanes, and `blocks` outlives the object.
  LaneInertia(const System& system, const InertiaBlocks& blocks);

  [[nodiscard]] bool positive_definite() const { return positive_; }
  // Returns element (i, j) of M^-1; i and j are speeds of the system.
  [[nodiscard]] double inverse(std::uint32_t i, std::uint32_t j) const;
  // literal_force() returns whether f of the speed's block is literal, all_forces_literal() whether that holds for all
  // blocks. free() returns M^-1 f of a speed with a literal force.
  [[nodiscard]] bool literal_force(std::uint32_t speed) const { return literal_force_[speed]; }
  [[nodiscard]] bool all_forces_literal() const { return all_literal_; }
  [[nodiscard]] double free(std::uint32_t speed) const { return free_[speed]; }

 private:
  void add_contributions(const Part& part, std::uint32_t instance);
  void invert_block(std::size_t block);

  const InertiaBlocks& blocks_;
  std::vector<double> inverse_;                // inverse of each block, full; M while contributions are added
  std::vector<std::size_t> inverse_begin_;     // by block
  std::vector<std::uint32_t> place_in_block_;  // by speed
  std::vector<double> free_;                   // by speed: M^-1 f; f while contributions are added
  std::vector<bool> literal_force_;            // by speed
  bool positive_ = true, all_literal_ = true;
};

}  // namespace mbc::formulate
