// SPDX-License-Identifier: Apache-2.0
// What an impact gives back (`impact = newton | poisson | moreau`); runtime/contact/impact.cpp has the equations.
#pragma once
#include <cstdint>

namespace mbc::runtime {

enum class ImpactLaw : std::uint8_t {
  newton,   // e times the speed that sides met with
  poisson,  // e times the impulse that has stopped them
  moreau    // as newton, slips as well
};

}  // namespace mbc::runtime
