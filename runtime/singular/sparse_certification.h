// SPDX-License-Identifier: Apache-2.0
// Certifies the rows of large systems by the pivots of the sparse elimination, without a dense factorisation.
//
// A row with a vanishing pivot (d <= 1e-13 S_kk) depends on the rows before it in the order of elimination. One solve
// on the kept rows, refined twice, gives its combination of them. Its distance from them is the norm of the remainder,
// which is exact to rounding, whereas the pivot is exact only to the square root of rounding. Redundant rows are
// therefore found reliably. A distance between 1e-10 and 3e-7 is called redundant_near; a small system would be solved
// by orthogonal factors in this case.
#pragma once
#include <vector>

#include "runtime/equations/equations.h"
#include "runtime/rows/rank.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

struct SparseVerdict {
  RankReport report;
  std::vector<int> conflicting;  // a minimal set of contradicting rows
  std::int32_t failed = 0;       // nonzero if the rows could not be evaluated

  // Returns whether every row is clearly independent or clearly repeats others without contradiction.
  [[nodiscard]] bool clear() const { return failed == 0 && conflicting.empty() && !report.near(); }
};

// If rows repeat each other, the last ones are called dependent, provided that there are only a few. y = [q; u; s] is
// the state at time t (s). A, b, M and f of the state and the pivots stay in work.
SparseVerdict certify_sparse(Equations& equations, double t, const double* y);

}  // namespace mbc::runtime
