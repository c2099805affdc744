// SPDX-License-Identifier: Apache-2.0
// The Taylor coefficients of a motion as a function of a kernel: what the compiler makes (compiler/formulate/jets) and
// the method of that name calls (runtime/integrators/taylor.h).
#pragma once
#include <cstdint>

#include "kernel/kernel.h"

namespace mbc::kernel {

// The function `jet` is called as those of the kernel it belongs to, at a state y, but for the sizes of work and deriv,
// which are those of its own kernel: deriv[k n + i] is then the coefficient of h^k in y_i(t + h), for k from 0 to
// `order`. Behind them lies what it needs itself.
struct Jet {
  Kernel kernel;
  std::uint32_t order = 0;
  std::uint32_t n = 0;  // entries of a state
};

}  // namespace mbc::kernel
