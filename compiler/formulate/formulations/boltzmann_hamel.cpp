// SPDX-License-Identifier: Apache-2.0
// boltzmann_hamel: the equations of Boltzmann and Hamel (seed 000, table 1), p of them in independent quasi-velocities
// y = Y u + Z,
//
//   d/dt(dT/dy_k) - dT/dpi_k + sum_ij gamma^i_jk y_j dT/dy_i = Q_k
//
// for systems whose rows, if any, are linear in the velocities, so that y alone describes them. The coefficients gamma
// are the commutators of the columns of B; carried out, the left side is B^T (M u' - f) as in `kane`.
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

const Formulation kBoltzmannHamel{
    .name = "boltzmann_hamel",
    .solve = Solve::projected,
    .quasi_state = true,
    .adds_inertia_rows = true,
    .sizes = independent_sizes,
    .refuses =
        [](const SystemFacts& f) {
          return f.linear_rows ? nullptr
                               : "they are equations in independent quasi-velocities, and rows of "
                                 "this model are not linear in the velocities";
        },
};

}  // namespace mbc::formulate
