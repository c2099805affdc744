// SPDX-License-Identifier: Apache-2.0
// Bodies that are almost without inertia about one of their axes, as thin rods and light couplers are. Where rows hold
// such a spin, M^-1 is huge along it: what the rows share of the heavy directions drowns in A M^-1 A^T, and rows look
// dependent that are not. With A^T D A added to M (seed 004, eq. 28-30) the equations are the same, and well
// conditioned.
#pragma once
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// Of dense equations whose mass matrix is positive definite at the state: whether a body that rows touch has such an
// axis. False for large ones, whose rows are not added.
bool has_light_spins(Equations& equations, const problem::Problem& info, double t, const double* y);

}  // namespace mbc::runtime
