// SPDX-License-Identifier: Apache-2.0
// Builds the diagnostic if neither inertia nor constraints determine the motion. It names the combination of speeds
// that is free.
#pragma once
#include "base/diagnostics/diagnostic.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// `s` is the system at the state (t, y); its mass matrix is not positive definite.
Diagnostic undetermined_motion(const Assembled& s, const problem::Problem& info, double t, const double* y);

// Builds the same diagnostic for large systems. The block of the mass matrix with these speeds is not positive
// definite.
Diagnostic undetermined_block(const std::vector<std::uint32_t>& speeds, const problem::Problem& info, double t);

}  // namespace mbc::runtime
