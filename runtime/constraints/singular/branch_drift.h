// SPDX-License-Identifier: Apache-2.0
// Runs that bring nothing back onto the rows, beside a position where two ways of the motion cross: whether what the
// rows have drifted off their values decides which of the ways is taken. Rows that are off by d hold there what x y = d
// is to x y = 0: within sqrt(d) of the position the motion turns off, as that of a linkage whose bars are too long by d
// would.
#pragma once
#include <vector>

#include "runtime/constraints/crossing.h"
#include "runtime/constraints/singular/usual_rank.h"

namespace mbc::runtime {

class BranchDrift {
 public:
  explicit BranchDrift(UsualRank& rank) : rank_(rank) {}

  void forget() { found_ = 0; }
  // By how much rows were off where that decides; 0: nowhere.
  [[nodiscard]] double found() const { return found_; }

  // The rows are missed by so much where a singular value is 0: they are off as much on one side of it, or the other.
  bool explains(double missed, const SignChange& change, std::size_t part, double t, const double* y);
  // At a state with the decomposition of its parts.
  bool decides(double t, const double* y, const std::vector<CountedPart>& parts, double weak);

 private:
  UsualRank& rank_;
  double found_ = 0;
};

}  // namespace mbc::runtime
