// SPDX-License-Identifier: Apache-2.0
// The linear solve of the generalised inverse, planned from the pattern: with S = A M^-1 A^T and r = b - A a,
//
//   S lambda = r,   u' = a + M^-1 A^T lambda,   a = M^-1 f.
//
// Three plans give the same numbers up to rounding:
//   unrolled   expressions: a sparse L D L^T written out entry by entry on the kernel's graph, in an order of little
//              fill; what is structurally zero costs nothing. For small systems.
//   sparse     a call of mbc_sparse_solve between loops, with a plan made from the patterns (sparse_plan.h).
//   dense      a call of mbc_dense_solve between loops. For what is closely coupled, or small.
// In all, a row is skipped (its multiplier is 0) when it is outside the certified set (mask) or when its pivot
// vanishes, d_k <= kPivotTolerance * S_kk; the pivots are reported so that the runtime sees it (docs/numerics.md).
#pragma once
#include <functional>
#include <map>
#include <vector>

#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/solve/factorisation.h"
#include "kernel/limits.h"

namespace mbc::formulate {

using kernel::kPivotTolerance;

struct LinearSystem {
  std::uint32_t n = 0;                                             // speeds
  std::map<std::pair<std::uint32_t, std::uint32_t>, NodeId> mass;  // i >= j
  std::vector<NodeId> force;                                       // n
  std::vector<SparseRow> rows;                                     // A
  std::vector<NodeId> right_side;                                  // b
  std::vector<std::uint32_t> group;          // of each speed: the body or particle it belongs to; may be empty
  std::vector<std::vector<NodeId>> defects;  // further right-hand sides d of S mu = d (projection)
};

struct LinearSolution {
  std::vector<NodeId> acceleration;                    // n
  std::vector<NodeId> multiplier, pivot, pivot_scale;  // rows
  std::vector<std::vector<NodeId>> corrections;  // M^-1 A^T mu for each defect: smallest mass-weighted w with A w = d
};

LinearSolution solve_unrolled(Graph& g, const LinearSystem& system);

// Order of elimination of a symmetric pattern: greedy minimum degree, ties by index. `eliminated` is told the degree of
// each in turn.
std::vector<std::uint32_t> minimum_degree(const std::vector<std::vector<std::uint32_t>>& adjacency,
                                          const std::function<void(std::uint64_t degree)>& eliminated = {});

// Where M may differ from zero: i >= j; ascending, each once.
using MassPattern = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Multiplications of the unrolled plan: what decides whether it is used.
std::uint64_t unrolled_cost(std::uint32_t n_rows, const std::vector<std::vector<std::uint32_t>>& row_columns,
                            const MassPattern& mass_pattern, std::uint64_t limit);

}  // namespace mbc::formulate
