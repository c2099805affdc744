// SPDX-License-Identifier: Apache-2.0
// Numbers that compiler and runtime have to agree on: when a row counts as dependent, as near, as quiet, and how large
// a full matrix may be.
#pragma once
#include <cstdint>

namespace mbc::kernel {

// A row is skipped (its multiplier is 0) when its pivot vanishes, d_k <= kPivotTolerance * S_kk.
inline constexpr double kPivotTolerance = 1e-13;

// A row whose pivot is below this fraction of S_kk counts as nearly dependent: the squared sine of the angle between it
// and the rows before it, 1e-4 squared. Above kPivotTolerance, so that a row that is not near stands.
inline constexpr double kNearPivot = 1e-8;

// d/S of a row at an accepted state above which nothing needs to be looked at.
inline constexpr double kQuietPivot = 2e-5;
// Covers the roundings by which a bound and the comparison it stands for may differ.
inline constexpr double kBoundMargin = 1 + 1e-6;
// d/S of a row below which Newton's method on S would cost too many digits.
inline constexpr double kSureCorrection = 1e-5;
// Residual divided by |G_k|, below which one Newton step is known to be enough: it leaves its square times the
// curvature of the row (1/length, mass-weighted), 1e-12 where that is 100.
inline constexpr double kQuadraticResidual = 1e-7;

// Rows that are solved as a full matrix, at most.
inline constexpr std::uint32_t kMaxDenseRows = 2000;
// Coordinates, speeds and states that `bdf` solves for, at most: a matrix of 32 MB, some seconds to factorise.
inline constexpr std::uint32_t kMostStiffStates = 2000;

}  // namespace mbc::kernel
