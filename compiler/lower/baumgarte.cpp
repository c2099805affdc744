// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/baumgarte.h"

namespace mbc::lower {

namespace {

// A further slot with the same global index in every instance.
std::uint32_t add_shared_slot(Family& f, LeafKind kind, std::uint32_t index) {
  const std::size_t n = f.shape.slots.size();
  std::vector<std::uint32_t> wider;
  for (std::uint32_t k = 0; k < f.count; ++k) {
    for (std::uint32_t s = 0; s < n; ++s) wider.push_back(f.index(k, s));
    wider.push_back(index);
  }
  f.rows = std::move(wider);
  f.shape.slots.push_back({kind});
  f.shape.rate_root.push_back(0xffffffffu);
  return static_cast<std::uint32_t>(n);
}

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
    const NodeId alpha = g.leaf(LeafKind::param, add_shared_slot(part.family, LeafKind::param, *s.gains));
    NodeId decay = g.mul(alpha, rate->value);
    if (e) {
      const NodeId beta = g.leaf(LeafKind::param, add_shared_slot(part.family, LeafKind::param, *s.gains + 1));
      decay = g.add(g.mul(g.constant(2), decay), g.mul(g.mul(beta, beta), e->value));
    }
    for (Contribution& c : part.contributions)
      if (c.target == Target::right_side) c.value = g.sub(c.value, decay);
  }
  return s;
}

}  // namespace mbc::lower
