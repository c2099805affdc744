// SPDX-License-Identifier: Apache-2.0
// Expressions made for a reader out of nodes of a graph: the shortest of several forms, in an order that depends on
// names alone.
#pragma once
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/reading/expression.h"
#include "compiler/reading/symbols.h"

namespace mbc::reading {

// The limits of one expression. What exceeds them is written in pieces (named.h).
inline constexpr std::size_t kLongest = 20000;  // length() of an expression
inline constexpr std::size_t kDeepest = 60;     // nested operations

// How large a node is as a tree, with three characters for every leaf; lengths stop beyond kLongest. A node that a
// symbol stands for has that of a symbol, but for the roots.
struct Extent {
  std::size_t length = 0, depth = 0;
};
std::unordered_map<std::uint32_t, Extent> extents(const graph::Graph& graph, std::span<const graph::NodeId> roots,
                                                  const Symbols& symbols);

// The node as it stands: flat, in order, otherwise not simplified. Nothing where it exceeds the limits. Every leaf
// below the node has to be a symbol or stand below a node that is one. The symbol of the node itself is not the answer,
// except for a leaf.
std::optional<Expression> plain(const graph::Graph& graph, graph::NodeId node, const Symbols& symbols);

}  // namespace mbc::reading
