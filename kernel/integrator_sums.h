// SPDX-License-Identifier: Apache-2.0
// The sums of fixed-step methods, entry by entry, each product added with one rounding: as the fused steps of
// compiler/formulate/steps/step.h, which give the same bits.
#pragma once
#include <cstddef>

namespace mbc::kernel {

// out = y + h k
void add_multiple(std::size_t n, const double* y, double h, const double* k, double* out);
// out = h out + k y: of Horner's rule, for the derivative of a polynomial with the coefficient y of h^k
void add_derivative(std::size_t n, double h, double k, const double* y, double* out);
// y += h ((k1 + 2 k2 + 2 k3 + k4) / 6), with the weights of kernel/tableaux.h
void add_runge_kutta(std::size_t n, double h, const double* k1, const double* k2, const double* k3, const double* k4,
                     double* y);

}  // namespace mbc::kernel
