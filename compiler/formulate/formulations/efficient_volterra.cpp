// SPDX-License-Identifier: Apache-2.0
// efficient_volterra: Volterra's equations with conserved momenta as further rows (seed 000, eq. 25, 41-67),
//
//   [Y; C M; A] u = [y - Z; G - C N; -c],   p - s equations in y
//
// C holds the constant directions whose momenta C (M u + N) are conserved (lower/momenta.h), G their values at the
// start. They are "dynamical constraints": B spans the motions with A B = 0 and C M B = 0, d'Alembert's principle holds
// there, and the momenta and velocity-level rows keep their values to round-off. Without conserved momenta these are
// Volterra's equations.
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

const Formulation kEfficientVolterra{
    .name = "efficient_volterra",
    .solve = Solve::projected,
    .quasi_state = true,
    .momenta = Momenta::directions,
    .adds_inertia_rows = true,
    .sizes = independent_sizes,
    .refuses = [](const SystemFacts& f) -> const char* {
      if (f.momenta == 0) return nullptr;
      if (!f.linear_rows)
        return "its momenta take the place of speeds in the state, and rows of this model "
               "are not linear in the velocities";
      if (!f.quadratic_kinetic)
        return "its momenta are linear in the speeds, and a kinetic energy of this model "
               "is not quadratic in them";
      return nullptr;
    },
};

}  // namespace mbc::formulate
