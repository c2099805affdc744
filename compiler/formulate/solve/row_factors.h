// SPDX-License-Identifier: Apache-2.0
// Rows divided by a common factor: a row f(s) = c has f'(s) in every entry and is divided by it, so that J_s u' = -(g_s
// + f''/f' s'^2) is eliminated instead. For a distance, the square root and its divisions leave the elimination. The
// divided rows are the same in exact arithmetic, so accelerations, drift and rank are those of the row as it is
// written.
#pragma once
#include "compiler/formulate/solve/factorisation.h"

namespace mbc::formulate {

// The factor that a row was divided by: its reciprocal, without a division, and its square. Invalid ids: no factor.
struct RowFactor {
  NodeId inverse, square;
};
// Divides a row and its right-hand side by a factor that its entries share and that has no zero: c/x or a power of 2,
// or both.
RowFactor divide_by_common_factor(Graph& g, SparseRow& row, NodeId& right_side);

// c x, with c != 0 a literal; a literal is c times the node 1.
struct Scaled {
  double c = 1;
  NodeId x;
};
Scaled split(const Graph& g, NodeId e);

}  // namespace mbc::formulate
