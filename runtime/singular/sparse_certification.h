// SPDX-License-Identifier: Apache-2.0
// Certification of the rows of large systems by the pivots of the sparse elimination, without a dense factorisation.
//
// A row whose pivot vanishes (d <= 1e-13 S_kk) depends on the rows before it in the order of elimination. Its
// combination of them follows from one solve on the rows kept, refined twice. Its distance from them is the norm of the
// remainder, which is exact to rounding where the pivot is exact to the root of that only. So redundancy is found with
// certainty; a distance between 1e-10 and 3e-7 is called redundant_near, where a small system would be solved by
// orthogonal factors.
#pragma once
#include <vector>

#include "runtime/equations/equations.h"
#include "runtime/rows/rank.h"

namespace mbc::runtime {

// What a state projected to round-off still explains of a defect, as a fraction of the terms it is made of: here and in
// certification.cpp.
inline constexpr double kDriftFraction = 1e-8;

struct SparseVerdict {
  RankReport report;
  std::vector<int> conflicting;  // a minimal set of rows that contradict each other
  std::int32_t failed = 0;       // the rows could not be evaluated

  // Every row is clearly independent, or clearly repeats others without contradiction.
  [[nodiscard]] bool clear() const { return failed == 0 && conflicting.empty() && !report.near(); }
};

// Of rows that repeat each other the last are called dependent, while there are few of them. y = [q; u; s] at time t
// (s); A, b, M, f of the state and pivots are left in work.
SparseVerdict certify_sparse(Equations& equations, double t, const double* y);

}  // namespace mbc::runtime
