// SPDX-License-Identifier: Apache-2.0
// Tests whether an expression of velocity level is linear in the speeds: e = J u + c with J and c free of them.
// Quasi-velocities have to be linear; rows that are linear let the speeds be written as u = B y + d.
#pragma once
#include <optional>

#include "compiler/ad/motion.h"
#include "compiler/ad/names.h"

namespace mbc::ad {

struct NonlinearTerm {
  std::uint32_t speed = 0;             // its factor de/du_speed ...
  std::optional<std::uint32_t> holds;  // ... holds this speed; empty: e jumps with it (sign, floor, a condition)
};

// Returns the first term that is not linear. `row` is the row of e at the velocity level.
std::optional<NonlinearTerm> nonlinear_term(const Graph& g, NodeId e, const Row& row);

}  // namespace mbc::ad
