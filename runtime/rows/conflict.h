// SPDX-License-Identifier: Apache-2.0
// An irreducible set of contradicting constraint rows: what the user is shown when no motion satisfies all of them.
#pragma once
#include <Eigen/Core>
#include <vector>

#include "runtime/rows/rank.h"

namespace mbc::runtime {

// Rows (ascending) that no y satisfies within `allowance` (per row, units of r; empty: rounding only) while every
// proper subset of them has a solution. Of the sets that certification shows the smallest is taken, and the first among
// equals. Empty when the rows are consistent or not finite.
std::vector<int> minimal_conflicting_set(const Eigen::MatrixXd& G, const Eigen::VectorXd& r,
                                         const Eigen::VectorXd& allowance = {}, const RankOptions& options = {});

// The same where the noise of the rows is known and the report has been made.
std::vector<int> minimal_conflicting_set(const RankInput& input, const RankReport& report,
                                         const RankOptions& options = {});

}  // namespace mbc::runtime
