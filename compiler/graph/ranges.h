// SPDX-License-Identifier: Apache-2.0
// Finds by interval arithmetic over its operations which values an expression can take, and whether it can be
// undefined: a root of a negative number, a division by zero, an overflow. Leaves count as finite and at most
// kLargestLeaf in size, because they are checked at their source. An expression reported as finite and defined is so;
// the reverse may not hold.
#pragma once
#include <unordered_map>
#include <vector>

#include "compiler/graph/graph.h"

namespace mbc::graph {

// The bound of coordinates, speeds, parameters, time, ... in SI units.
inline constexpr double kLargestLeaf = 1e20;

struct Range {
  double low = 0, high = 0;  // of the value where it is defined; may be infinite
  bool defined = true;       // neither the value nor any of its operands is ever NaN or infinite
  bool moves = true;         // depends on more than parameters and literals
  [[nodiscard]] bool holds_zero() const { return low <= 0 && high >= 0; }
  [[nodiscard]] bool finite() const;
};

class Ranges {
 public:
  explicit Ranges(const Graph& graph) : graph_(graph) {}

  // Each call visits the nodes made since the last call, so that all calls together pass the graph once.
  const Range& of(NodeId node);
  // Gives the range of a node, made since the last call, that does not follow from its operation.
  void assume(NodeId node, const Range& range) { assumed_.emplace(node.value, range); }

 private:
  [[nodiscard]] Range made(const Node& node, NodeId id) const;
  [[nodiscard]] Range arithmetic(const Node& node, NodeId id) const;
  [[nodiscard]] Range piecewise(const Node& node) const;
  [[nodiscard]] bool moves(const Node& node) const;
  [[nodiscard]] Range power(const Node& node) const;
  [[nodiscard]] Range product(const Node& node) const;

  const Graph& graph_;
  std::vector<Range> ranges_;  // by node
  std::unordered_map<std::uint32_t, Range> assumed_;
};

}  // namespace mbc::graph
