// SPDX-License-Identifier: Apache-2.0
// Divides the rows of the constraints into parts. Rows of one part share speeds directly, through other rows, or
// through the mass matrix. The ranks of different parts are independent of each other.
#pragma once
#include <vector>

#include "base/disjoint_sets.h"
#include "kernel/layout.h"
#include "kernel/problem/problem.h"
#include "runtime/rows/truncated_inverse.h"

namespace mbc::runtime {

// Returns the sets of speeds that rows or masses connect.
DisjointSets sets_of_speeds(const kernel::SystemLayout& layout);

// Returns the components with their rows in the order of the system, without ranks.
std::vector<RowComponent> row_components(const kernel::SystemLayout& layout, const problem::Problem& info);

}  // namespace mbc::runtime
