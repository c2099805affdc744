// SPDX-License-Identifier: Apache-2.0
// Singular values by divide and conquer on the bidiagonal form.
#include <Eigen/SVD>

#include "runtime/rows/decompositions.h"

// Its smallest blocks are left to one-sided Jacobi, which jacobi_svd.cpp instantiates.
extern template class Eigen::JacobiSVD<Eigen::MatrixXd>;

namespace mbc::runtime {

Eigen::VectorXd singular_values_divided(const Eigen::MatrixXd& A) {
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(A);
  if (svd.info() != Eigen::Success || !svd.singularValues().allFinite()) return {};
  return svd.singularValues();
}

RightSingular full_right_singular_divided(const Eigen::MatrixXd& A) {
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

}  // namespace mbc::runtime
