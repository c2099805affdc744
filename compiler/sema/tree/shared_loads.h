// SPDX-License-Identifier: Apache-2.0
// Joints in loops with rows whose reaction acts in the model. Rows of a loop may depend on each other: then they share
// the load among all of them, by their least multipliers, and a joint that is replaced by coordinates has no part in
// that. So such joints stay rows. A joint that no loop contains carries its load alone.
#pragma once
#include <set>
#include <vector>

#include "compiler/sema/tree/forest.h"

namespace mbc::sema {

// `acting`: the rows whose multipliers the motion depends on. Rows that events switch on and off close no loop here.
void keep_rows_that_share(const Model& model, const std::set<std::uint32_t>& acting,
                          const std::set<std::uint32_t>& switched, std::vector<JointCandidate>& candidates);
// The same for contacts and frictions, which hold a mechanism at several places for a while: the joints between them
// are no loop as long as the rows are independent. So only joints stay rows whose rows depend on rows that act where
// the bodies are drawn. In special positions, such as stretched legs, more rows depend on each other than elsewhere.
void keep_rows_that_contacts_share(Model& model, const std::set<std::uint32_t>& acting,
                                   const std::set<std::uint32_t>& switched, std::vector<JointCandidate>& candidates);

}  // namespace mbc::sema
