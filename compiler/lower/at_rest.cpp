// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/at_rest.h"

#include <map>

namespace mbc::lower {

NodeId at_rest(Graph& g, NodeId e) {
  std::map<std::uint32_t, NodeId> image;
  for (NodeId id : graph::reachable(g, {&e, 1})) {
    const Node n = g.node(id);
    NodeId made = id;
    if (n.op == Op::leaf) {
      if (n.leaf == LeafKind::speed) made = g.zero();
    } else if (const std::uint32_t k = graph::arity(n.op); k > 0) {
      const NodeId a = image.at(n.a);
      graph::SpanScope scope(g, g.origin(id));
      made = n.op == Op::div && g.is_zero(a)
                 ? g.zero()
                 : g.make(n.op, a, k > 1 ? image.at(n.b) : NodeId{}, k > 2 ? image.at(n.c) : NodeId{});
    }
    image.emplace(id.value, made);
  }
  return image.at(e.value);
}

}  // namespace mbc::lower
