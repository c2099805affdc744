// SPDX-License-Identifier: Apache-2.0
// Multipliers that are recorded. Where rows are dependent many multipliers give the same forces A^T lambda, and the
// solution leaves some of them at 0; what a user is shown are the smallest: those of least norm in rows scaled to norm
// 1 (rows of G = A L^-T, so a row's units do not matter). Outside of the stages only, and only where outputs ask.
#pragma once
#include <vector>

#include "runtime/equations/equations.h"

namespace mbc::runtime {

struct MultiplierFreedom {
  Eigen::MatrixXd determined;  // rows x rank: orthonormal basis of what A^T sees of the scaled multipliers
  Eigen::VectorXd scale;       // |G_k|; 1 for rows that vanish
};

// Replaces the multipliers that the rhs at this state left. False (and nothing changed) when all rows are independent.
bool smallest_multipliers(Equations& equations, double t, const double* y, MultiplierFreedom* freedom = nullptr);

// Rows whose multiplier is not the only one that gives these forces, after smallest_multipliers.
[[nodiscard]] bool unique_multiplier(const MultiplierFreedom& freedom, std::size_t row);

// Marks the outputs that depend on which multipliers are taken, by evaluating them with others of the same forces. To
// be called after smallest_multipliers; outputs are evaluated, multipliers left as they were.
void find_not_unique(Equations& equations, double t, const double* y, double* dy, const MultiplierFreedom& freedom,
                     std::vector<bool>& not_unique);

}  // namespace mbc::runtime
