// SPDX-License-Identifier: Apache-2.0
// The fast right-hand side: what the stages of an integrator need and nothing else.
//
// A system whose rows all stand computes 1/d for every pivot d of its elimination; the choice between 1/d and 0, the
// pivots and their scales matter only where a row depends on others. So the same expressions with every choice taken
// for granted give the same derivatives, bit for bit, and one number a row says whether that was right.
#pragma once
#include <optional>
#include <vector>

#include "compiler/formulate/solve/linear_plan.h"
#include "kernel/limits.h"

namespace mbc::formulate {

using kernel::kNearPivot;

struct FastRhs {
  std::vector<NodeId> values;  // as those given, valid where every guard is > 0
  std::vector<NodeId> guards;
};

// The rows that are taken to stand, the others being left out by the mask; empty: all. And the fraction of S_kk below
// which a pivot of theirs counts as near, kPivotTolerance at least.
struct StandingRows {
  std::vector<bool> standing;
  double near = kNearPivot;
};

// `values` with the choices that depend on the mask taken as where those rows stand. `pivot`, `scale`: d_k and S_kk of
// the rows. Nothing when a choice is of a kind that cannot be checked by a number afterwards.
std::optional<FastRhs> fast_rhs_of(Graph& g, const std::vector<NodeId>& values, const std::vector<NodeId>& pivot,
                                   const std::vector<NodeId>& scale, const StandingRows& rows = {});

}  // namespace mbc::formulate
