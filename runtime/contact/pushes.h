// SPDX-License-Identifier: Apache-2.0
// The pushes that are recorded where sides touch whose rows follow from those of others, as of a table on four legs:
// the motion is the same whichever of them press, and the solution leaves some at 0. A user is shown the smallest
// pushes that give the same forces and pull nowhere, in the scale of reactions.h. Where friction acts they are left as
// they are, since its limits hold them, and only marked.
#pragma once
#include "kernel/problem/problem.h"
#include "runtime/constraints/reactions.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

// As smallest_multipliers, behind it, with the pushes of `idle`, which is not empty. False: all rows are independent,
// or they cannot be evaluated.
bool smallest_pushes(Equations& equations, const problem::Problem& info, double t, const double* y,
                     const std::vector<std::uint32_t>& idle, MultiplierFreedom& freedom);

// The smallest multipliers of rows that only push, in rows of norm 1, that give the forces of these: none is negative.
Eigen::VectorXd smallest_of_same_force(const Eigen::MatrixXd& rows, const Eigen::VectorXd& pushes);

// The smallest multipliers of rows G of norm 1 are `pulls` = G w, w in their span. One more row of norm 1 in that span
// would have this among them; none (NaN) where it is not in it. spanned: of G, of which `rank` values are not zero.
double share_among(const SingularDecomposition& spanned, Eigen::Index rank, const Eigen::VectorXd& pulls,
                   const Eigen::VectorXd& row);

// Of inequalities that touch and are not held, since others hold them: what each would push with if it were, where the
// smallest multipliers are taken (`reactions = smallest`). By `idle`; 0 where the rows that are on do not hold it. Call
// it behind smallest_multipliers, which stay.
void shares_of_idle(Equations& equations, const problem::Problem& info, double t, const double* y,
                    const std::vector<std::uint32_t>& idle, std::vector<double>& shares);

}  // namespace mbc::runtime
