// SPDX-License-Identifier: Apache-2.0
// Values of expressions, node by node: parameters, initial values, settings. Not for inner loops.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"

namespace mbc::graph {

// value_of is asked once for every leaf below the roots.
std::vector<double> evaluate(const Graph& graph, std::span<const NodeId> roots,
                             const std::function<double(const Node&)>& value_of);

// Copies of expressions, each with what it is made of, as they are: nothing is simplified anew, so that their values
// are the same bits.
[[nodiscard]] std::vector<NodeId> copied_as_they_are(const Graph& from, std::span<const NodeId> roots, Graph& to);

}  // namespace mbc::graph
