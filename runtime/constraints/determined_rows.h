// SPDX-License-Identifier: Apache-2.0
// Finds the parts of a model that their rows hold at rest: a truss, a box that sticks to the floor. Their rows leave no
// speed free and ask for none, so their accelerations and speeds are zero, whatever rounding leaves of them. Parts that
// rows of other levels than positions hold without a contact are left to their equations: a ball that rolls on a plane
// has such a part, its height, and would pay for it in every evaluation.
#pragma once
#include <cstdint>
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

struct DeterminedRows {
  std::vector<std::uint32_t> rows, speeds;
};

// Returns by row whether it asks for a speed or an acceleration of parts at rest, at this time and at others.
std::vector<char> rows_that_move(Equations& equations, double t, const double* y);

// Returns the rows and speeds of these parts. Only rows that are switched on connect speeds. The mask of the equations
// has to be that of independent rows; y = [q; u; s], of which the speeds do not matter.
DeterminedRows determined_rows(Equations& equations, const problem::Problem& info, double t, const double* y);
// Lets the equations give these parts no acceleration (Equations::set_determined).
void hold_determined(Equations& equations, const problem::Problem& info, double t, const double* y);

}  // namespace mbc::runtime
