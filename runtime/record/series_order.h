// SPDX-License-Identifier: Apache-2.0
// Of taylor: the order of the series that the tolerance of a run asks for.
#pragma once
#include "runtime/integrators/taylor.h"
#include "runtime/record/options.h"

namespace mbc::runtime {

[[nodiscard]] inline std::uint32_t series_order(const SimulateOptions& options) {
  return Taylor::order_for(options.control.rtol);
}

}  // namespace mbc::runtime
