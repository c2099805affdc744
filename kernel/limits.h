// SPDX-License-Identifier: Apache-2.0
// Numbers that compiler and runtime have to agree on: the pivots at which a row counts as dependent, nearly dependent
// or regular, and the largest full matrix.
#pragma once
#include <cstdint>

namespace mbc::kernel {

// A row is skipped (its multiplier is 0) if d_k <= kPivotTolerance * S_kk.
inline constexpr double kPivotTolerance = 1e-13;

// A row whose pivot is below this fraction of S_kk counts as nearly dependent: the squared sine of the angle between it
// and the rows before it, 1e-4 squared. It exceeds kPivotTolerance, so that a row that is not nearly dependent is never
// skipped.
inline constexpr double kNearPivot = 1e-8;

// d/S of a row at an accepted state above which no certification is needed.
inline constexpr double kQuietPivot = 2e-5;
// A factor that covers the roundings by which a bound and the comparison it replaces may differ.
inline constexpr double kBoundMargin = 1 + 1e-6;
// d/S of a row below which Newton's method on S would cost too many digits.
inline constexpr double kSureCorrection = 1e-5;
// The residual divided by |G_k| below which one Newton step is known to be enough. The step leaves its square times the
// curvature of the row (1/length, mass-weighted): 1e-12 for a curvature of 100.
inline constexpr double kQuadraticResidual = 1e-7;

// The largest number of rows that are solved as a full matrix.
inline constexpr std::uint32_t kMaxDenseRows = 2000;
// The largest number of coordinates, speeds and states that `bdf` solves for: a matrix of 32 MB, some seconds to
// factorise.
inline constexpr std::uint32_t kMostStiffStates = 2000;

}  // namespace mbc::kernel
