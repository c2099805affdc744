// SPDX-License-Identifier: Apache-2.0
// Evaluates expressions node by node: parameters, initial values, settings. It is too slow for inner loops.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"

namespace mbc::graph {

// `value_of` is called once for every leaf below the roots.
std::vector<double> evaluate(const Graph& graph, std::span<const NodeId> roots,
                             const std::function<double(const Node&)>& value_of);

// Copies expressions with their operands unchanged. Nothing is simplified anew, so that their values have the same
// bits.
[[nodiscard]] std::vector<NodeId> copied_as_they_are(const Graph& from, std::span<const NodeId> roots, Graph& to);

}  // namespace mbc::graph
