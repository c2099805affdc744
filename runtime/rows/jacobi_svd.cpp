// SPDX-License-Identifier: Apache-2.0
// Computes singular values by one-sided Jacobi rotations.
#include <Eigen/SVD>

#include "runtime/rows/decompositions.h"

template class Eigen::JacobiSVD<Eigen::MatrixXd>;  // bidiagonal_svd.cpp also uses this instance.

namespace mbc::runtime {

Eigen::VectorXd singular_values(const Eigen::MatrixXd& A) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues();
}

RightSingular thin_right_singular(const Eigen::MatrixXd& A) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinV);
  return {svd.singularValues(), svd.matrixV()};
}

MinimumNorm minimum_norm_by_svd(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double tolerance) {
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(tolerance);
  MinimumNorm out;
  out.rank = static_cast<int>(svd.rank());
  if (out.rank > 0) out.x = svd.solve(b);
  return out;
}

}  // namespace mbc::runtime
