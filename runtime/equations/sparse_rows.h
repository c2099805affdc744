// SPDX-License-Identifier: Apache-2.0
// What a run needs of large systems without a full matrix: linear solves on the kernel's own sparse plan, and the
// blocks of the mass matrix. A view of the kernel's arrays, without data of its own; made where it is needed.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/equations/kernel_runner.h"

namespace mbc::runtime {

// Looked at by its sparse elimination first, and as full matrices only in doubtful cases.
[[nodiscard]] bool is_large(const kernel::SystemLayout& layout);
// Of these no full matrix may be made, not by assemble() either.
[[nodiscard]] bool is_beyond_dense(const kernel::SystemLayout& layout);

struct SparseSolution {
  std::vector<double> acceleration;  // n_speeds
  std::vector<double> multiplier;    // n_rows
};

class SparseRows {
 public:
  // Of a layout with `sparse`. The runner outlives the object, which is used by the runner's thread.
  explicit SparseRows(KernelRunner& runner) : runner_(runner), layout_(runner.layout()) {}

  // Speeds of a block of M that is not positive definite at a state; empty when there is none. What is not finite
  // counts as definite: it is reported elsewhere.
  std::vector<std::uint32_t> without_inertia(double t, const double* y);
  // M, f, A, b left in work, and bounds of their rounding errors in units of eps, by place in work.
  std::vector<double> assemble_errors(double t, const double* y);
  // After either of the two: M u' = force + A^T lambda with A u' = right_side on `rows` (1 or 0 each, n_rows). f and b
  // in work are overwritten, pivots left there. False when M is not positive definite.
  bool solve(const std::vector<double>& rows, const std::vector<double>& force, const std::vector<double>& right_side,
             SparseSolution& out);

 private:
  KernelRunner& runner_;
  const kernel::SystemLayout& layout_;
};

}  // namespace mbc::runtime
