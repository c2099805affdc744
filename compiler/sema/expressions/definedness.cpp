// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/definedness.h"

#include <algorithm>
#include <limits>

#include "compiler/graph/tables.h"
namespace mbc::sema {

using graph::NodeId;
using graph::Op;

namespace {

// How far and for how many parameters it is worth to look; else the whole operand is tested.
constexpr std::size_t kMostCauses = 4;
constexpr int kMostDepth = 32;

// A negative or unknown exponent takes an infinite base to 0.
bool positive_constant(const graph::Graph& g, NodeId x) { return g.is_constant(x) && g.constant_value(x) > 0; }

}  // namespace

NodeId Definedness::zero_if_finite(NodeId x) {
  // infinity - infinity: NaN with x in it, for who looks for the cause, and without derivatives
  const NodeId twice = graph_.mul(graph_.constant(2), x);
  const NodeId nan = graph_.sub(graph_.unary(Op::floor, x), graph_.unary(Op::floor, twice));
  const NodeId largest = graph_.constant(std::numeric_limits<double>::max());
  return graph_.select(graph_.binary(Op::le, graph_.unary(Op::abs, x), largest), graph_.zero(), nan);
}

bool Definedness::plain(NodeId x) const { return graph_.is_constant(x) || graph_.node(x).op == Op::leaf; }

NodeId Definedness::finite(NodeId x) {
  if (plain(x) || ranges_.of(x).finite()) return x;
  std::vector<NodeId> tested;
  if (!causes(x, tested, kMostDepth)) tested = {x};
  for (const NodeId cause : tested) x = graph_.add(x, zero_if_finite(cause));
  return x;
}

bool Definedness::causes(NodeId x, std::vector<NodeId>& list, int depth) {
  if (ranges_.of(x).finite()) return true;
  if (depth == 0 || list.size() == kMostCauses) return false;
  if (!ranges_.of(x).moves) {
    if (std::find(list.begin(), list.end(), x) == list.end()) list.push_back(x);
    return true;
  }
  const graph::Node n = graph_.node(x);
  const bool passes_on = n.op == Op::add || n.op == Op::sub || n.op == Op::mul || n.op == Op::neg;
  const bool in_operands = !ranges_.of({n.a}).finite() || (n.op != Op::neg && !ranges_.of({n.b}).finite());
  return passes_on && in_operands && causes({n.a}, list, depth - 1) &&
         (n.op == Op::neg || causes({n.b}, list, depth - 1));
}

NodeId Definedness::with(NodeId result, NodeId operand) {
  if (plain(operand) || ranges_.of(operand).defined) return result;
  return graph_.add(result, zero_if_finite(operand));
}

NodeId Definedness::unary(Op op, NodeId a) {
  const bool swallows = op == Op::atan || op == Op::tanh || op == Op::sign || op == Op::exp;
  return graph_.unary(op, swallows ? finite(a) : a);
}

NodeId Definedness::table(NodeId x, const std::shared_ptr<const kernel::DataTable>& points) {
  return graph::table(graph_, points->beyond() == kernel::DataTable::Beyond::hold ? finite(x) : x, points);
}

NodeId Definedness::binary(Op op, NodeId a, NodeId b) {
  NodeId x = a, y = b;
  switch (op) {
    case Op::div:
      y = finite(b);
      break;
    case Op::pow:
      if (!positive_constant(graph_, b)) x = finite(a);
      y = finite(b);
      break;
    case Op::atan2:
    case Op::min:
    case Op::max:
    case Op::lt:
    case Op::le:
    case Op::eq:
    case Op::ne:
      x = finite(a);
      y = finite(b);
      break;
    default:
      break;
  }
  const NodeId r = graph_.binary(op, x, y);
  return graph_.is_constant(r) ? with(with(r, a), b) : r;
}

NodeId Definedness::select(NodeId condition, NodeId a, NodeId b) {
  const NodeId r = graph_.select(condition, a, b);
  return a == b ? with(r, condition) : r;
}

}  // namespace mbc::sema
