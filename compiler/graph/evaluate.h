// SPDX-License-Identifier: Apache-2.0
// Evaluates expressions node by node: parameters, initial values, settings. It is too slow for inner loops.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"

namespace mbc::graph {

// It is called once for every leaf below the roots.
using LeafValue = std::function<double(const Node&)>;

std::vector<double> evaluate(const Graph& graph, std::span<const NodeId> roots, const LeafValue& value_of);

// A value and the size of the terms that add up to it: what its rounding is relative to. No size is absolute, so that
// an expression multiplied by a small number vanishes no sooner.
struct SizedValue {
  double value = 0, size = 0;
};
std::vector<SizedValue> evaluate_with_size(const Graph& graph, std::span<const NodeId> roots,
                                           const LeafValue& value_of);

// Copies expressions with their operands unchanged. Nothing is simplified anew, so that their values have the same
// bits.
[[nodiscard]] std::vector<NodeId> copied_as_they_are(const Graph& from, std::span<const NodeId> roots, Graph& to);

}  // namespace mbc::graph
