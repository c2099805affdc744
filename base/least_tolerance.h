// SPDX-License-Identifier: Apache-2.0
// The least tolerance that a method which chooses its steps takes. Numbers have 16 digits.
#pragma once
#include "mbc/settings.h"

namespace mbc::settings {

inline constexpr double kLeastTolerance = 1e-14;
inline constexpr double kLeastOfSeries = 1e-15;  // of the method that sums series

[[nodiscard]] constexpr double least_tolerance(Integrator integrator) {
  return integrator == Integrator::taylor ? kLeastOfSeries : kLeastTolerance;
}

}  // namespace mbc::settings
