// SPDX-License-Identifier: Apache-2.0
#include "kernel/integrator_sums.h"

#include <cmath>

#include "kernel/support/clones.h"
#include "kernel/tableaux.h"

namespace mbc::kernel {

MBC_CLONES_FUSED void add_multiple(std::size_t n, const double* y, double h, const double* k, double* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::fma(h, k[i], y[i]);
}

MBC_CLONES_FUSED void add_derivative(std::size_t n, double h, double k, const double* y, double* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::fma(h, out[i], k * y[i]);
}

MBC_CLONES_FUSED void add_runge_kutta(std::size_t n, double h, const double* k1, const double* k2, const double* k3,
                                      const double* k4, double* y) {
  for (std::size_t i = 0; i < n; ++i)
    y[i] = std::fma(h, (k1[i] + rk4::kMiddle * k2[i] + rk4::kMiddle * k3[i] + k4[i]) * rk4::kSixth, y[i]);
}

}  // namespace mbc::kernel
