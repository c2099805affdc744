// SPDX-License-Identifier: Apache-2.0
// Bounds the change of an expression while no coordinate, nor the time, changes by more than one (all in SI units): a
// Lipschitz constant in the largest norm, by the chain rule over its operations. It is infinite if none is found, as
// for expressions with speeds, states, inputs, or a parameter in a factor. The length of a vector changes by no more
// than the vector (the Cauchy-Schwarz inequality), though its gradient is a quotient.
#pragma once
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/ranges.h"

namespace mbc::graph {

class LipschitzBounds {
 public:
  explicit LipschitzBounds(const Graph& graph) : graph_(graph), ranges_(graph) {}

  // Each call visits the nodes made since the last call, so that all calls together pass the graph once.
  double of(NodeId node);
  // Gives a range that does not follow from the operation, as Ranges::assume: the entries of a unit quaternion, for
  // example.
  void assume(NodeId node, const Range& range) { ranges_.assume(node, range); }

 private:
  [[nodiscard]] double made(const Node& node);
  [[nodiscard]] double arithmetic(const Node& node);
  [[nodiscard]] double piecewise(const Node& node);
  [[nodiscard]] double product(const Node& node);
  [[nodiscard]] double quotient(const Node& node);
  [[nodiscard]] double root(const Node& node);
  [[nodiscard]] double size(std::uint32_t node);

  const Graph& graph_;
  Ranges ranges_;
  std::vector<double> lipschitz_;  // by node
};

}  // namespace mbc::graph
