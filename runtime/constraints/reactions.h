// SPDX-License-Identifier: Apache-2.0
// The multipliers that are recorded, and those that loads and decisions of contact know. Where rows are dependent many
// multipliers give the same forces A^T lambda, and the solution leaves some of them at 0. The smallest ones are taken,
// min |lambda|^2 in the scale of lengths (runtime/equations/row_lengths.h): the limit of springs of one stiffness in
// the place of the rows, whatever the masses are. This is done where outputs, loads or contacts ask for multipliers.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

struct MultiplierFreedom {
  Eigen::MatrixXd determined;  // rows x rank: orthonormal basis of what A^T sees of the scaled multipliers
  Eigen::VectorXd scale;       // by row: its residual for one metre, which its multiplier is multiplied with
};

// Replaces the multipliers that the rhs at this state has left in work. False, and nothing is changed, when all rows
// are independent or the rows cannot be evaluated.
bool smallest_multipliers(Equations& equations, const problem::Problem& info, double t, const double* y,
                          MultiplierFreedom* freedom = nullptr);

// The same behind a rhs by the kernel's own elimination, where rows depend on each other that are not switched off.
void share_multipliers(Equations& equations, const problem::Problem& info, double t, const double* y);

// Whether the multiplier of a row is the only one that gives these forces, after smallest_multipliers.
[[nodiscard]] bool unique_multiplier(const MultiplierFreedom& freedom, std::size_t row);
// Whether the sum of multipliers with these weights, n_rows, is the same for all that give these forces.
[[nodiscard]] bool unique_sum(const MultiplierFreedom& freedom, const Eigen::VectorXd& weights);

// Marks the outputs that depend on which multipliers are taken, by evaluating them with others of the same forces. Call
// it after smallest_multipliers, with the accelerations in dy; outputs are evaluated, multipliers stay as they were.
// off: rows that are switched off, whose multipliers are 0. not_unique: one entry an output.
void find_not_unique(Equations& equations, double t, const double* y, double* dy, const MultiplierFreedom& freedom,
                     std::span<const std::uint32_t> off, std::vector<bool>& not_unique);

// Of inequalities of positions that are not held those whose sides are together, by the gaps of the last outputs();
// extent: of the positions of the model.
std::vector<std::uint32_t> sides_together(Equations& equations, const problem::Problem& info, double extent);

}  // namespace mbc::runtime
