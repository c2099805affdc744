// SPDX-License-Identifier: Apache-2.0
// The sums of fixed-step methods, entry by entry. Each product is added with one rounding, so that the bits equal those
// of the fused steps of compiler/formulate/steps/step.h.
#pragma once
#include <cstddef>

namespace mbc::kernel {

// out = y + h k
void add_multiple(std::size_t n, const double* y, double h, const double* k, double* out);
// out = h out + k y, a step of Horner's rule for the derivative of a polynomial with the coefficient y of h^k
void add_derivative(std::size_t n, double h, double k, const double* y, double* out);
// y += h ((k1 + 2 k2 + 2 k3 + k4) / 6), with the weights of kernel/tableaux.h
void add_runge_kutta(std::size_t n, double h, const double* k1, const double* k2, const double* k3, const double* k4,
                     double* y);

}  // namespace mbc::kernel
