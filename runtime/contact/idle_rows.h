// SPDX-License-Identifier: Apache-2.0
// Inequalities that touch and are not held, since others hold them (a corner of a table that carries nothing), and
// frictions at their limits that other rows hold at rest: their rows follow from those that are on.
#pragma once
#include <cstdint>
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/constraints/reactions.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

struct IdleRows {
  std::vector<std::uint32_t> sides, frictions;  // by number of the unilateral constraint, of the friction
};

// Returns the frictions that do not stick although their slips are zero: those at their limits, and those that begin to
// slide, whose rows follow from no others. The outputs have to be those of the state.
std::vector<std::uint32_t> frictions_at_limits(Equations& equations, const problem::Problem& info);

// Computes what the forces determine of the multipliers of all rows that are on and of those idle ones. Returns false
// if all rows are independent or cannot be evaluated. The work arrays hold other values afterwards, except for the
// multipliers.
bool freedom_with_idle(Equations& equations, const problem::Problem& info, double t, const double* y,
                       const IdleRows& idle, MultiplierFreedom& freedom);

// Behind smallest_multipliers, which stay: the multiplier that each of them would have among the smallest ones if it
// were on; 0 where the rows that are on do not hold it. Its sign says whether it should press.
void shares_of_idle(Equations& equations, const problem::Problem& info, double t, const double* y,
                    const std::vector<std::uint32_t>& idle, std::vector<double>& shares);

}  // namespace mbc::runtime
