// SPDX-License-Identifier: Apache-2.0
// Describes contradicting rows in the words of the model: how far they differ and since when.
#pragma once
#include <optional>
#include <string>
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

// Returns for example "0.5 [m/s]". The value is in the unit divided by a power of time, at most the second.
std::string in_unit(double value, const std::string& unit, int per_time);

}  // namespace mbc::runtime
