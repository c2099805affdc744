// SPDX-License-Identifier: Apache-2.0
// The Taylor coefficients of a motion as a function of a kernel. The compiler makes it (compiler/formulate/jets), the
// method `taylor` calls it (runtime/integrators/taylor.h).
#pragma once
#include <cstdint>

#include "kernel/kernel.h"

namespace mbc::kernel {

// The function `jet` is called like those of the kernel it belongs to, at a state y. The sizes of work and deriv are
// those of its own kernel. deriv[k n + i] is the coefficient of h^k in y_i(t + h), for k from 0 to `order`; the entries
// behind them are intermediate values.
struct Jet {
  Kernel kernel;
  std::uint32_t order = 0;
  std::uint32_t n = 0;  // entries of a state
};

}  // namespace mbc::kernel
