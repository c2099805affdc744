// SPDX-License-Identifier: Apache-2.0
// The linear solve of the generalised inverse, planned from the pattern: with S = A M^-1 A^T and r = b - A a,
//
//   S lambda = r,   u' = a + M^-1 A^T lambda,   a = M^-1 f.
//
// Three plans give the same numbers up to rounding:
//   unrolled   expressions: a sparse L D L^T written out entry by entry on the kernel's graph, in an order of little
//              fill; structural zeros cost nothing. For small systems.
//   sparse     a call of mbc_sparse_solve between loops, with a plan made from the patterns (sparse_plan.h).
//   dense      a call of mbc_dense_solve between loops. For closely coupled systems, or small ones.
// In all plans, a row is skipped (its multiplier is 0) if it is outside the certified set (mask) or if its pivot
// vanishes, d_k <= kPivotTolerance * S_kk. The pivots are reported to the runtime (docs/numerics.md).
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/solve/articulated.h"
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
  std::optional<TreeInertia> trees;                                // M is solved by articulated inertias
  std::vector<std::uint32_t> group;          // by speed: the body or particle it belongs to; may be empty
  std::vector<std::vector<NodeId>> defects;  // further right-hand sides d of S mu = d (projection)
};

struct LinearSolution {
  std::vector<NodeId> acceleration;                    // n
  std::vector<NodeId> multiplier, pivot, pivot_scale;  // rows
  std::vector<std::vector<NodeId>> corrections;  // M^-1 A^T mu for each defect: smallest mass-weighted w with A w = d
};

LinearSolution solve_unrolled(Graph& g, const LinearSystem& system);

// Returns the order of elimination of a symmetric pattern: greedy minimum degree, ties by index. `eliminated` is called
// with the degree of each in turn.
std::vector<std::uint32_t> minimum_degree(const std::vector<std::vector<std::uint32_t>>& adjacency,
                                          const std::function<void(std::uint64_t degree)>& eliminated = {});

// Entries of M that may differ from zero: i >= j; ascending, each once.
using MassPattern = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Returns the number of multiplications of the unrolled plan, which decides whether it is used.
std::uint64_t unrolled_cost(std::uint32_t n_rows, const std::vector<std::vector<std::uint32_t>>& row_columns,
                            const MassPattern& mass_pattern, std::uint64_t limit);

}  // namespace mbc::formulate
