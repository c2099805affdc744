// SPDX-License-Identifier: Apache-2.0
// The places of all data of a function in lanes: offsets into work, allocated when the object is made.
//
// Data of the lanes is stored as [local][lane], so that eight lanes are one vector. Data of separator rows is stored by
// their index in LanePartition::separator_rows, followed by rows of LanePartition::extra.
#pragma once
#include <functional>
#include <vector>

#include "compiler/formulate/blocks/emit_block.h"
#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/lanes/lane_elimination.h"
#include "compiler/formulate/lanes/lane_inertia.h"
#include "compiler/formulate/lanes/lane_row_table.h"
#include "compiler/formulate/lanes/partition.h"

namespace mbc::formulate {

// A system and its partition, as the kernel builder passes them. All of it outlives the lane kernel.
struct LaneSystem {
  const System& system;
  const Pattern& pattern;
  const InertiaBlocks& blocks;
  const LanePartition& partition;
  const SystemLayout& layout;
  std::function<std::uint32_t(const char* name, std::uint32_t size)> room;  // allocates in work
  std::function<Place(const Node& global)> leaf_place;                      // places outside the lanes
  std::function<std::uint32_t(const Part& part)> constants_of;              // constants in work
};

class LanePlaces {
 public:
  struct InLanes {  // [local][lane]
    std::uint32_t q = 0, u = 0, A = 0, r = 0, S = 0, scale = 0;
    std::uint32_t pivot_inverse = 0, row_inverse = 0;  // 1/d; the inverse of the factor that a row was divided by
    std::uint32_t coupling = 0;                        // the columns of S, then of the elimination, without diagonals
    std::uint32_t lambda = 0, acceleration = 0;
  };
  struct OfInterface {  // [interface row, or pair of them][lane]: sums of one lane, and its copies of the multipliers
    std::uint32_t coupling = 0, r = 0, lambda = 0;
  };
  struct OfSeparators {  // [separator row], A base by base, coupling by LaneElimination::separator_pair
    std::uint32_t A = 0, r = 0, S = 0, scale = 0, coupling = 0, lambda = 0, row_inverse = 0;
    std::uint32_t guard = 0;  // > 0 if the pivot is large enough
  };
  struct BySpeed {  // f and M^-1 f where they are not literal
    std::uint32_t force = 0, free = 0;
  };

  LanePlaces(const LaneSystem& system, const LaneRowTable& rows, const LaneElimination& elimination,
             bool forces_are_literal);

  InLanes lanes;
  OfInterface interface;
  OfSeparators separators;
  BySpeed speeds;

  [[nodiscard]] static std::uint32_t in_lane(std::uint32_t at, LaneSlot m) { return at + m.local * kLanes + m.lane; }
  // Returns the place of a speed in an array by speed; speeds in lanes come first.
  [[nodiscard]] std::uint32_t of_speed(std::uint32_t at, std::uint32_t speed) const { return at + speed_order_[speed]; }
  // Returns the place of a row, in the array of the lanes or in that of the separators.
  [[nodiscard]] std::uint32_t of_row(std::uint32_t lanes_at, std::uint32_t separators_at, std::uint32_t row) const;
  // Returns the place of a base of a row of A.
  [[nodiscard]] std::uint32_t of_base(std::uint32_t row, std::uint32_t base) const;
  // Returns the place of S of two rows that share speeds.
  [[nodiscard]] std::uint32_t of_coupling(std::uint32_t row, std::uint32_t other) const;
  // Returns the place of a row's multiplier that a lane reads (kNoLane: that everything outside the lanes reads).
  [[nodiscard]] std::uint32_t of_multiplier(std::uint32_t row, std::uint32_t lane) const;
  // Returns the place of a slot of an instance: coordinates and speeds of lanes are read from their copies.
  [[nodiscard]] Place of_slot(const Part& part, std::uint32_t instance, std::uint32_t slot) const;
  // Does the same without the copies.
  [[nodiscard]] Place of_slot_outside(const Part& part, std::uint32_t instance, std::uint32_t slot) const;

 private:
  void order_bases(const LaneRowTable& rows);
  void order_speeds();
  void make_room(bool forces_are_literal);

  const LaneSystem& s_;
  const LaneElimination& elimination_;
  std::vector<std::uint32_t> base_begin_;  // by local row, followed by separator rows and extra rows
  std::uint32_t lane_bases_ = 0, separator_bases_ = 0;
  std::vector<std::uint32_t> speed_order_;
};

// Data that the writers of one function share.
struct LaneContext {
  const LaneSystem& s;
  const LaneInertia& inertia;
  const LaneRowTable& rows;
  const LaneElimination& elimination;
  const LanePlaces& places;
  LaneFunction wanted;

  [[nodiscard]] bool motion() const { return of_motion(wanted); }
  // known() returns whether M^-1 f of a speed is a number at compile time, free() that number; corrections have f = 0.
  [[nodiscard]] bool known(std::uint32_t speed) const { return !motion() || inertia.literal_force(speed); }
  [[nodiscard]] double free(std::uint32_t speed) const { return motion() ? inertia.free(speed) : 0.0; }
};

}  // namespace mbc::formulate
