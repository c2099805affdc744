// SPDX-License-Identifier: Apache-2.0
// Solves minimum-norm least-squares problems with the transpose of a matrix.
#include <Eigen/QR>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

// The factorisation uses the transpose in its row-major storage. Another storage order would add the same products in
// another order and change the rounding of multipliers.
Eigen::VectorXd solve_transposed(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return A.transpose().completeOrthogonalDecomposition().solve(b);
}

}  // namespace mbc::runtime
