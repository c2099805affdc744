// SPDX-License-Identifier: Apache-2.0
// Lagrange's equations of a term T(t,q,u,s) in quasi-velocities, q' = W(q) u. The virtual displacements are dq = W dpi,
// the equations W^T (d/dt T_q' - T_q) = .... In terms of u (Boltzmann, Hamel; J. G. Papastavridis, Analytical
// Mechanics, 2002, section 3.3) and p = T_u they are
//
//   p_k' - (T_q W)_k + sum over j of p_j (what the speeds fail to commute by, direction k against the motion) = ...
//
// A speed that is the rate of a coordinate commutes with every other: its sum is zero. The other speeds come in threes,
// the angular velocity w in body axes of a free body with R' = R skew(w). With the virtual rotation R^T dR = skew(dpi)
// it varies by dw = dpi' + w x dpi, so that the integral of T varies by p.dpi' + p.(w x dpi) + (T_q W).dpi.
// Since p.(w x dpi) = dpi.(p x w),
//
//   p' + w x p - T_q W = ...
//
// for each such body, where p is T_w of the whole term. With p = I w this is Euler's equation; T_q W is the moment of a
// term that depends on the orientation. Therefore
//
//   M = T_uu,  f = T_q W - (T_u)' at u' = 0 - w x T_w.
//
// The energy of the term is u T_u - T, which is T if T is quadratic. Its rate is u (p' - T_q W) - T_t - T_s s'; the
// gyroscopic part, w.(w x p) = 0, adds nothing. -T_t - T_s s' is the power of the supports that move the parts.
#include "compiler/lower/kinetic_term.h"

#include <array>

#include "compiler/lower/at_rest.h"

namespace mbc::lower {

namespace {

using Contributions = std::vector<Contribution>;

// -w x T_w of each body
void gyroscopic_part(Family& f, std::size_t turning, const ad::Row& momenta, Contributions& out) {
  Graph& g = f.shape.graph;
  for (std::size_t body = 0; body < turning; ++body) {
    std::array<NodeId, 3> w, p{g.zero(), g.zero(), g.zero()};
    for (std::size_t k = 0; k < 3; ++k) {
      w[k] = f.shape.roots[1 + 3 * body + k];
      for (const auto& [i, momentum] : momenta.jacobian)
        if (i == g.node(w[k]).a) p[k] = momentum;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      const NodeId moment = g.sub(g.mul(p[j], w[k]), g.mul(p[k], w[j]));
      if (!g.is_zero(moment)) out.push_back({Target::force, g.node(w[i]).a, 0, moment});
    }
  }
}

// T_t + T_s s'
NodeId explicit_rate(Family& f, NodeId T) {
  Graph& g = f.shape.graph;
  const ad::Motion motion = f.shape.motion();
  return ad::derivative(g, {&T, 1}, [&](const Node& n) {
    if (n.leaf == LeafKind::state) return motion.state_rate(n.a);
    return n.leaf == LeafKind::time ? g.one() : NodeId{};
  })[0];
}

}  // namespace

void kinetic_term(Family& f, std::size_t turning, Contributions& out) {
  Graph& g = f.shape.graph;
  const NodeId T = f.shape.roots[0];
  const ad::Motion motion = f.shape.motion();
  const ad::Row momenta = ad::differentiate(g, T, ad::Level::velocity, motion);
  NodeId energy = g.neg(T);
  for (const auto& [i, p] : momenta.jacobian) {
    const ad::Row rate = ad::differentiate(g, p, ad::Level::velocity, motion);
    for (const auto& [j, m] : rate.jacobian)
      if (j <= i) out.push_back({Target::mass, i, j, m});
    if (!g.is_zero(rate.bias)) out.push_back({Target::force, i, 0, g.neg(rate.bias)});
    energy = g.add(energy, g.mul(p, g.leaf(LeafKind::speed, i)));
    if (const NodeId N = at_rest(g, p); !g.is_zero(N)) out.push_back({Target::momentum_offset, i, 0, N});
  }
  for (const auto& [i, slope] : ad::coordinate_slopes(g, T, motion)) out.push_back({Target::force, i, 0, slope});
  gyroscopic_part(f, turning, momenta, out);
  out.push_back({Target::kinetic_energy, 0, 0, energy});
  if (const NodeId moved = explicit_rate(f, T); !g.is_zero(moved))
    out.push_back({Target::load_power, 0, 0, g.neg(moved)});
}

bool in_one_piece(const Family& family) {
  const Graph& g = family.shape.graph;
  for (NodeId id : graph::reachable(g, {&family.shape.roots[0], 1}))
    if (kernel::is_piecewise(g.node(id).op) && graph::holds(g, id, {LeafKind::speed})) return false;
  return true;
}

}  // namespace mbc::lower
