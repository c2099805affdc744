// SPDX-License-Identifier: Apache-2.0
// lagrange: Lagrange's equations with multipliers (seed 000, table 1), m second-order equations
//
//   M u' = f + A^T lambda,   lambda from A u' = b
//
// with the multipliers eliminated first, lambda = (A M^-1 A^T)^-1 (b - A M^-1 f). This needs an inertia of its own in
// every speed; of rows that depend on each other the certified ones take part.
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

const Formulation kLagrange{
    .name = "lagrange",
    .solve = Solve::schur,
    .sizes =
        [](const SystemSizes& s) {
          return FormulationSizes{s.speeds, s.speeds + s.rank, full_states(s)};
        },
    .refuses =
        [](const SystemFacts& f) {
          return f.needs_rows_for_inertia
                     ? "its multipliers are eliminated with the inverse of the mass matrix, and some "
                       "speeds of this model have no inertia of their own"
                     : nullptr;
        },
};

}  // namespace mbc::formulate
