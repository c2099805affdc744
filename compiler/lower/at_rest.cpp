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
    } else if (graph::arity(n.op) > 0) {
      graph::SpanScope scope(g, g.origin(id));
      made = n.op == Op::div && g.is_zero(image.at(n.a)) ? g.zero()
                                                         : g.remake(n, [&](std::uint32_t of) { return image.at(of); });
    }
    image.emplace(id.value, made);
  }
  return image.at(e.value);
}

}  // namespace mbc::lower
