// SPDX-License-Identifier: Apache-2.0
// Which rows of the constraints belong together: those that share speeds, directly, through other rows, or through the
// mass matrix. What happens to the rank of one such part has nothing to do with the others.
#pragma once
#include <vector>

#include "base/disjoint_sets.h"
#include "kernel/layout.h"
#include "kernel/problem/problem.h"
#include "runtime/rows/truncated_inverse.h"

namespace mbc::runtime {

// Speeds that rows or masses connect.
DisjointSets sets_of_speeds(const kernel::SystemLayout& layout);

// Rows in the order of the system, without ranks.
std::vector<RowComponent> row_components(const kernel::SystemLayout& layout, const problem::Problem& info);

}  // namespace mbc::runtime
