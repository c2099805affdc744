// SPDX-License-Identifier: Apache-2.0
// Finds vectors whose components were written in axes that turn about a fixed one: (x, y) = (c a - s b, s a + c b) with
// the sine and the cosine of one angle. In the turned axes the vector is (a, b). Products of components of such
// vectors, summed as scalar products are, do not need the angle.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "compiler/graph/graph.h"

namespace mbc::graph {

struct PlanarRotation {
  std::size_t i = 0, j = 0;    // the plane: components i and j of each column
  NodeId angle, sine, cosine;  // from axis i to axis j
  std::vector<NodeId> inside;  // the columns in the turned axes
};

// Returns the outermost turn that all columns of a matrix (row-major, `rows` rows) share. Returns nothing if there is
// none, or if it would turn only zeros.
std::optional<PlanarRotation> outer_rotation(Graph& graph, const std::vector<NodeId>& matrix, std::size_t rows);

}  // namespace mbc::graph
