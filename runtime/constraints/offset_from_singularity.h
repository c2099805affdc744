// SPDX-License-Identifier: Apache-2.0
// How far beside a singular position is near: far enough for the rows to be apart, near enough for the motion to be
// smooth. Not a matter of the coordinates' size, which grows with every turn of a wheel, but of the rows' directions.
#pragma once
#include <vector>

#include "runtime/equations/equations.h"

namespace mbc::runtime {

// By how much the rows turn in offset_from_singularity().
inline constexpr double kOffsetTurn = 5e-3;

// The time, along the rate dy of a state, in which the fastest row turns by kOffsetTurn, rows being mass-scaled and of
// norm 1; where none turns, that in which the coordinates move by kOffsetTurn of their size; 0 when nothing moves. Rows
// that have nothing to do with those of `lost`, directly or through others, are of no account; empty: all count. A, b,
// M, f are left in work.
double offset_from_singularity(Equations& equations, double t, const double* y, const double* dy,
                               const std::vector<std::uint32_t>& lost = {});

}  // namespace mbc::runtime
