// SPDX-License-Identifier: Apache-2.0
// augmented: accelerations and multipliers from one system (seed 004, eq. 25),
//
//   [M A^T; A 0] [u'; -lambda] = [f; b]
//
// by elimination with row pivoting. M may be singular; of rows that depend on each other the certified ones take part.
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

const Formulation kAugmented{
    .name = "augmented",
    .solve = Solve::augmented,
    .adds_inertia_rows = true,
    .sizes =
        [](const SystemSizes& s) {
          return FormulationSizes{s.speeds, s.speeds + s.rank, full_states(s)};
        },
    .refuses = always_applies,
};

}  // namespace mbc::formulate
