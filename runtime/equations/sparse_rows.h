// SPDX-License-Identifier: Apache-2.0
// SparseRows serves runs of large systems without full matrices: it solves linear systems on the sparse plan of the
// kernel and examines the blocks of the mass matrix. It is a view of the arrays of the kernel without data of its own
// and is made where it is needed.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/equations/kernel_runner.h"

namespace mbc::runtime {

// Returns whether a system is examined by its sparse elimination first and by full matrices only in doubtful cases.
[[nodiscard]] bool is_large(const kernel::SystemLayout& layout);
// Returns whether a system is too large for any full matrix, including those of assemble().
[[nodiscard]] bool is_beyond_dense(const kernel::SystemLayout& layout);

struct SparseSolution {
  std::vector<double> acceleration;  // n_speeds
  std::vector<double> multiplier;    // n_rows
};

class SparseRows {
 public:
  // The layout must have `sparse`. The runner must outlive the object. Only the thread of the runner may use the
  // object.
  explicit SparseRows(KernelRunner& runner) : runner_(runner), layout_(runner.layout()) {}

  // Returns the speeds of a block of M that is not positive definite at a state, or nothing if there is none. A block
  // that is not finite counts as definite, because it is reported elsewhere.
  std::vector<std::uint32_t> without_inertia(double t, const double* y);
  // Leaves M, f, A and b in work. Returns bounds of their rounding errors in units of eps, by place in work.
  std::vector<double> assemble_errors(double t, const double* y);
  // Solves M u' = force + A^T lambda with A u' = right_side on `rows` (1 or 0 each, n_rows), after a call of one of the
  // two functions above. It overwrites f and b in work and leaves the pivots there. The result is false if M is not
  // positive definite.
  bool solve(const std::vector<double>& rows, const std::vector<double>& force, const std::vector<double>& right_side,
             SparseSolution& out);

 private:
  KernelRunner& runner_;
  const kernel::SystemLayout& layout_;
};

}  // namespace mbc::runtime
