// SPDX-License-Identifier: Apache-2.0
// Which rows of the constraints belong together: those that share speeds, directly, through other rows, or through the
// mass matrix. What happens to the rank of one such part has nothing to do with the others.
#pragma once
#include <vector>

#include "kernel/layout.h"
#include "kernel/problem/problem.h"
#include "runtime/rows/counted_inverse.h"

namespace mbc::runtime {

// Rows in the order of the system, without ranks.
std::vector<CountedPart> row_parts(const kernel::SystemLayout& layout, const problem::Problem& info);

// Of the same parts the rows for which `taken` is not 0; parts without such rows keep their place and are empty.
std::vector<CountedPart> restricted(const std::vector<CountedPart>& parts, const std::vector<double>& taken);

}  // namespace mbc::runtime
