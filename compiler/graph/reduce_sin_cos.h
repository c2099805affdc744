// SPDX-License-Identifier: Apache-2.0
// Writes expressions of sines and cosines as sums of products in which sin^2 + cos^2 is 1 and terms cancel. In
// inertias, forces and rows of bodies that follow turning frames, the angles of the frames then disappear.
//
// No digits are lost. A sum is multiplied out only if its own rounding is as large as that of its terms: at most one of
// them is exact (a leaf, a literal), so that x - y stays one factor. A product of two sums stays, since each sum may be
// small beside its terms, unless nothing can cancel in the result: one term, or terms of one sign. a s^2 + b c^2
// becomes a + (b - a) c^2 for 0 < a <= b, which cancels nothing; s^2 never becomes 1 - c^2.
#pragma once
#include <vector>

#include "compiler/graph/graph.h"

namespace mbc::graph {

// Returns the values written in that form, with common factors taken out, if this takes fewer operations for all of
// them together; else returns them unchanged.
std::vector<NodeId> reduce_sin_cos(Graph& graph, const std::vector<NodeId>& values);

}  // namespace mbc::graph
