// SPDX-License-Identifier: Apache-2.0
#include "compiler/ad/linear.h"

#include <algorithm>

namespace mbc::ad {

std::optional<NonlinearTerm> nonlinear_term(const Graph& g, NodeId e, const Row& row) {
  for (const auto& [speed, factor] : row.jacobian)
    for (const Node& n : graph::leaves(g, factor))
      if (n.leaf == LeafKind::speed) return NonlinearTerm{speed, n.a};
  const std::vector<NodeId> all = graph::reachable(g, {&e, 1});
  if (std::none_of(all.begin(), all.end(), [&](NodeId id) { return kernel::is_piecewise(g.node(id).op); })) return {};
  // Jumps are constant wherever they have a derivative, so that the factor does not show them: v + floor(v) has the
  // factor 1.
  for (NodeId id : all) {
    if (!kernel::jumps(g.node(id).op)) continue;
    for (const Node& n : graph::leaves(g, id))
      if (n.leaf == LeafKind::speed) return NonlinearTerm{n.a, {}};
  }
  // A speed without a factor has cancelled out, or acts only through a condition.
  for (const Node& n : graph::leaves(g, e)) {
    if (n.leaf != LeafKind::speed) continue;
    if (std::none_of(row.jacobian.begin(), row.jacobian.end(), [&](const auto& term) { return term.first == n.a; }))
      return NonlinearTerm{n.a, {}};
  }
  return {};
}

}  // namespace mbc::ad
