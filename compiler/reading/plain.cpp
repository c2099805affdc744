// SPDX-License-Identifier: Apache-2.0
// A node as it stands: flat sums and products in their order, and how large that is.
#include <algorithm>
#include <unordered_map>

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

// Sums within sums and products within products are no deeper than the outer ones.
enum class Chain : std::uint8_t { none, sum, product };

Chain chain_of(Op op) {
  if (op == Op::add || op == Op::sub || op == Op::neg) return Chain::sum;
  return op == Op::mul ? Chain::product : Chain::none;
}

class Writer {
 public:
  Writer(const graph::Graph& graph, const Symbols& symbols) : graph_(graph), symbols_(symbols) {}

  [[nodiscard]] Expression operation(NodeId id) const {
    const graph::Node& n = graph_.node(id);
    CHECK(n.op != Op::leaf, "every leaf of an expression has a symbol");
    if (n.op == Op::constant) return number(graph_.constant_value(id));
    std::vector<Expression> parts;
    if (const Chain chain = chain_of(n.op); chain != Chain::none) {
      collect(id, chain, parts);
      return arranged(chain == Chain::sum ? sum(std::move(parts)) : product(std::move(parts)), symbols_);
    }
    for (const NodeId x : graph::Operands(n)) parts.push_back(write(x));
    return arranged(of_operation(n.op, std::move(parts)), symbols_);
  }
  [[nodiscard]] Expression write(NodeId id) const {
    const std::optional<std::uint32_t> s = symbols_.of(id);
    return s ? symbol(*s) : operation(id);
  }

 private:
  struct Signed {
    NodeId id;
    bool minus;
  };
  // The terms of a sum or the factors of a product, however long.
  void collect(NodeId root, Chain chain, std::vector<Expression>& parts) const {
    std::vector<Signed> open{{root, false}};
    while (!open.empty()) {
      const auto [id, minus] = open.back();
      open.pop_back();
      const graph::Node& n = graph_.node(id);
      if (chain_of(n.op) != chain || (id != root && symbols_.of(id))) {
        parts.push_back(minus ? negative(write(id)) : write(id));
        continue;
      }
      const bool second = n.op == Op::sub, only = n.op == Op::neg;
      open.push_back({{n.a}, minus != only});
      if (!only) open.push_back({{n.b}, minus != second});
    }
  }

  static Expression of_operation(Op op, std::vector<Expression> x) {
    if (op == Op::div) return quotient(std::move(x[0]), std::move(x[1]));
    if (op == Op::fma) return sum({product({std::move(x[0]), std::move(x[1])}), std::move(x[2])});
    if (op == Op::pow) return power(std::move(x[0]), std::move(x[1]));
    return call(op, std::move(x));
  }

  const graph::Graph& graph_;
  const Symbols& symbols_;
};

}  // namespace

Extent extent_of(const graph::Graph& graph, NodeId node, const std::function<Extent(NodeId)>& of_operand) {
  Extent e{3, 1};
  const Chain chain = chain_of(graph.node(node).op);
  for (const NodeId x : graph::Operands(graph.node(node))) {
    const Extent operand = of_operand(x);
    const bool same = chain != Chain::none && chain_of(graph.node(x).op) == chain;
    e = {std::min(e.length + operand.length + 1, kLongest + 1), std::max(e.depth, operand.depth + (same ? 0 : 1))};
  }
  return e;
}

namespace {

Extent extent_below(const graph::Graph& graph, NodeId root, const Symbols& symbols) {
  std::unordered_map<std::uint32_t, Extent> found;
  for (const auto& [id, s] : symbols.of_nodes()) found[id] = {3, 1};
  if (graph.node(root).op != Op::leaf) found.erase(root.value);
  const auto done = [&](NodeId id) { return found.contains(id.value); };
  graph::each_below(graph, root, done, [&](NodeId id) {
    found[id.value] = extent_of(graph, id, [&](NodeId x) { return found.at(x.value); });
  });
  return found.at(root.value);
}

}  // namespace

std::optional<Expression> plain(const graph::Graph& graph, NodeId node, const Symbols& symbols) {
  const Extent extent = extent_below(graph, node, symbols);
  if (extent.length > kLongest || extent.depth > kDeepest) return std::nullopt;
  const Writer writer(graph, symbols);
  return graph.node(node).op == Op::leaf ? writer.write(node) : writer.operation(node);
}

}  // namespace mbc::reading
