#include "compiler/graph/evaluate.h"

#include "runtime/op_semantics.h"

namespace mbc::graph {

std::vector<double> evaluate(const Graph& graph, std::span<const NodeId> roots,
                             const std::function<double(const Node&)>& value_of) {
  std::vector<double> value(graph.size());
  for (NodeId id : reachable(graph, roots)) {
    const Node& n = graph.node(id);
    if (n.op == Op::constant) {
      value[id.value] = graph.constant_value(id);
    } else if (n.op == Op::leaf) {
      value[id.value] = value_of(n);
    } else {
      const std::uint32_t k = arity(n.op);
      value[id.value] = runtime::apply(n.op, value[n.a], k > 1 ? value[n.b] : 0, k > 2 ? value[n.c] : 0);
    }
  }
  std::vector<double> result;
  for (NodeId root : roots) result.push_back(value[root.value]);
  return result;
}

}  // namespace mbc::graph
