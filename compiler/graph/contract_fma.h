// SPDX-License-Identifier: Apache-2.0
// The last pass before code: the same values with fewer operations. Signs are moved outwards so that a - b and b - a,
// x and -x are one node, and products that are only added or subtracted become fused multiply-adds. `contract_fma` does
// not reassociate: the values differ from those of the given graph by the roundings of the fused products only. Engines
// execute what it leaves, so they agree bit for bit, with or without fma in hardware.
#pragma once
#include <span>
#include <vector>

#include "compiler/graph/graph.h"

namespace mbc::graph {

struct RootedGraph {
  Graph graph;
  std::vector<NodeId> roots;  // those given, in order
};

RootedGraph contract_fma(const Graph& graph, std::span<const NodeId> roots);

// For code that is called all the time: the cheapest of several ways to do that. Powers of two may be carried outwards
// as signs are (exact), and sums of more than two terms may be added in another order, so that what is known last is
// added last (other roundings of the same sums, reassociate.h); two reciprocals of lengths may share a division
// (merge_reciprocals.h). The first `vital` roots are those that have to be finite.
RootedGraph contract_fma_cheapest(const Graph& graph, std::span<const NodeId> roots, std::size_t vital);

}  // namespace mbc::graph
