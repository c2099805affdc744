// SPDX-License-Identifier: Apache-2.0
#include "compiler/ad/motion.h"

#include <algorithm>
#include <set>

namespace mbc::ad {

namespace {

NodeId one(Graph& g, NodeId root, const LeafRule& rule, const Known& known = {}) {
  return derivative(g, {&root, 1}, rule, known)[0];
}

// R skew(omega) and, for omega' = 0, R skew(omega)^2 = R (omega omega^T - |omega|^2 E), entry by entry. -(a - b) is
// kept as b - a, so that the entries with the other sign are atoms of their own.
Known along(Graph& g, std::span<const Turning> turning) {
  Known known;
  const auto add = [&](NodeId R, NodeId first, NodeId second) {
    known.first[R.value] = first;
    known.second[R.value] = second;
  };
  for (const Turning& t : turning)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
        const auto R = [&](std::size_t k) { return t.rotation[3 * i + k]; };
        const auto w = [&](std::size_t j, std::size_t k) { return g.mul(t.omega[j], t.omega[k]); };
        const NodeId first = g.sub(g.mul(R(b), t.omega[c]), g.mul(R(c), t.omega[b]));
        const NodeId second =
            g.sub(g.add(g.mul(R(b), w(a, b)), g.mul(R(c), w(a, c))), g.mul(R(a), g.add(w(b, b), w(c, c))));
        add(R(a), first, second);
        add(g.neg(R(a)), g.neg(first), g.neg(second));
      }
  return known;
}

// The derivative of R by a speed is R skew(unit vector of its direction).
Known with_speed(Graph& g, std::span<const Turning> turning, std::uint32_t speed) {
  Known known;
  for (const Turning& t : turning)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
        const NodeId R = t.rotation[3 * i + a];
        NodeId d = g.zero();
        if (g.node(t.omega[c]).a == speed) d = t.rotation[3 * i + b];
        if (g.node(t.omega[b]).a == speed) d = g.neg(t.rotation[3 * i + c]);
        known.first[R.value] = d;
        known.first[g.neg(R).value] = g.neg(d);
      }
  return known;
}

// The rotations of which the roots hold entries.
std::vector<Turning> turning_in(Graph& g, std::span<const NodeId> roots, std::span<const Turning> turning) {
  std::vector<Turning> found;
  if (turning.empty()) return found;
  const std::vector<NodeId> below = graph::reachable(g, roots);
  const auto held = [&](NodeId entry) { return std::ranges::binary_search(below, entry.value, {}, &NodeId::value); };
  for (const Turning& t : turning)
    if (std::ranges::any_of(t.rotation, [&](NodeId R) { return held(R) || held(g.neg(R)); })) found.push_back(t);
  return found;
}

// The derivatives of the leaves along the flow with u' = 0: t, q and s change, speeds are constant.
LeafRule flow(Graph& g, const Motion& motion) {
  return [&g, &motion](const Node& n) -> NodeId {
    switch (n.leaf) {
      case LeafKind::time:
        return g.one();
      case LeafKind::coordinate:
        return motion.rate(n.a);
      case LeafKind::state:
        return motion.state_rate ? motion.state_rate(n.a) : NodeId{};
      case LeafKind::speed:
      case LeafKind::accel:
      case LeafKind::state_rate:
      case LeafKind::param:
      case LeafKind::input:
      case LeafKind::slot_constant:
      case LeafKind::multiplier:
      case LeafKind::ideal:
      case LeafKind::mask:
        break;
    }
    return {};
  };
}

std::vector<std::uint32_t> leaf_indices(const Graph& g, std::span<const NodeId> roots, LeafKind kind,
                                        const Known& known = {}) {
  std::set<std::uint32_t> found;
  for (NodeId id : reachable_above(g, roots, known))
    if (const Node& n = g.node(id); n.op == Op::leaf && n.leaf == kind) found.insert(n.a);
  return {found.begin(), found.end()};
}

// Returns the speeds in the rates of these coordinates and of the turning axes.
std::vector<std::uint32_t> speeds_of(const Graph& g, std::span<const NodeId> rates, std::span<const Turning> turning) {
  std::vector<NodeId> roots(rates.begin(), rates.end());
  for (const Turning& t : turning) roots.insert(roots.end(), t.omega.begin(), t.omega.end());
  return leaf_indices(g, roots, LeafKind::speed);
}

bool holds(const Graph& g, NodeId e, LeafKind kind) { return !leaf_indices(g, {&e, 1}, kind).empty(); }

// Adds de/d(leaf) for each leaf of the kind in e.
void add_partials(Graph& g, NodeId e, LeafKind kind, Row& row) {
  for (std::uint32_t k : leaf_indices(g, {&e, 1}, kind)) {
    const NodeId d = one(g, e, [&](const Node& n) { return n.leaf == kind && n.a == k ? g.one() : NodeId{}; });
    if (!g.is_zero(d)) row.jacobian.emplace_back(k, d);
  }
}

