// SPDX-License-Identifier: Apache-2.0
// Generates deterministic random kernels: the same seed gives the same kernel on every machine.
#pragma once
#include <cstdint>
#include <vector>

#include "kernel/kernel.h"

namespace mbc::test {

class Random {  // The generator is splitmix64.
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((next() >> 11) % n); }
  double uniform(double low, double high);
  bool chance(double probability) { return uniform(0, 1) < probability; }

 private:
  std::uint64_t state_;
};

struct RandomKernelOptions {
  std::uint32_t functions = 50;
  std::uint32_t min_length = 10, max_length = 60;  // instructions per block
  std::uint32_t max_blocks = 3;
  bool guarded = true;  // Operands stay inside the domains; otherwise NaN and infinity are frequent.
};

// Returns functions "f0", "f1", ... of straight blocks, loops with index tables, and solves between them.
kernel::Kernel random_kernel(std::uint64_t seed, const RandomKernelOptions& options);

// KernelData holds the arrays of one call.
struct KernelData {
  double t = 0;
  std::vector<double> state, params, inputs, mask, work, deriv;
};
KernelData random_data(const kernel::Kernel& kernel, Random& random, bool guarded);

// Compare bit for bit; all NaNs count as one value.
bool same_bits(double a, double b);
bool same_bits(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace mbc::test
