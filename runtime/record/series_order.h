// SPDX-License-Identifier: Apache-2.0
// The order of the series of taylor for the tolerance of a run.
#pragma once
#include "runtime/integrators/taylor.h"
#include "runtime/record/options.h"

namespace mbc::runtime {

[[nodiscard]] inline std::uint32_t series_order(const SimulateOptions& options) {
  return Taylor::order_for(options.control.rtol);
}

}  // namespace mbc::runtime
