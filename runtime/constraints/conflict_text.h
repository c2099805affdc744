// SPDX-License-Identifier: Apache-2.0
// Rows that contradict each other, in the words of the model: how far they are apart, and since when.
#pragma once
#include <optional>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// `rows`: a minimal conflicting set at (t, y). `agreed`: the last time they were seen to agree, when there was one. Of
// one row, whose gradient vanishes, E0613 is made, of several E0602. What the equations left in work is overwritten.
Diagnostic conflict_diagnostic(Equations& equations, const problem::Problem& info, const std::vector<int>& rows,
                               double t, const double* y, std::optional<double> agreed = {});

}  // namespace mbc::runtime
