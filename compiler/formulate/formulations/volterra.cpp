// SPDX-License-Identifier: Apache-2.0
// volterra: Volterra's equations (seed 000, eq. 2), p of them in the quasi-velocities y,
//
//   d/dt(dT/dy) - sum over masses of (P.d/dt dV/dy + H.d/dt dw/dy) = U
//
// with P, H in the axes of the inertial frame. Carried out, the left side is sum(P'.dV/dy + H'.dw/dy), which is Kane's;
// so it is computed (seed 000, eq. 65: the cheaper way to code it).
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

const Formulation kVolterra{
    .name = "volterra",
    .solve = Solve::projected,
    .quasi_state = true,
    .adds_inertia_rows = true,
    .sizes = independent_sizes,
    .refuses = always_applies,
};

}  // namespace mbc::formulate
