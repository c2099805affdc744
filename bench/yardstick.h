// SPDX-License-Identifier: Apache-2.0
// The right-hand sides of the measured models as a specialist writes them by hand: structure, masses and, for short
// chains, sizes known to the C++ compiler. Same state y = [q; u], particle by particle, and the same accelerations as
// mbc's; not computed: work integrals, pivots, multipliers by name, rank.
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

// The best one for the model.
std::unique_ptr<Yardstick> hand_written(const BenchModel& model);
// A chain with dense matrices: A A^T formed and factorised without regard to zeros. Null for other models.
std::unique_ptr<Yardstick> hand_written_dense(const BenchModel& model);

}  // namespace mbc::bench
