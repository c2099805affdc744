// SPDX-License-Identifier: Apache-2.0
// Divides the rows of the constraints into parts. Rows of one part share speeds directly, through other rows, or
// through the mass matrix. The ranks of different parts are independent of each other.
#pragma once
#include <vector>

#include "kernel/layout.h"
#include "kernel/problem/problem.h"
#include "runtime/rows/counted_inverse.h"

namespace mbc::runtime {

// Returns the parts with their rows in the order of the system, without ranks.
std::vector<CountedPart> row_parts(const kernel::SystemLayout& layout, const problem::Problem& info);

// Returns the same parts with only those rows for which `taken` is not 0. Parts without such rows keep their place and
// are empty.
std::vector<CountedPart> restricted(const std::vector<CountedPart>& parts, const std::vector<double>& taken);

}  // namespace mbc::runtime
