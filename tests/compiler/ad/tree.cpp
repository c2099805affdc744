// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/ad/tree.h"

#include "kernel/op_semantics.h"

namespace mbc::test {

using graph::Graph;
using graph::Node;
using graph::NodeId;

std::uint32_t Tree::push(const Term& term) {
  terms.push_back(term);
  return root();
}

std::uint32_t Tree::append(const Tree& other) {
  const auto offset = static_cast<std::uint32_t>(terms.size());
  for (Term term : other.terms) {
    const std::uint32_t n = graph::arity(term.op);
    if (n > 0) term.a += offset;
    if (n > 1) term.b += offset;
    if (n > 2) term.c += offset;
    terms.push_back(term);
  }
  return root();
}

bool exact_result(Op op) {
  switch (op) {
    case Op::constant:
    case Op::sign:
    case Op::floor:
    case Op::lt:
    case Op::le:
    case Op::eq:
    case Op::ne:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
      return true;
    default:
      return false;
  }
}

NodeId build(Graph& g, const Tree& tree) {
  std::vector<NodeId> ids;
  ids.reserve(tree.terms.size());
  for (const Term& term : tree.terms) {
    const std::uint32_t n = graph::arity(term.op);
    if (term.op == Op::constant) {
      ids.push_back(g.constant(term.number));
    } else if (term.op == Op::leaf) {
      ids.push_back(g.leaf(term.leaf, term.a));
    } else {
      ids.push_back(g.make(term.op, ids[term.a], n > 1 ? ids[term.b] : NodeId{}, n > 2 ? ids[term.c] : NodeId{}));
    }
  }
  return ids.back();
}

std::vector<double> evaluate_graph(const Graph& g, std::span<const NodeId> roots, const Point& point) {
  std::vector<double> v(g.size());
  for (NodeId id : graph::reachable(g, roots)) {
    const Node& n = g.node(id);
    if (n.op == Op::constant) {
      v[id.value] = g.constant_value(id);
    } else if (n.op == Op::leaf) {
      v[id.value] = point.at(n.leaf, n.a);
    } else {
      const std::uint32_t count = graph::arity(n.op);
      v[id.value] = kernel::apply(n.op, v[n.a], count > 1 ? v[n.b] : 0, count > 2 ? v[n.c] : 0);
    }
  }
  std::vector<double> result;
  for (NodeId root : roots) result.push_back(v[root.value]);
  return result;
}

}  // namespace mbc::test
