// SPDX-License-Identifier: Apache-2.0
// An irreducible set of contradicting constraint rows: what the user is shown when no motion satisfies all of them.
#pragma once
#include <Eigen/Core>
#include <vector>

#include "runtime/rows/rank.h"

namespace mbc::runtime {

// Rows (ascending) of which no solution of G y = r exists within `allowance` (per row, units of r; empty: rounding
// only), while every proper subset has one. The smallest of the sets that certification shows is taken, the first among
// equals. Empty when the rows are consistent or not finite.
std::vector<int> minimal_conflicting_set(const Eigen::MatrixXd& G, const Eigen::VectorXd& r,
                                         const Eigen::VectorXd& allowance = {}, const RankOptions& options = {});

// The same with the noise of the rows known and the report at hand.
std::vector<int> minimal_conflicting_set(const RankInput& input, const RankReport& report,
                                         const RankOptions& options = {});

}  // namespace mbc::runtime
