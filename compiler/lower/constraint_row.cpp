// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/constraint_row.h"

#include "compiler/ad/linear.h"
#include "compiler/lower/at_rest.h"
#include "compiler/lower/energy_terms.h"

namespace mbc::lower {

bool constraint_row(Family& family, ad::Level level, std::vector<Contribution>& out) {
  Graph& g = family.shape.graph;
  const NodeId e = family.shape.roots[0];
  graph::SpanScope scope(g, g.origin(e));
  const ad::Row row = ad::differentiate(g, e, level, family.shape.motion());
  for (const auto& [i, J] : row.jacobian) out.push_back({Target::jacobian, i, 0, J});
  out.push_back({Target::right_side, 0, 0, g.neg(row.bias)});
  if (level == ad::Level::position) {
    out.push_back({Target::position_residual, 0, 0, e});
    out.push_back({Target::velocity_residual, 0, 0, row.rate});
    const NodeId c = from_outside(family, e, row.rate);
    if (!g.is_zero(c)) {
      out.push_back({Target::constraint_rate, 0, 0, c});
      out.push_back({Target::rate_offset, 0, 0, c});
    }
    return !ad::nonlinear_term(g, row.rate, row);
  }
  if (level == ad::Level::acceleration) return false;
  out.push_back({Target::velocity_residual, 0, 0, e});
  if (const NodeId c = at_rest(g, e); !g.is_zero(c)) out.push_back({Target::rate_offset, 0, 0, c});
  return !ad::nonlinear_term(g, e, row);
}

}  // namespace mbc::lower