std::size_t place_of(const std::vector<std::uint32_t>& ascending, std::uint32_t i) {
  return static_cast<std::size_t>(std::lower_bound(ascending.begin(), ascending.end(), i) - ascending.begin());
}

// Computes e_q W by one forward pass for each speed in the rates, seeded with the columns of W. `rates` are those of
// `coordinates`, the ones in e, ascending.
std::vector<std::pair<std::uint32_t, NodeId>> slopes_along(Graph& g, NodeId e,
                                                           const std::vector<std::uint32_t>& coordinates,
                                                           const std::vector<NodeId>& rates,
                                                           std::span<const Turning> turning) {
  std::vector<std::pair<std::uint32_t, NodeId>> slopes;
  for (std::uint32_t k : speeds_of(g, rates, turning)) {
    const std::vector<NodeId> column =
        derivative(g, rates, [&](const Node& n) { return n.leaf == LeafKind::speed && n.a == k ? g.one() : NodeId{}; });
    const LeafRule moved = [&](const Node& n) {
      return n.leaf == LeafKind::coordinate ? column[place_of(coordinates, n.a)] : NodeId{};
    };
    const NodeId d = one(g, e, moved, with_speed(g, turning, k));
    if (!g.is_zero(d)) slopes.emplace_back(k, d);
  }
  return slopes;
}

// The coordinates that an expression holds beside those of turning axes, their rates, and the rotations in all of them.
struct Moved {
  Moved(Graph& g, NodeId e, const Motion& motion)
      : coordinates(leaf_indices(g, {&e, 1}, LeafKind::coordinate, along(g, turning_in(g, {&e, 1}, motion.turning)))) {
    for (std::uint32_t i : coordinates) rates.push_back(motion.rate(i));
    std::vector<NodeId> all = rates;
    all.push_back(e);
    turning = turning_in(g, all, motion.turning);
  }

  std::vector<std::uint32_t> coordinates;
  std::vector<NodeId> rates;
  std::vector<Turning> turning;
};

Row position_row(Graph& g, NodeId e, const Motion& motion) {
  const LeafRule d1 = flow(g, motion);
  const Moved of(g, e, motion);
  const Known turned = along(g, of.turning);
  // q'' at u' = 0, by one pass over the rates of the coordinates involved
  const std::vector<NodeId> second = derivative(g, of.rates, d1, turned);
  const LeafRule d2 = [&](const Node& n) {
    return n.leaf == LeafKind::coordinate ? second[place_of(of.coordinates, n.a)] : NodeId{};
  };

  Row row;
  const TwoDerivatives e2 = two_derivatives(g, {&e, 1}, d1, d2, turned);
  row.rate = e2.first[0];
  row.bias = e2.second[0];
  row.jacobian = slopes_along(g, e, of.coordinates, of.rates, of.turning);
  return row;
}

Row velocity_row(Graph& g, NodeId e, const Motion& motion) {
  Row row;
  row.bias = one(g, e, flow(g, motion), along(g, turning_in(g, {&e, 1}, motion.turning)));
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
  constexpr Level levels[] = {
#define MBC_LEAF(name, text, level) Level::level,
#include "compiler/graph/leaves.def"
  };
  Level level = Level::constant;
  for (const Node& n : graph::leaves(g, e)) level = std::max(level, levels[static_cast<std::size_t>(n.leaf)]);
  return level;
}

NodeId time_derivative(Graph& g, NodeId e, const Motion& motion) {
  const LeafRule base = flow(g, motion);
  return one(
      g, e, [&](const Node& n) { return n.leaf == LeafKind::speed ? g.leaf(LeafKind::accel, n.a) : base(n); },
      along(g, turning_in(g, {&e, 1}, motion.turning)));
}

Row differentiate(Graph& g, NodeId e, Level level, const Motion& motion) {
  switch (level) {
    case Level::acceleration:
      return acceleration_row(g, e);
    case Level::velocity:
      return velocity_row(g, e, motion);
    case Level::constant:
    case Level::position:
      break;
  }
  if (!holds(g, e, LeafKind::state)) return position_row(g, e, motion);
  // s' may hold speeds: e is differentiated once, then e' is treated at the velocity level
  const NodeId rate = one(g, e, flow(g, motion), along(g, turning_in(g, {&e, 1}, motion.turning)));
  Row row = velocity_row(g, rate, motion);
  row.rate = rate;
  return row;
}

std::vector<std::pair<std::uint32_t, NodeId>> coordinate_slopes(Graph& g, NodeId e, const Motion& motion) {
  const Moved of(g, e, motion);
  return slopes_along(g, e, of.coordinates, of.rates, of.turning);
}

}  // namespace mbc::ad
