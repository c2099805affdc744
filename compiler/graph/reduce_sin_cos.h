// SPDX-License-Identifier: Apache-2.0
// Expressions that hold sines and cosines as sums of products, in which sin^2 + cos^2 is 1 and what cancels is gone:
// bodies that follow turning frames have inertias, forces and rows that hold the angles of the frames only so.
//
// No digits are lost. A sum is multiplied out only where its own rounding is as large as that of its terms: where at
// most one of them is exact (a leaf, a literal), so that x - y stays one factor. A product of two sums stays, since
// each may be small beside its terms, unless nothing can cancel in what comes out: one term, or terms of one sign. a
// s^2 + b c^2 becomes a + (b - a) c^2 for 0 < a <= b, which cancels nothing; 1 - c^2 is never made of s^2.
#pragma once
#include <vector>

#include "compiler/graph/graph.h"

namespace mbc::graph {

// The values written that way, with common factors taken out, where this takes fewer operations for all of them
// together; else as they are.
std::vector<NodeId> reduce_sin_cos(Graph& graph, const std::vector<NodeId>& values);

}  // namespace mbc::graph
