// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/check.h"
#include "compiler/reading/simplify.h"

namespace mbc::reading {

using graph::NodeId;
using kernel::Op;

namespace {

Expression quotient(Expression over, Expression under) {
  std::vector<Expression> factors{std::move(over)};
  if (under.form == Form::product)
    for (Expression& u : under.parts) factors.push_back(power(std::move(u), number(-1)));
  else
    factors.push_back(power(std::move(under), number(-1)));
  return product(std::move(factors));
}

Expression arithmetic_operation(kernel::Arithmetic op, std::vector<Expression> x) {
  switch (op) {
    case kernel::Arithmetic::neg:
      return negative(std::move(x[0]));
    case kernel::Arithmetic::sub:
      x[1] = negative(std::move(x[1]));
      return sum(std::move(x));
    case kernel::Arithmetic::add:
      return sum(std::move(x));
    case kernel::Arithmetic::mul:
      return product(std::move(x));
    case kernel::Arithmetic::div:
      return quotient(std::move(x[0]), std::move(x[1]));
    case kernel::Arithmetic::fma:
      return sum({product({std::move(x[0]), std::move(x[1])}), std::move(x[2])});
    case kernel::Arithmetic::constant:
    case kernel::Arithmetic::leaf:
      break;
  }
  return number(0);
}

Expression of_operation(Op op, std::vector<Expression> x) {
  if (kernel::is_arithmetic(op)) return arithmetic_operation(kernel::arithmetic(op), std::move(x));
  if (op == Op::pow) return power(std::move(x[0]), std::move(x[1]));
  return call(op, std::move(x));
}

struct Writer {
  const graph::Graph& graph;
  const Symbols& symbols;

  [[nodiscard]] Expression operation(NodeId id) const {
    const graph::Node& n = graph.node(id);
    CHECK(n.op != Op::leaf, "every leaf of an expression has a symbol");
    if (n.op == Op::constant) return number(graph.constant_value(id));
    std::vector<Expression> parts;
    for (const NodeId x : graph::Operands(n)) parts.push_back(write(x));
    return arranged(of_operation(n.op, std::move(parts)), symbols);
  }
  [[nodiscard]] Expression write(NodeId id) const {
    const std::optional<std::uint32_t> s = symbols.of(id);
    return s ? symbol(*s) : operation(id);
  }
};

}  // namespace

std::unordered_map<std::uint32_t, Extent> extents(const graph::Graph& graph, std::span<const NodeId> roots,
                                                  const Symbols& symbols) {
  std::unordered_map<std::uint32_t, Extent> found;
  for (const auto& [id, s] : symbols.of_nodes()) found[id] = {3, 1};
  const auto done = [&](NodeId id) { return found.contains(id.value); };
  const auto visit = [&](NodeId id) {
    Extent e{3, 1};
    for (const NodeId x : graph::Operands(graph.node(id))) {
      const Extent& operand = found.at(x.value);
      e = {std::min(e.length + operand.length + 1, kLongest + 1), std::max(e.depth, operand.depth + 1)};
    }
    found[id.value] = e;
  };
  for (const NodeId root : roots) {
    if (graph.node(root).op != Op::leaf) found.erase(root.value);
    graph::each_below(graph, root, done, visit);
  }
  return found;
}

std::optional<Expression> plain(const graph::Graph& graph, NodeId node, const Symbols& symbols) {
  const Extent extent = extents(graph, {&node, 1}, symbols).at(node.value);
  if (extent.length > kLongest || extent.depth > kDeepest) return std::nullopt;
  const Writer writer{graph, symbols};
  return graph.node(node).op == Op::leaf ? writer.write(node) : writer.operation(node);
}

}  // namespace mbc::reading
