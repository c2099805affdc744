// SPDX-License-Identifier: Apache-2.0
// projection: the equations projected onto the motions the rows leave free (seed 001, eq. 41-51),
//
//   B^T M B y' = B^T (f - M beta),   u' = B y' + beta,   A B = 0
//
// B belongs to the user's `speed`s y = Y u + Z, completed by pivoting, or to a choice by pivoting alone. Where the rows
// are linear in the velocities the state is y, u = B y + d, and they hold to round-off; where they are not, or hold
// accelerations, the state stays u. The ideal reactions are computed afterwards.
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

const Formulation kProjection{
    .name = "projection",
    .solve = Solve::projected,
    .quasi_state = true,
    .adds_inertia_rows = true,
    .sizes = independent_sizes,
    .refuses = always_applies,
};

}  // namespace mbc::formulate
