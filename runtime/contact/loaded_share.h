// SPDX-License-Identifier: Apache-2.0
// Shares of forces on which loads depend: frictions that slide where their normal forces are shared, and loads that
// read such multipliers. The sizes of these loads are found with the smallest multipliers
// (runtime/constraints/reactions.h). Where these exceed the limit of a friction at rest, sizes and multipliers are
// those of the contact problem of the whole state (runtime/rows/cone/problem.h), with these loads as given forces.
#pragma once
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// Makes reaction-dependent forces use these multipliers wherever rows that are not switched off are dependent. Systems
// beyond dense sizes have no such multipliers. The problem must outlive the equations.
void use_shared_multipliers(Equations& equations, const problem::Problem& info);

}  // namespace mbc::runtime
