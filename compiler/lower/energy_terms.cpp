// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/energy_terms.h"

#include "compiler/lower/at_rest.h"

namespace mbc::lower {

void potential_term(Family& family, std::vector<Contribution>& out) {
  Graph& g = family.shape.graph;
  const NodeId V = family.shape.roots[0];
  const ad::Motion states_held{family.shape.motion().rate, {}};  // -V_q is the force even if V_s s' holds speeds
  const ad::Row row = ad::differentiate(g, V, ad::Level::position, states_held);
  for (const auto& [i, J] : row.jacobian) out.push_back({Target::force, i, 0, g.neg(J)});
  out.push_back({Target::potential_energy, 0, 0, V});
  if (const NodeId outside = from_outside(family, V, row.rate); !g.is_zero(outside))
    out.push_back({Target::load_power, 0, 0, outside});
}

void dissipation_term(Family& family, std::vector<Contribution>& out) {
  Graph& g = family.shape.graph;
  const ad::Row row = ad::differentiate(g, family.shape.roots[0], ad::Level::velocity, family.shape.motion());
  NodeId power = g.zero();
  for (const auto& [i, R] : row.jacobian) {
    out.push_back({Target::force, i, 0, g.neg(R)});
    power = g.sub(power, g.mul(R, g.leaf(LeafKind::speed, i)));
  }
  out.push_back({Target::load_power, 0, 0, power});
}

NodeId from_outside(Family& family, NodeId e, NodeId rate) {
  Graph& g = family.shape.graph;
  if (!graph::holds(g, e, {LeafKind::state})) return at_rest(g, rate);
  const ad::Motion motion = family.shape.motion();
  return ad::derivative(g, {&e, 1}, [&](const Node& n) {
    if (n.leaf == LeafKind::state) return motion.state_rate(n.a);
    if (n.leaf == LeafKind::coordinate) return at_rest(g, motion.rate(n.a));
    return n.leaf == LeafKind::time ? g.one() : NodeId{};
  })[0];
}

}  // namespace mbc::lower
