// SPDX-License-Identifier: Apache-2.0
// The offset, in time, of states that are evaluated beside a singular position: far enough for the rows to be apart,
// near enough for the motion to be smooth. It depends on the directions of the rows, not on the size of the
// coordinates, which grows with every turn of a wheel.
#pragma once
#include <array>
#include <utility>
#include <vector>

#include "runtime/equations/equations.h"

namespace mbc::runtime {

// By how much the fastest row turns in that time: the norm of its change, rows being of norm 1.
inline constexpr double kOffsetTurn = 5e-3;

// A limit of the fourth order from four such states: places, in units of the offset, and weights. Odd terms cancel, and
// two distances give (4 (f(e) + f(-e)) - (f(2e) + f(-2e)))/6 (Richardson's extrapolation of the central mean).
inline constexpr std::array<std::pair<double, double>, 4> kMeanOfSides{
    {{1, 4.0 / 6}, {-1, 4.0 / 6}, {2, -1.0 / 6}, {-2, -1.0 / 6}}};

// The time (s), along the rate dy of a state y, in which the fastest row turns by kOffsetTurn; rows are mass-scaled and
// of norm 1. Where no row turns it is the time in which the coordinates move by kOffsetTurn of their size, and 0 where
// nothing moves. Only rows that share speeds with those of `lost`, directly or through other rows, count; all do where
// `lost` is empty. A, b, M, f are left in work.
double offset_from_singularity(Equations& equations, double t, const double* y, const double* dy,
                               const std::vector<std::uint32_t>& lost = {});

}  // namespace mbc::runtime
