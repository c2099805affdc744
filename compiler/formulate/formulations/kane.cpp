// SPDX-License-Identifier: Apache-2.0
// kane, gibbs_appell: generalised active and inertia forces add to zero (seed 000, section 2), p first-order equations
//
//   sum over masses of  dV/dy.(F - m V') + dw/dy.(tau - I w' - w x I w) = 0
//
// in the independent quasi-velocities y. With u = B y + d this is B^T (f - M u') = 0, u' = B y' + beta: the equations
// of `projection`, reached from the other side. Appell's are the same, as dS/dy' with S the Gibbs function.
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

const Formulation kKane{
    .name = "kane",
    .solve = Solve::projected,
    .quasi_state = true,
    .adds_inertia_rows = true,
    .sizes = independent_sizes,
    .refuses = always_applies,
};
const Formulation kGibbsAppell{
    .name = "gibbs_appell",
    .solve = Solve::projected,
    .quasi_state = true,
    .adds_inertia_rows = true,
    .sizes = independent_sizes,
    .refuses = always_applies,
};

}  // namespace mbc::formulate
