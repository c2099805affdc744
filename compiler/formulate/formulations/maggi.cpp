// SPDX-License-Identifier: Apache-2.0
// maggi: Maggi's equations (seed 000, table 1), p projected ones beside the r differentiated rows,
//
//   [B^T M; A] u' = [B^T f; b],   A B = 0
//
// m equations without multipliers, solved with row pivoting. M may be singular where the rows hold what it does not.
// The multipliers follow from A^T lambda = M u' - f.
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

const Formulation kMaggi{
    .name = "maggi",
    .solve = Solve::maggi,
    .adds_inertia_rows = true,
    .sizes =
        [](const SystemSizes& s) {
          return FormulationSizes{s.speeds, s.speeds, full_states(s)};
        },
    .refuses = always_applies,
};

}  // namespace mbc::formulate
