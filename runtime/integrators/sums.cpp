#include "runtime/integrators/sums.h"

#include <cmath>

// Compiled twice, the loader takes the one with fused instructions where the processor has them: twenty times faster
// than calls of the C library. (A clone for an architecture would be taken on that very one only, not on later ones.
// Not with sanitizers, whose own start comes after the loader's choice.)
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MBC_FUSED __attribute__((target_clones("fma", "default")))
#else
#define MBC_FUSED
#endif

namespace mbc::runtime {

MBC_FUSED void add_multiple(std::size_t n, const double* y, double h, const double* k, double* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::fma(h, k[i], y[i]);
}

MBC_FUSED void add_runge_kutta(std::size_t n, double h, const double* k1, const double* k2, const double* k3,
                               const double* k4, double* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] = std::fma(h, (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) * kSixth, y[i]);
}

}  // namespace mbc::runtime
