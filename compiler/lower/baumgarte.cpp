// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/baumgarte.h"

namespace mbc::lower {

namespace {

const Contribution* find(const Part& part, Target target) {
  for (const Contribution& c : part.contributions)
    if (c.target == target) return &c;
  return nullptr;
}

}  // namespace

System with_baumgarte(const System& system) {
  System s = system;
  s.gains = s.n_params;
  s.n_params += 2;
  for (Part& part : s.parts) {
    const Contribution* e = find(part, Target::position_residual);
    const Contribution* rate = find(part, Target::velocity_residual);
    if (!find(part, Target::right_side) || !rate) continue;
    Graph& g = part.family.shape.graph;
    const NodeId alpha = g.leaf(LeafKind::param, part.family.add_shared_slot(LeafKind::param, *s.gains));
    NodeId decay = g.mul(alpha, rate->value);
    if (e) {
      const NodeId beta = g.leaf(LeafKind::param, part.family.add_shared_slot(LeafKind::param, *s.gains + 1));
      decay = g.add(g.mul(g.constant(2), decay), g.mul(g.mul(beta, beta), e->value));
    }
    for (Contribution& c : part.contributions)
      if (c.target == Target::right_side) c.value = g.sub(c.value, decay);
  }
  return s;
}

}  // namespace mbc::lower
