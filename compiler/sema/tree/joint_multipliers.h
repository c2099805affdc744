// SPDX-License-Identifier: Apache-2.0
// The multipliers of rows that carrying joints have replaced: the inverse pass of Newton and Euler. A body b that a
// joint carries obeys M_b u_b' = f_b + sum over all rows of A_b^T lambda, with the velocity of its origin and its
// angular velocity as speeds. All but the multipliers of its own joint is known if the bodies that it carries come
// first.
#pragma once
#include <set>
#include <vector>

#include "compiler/sema/tree/forest.h"

namespace mbc::sema {

struct RowMultiplier {
  std::uint32_t row = 0;
  NodeId value;  // by leaves that stand for bodies, and the multipliers of other rows
};

// Returns the multipliers of the asked rows that the joints of a forest replace, and of those rows on which they
// depend. Each comes after those that it holds. The bodies still stand by leaves, and no row is gone.
std::vector<RowMultiplier> joint_multipliers(Model& model, const std::vector<JointCandidate>& candidates,
                                             const std::vector<Branch>& forest, const std::set<std::uint32_t>& asked);

}  // namespace mbc::sema
