// SPDX-License-Identifier: Apache-2.0
// Describes contradicting rows in the words of the model: how far they differ and since when.
#pragma once
#include <optional>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// `rows` is a minimal conflicting set at (t, y). `agreed` is the last time at which the rows agreed, if there was one.
// A single row, whose gradient vanishes, gives E0613; several rows give E0602. The call overwrites the work array of
// the equations.
Diagnostic conflict_diagnostic(Equations& equations, const problem::Problem& info, const std::vector<int>& rows,
                               double t, const double* y, std::optional<double> agreed = {});

}  // namespace mbc::runtime
