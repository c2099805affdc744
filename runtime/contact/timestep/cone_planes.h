// SPDX-License-Identifier: Apache-2.0
// Contacts of a step without friction: the nearest point on one side of many planes, of which each touches few speeds,
//
//   min |w|^2/2,  B w >= d,   whose impulses are those of   min over p >= 0 of p (B B^T) p/2 - d p.
//
// Rows are divided by their norms, so that q = |B_i| p and G = B B^T has the diagonal 1. Sweeps row by row tell which
// rows press; for these the minimum is found by conjugate gradients with a sparse factorisation of G + eps 1 as their
// preconditioner, where steps end at impulses of zero, which press no more (J. J. More, G. Toraldo, SIAM J. Optim. 1
// (1991) 93-113). Each part makes the function smaller. Rows may depend on others: along these the function is
// straight, and either an impulse becomes zero there or there are no impulses.
#pragma once
#include "runtime/contact/timestep/cone_sweeps.h"

namespace mbc::runtime {

// Goes on with the impulses of `solution`, as far as they are finite; false, and nothing changed, where there are
// frictions or where it does not get to the problem's tolerance.
bool improve_by_planes(const RowList& rows, std::uint32_t n, const ConeProblem& problem, ConeSolution& solution);

}  // namespace mbc::runtime
