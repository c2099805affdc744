#include "compiler/ad/motion.h"

#include <algorithm>
#include <set>

namespace mbc::ad {

using graph::LeafKind;
using graph::Op;

namespace {

NodeId one(Graph& g, NodeId root, const LeafRule& rule) { return derivative(g, {&root, 1}, rule)[0]; }

// The flow with u' = 0: t, q and s move, speeds stand still.
LeafRule flow(Graph& g, const Motion& motion) {
  return [&g, &motion](const Node& n) -> NodeId {
    switch (n.leaf) {
      case LeafKind::time:
        return g.one();
      case LeafKind::coordinate:
        return motion.rate(n.a);
      case LeafKind::state:
        return motion.state_rate ? motion.state_rate(n.a) : NodeId{};
      default:
        return {};
    }
  };
}

std::vector<std::uint32_t> leaf_indices(const Graph& g, std::span<const NodeId> roots, LeafKind kind) {
  std::set<std::uint32_t> found;
  for (NodeId id : graph::leaves(g, roots))
    if (g.node(id).leaf == kind) found.insert(g.node(id).a);
  return {found.begin(), found.end()};
}

bool holds(const Graph& g, NodeId e, LeafKind kind) { return !leaf_indices(g, {&e, 1}, kind).empty(); }

// de/d(leaf) for each leaf of the kind that e holds.
void add_partials(Graph& g, NodeId e, LeafKind kind, Row& row) {
  for (std::uint32_t k : leaf_indices(g, {&e, 1}, kind)) {
    const NodeId d = one(g, e, [&](const Node& n) { return n.leaf == kind && n.a == k ? g.one() : NodeId{}; });
    if (!g.is_zero(d)) row.jacobian.emplace_back(k, d);
  }
}

Row position_row(Graph& g, NodeId e, const Motion& motion) {
  const LeafRule d1 = flow(g, motion);
  // q'' at u' = 0, by one pass over the rates of the coordinates involved
  const std::vector<std::uint32_t> coordinates = leaf_indices(g, {&e, 1}, LeafKind::coordinate);
  std::vector<NodeId> rates;
  for (std::uint32_t i : coordinates) rates.push_back(motion.rate(i));
  const std::vector<NodeId> second = derivative(g, rates, d1);
  const auto find = [&](std::uint32_t i) {
    return static_cast<std::size_t>(std::lower_bound(coordinates.begin(), coordinates.end(), i) - coordinates.begin());
  };
  const LeafRule d2 = [&](const Node& n) { return n.leaf == LeafKind::coordinate ? second[find(n.a)] : NodeId{}; };

  Row row;
  const TwoDerivatives e2 = two_derivatives(g, {&e, 1}, d1, d2);
  row.rate = e2.first[0];
  row.bias = e2.second[0];
  // J = e_q W: one forward pass per speed that the rates hold, seeded with the columns of W
  for (std::uint32_t k : leaf_indices(g, rates, LeafKind::speed)) {
    const std::vector<NodeId> column =
        derivative(g, rates, [&](const Node& n) { return n.leaf == LeafKind::speed && n.a == k ? g.one() : NodeId{}; });
    const NodeId d =
        one(g, e, [&](const Node& n) { return n.leaf == LeafKind::coordinate ? column[find(n.a)] : NodeId{}; });
    if (!g.is_zero(d)) row.jacobian.emplace_back(k, d);
  }
  return row;
}

Row velocity_row(Graph& g, NodeId e, const Motion& motion) {
  Row row;
  row.bias = one(g, e, flow(g, motion));
  add_partials(g, e, LeafKind::speed, row);
  return row;
}

Row acceleration_row(Graph& g, NodeId e) {
  Row row;
  add_partials(g, e, LeafKind::accel, row);
  row.bias = graph::copy_into(
      g, {&e, 1}, g, [&](const Node& n) { return n.leaf == LeafKind::accel ? g.zero() : g.leaf(n.leaf, n.a); })[0];
  return row;
}

}  // namespace

Level level_of(const Graph& g, NodeId e) {
  Level level = Level::constant;
  for (NodeId id : graph::leaves(g, {&e, 1})) {
    switch (g.node(id).leaf) {
      case LeafKind::accel:
        return Level::acceleration;
      case LeafKind::speed:
      case LeafKind::state_rate:
        level = Level::velocity;
        break;
      case LeafKind::coordinate:
      case LeafKind::state:
      case LeafKind::time:
        if (level == Level::constant) level = Level::position;
        break;
      default:
        break;
    }
  }
  return level;
}

NodeId time_derivative(Graph& g, NodeId e, const Motion& motion) {
  const LeafRule base = flow(g, motion);
  return one(g, e, [&](const Node& n) { return n.leaf == LeafKind::speed ? g.leaf(LeafKind::accel, n.a) : base(n); });
}

Row differentiate(Graph& g, NodeId e, Level level, const Motion& motion) {
  switch (level) {
    case Level::acceleration:
      return acceleration_row(g, e);
    case Level::velocity:
      return velocity_row(g, e, motion);
    default:
      if (holds(g, e,
                LeafKind::state)) {  // s' may hold speeds: differentiate once, then treat e' at the velocity level
        const NodeId rate = one(g, e, flow(g, motion));
        Row row = velocity_row(g, rate, motion);
        row.rate = rate;
        return row;
      }
      return position_row(g, e, motion);
  }
}

}  // namespace mbc::ad
