// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/evaluate.h"

#include <algorithm>

#include "compiler/graph/tables.h"
namespace mbc::graph {

std::vector<double> evaluate(const Graph& graph, std::span<const NodeId> roots,
                             const std::function<double(const Node&)>& value_of) {
  // values by place in `order`, whose ids ascend: the cost follows the expressions evaluated, not the size of the graph
  const std::vector<NodeId> order = reachable(graph, roots);
  std::vector<double> value(order.size());
  const auto at = [&](std::uint32_t id) {
    const auto it =
        std::lower_bound(order.begin(), order.end(), id, [](NodeId x, std::uint32_t y) { return x.value < y; });
    return value[static_cast<std::size_t>(it - order.begin())];
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& n = graph.node(order[i]);
    if (n.op == Op::constant) {
      value[i] = graph.constant_value(order[i]);
    } else if (n.op == Op::leaf) {
      value[i] = value_of(n);
    } else {
      const std::uint32_t k = arity(n.op);
      value[i] = apply(graph, n, at(n.a), k > 1 ? at(n.b) : 0, k > 2 ? at(n.c) : 0);
    }
  }
  std::vector<double> result;
  result.reserve(roots.size());
  for (NodeId root : roots) result.push_back(at(root.value));
  return result;
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
