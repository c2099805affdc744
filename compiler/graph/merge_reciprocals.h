// SPDX-License-Identifier: Apache-2.0
// Computes two reciprocals by one division, 1/a = b (1/(a b)) and 1/b = a (1/(a b)), where a and b are squared lengths
// that are known at about the same time and neither depends on the other's reciprocal. A division takes as long as some
// ten other operations, in lanes even longer. This is a part of contract_fma_cheapest.
//
// Only squared lengths (sums of two squares or more) are merged, because their product is far from the largest and the
// smallest doubles for every length that occurs. An infinite reciprocal also has to make one of the first `vital` roots
// infinite or undefined in any case: if a choice, exp(-x) or 1/(1 + x) makes it finite again, it must not spoil the
// other reciprocal.
#pragma once
#include <span>

#include "compiler/graph/contract_fma.h"

namespace mbc::graph {

RootedGraph merge_reciprocals(const Graph& graph, std::span<const NodeId> roots, std::size_t vital);

}  // namespace mbc::graph
