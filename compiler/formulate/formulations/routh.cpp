// SPDX-License-Identifier: Apache-2.0
// routh: Routh's equations (seed 000, table 1), m - s of them for a system without constraints: the speeds of the s
// ignorable coordinates are eliminated by their momenta. In the speeds of the other coordinates these are the equations
// of `efficient_volterra` with A empty and unit rows for C.
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

const Formulation kRouth{
    .name = "routh",
    .solve = Solve::projected,
    .quasi_state = true,
    .momenta = Momenta::coordinates,
    .adds_inertia_rows = true,
    .sizes = independent_sizes,
    .refuses = [](const SystemFacts& f) -> const char* {
      if (f.has_rows) return "Routh's equations are for systems without constraints, and this model has some";
      if (!f.quadratic_kinetic)
        return "its momenta are linear in the speeds, and a kinetic energy of this model is not "
               "quadratic in them";
      return nullptr;
    },
};

}  // namespace mbc::formulate
