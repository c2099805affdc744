// SPDX-License-Identifier: Apache-2.0
// Computes the multipliers that are recorded and those that loads and decisions of contact use. If rows are dependent,
// many multipliers give the same forces A^T lambda, and the solution sets some of them to 0. The minimum-norm
// multipliers in the scale of lengths (runtime/equations/row_lengths.h) are taken. They are the limit of springs of one
// stiffness in place of the rows, whatever the masses are. They are computed only where outputs, loads or contacts use
// multipliers.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

struct MultiplierFreedom {
  Eigen::MatrixXd determined;  // rows x rank: orthonormal basis of the scaled multipliers that determine the forces
  Eigen::VectorXd scale;       // by row: its residual for one metre, which its multiplier is multiplied with
};

// Replaces the multipliers that the rhs at this state has left in work. The result is false, and nothing changes, if
// all rows are independent or the rows cannot be evaluated.
bool smallest_multipliers(Equations& equations, const problem::Problem& info, double t, const double* y,
                          MultiplierFreedom* freedom = nullptr);

// Returns whether the multiplier of a row is the only one that gives these forces. The call follows
// smallest_multipliers.
[[nodiscard]] bool unique_multiplier(const MultiplierFreedom& freedom, std::size_t row);
// Returns whether the weighted sum of multipliers is the same for all multipliers that give these forces. There are
// n_rows weights.
[[nodiscard]] bool unique_sum(const MultiplierFreedom& freedom, const Eigen::VectorXd& weights);

// Marks the outputs that depend on the choice of multipliers, by evaluating them with other multipliers of the same
// forces. The call follows smallest_multipliers, with the accelerations in dy. It evaluates the outputs and restores
// the multipliers. `off` lists rows that are switched off, whose multipliers are 0. `not_unique` has one entry for each
// output.
void find_not_unique(Equations& equations, double t, const double* y, double* dy, const MultiplierFreedom& freedom,
                     std::span<const std::uint32_t> off, std::vector<bool>& not_unique);

// Returns the inactive unilateral constraints of positions whose gap is zero, by the gaps of the last outputs().
// `extent` is the size of the positions of the model.
std::vector<std::uint32_t> sides_together(Equations& equations, const problem::Problem& info, double extent);

}  // namespace mbc::runtime
