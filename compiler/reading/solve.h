// SPDX-License-Identifier: Apache-2.0
// The solution of few linear equations as expressions, for the solved form of equations of motion.
#pragma once
#include <span>
#include <vector>

#include "compiler/graph/graph.h"

namespace mbc::reading {

inline constexpr std::size_t kMostSolved = 3;  // equations that hang together

// x = M^-1 f by Cramer's rule, n x n by rows. Equations that hang together share their determinant; those that do not
// are solved apart. Empty where more than kMostSolved hang together.
struct Solution {
  std::vector<graph::NodeId> numerators, determinants;  // x_i = numerator / determinant
};
Solution solve(graph::Graph& graph, std::span<const graph::NodeId> matrix, std::span<const graph::NodeId> right_side);

}  // namespace mbc::reading
