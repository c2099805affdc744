// SPDX-License-Identifier: Apache-2.0
// A motion that begins on a corner of a constraint: `max(0, -p.z) == 0` holds p on one side of p.z = 0 and leaves it
// free on the other. Met on the way such a place ends the run, since no motion follows the corner; at the start one of
// the branches would be taken without a word.
#pragma once
#include <cstdint>
#include <optional>

#include "base/span.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

struct Corner {
  std::uint32_t row = 0;
  Span function;  // the piecewise function that has it
};

// The first row of position level whose gradient is another one on the other side of a piecewise function that is at
// its edge in y, and stays there by the speeds of y. t in s; y, dy (its rate): n_y entries. Branches are left open.
std::optional<Corner> corner_at_start(Equations& equations, const problem::Problem& info, double t, const double* y,
                                      const double* dy);

}  // namespace mbc::runtime
