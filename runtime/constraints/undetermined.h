// SPDX-License-Identifier: Apache-2.0
// What to say when neither inertia nor constraints determine the motion: the combination of speeds that is free.
#pragma once
#include "base/diagnostics/diagnostic.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// `s` at the state (t, y), with a mass matrix that is not positive definite.
Diagnostic undetermined_motion(const Assembled& s, const problem::Problem& info, double t, const double* y);

// The same for large systems: a block of the mass matrix, these speeds, is not positive definite.
Diagnostic undetermined_block(const std::vector<std::uint32_t>& speeds, const problem::Problem& info, double t);

}  // namespace mbc::runtime
