// SPDX-License-Identifier: Apache-2.0
// Where sweeps get slow, since friction has nearly stopped what slides: Newton's method for the same conditions, all of
// them at once, written as p = projection of p - rho (B w - d) onto what is allowed (P. Alart, A. Curnier, Computer
// Methods in Applied Mechanics and Engineering 92 (1991) 353-375), from where the sweeps have come to. Full matrices:
// for problems of few rows.
#pragma once
#include "runtime/contact/timestep/cone_sweeps.h"

namespace mbc::runtime {

// False: it has not got to the tolerance; the solution is then as it was.
bool improve_by_newton(const RowList& rows, std::uint32_t n, const ConeProblem& problem, ConeSolution& solution);

// By sweeps; where these get slow, without friction as the nearest point on one side of many planes (cone_planes.h),
// else by the other.
ConeSolution find_impulses(const RowList& rows, std::uint32_t n, ConeProblem& problem, const Eigen::VectorXd& start);

}  // namespace mbc::runtime
