// SPDX-License-Identifier: Apache-2.0
// Frictions that rest together: rows that depend on each other share forces in many ways, and all of them rest while
// any of these ways keeps every friction within its limit. Where the smallest multipliers
// (runtime/constraints/reactions.h) exceed a limit, those are taken that springs of one stiffness within the limits
// lead to (runtime/rows/cone/problem.h). The motion is the same.
#pragma once
#include <cstdint>
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/constraints/reactions.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

struct JointRest {
  std::vector<std::uint32_t> at_limit;  // by number of the friction: those that the smallest multipliers take there
  // The part of all limits that is not needed, at most kClearlyWithin; negative: no forces within the limits exist.
  double margin = 0;
};

// Replaces the multipliers that the rhs at this state has left in work, as smallest_multipliers does, which says what
// the result means, and then by others within the limits where these exceed some and others exist.
bool shared_multipliers(Equations& equations, const problem::Problem& info, double t, const double* y,
                        MultiplierFreedom* freedom = nullptr);

// Makes reaction-dependent forces use these multipliers wherever rows that are not switched off are dependent. Systems
// beyond dense sizes have no such multipliers. The problem must outlive the equations.
void use_shared_multipliers(Equations& equations, const problem::Problem& info);

// Follows smallest_multipliers: does the rest of shared_multipliers, and measures the margin where a friction is at its
// limit. The output values are those of other multipliers afterwards.
JointRest margin_of_rest(Equations& equations, const problem::Problem& info, double t, const double* y);

}  // namespace mbc::runtime
