// SPDX-License-Identifier: Apache-2.0
// Minimum-norm least squares on the transpose of a matrix.
#include <Eigen/QR>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

// The transpose is factorised as it lies, by rows. Another order of storage would add the same products in another
// order, and the rounding of multipliers would change.
Eigen::VectorXd solve_transposed(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return A.transpose().completeOrthogonalDecomposition().solve(b);
}

}  // namespace mbc::runtime
