// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/definedness.h"

#include <algorithm>
#include <limits>

#include "compiler/graph/tables.h"
namespace mbc::sema {

namespace {

// The search for causes is limited in depth and number; beyond it the whole operand is tested.
constexpr std::size_t kMostCauses = 4;
constexpr int kMostDepth = 32;

// Returns whether an exponent is a positive constant; a negative or unknown one takes an infinite base to 0.
bool positive_constant(const graph::Graph& g, NodeId x) { return g.is_constant(x) && g.constant_value(x) > 0; }

}  // namespace

NodeId zero_if_finite(graph::Graph& graph, NodeId x) {
  // infinity - infinity: a NaN that depends on x, for the search of the cause, and has no derivatives
  const NodeId twice = graph.mul(graph.constant(2), x);
  const NodeId nan = graph.sub(graph.unary(Op::floor, x), graph.unary(Op::floor, twice));
  const NodeId largest = graph.constant(std::numeric_limits<double>::max());
  return graph.select(graph.binary(Op::le, graph.unary(Op::abs, x), largest), graph.zero(), nan);
}

std::optional<NodeId> tested_by(const graph::Graph& graph, NodeId id) {
  const Node& n = graph.node(id);
  if (n.op != Op::select || graph.node({n.a}).op != Op::le) return {};
  const Node& compared = graph.node({n.a});
  if (!graph.is_constant({compared.b}, std::numeric_limits<double>::max())) return {};
  const Node& size = graph.node({compared.a});
  if (size.op != Op::abs) return {};
  return NodeId{size.a};
}

bool zero_where_defined(const graph::Graph& graph, NodeId id) {
  if (graph.is_constant(id)) return graph.constant_value(id) == 0;
  const Node& n = graph.node(id);
  if (n.op == Op::add) return zero_where_defined(graph, {n.a}) && zero_where_defined(graph, {n.b});
  if (n.op == Op::mul) return zero_where_defined(graph, {n.a}) || zero_where_defined(graph, {n.b});
  return tested_by(graph, id).has_value();
}

bool Definedness::plain(NodeId x) const { return graph_.is_constant(x) || graph_.node(x).op == Op::leaf; }

NodeId Definedness::finite(NodeId x) {
  if (plain(x) || ranges_.of(x).finite()) return x;
  std::vector<NodeId> tested;
  if (!causes(x, tested, kMostDepth)) tested = {x};
  for (const NodeId cause : tested) x = graph_.add(x, zero_if_finite(graph_, cause));
  return x;
}

bool Definedness::causes(NodeId x, std::vector<NodeId>& list, int depth) {
  if (ranges_.of(x).finite()) return true;
  if (depth == 0 || list.size() == kMostCauses) return false;
  if (!ranges_.of(x).moves) {
    if (std::find(list.begin(), list.end(), x) == list.end()) list.push_back(x);
    return true;
  }
  const Node n = graph_.node(x);
  const bool passes_on = n.op == Op::add || n.op == Op::sub || n.op == Op::mul || n.op == Op::neg;
  const bool in_operands = !ranges_.of({n.a}).finite() || (n.op != Op::neg && !ranges_.of({n.b}).finite());
  return passes_on && in_operands && causes({n.a}, list, depth - 1) &&
         (n.op == Op::neg || causes({n.b}, list, depth - 1));
}

NodeId Definedness::with(NodeId result, NodeId operand) {
  if (plain(operand) || ranges_.of(operand).defined) return result;
  return graph_.add(result, zero_if_finite(graph_, operand));
}

NodeId Definedness::unary(Op op, NodeId a) { return graph_.unary(op, kernel::hides(op, 0) ? finite(a) : a); }

NodeId Definedness::table(NodeId x, const std::shared_ptr<const kernel::DataTable>& points) {
  return graph::table(graph_, points->beyond() == kernel::DataTable::Beyond::hold ? finite(x) : x, points);
}

NodeId Definedness::binary(Op op, NodeId a, NodeId b) {
  const bool stays = op == Op::pow && positive_constant(graph_, b);
  const NodeId x = kernel::hides(op, 0) && !stays ? finite(a) : a;
  const NodeId y = kernel::hides(op, 1) ? finite(b) : b;
  const NodeId r = graph_.binary(op, x, y);
  return graph_.is_constant(r) ? with(with(r, a), b) : r;
}

NodeId Definedness::select(NodeId condition, NodeId a, NodeId b) {
  const NodeId r = graph_.select(condition, a, b);
  return a == b ? with(r, condition) : r;
}

}  // namespace mbc::sema
