// The last pass before code: the same values with fewer operations. Signs are moved outwards so that a - b and b - a,
// x and -x are one node, and products that are only added or subtracted become fused multiply-adds. No reassociation:
// the values differ from those of the given graph by the roundings of the fused products only. Engines execute what it
// leaves, so they agree bit for bit, with or without fma in hardware.
#pragma once
#include <span>
#include <vector>

#include "compiler/graph/graph.h"

namespace mbc::graph {

struct Fused {
  Graph graph;
  std::vector<NodeId> roots;  // those given, in order
};

Fused fuse(const Graph& graph, std::span<const NodeId> roots);

}  // namespace mbc::graph
