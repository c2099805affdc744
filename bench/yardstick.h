// SPDX-License-Identifier: Apache-2.0
// Evaluates the right-hand sides of the measured models as a specialist would write them by hand. The C++ compiler
// knows the structure, the masses and, for short chains, the sizes. The state y = [q; u], particle by particle, and the
// accelerations are those of mbc. Work integrals, pivots, named multipliers and the rank are not computed.
#pragma once
#include <memory>

#include "bench/models.h"

namespace mbc::bench {

class Yardstick {
 public:
  Yardstick() = default;
  Yardstick(const Yardstick&) = delete;
  Yardstick& operator=(const Yardstick&) = delete;
  virtual ~Yardstick() = default;
  virtual void rhs(double t, const double* y, double* dy) = 0;
};

// Returns the fastest yardstick for the model.
std::unique_ptr<Yardstick> hand_written(const BenchModel& model);
// Returns a chain with dense matrices: A A^T is formed and factorised without using its zeros. The result is null for
// other models.
std::unique_ptr<Yardstick> hand_written_dense(const BenchModel& model);

}  // namespace mbc::bench
