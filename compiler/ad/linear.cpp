#include "compiler/ad/linear.h"

#include <algorithm>

#include "compiler/ad/rules.h"

namespace mbc::ad {

using graph::LeafKind;

std::optional<NonlinearTerm> nonlinear_term(const Graph& g, NodeId e, const Row& row) {
  for (const auto& [speed, factor] : row.jacobian)
    for (NodeId id : graph::leaves(g, {&factor, 1}))
      if (g.node(id).leaf == LeafKind::speed) return NonlinearTerm{speed, g.node(id).a};
  // A speed without a factor cancelled out, or acts through jumps alone.
  const std::vector<NodeId> all = graph::reachable(g, {&e, 1});
  if (std::none_of(all.begin(), all.end(), [&](NodeId id) { return piecewise(g.node(id).op); })) return {};
  for (NodeId id : graph::leaves(g, {&e, 1})) {
    const Node& n = g.node(id);
    if (n.leaf != LeafKind::speed) continue;
    if (std::none_of(row.jacobian.begin(), row.jacobian.end(), [&](const auto& term) { return term.first == n.a; }))
      return NonlinearTerm{n.a, {}};
  }
  return {};
}

}  // namespace mbc::ad
