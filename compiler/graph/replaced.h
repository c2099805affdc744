// SPDX-License-Identifier: Apache-2.0
// Expressions with other nodes in the place of some of theirs.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "compiler/graph/graph.h"

namespace mbc::graph {

// The nodes that stand in the place of others, by the numbers of these.
using Images = std::unordered_map<std::uint32_t, NodeId>;

// Returns an expression with the images of nodes in their place; adds the images of all nodes below it.
NodeId replaced(Graph& g, NodeId e, Images& images);

}  // namespace mbc::graph
