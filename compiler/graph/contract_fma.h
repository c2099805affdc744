// SPDX-License-Identifier: Apache-2.0
// The last pass before code: it computes the same values with fewer operations. It moves signs outwards so that a - b
// and b - a, x and -x are one node, and turns products that are only added or subtracted into fused multiply-adds.
// `contract_fma` does not reassociate: the values differ from those of the given graph only by the roundings of the
// fused products. Engines execute the resulting operations, so they agree bit for bit, with or without fma in hardware.
#pragma once
#include <span>
#include <vector>

#include "compiler/graph/graph.h"

namespace mbc::graph {

struct RootedGraph {
  Graph graph;
  std::vector<NodeId> roots;  // in the order of the given ones
};

RootedGraph contract_fma(const Graph& graph, std::span<const NodeId> roots);

// Chooses the cheapest of several ways to contract, for code that is called all the time. Powers of two may be carried
// outwards like signs (exact). Sums of more than two terms may be added in another order, so that the term known last
// is added last (other roundings of the same sums, reassociate.h). Two reciprocals of lengths may share a division
// (merge_reciprocals.h). The first `vital` roots are those that have to be finite.
RootedGraph contract_fma_cheapest(const Graph& graph, std::span<const NodeId> roots, std::size_t vital);

}  // namespace mbc::graph
