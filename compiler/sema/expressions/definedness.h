// SPDX-License-Identifier: Apache-2.0
// Makes the result of an operation undefined if an operand has no finite value, so that the run stops even where the
// operation alone would give a number: atan(1/0), min(1/0, 2), 1/exp(2000*t), 0*sqrt(-1), sqrt(-1)^0.
//
// A NaN passes through all operations of op_semantics.h except `pow`. The critical cases are operations that map an
// infinite operand to a finite value, and simplifications that leave an operand out. If interval arithmetic
// (graph/ranges.h) shows that the operand is finite, or defined, nothing is added. Otherwise the operand x becomes
//
//   x + (if abs(x) <= the largest double then 0 else floor(x) - floor(2*x))
//
// which is x with the derivatives of x, or NaN. If expressions of parameters alone can make x infinite (q/k in a
// force), these are tested in place of x, and users of the same expression share the test.
#pragma once
#include <optional>

#include "compiler/graph/ranges.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

// zero_if_finite() returns 0, or NaN if x is infinite or NaN; tested_by() returns the x of such a node.
NodeId zero_if_finite(graph::Graph& graph, NodeId x);
std::optional<NodeId> tested_by(const graph::Graph& graph, NodeId id);
// Returns whether a node is such a zero, or sums and multiples of them: x - x is 2*zero_if_finite(x).
bool zero_where_defined(const graph::Graph& graph, NodeId id);

class Definedness {
 public:
  explicit Definedness(graph::Graph& graph) : graph_(graph), ranges_(graph) {}

  NodeId unary(Op op, NodeId a);
  NodeId binary(Op op, NodeId a, NodeId b);
  NodeId table(NodeId x, const std::shared_ptr<const kernel::DataTable>& points);
  NodeId select(NodeId condition, NodeId a, NodeId b);

  // Declares entries of a rotation matrix as finite: quaternions keep their length, so that its division is defined.
  void is_rotation(const std::vector<NodeId>& entries) {
    for (const NodeId entry : entries) ranges_.assume(entry, {-2, 2, true});
  }
  // Returns `result`, made undefined if `operand` is; the result was made from the operand but no longer holds it.
  NodeId with(NodeId result, NodeId operand);

 private:
  // Returns whether x is finite and defined, without computing its range.
  [[nodiscard]] bool plain(NodeId x) const;
  NodeId finite(NodeId x);
  // Lists the parameters that alone can make x infinite, with the expressions they are in. Returns false if others can
  // too.
  bool causes(NodeId x, std::vector<NodeId>& list, int depth);

  graph::Graph& graph_;
  graph::Ranges ranges_;
};

}  // namespace mbc::sema
