// SPDX-License-Identifier: Apache-2.0
// Finds bodies that have almost no inertia about one of their axes, such as thin rods and light couplers. If rows
// constrain such a rotation, M^-1 is huge along it. In A M^-1 A^T the terms that the rows share along heavy directions
// are then lost to rounding, and independent rows look dependent. With A^T D A added to M (seed 004, eq. 28-30) the
// equations have the same solution and are well conditioned.
#pragma once
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// Returns whether a body that rows act on has such an axis. The equations must be dense, and their mass matrix must be
// positive definite at the state. The result is false for large equations, to which no rows are added.
bool has_light_spins(Equations& equations, const problem::Problem& info, double t, const double* y);

}  // namespace mbc::runtime
