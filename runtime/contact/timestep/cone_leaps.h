// SPDX-License-Identifier: Apache-2.0
// Where more is asked for than the rows can give all at once (four corners of a box on a plane, whose speeds are wanted
// to rounding and curvature different): sweeps carry impulses from one row to the others by the same little in each,
// until one of them presses no more, or a friction has reached its limit. That is as far as the change can be told in
// advance.
#pragma once
#include "runtime/contact/timestep/cone_sweeps.h"

namespace mbc::runtime {

// From impulses that sweeps have come to and have not settled: on by as many sweeps as change them alike. False where
// the change is another one from sweep to sweep, or leads nowhere.
bool leap_along_sweeps(const RowList& rows, std::uint32_t n, ConeProblem& problem, ConeSolution& solution);

}  // namespace mbc::runtime
