// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/evaluate.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/tables.h"
namespace mbc::graph {

namespace {

// Computes the values of all nodes below the roots: `known` makes that of a number, `operation` that of a node from
// those of its operands.
template <class Value, class Known, class Operation>
std::vector<Value> values_of(const Graph& graph, std::span<const NodeId> roots, const LeafValue& value_of,
                             const Known& known, const Operation& operation) {
  // values by place in `order`, whose ids ascend: the cost follows the expressions evaluated, not the size of the graph
  const std::vector<NodeId> order = reachable(graph, roots);
  std::vector<Value> value(order.size());
  const auto at = [&](NodeId id) {
    const auto it =
        std::lower_bound(order.begin(), order.end(), id, [](NodeId x, NodeId y) { return x.value < y.value; });
    return value[static_cast<std::size_t>(it - order.begin())];
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& n = graph.node(order[i]);
    Value operands[3] = {};
    std::size_t k = 0;
    for (const NodeId x : Operands(n)) operands[k++] = at(x);
    value[i] = k > 0 ? operation(n, operands) : known(n.op == Op::leaf ? value_of(n) : graph.constant_value(order[i]));
  }
  std::vector<Value> result;
  result.reserve(roots.size());
  for (NodeId root : roots) result.push_back(at(root));
  return result;
}

// The sizes of sums are sums of sizes, those of products are products. A function is as large as its operands at least.
double size_of(Op op, double value, const SizedValue (&x)[3]) {
  const double apart = std::fabs(x[1].value);
  if (op == Op::add || op == Op::sub) return x[0].size + x[1].size;
  if (op == Op::mul || op == Op::fma) return x[0].size * x[1].size + x[2].size;
  if (op == Op::div) return x[0].size / apart * std::max(1.0, x[1].size / apart);
  if (op == Op::select) return x[x[0].value != 0 ? 1 : 2].size;
  return std::max({std::fabs(value), x[0].size, x[1].size, x[2].size});
}

}  // namespace

std::vector<double> evaluate(const Graph& graph, std::span<const NodeId> roots, const LeafValue& value_of) {
  return values_of<double>(
      graph, roots, value_of, [](double x) { return x; },
      [&](const Node& n, const double(&x)[3]) { return apply(graph, n, x[0], x[1], x[2]); });
}

std::vector<SizedValue> evaluate_with_size(const Graph& graph, std::span<const NodeId> roots,
                                           const LeafValue& value_of) {
  return values_of<SizedValue>(
      graph, roots, value_of,
      [](double x) {
        return SizedValue{x, std::fabs(x)};
      },
      [&](const Node& n, const SizedValue(&x)[3]) {
        const double value = apply(graph, n, x[0].value, x[1].value, x[2].value);
        return SizedValue{value, size_of(n.op, value, x)};
      });
}

std::vector<NodeId> copied_as_they_are(const Graph& from, std::span<const NodeId> roots, Graph& to) {
  to.share_tables(from.tables());
  std::vector<NodeId> image(from.size());
  for (const NodeId id : reachable(from, roots)) {
    image[id.value] = to.raw(with_operands(from.node(id), image));
  }
  std::vector<NodeId> out;
  out.reserve(roots.size());
  for (const NodeId root : roots) out.push_back(image[root.value]);
  return out;
}

}  // namespace mbc::graph
