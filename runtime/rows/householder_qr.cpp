// SPDX-License-Identifier: Apache-2.0
// Computes Householder QR factorisations with and without column pivoting.
#include <Eigen/QR>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

using Factors = Eigen::HouseholderQR<Eigen::MatrixXd>;

Eigen::VectorXd pivoted_diagonal(const Eigen::MatrixXd& A) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors(A);
  return factors.matrixQR().diagonal().cwiseAbs();
}

Eigen::MatrixXd in_terms_of(const Eigen::MatrixXd& basis, const Eigen::MatrixXd& rows) {
  return Factors(basis.transpose()).solve(rows.transpose()).transpose();
}

Eigen::MatrixXd orthonormal_range(const Eigen::MatrixXd& A) {
  return Factors(A).householderQ() * Eigen::MatrixXd::Identity(A.rows(), A.cols());
}

Eigen::MatrixXd row_space(const Eigen::MatrixXd& A, double tolerance) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors(A.transpose());
  factors.setThreshold(tolerance);
  return factors.householderQ() * Eigen::MatrixXd::Identity(A.cols(), factors.rank());
}

ThinQr thin_qr(const Eigen::MatrixXd& A) {
  const Factors factors(A);
  return {factors.householderQ() * Eigen::MatrixXd::Identity(A.rows(), A.cols()),
          factors.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>()};
}

}  // namespace mbc::runtime
