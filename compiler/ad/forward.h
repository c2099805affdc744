// SPDX-License-Identifier: Apache-2.0
// Forward-mode differentiation, graph to graph: derivatives are expressions, compiled like any other.
#pragma once
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/ad/names.h"

namespace mbc::ad {

// The derivative of a leaf; an invalid id is a structural zero.
using LeafRule = std::function<NodeId(const Node&)>;

// Derivatives of nodes, by node, that are known by other means than the rules. Nothing below such a node is
// differentiated. An invalid id is a structural zero; only two_derivatives uses `second`.
struct Known {
  std::unordered_map<std::uint32_t, NodeId> first, second;
};

// Returns the nodes below the roots, ascending, without those that are only below known ones.
std::vector<NodeId> reachable_above(const Graph& g, std::span<const NodeId> roots, const Known& known);

// Returns d/ds of each root, where d(leaf) is the derivative of a leaf. It takes one pass over the graph below the
// roots.
std::vector<NodeId> derivative(Graph& g, std::span<const NodeId> roots, const LeafRule& d, const Known& known = {});

// First and second derivative along a curve whose leaves have the given first and second derivatives. The second-order
// Taylor pass yields derivatives, not Taylor coefficients, so there are no factors of 2.
struct TwoDerivatives {
  std::vector<NodeId> first, second;
};
TwoDerivatives two_derivatives(Graph& g, std::span<const NodeId> roots, const LeafRule& d1, const LeafRule& d2,
                               const Known& known = {});

}  // namespace mbc::ad
