// SPDX-License-Identifier: Apache-2.0
// Which values an expression can take, by interval arithmetic over its operations, and whether it can be undefined: a
// root of a negative number, a division by zero, an overflow. Leaves are taken to be finite and at most kLargestLeaf in
// size, since they are checked where they come from. What is said to be finite and defined is; the reverse may not
// hold.
#pragma once
#include <unordered_map>
#include <vector>

#include "compiler/graph/graph.h"

namespace mbc::graph {

// Coordinates, speeds, parameters, time, ... in SI units.
inline constexpr double kLargestLeaf = 1e20;

struct Range {
  double low = 0, high = 0;  // of the value where it is defined; may be infinite
  bool defined = true;       // never NaN or infinite, nor is anything it is made of
  bool moves = true;         // not made of parameters and literals alone
  [[nodiscard]] bool holds_zero() const { return low <= 0 && high >= 0; }
  [[nodiscard]] bool finite() const;
};

class Ranges {
 public:
  explicit Ranges(const Graph& graph) : graph_(graph) {}

  // Nodes that came since the last call are looked at then; so all calls together pass the graph once.
  const Range& of(NodeId node);
  // What is known of a node that was made since the last call and does not follow from its operation.
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
