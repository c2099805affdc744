// SPDX-License-Identifier: Apache-2.0
// Functions of long and thin systems in eight lanes: the results of `rhs`, and the corrections.
//
//   state in lanes -> rows A, r, S_kk and their couplings S_kl -> elimination of each lane's rows in order -> the
//   remaining system of the separators, solved as expressions -> multipliers of the lanes backwards -> accelerations
//
// with S = A M^-1 A^T and r = b - A M^-1 f as everywhere (lane_solve.h has the recurrence). All rows except the extra
// ones are used: the functions are called only if the certified set consists of these. A pivot at or below kSurePivot
// S_kk makes the accelerations NaN. Then, as for any other value that is not finite, a function returns kGaveUp, and
// `rhs` decides.
#pragma once
#include <optional>

#include "compiler/formulate/lanes/lane_elimination.h"
#include "compiler/formulate/lanes/lane_inertia.h"
#include "compiler/formulate/lanes/lane_places.h"
#include "compiler/formulate/lanes/lane_row_table.h"

namespace mbc::formulate {

class LaneKernel {
 public:
  explicit LaneKernel(LaneSystem system);  // requires suits_lanes()
  LaneKernel(const LaneKernel&) = delete;
  LaneKernel& operator=(const LaneKernel&) = delete;

  // Returns whether M is positive definite, and the number of templates so far is small.
  [[nodiscard]] bool possible() const { return possible_; }
  // Returns whether all rows have the values that a function needs.
  [[nodiscard]] bool has(LaneFunction wanted) const { return of_motion(wanted) || rows_.has(wanted); }
  // Appends to a function that has written the constants and, for the motion, cleared the work rates in deriv. Requires
  // possible().
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
