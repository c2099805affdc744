// SPDX-License-Identifier: Apache-2.0
// udwadia_kalaba: the generalised inverse (seed 003, eq. 3; F. E. Udwadia, R. E. Kalaba, Proc. R. Soc. A 439 (1992)),
//
//   u' = a + M^-1/2 G^+ (b - A a),   G = A M^-1/2,   a = M^-1 f
//
// computed as u' = a + M^-1 A^T lambda with any solution of S lambda = b - A a, S = A M^-1 A^T (linear_plan.h): rows
// may depend on each other. Prescribed forces C add M^-1/2 (I - G^+ G) M^-1/2 C (seed 001, ref. 14), which is the same
// solution with f + C. Where M is singular, M + A^T D A and f + A^T D b take its place (seed 004, eq. 28-30;
// inertia_rows.h).
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

const Formulation kUdwadiaKalaba{
    .name = "udwadia_kalaba",
    .solve = Solve::schur,
    .adds_inertia_rows = true,
    .sizes =
        [](const SystemSizes& s) {
          return FormulationSizes{s.speeds, s.speeds, full_states(s)};
        },
    .refuses = always_applies,
};

}  // namespace mbc::formulate
