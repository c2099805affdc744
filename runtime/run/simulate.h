// SPDX-License-Identifier: Apache-2.0
// Computes a trajectory from an initial state, with all checks of the run.
#pragma once
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"
#include "runtime/record/options.h"
#include "runtime/record/run_data.h"

namespace mbc::runtime {

// `y` is the initial state [q; u; s] and becomes the last one. The result reports failures. Runs of different equations
// may be made on different threads at once; `record` and the functions in `options` are called on the thread of the
// caller.
RunData simulate(Equations& equations, const problem::Problem& info, const SimulateOptions& options,
                 std::vector<double>& y, const Recorder& record);

}  // namespace mbc::runtime
