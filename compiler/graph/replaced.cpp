// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/replaced.h"

namespace mbc::graph {

NodeId replaced(Graph& g, NodeId e, Images& images) {
  const auto known = [&](NodeId id) { return images.contains(id.value); };
  each_below(g, e, known, [&](NodeId id) {
    const Node n = g.node(id);  // a copy: the graph grows
    const SpanScope scope(g, g.origin(id));
    images[id.value] = kernel::arity(n.op) == 0 ? id : g.remake(n, [&](std::uint32_t of) { return images.at(of); });
  });
  return images.at(e.value);
}

}  // namespace mbc::graph
