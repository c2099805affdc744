// SPDX-License-Identifier: Apache-2.0
// Forward-mode differentiation, graph to graph: derivatives are expressions, compiled like everything else.
#pragma once
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/ad/names.h"

namespace mbc::ad {

// The derivative of a leaf; an invalid id is a structural zero.
using LeafRule = std::function<NodeId(const Node&)>;

// Derivatives of nodes that are known by other means than the rules, by node; what lies below such a node is not looked
// at. An invalid id is a structural zero; `second` is asked for by two_derivatives only.
struct Known {
  std::unordered_map<std::uint32_t, NodeId> first, second;
};

// The nodes below the roots, ascending, without those below known ones only.
std::vector<NodeId> reachable_above(const Graph& g, std::span<const NodeId> roots, const Known& known);

// d/ds of each root, when the leaves move with d(leaf)/ds. One pass over the graph below the roots.
std::vector<NodeId> derivative(Graph& g, std::span<const NodeId> roots, const LeafRule& d, const Known& known = {});

// First and second derivative along a curve whose leaves have the given first and second derivatives
// (a second-order Taylor pass; derivatives, not Taylor coefficients, so no factors of 2).
struct TwoDerivatives {
  std::vector<NodeId> first, second;
};
TwoDerivatives two_derivatives(Graph& g, std::span<const NodeId> roots, const LeafRule& d1, const LeafRule& d2,
                               const Known& known = {});

}  // namespace mbc::ad
