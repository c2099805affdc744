// SPDX-License-Identifier: Apache-2.0
// The multipliers that are recorded. Where rows are dependent many multipliers give the same forces A^T lambda, and the
// solution leaves some of them at 0. A user is shown the smallest ones: those of least norm in rows scaled to norm 1
// (rows of G = A L^-T, so that a row's units do not matter). This is done at recorded states only, and only where
// outputs ask for multipliers.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

struct MultiplierFreedom {
  Eigen::MatrixXd determined;  // rows x rank: orthonormal basis of what A^T sees of the scaled multipliers
  Eigen::VectorXd scale;       // |G_k|; 1 for rows that vanish
};

// Replaces the multipliers that the rhs at this state has left in work. False, and nothing is changed, when all rows
// are independent or the rows cannot be evaluated.
bool smallest_multipliers(Equations& equations, double t, const double* y, MultiplierFreedom* freedom = nullptr);

// Reaction-dependent forces are those of the smallest multipliers from here on (`reactions = smallest`), or of the
// multipliers that the equations leave. Beyond dense sizes there are no smallest ones.
void use_smallest_multipliers(Equations& equations, bool smallest);

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
