// SPDX-License-Identifier: Apache-2.0
// The contributions of a potential and of a dissipation written by hand to the equations of motion; kinetic energies
// are in kinetic_term.h.
#pragma once
#include <vector>

#include "compiler/lower/system.h"

namespace mbc::lower {

// The root of the family is V(t,q,s): f -= V_q W. If V depends on t itself or on states, V_t + V_s s' is work done from
// outside.
void potential_term(Family& family, std::vector<Contribution>& out);
// The root of the family is Rayleigh's function R(t,q,u): f -= R_u, power -R_u u.
void dissipation_term(Family& family, std::vector<Contribution>& out);

// Returns c of the rate e' = J u + c of e(t,q,s), the part that does not come from the coordinates. Rates of states may
// hold speeds. `rate` is e'.
NodeId from_outside(Family& family, NodeId e, NodeId rate);

}  // namespace mbc::lower
