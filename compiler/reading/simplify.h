// SPDX-License-Identifier: Apache-2.0
// Expressions made for a reader out of nodes of a graph: the shortest of several forms, in an order that depends on
// names alone.
#pragma once
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/reading/atoms.h"
#include "compiler/reading/expression.h"
#include "compiler/reading/polynomial.h"
#include "compiler/reading/symbols.h"

namespace mbc::reading {

// The limits of one expression. What exceeds them is written in pieces (named.h).
inline constexpr std::size_t kLongest = 20000;  // length() of an expression
inline constexpr std::size_t kDeepest = 60;     // nested operations

// How large a node is as a tree, with three characters for every leaf; lengths stop beyond kLongest.
struct Extent {
  std::size_t length = 0, depth = 0;
};
Extent extent_of(const graph::Graph& graph, graph::NodeId node, const std::function<Extent(graph::NodeId)>& of_operand);

// The node as it stands: flat, in order, otherwise not simplified. Nothing where it exceeds the limits. Every leaf
// below the node has to be a symbol or stand below a node that is one. The symbol of the node itself is not the answer,
// except for a leaf.
std::optional<Expression> plain(const graph::Graph& graph, graph::NodeId node, const Symbols& symbols);

// The simplified expression, and where it is that: `x != 0` for every x that was cancelled.
struct Simplified {
  Expression expression;
  std::vector<Expression> conditions;
};

// A node as a polynomial without sin^2, and all that was divided by on the way to it. `work` counts products of terms
// that were made for it.
struct Canonical {
  Polynomial polynomial;
  Denominators divided_by;
  std::size_t work = 0;
};

// Simplifies nodes of one graph. What they have in common is done once; the result does not depend on the order of
// calls.
class Simplifier {
 public:
  // Both are referred to.
  Simplifier(const graph::Graph& graph, const Symbols& symbols);

  // The shortest of the plain form and those of trigonometry.h. Its value is compared with that of the node at drawn
  // states; a form that differs is not used. Nothing where only pieces of the node can be written.
  std::optional<Simplified> simplify(graph::NodeId node);

 private:
  using Found = std::optional<Canonical>;  // nothing where the polynomial would be too large

  Found whole(graph::NodeId node);
  Found of_operation(graph::NodeId node);
  Found of_arithmetic(kernel::Arithmetic op, const std::vector<Canonical>& x);
  Found of_call(kernel::Op op, std::vector<Canonical> x);
  Found reciprocal(const Canonical& a);
  Found atom(const Expression& e, Denominators divided_by, std::size_t work);
  [[nodiscard]] Denominators cancelled(const Canonical& c, const Expression& written) const;
  [[nodiscard]] std::vector<Expression> conditions(const Denominators& cancelled) const;
  [[nodiscard]] bool agrees(const Expression& e, const Expression& terms, graph::NodeId node) const;

  const graph::Graph& graph_;
  const Symbols& symbols_;
  Atoms atoms_;
  std::unordered_map<std::uint32_t, Found> made_;
  std::vector<graph::NodeId> node_of_symbol_;
};

}  // namespace mbc::reading
