// Two reciprocals by one division, 1/a = b (1/(a b)) and 1/b = a (1/(a b)), where a and b are squared lengths that are
// known at about the same time and neither is made of the other's reciprocal. A division takes as long as some ten
// other operations, in lanes even longer. Part of fuse_best.
//
// Squared lengths - sums of two squares or more - because their product is far from the largest and the smallest
// doubles for every length there is. And only where a reciprocal is used as it stands: what a vanishing pivot makes of
// its own is chosen away, and must not reach another one.
#pragma once
#include <span>

#include "compiler/graph/fuse.h"

namespace mbc::graph {

Fused share_divisions(const Graph& graph, std::span<const NodeId> roots);

}  // namespace mbc::graph
