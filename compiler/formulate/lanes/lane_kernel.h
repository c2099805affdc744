// SPDX-License-Identifier: Apache-2.0
// Functions of long and thin systems in eight lanes: what `rhs` computes, and the corrections.
//
//   state in lanes -> rows A, r, S_kk and their couplings S_kl -> elimination of each lane's rows in order -> what is
//   left for the separators, solved as expressions -> multipliers of the lanes backwards -> accelerations
//
// with S = A M^-1 A^T and r = b - A M^-1 f as everywhere (lane_solve.h has the recurrence). All rows but the extra ones
// take part: the functions are called when the certified set is those. A pivot at or below kSurePivot S_kk makes the
// accelerations NaN, and then, as when anything else is not finite, a function returns kGaveUp: `rhs` decides.
#pragma once
#include <optional>

#include "compiler/formulate/lanes/lane_elimination.h"
#include "compiler/formulate/lanes/lane_inertia.h"
#include "compiler/formulate/lanes/lane_places.h"
#include "compiler/formulate/lanes/lane_row_table.h"

namespace mbc::formulate {

class LaneKernel {
 public:
  explicit LaneKernel(LaneSystem system);  // one that suits_lanes()
  LaneKernel(const LaneKernel&) = delete;
  LaneKernel& operator=(const LaneKernel&) = delete;

  // Whether M is positive definite, and the templates written so far are few.
  [[nodiscard]] bool possible() const { return possible_; }
  // Whether all rows have what a function needs.
  [[nodiscard]] bool has(LaneFunction wanted) const { return of_motion(wanted) || rows_.has(wanted); }
  // Appends to a function that has written the constants and, for the motion, cleared the work rates in deriv. Of a
  // kernel that is possible.
  void emit(kernel::Function& f, LaneFunction wanted);

 private:
  LaneSystem system_;
  LaneInertia inertia_;
  LaneRowTable rows_;
  bool possible_;
  std::optional<LaneElimination> elimination_;
  std::optional<LanePlaces> places_;
};

}  // namespace mbc::formulate
