// SPDX-License-Identifier: Apache-2.0
// The fast right-hand side: only the values that the stages of an integrator need.
//
// If all rows of a system are independent, it computes 1/d for every pivot d of its elimination. The choice between 1/d
// and 0, the pivots and their scales matter only if a row depends on others. Therefore the same expressions without the
// choices give the same derivatives, bit for bit, and one number for each row tells whether that was right.
#pragma once
#include <optional>
#include <vector>

#include "compiler/formulate/solve/linear_plan.h"
#include "kernel/limits.h"

namespace mbc::formulate {

using kernel::kNearPivot;

struct FastRhs {
  std::vector<NodeId> values;  // the given values, valid if every guard is > 0
  std::vector<NodeId> guards;
};

// The rows that are assumed to be independent; the mask leaves out the others; empty: all. `near` is the fraction of
// S_kk below which a pivot of theirs counts as near, at least kPivotTolerance.
struct StandingRows {
  std::vector<bool> standing;
  double near = kNearPivot;
};

// Returns `values` with the choices that depend on the mask decided as for these rows. `pivot`, `scale`: d_k and S_kk
// of the rows. Returns nothing if a choice cannot be checked by a number afterwards.
std::optional<FastRhs> fast_rhs_of(Graph& g, const std::vector<NodeId>& values, const std::vector<NodeId>& pivot,
                                   const std::vector<NodeId>& scale, const StandingRows& rows = {});

}  // namespace mbc::formulate
