// SPDX-License-Identifier: Apache-2.0
// The body of graph::copy_into (a template over the leaf mapping); only graph.h includes it.
#pragma once

namespace mbc::graph {

template <class LeafMap>
std::vector<NodeId> copy_into(const Graph& from, std::span<const NodeId> roots, Graph& to, LeafMap&& leaf_map) {
  return copy_into(from, roots, to, leaf_map, [](Span span) { return span; });
}

template <class LeafMap, class SpanMap>
std::vector<NodeId> copy_into(const Graph& from, std::span<const NodeId> roots, Graph& to, LeafMap&& leaf_map,
                              SpanMap&& span_of) {
  to.share_tables(from.tables());
  const std::vector<NodeId> order = reachable(from, roots);
  std::vector<NodeId> image(from.size());
  for (NodeId id : order) {
    const Node n = from.node(id);  // a copy: `to` may be `from` itself and grow
    SpanScope scope(to, span_of(from.origin(id)));
    if (n.op == Op::constant) {
      image[id.value] = to.constant(from.constant_value(id));
    } else if (n.op == Op::leaf) {
      image[id.value] = leaf_map(n);
    } else {
      image[id.value] = to.remake(n, [&](std::uint32_t of) { return image[of]; });
    }
  }
  std::vector<NodeId> result;
  result.reserve(roots.size());
  for (NodeId root : roots) result.push_back(image[root.value]);
  return result;
}

}  // namespace mbc::graph
