// SPDX-License-Identifier: Apache-2.0
// The relative distance of two neighbouring doubles, 2^-52: the unit of rounding errors.
#pragma once
#include <limits>

namespace mbc {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace mbc
