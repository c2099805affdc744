// SPDX-License-Identifier: Apache-2.0
// From an initial state to a trajectory, with everything that is watched on the way.
#pragma once
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"
#include "runtime/record/options.h"
#include "runtime/record/run_data.h"

namespace mbc::runtime {

// y: initial state [q; u; s] in, last state out. Failures are in the result. Runs of different equations may go on
// different threads at once; `record` and the functions in `options` are called on the thread of the caller.
RunData simulate(Equations& equations, const problem::Problem& info, const SimulateOptions& options,
                 std::vector<double>& y, const Recorder& record);

}  // namespace mbc::runtime
