// SPDX-License-Identifier: Apache-2.0
// Tests whether the forces of a family of rows do work: docs/numerics.md, "Energy and work".
#pragma once
#include "compiler/ad/linear.h"
#include "compiler/lower/names.h"
#include "compiler/lower/system.h"

namespace mbc::lower {

// Rows do work if e' = J u + c has a c that is not zero, or if e(t,q,u) is not its own J u. An e that is linear in the
// speeds and vanishes without them is J u; otherwise e and J u have to be the same expression.
inline bool does_work(Part& part) {
  Graph& g = part.family.shape.graph;
  NodeId jacobian_u = g.zero(), velocity = g.zero(), position = g.zero();
  ad::Row row;
  bool offset = false;
  for (const Contribution& c : part.contributions) {
    if (c.target == Target::constraint_rate) return true;
    if (c.target == Target::jacobian) {
      jacobian_u = g.add(jacobian_u, g.mul(c.value, g.leaf(LeafKind::speed, c.i)));
      row.jacobian.emplace_back(c.i, c.value);
    }
    if (c.target == Target::velocity_residual) velocity = c.value;
    if (c.target == Target::position_residual) position = c.value;
    offset |= c.target == Target::rate_offset;
  }
  if (!g.is_zero(position) || jacobian_u == velocity || g.neg(jacobian_u) == velocity) return false;
  return g.is_zero(velocity) || offset || ad::nonlinear_term(g, velocity, row);
}

}  // namespace mbc::lower
