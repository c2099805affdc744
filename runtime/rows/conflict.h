// SPDX-License-Identifier: Apache-2.0
// Finds an irreducible set of contradicting constraint rows, which is shown to the user if no motion satisfies all
// rows.
#pragma once
#include <Eigen/Core>
#include <vector>

#include "runtime/rows/rank.h"

namespace mbc::runtime {

// Returns rows (ascending) that no y satisfies within `allowance`, while every proper subset of them has a solution.
// `allowance` has one value for each row in the units of r; if it is empty, only rounding is allowed. Certification may
// show several such sets; the result is the smallest one, and the first one of equal size. The result is empty if the
// rows are consistent or not finite.
std::vector<int> minimal_conflicting_set(const Eigen::MatrixXd& G, const Eigen::VectorXd& r,
                                         const Eigen::VectorXd& allowance = {}, const RankOptions& options = {});

// Does the same with known noise of the rows and an existing report.
std::vector<int> minimal_conflicting_set(const RankInput& input, const RankReport& report,
                                         const RankOptions& options = {});

}  // namespace mbc::runtime
