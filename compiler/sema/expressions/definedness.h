// SPDX-License-Identifier: Apache-2.0
// Operations as the text has them: an operand without a finite value makes the result undefined, so that the run stops,
// where the operation alone would give a number: atan(1/0), min(1/0, 2), 1/exp(2000*t), 0*sqrt(-1), sqrt(-1)^0.
//
// A NaN goes through all operations of op_semantics.h but `pow`. What is looked at are operations that map an infinite
// operand to a finite value, and simplifications that leave an operand out. Where interval arithmetic (graph/ranges.h)
// shows that the operand is finite, or defined, nothing is added; otherwise the operand x becomes
//
//   x + (if abs(x) <= the largest double then 0 else floor(x) - floor(2*x))
//
// which is x with the derivatives of x, or NaN. Where expressions of parameters alone can make x infinite (q/k in a
// force), these are tested in place of x: users of the same share the test.
#pragma once
#include <optional>

#include "compiler/graph/ranges.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

// 0, or NaN where x is infinite or NaN; and the operand of such a node.
NodeId zero_if_finite(graph::Graph& graph, NodeId x);
std::optional<NodeId> tested_by(const graph::Graph& graph, NodeId id);
// Whether it is such a zero, or sums and multiples of them: x - x is 2*zero_if_finite(x).
bool zero_where_defined(const graph::Graph& graph, NodeId id);

class Definedness {
 public:
  explicit Definedness(graph::Graph& graph) : graph_(graph), ranges_(graph) {}

  NodeId unary(Op op, NodeId a);
  NodeId binary(Op op, NodeId a, NodeId b);
  NodeId table(NodeId x, const std::shared_ptr<const kernel::DataTable>& points);
  NodeId select(NodeId condition, NodeId a, NodeId b);

  // Entries of a rotation matrix: quaternions keep their length, whatever the division by it could do.
  void is_rotation(const std::vector<NodeId>& entries) {
    for (const NodeId entry : entries) ranges_.assume(entry, {-2, 2, true});
  }
  // `result`, made of `operand`, which it does not hold any more: undefined where the operand is.
  NodeId with(NodeId result, NodeId operand);

 private:
  // Finite and defined without a look at its range.
  [[nodiscard]] bool plain(NodeId x) const;
  NodeId finite(NodeId x);
  // Parameters that alone can make x infinite, with the expressions they stand in; false: others can.
  bool causes(NodeId x, std::vector<NodeId>& list, int depth);

  graph::Graph& graph_;
  graph::Ranges ranges_;
};

}  // namespace mbc::sema
