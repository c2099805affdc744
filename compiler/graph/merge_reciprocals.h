// SPDX-License-Identifier: Apache-2.0
// Two reciprocals by one division, 1/a = b (1/(a b)) and 1/b = a (1/(a b)), where a and b are squared lengths that are
// known at about the same time and neither is made of the other's reciprocal. A division takes as long as some ten
// other operations, in lanes even longer. Part of contract_fma_cheapest.
//
// Squared lengths - sums of two squares or more - because their product is far from the largest and the smallest
// doubles for every length there is. And only where an infinite reciprocal makes one of the first `vital` roots
// infinite or undefined whatever comes: what a choice, exp(-x) or 1/(1 + x) makes finite again must not spoil the other
// one.
#pragma once
#include <span>

#include "compiler/graph/contract_fma.h"

namespace mbc::graph {

RootedGraph merge_reciprocals(const Graph& graph, std::span<const NodeId> roots, std::size_t vital);

}  // namespace mbc::graph
