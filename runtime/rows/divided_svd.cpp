// SPDX-License-Identifier: Apache-2.0
// Singular values by divide and conquer on the bidiagonal form.
#include <Eigen/SVD>
#include <algorithm>

#include "runtime/rows/decompositions.h"

// Its smallest blocks are left to one-sided Jacobi, which jacobi_svd.cpp instantiates.
extern template class Eigen::JacobiSVD<Eigen::MatrixXd>;

namespace mbc::runtime {

namespace {
constexpr Eigen::Index kSmall = 16;
}

Eigen::VectorXd singular_values_divided(const Eigen::MatrixXd& A) {
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(A);
  if (svd.info() != Eigen::Success || !svd.singularValues().allFinite()) return {};
  return svd.singularValues();
}

SingularDecomposition singular_decomposition(const Eigen::MatrixXd& A) {
  if (A.size() == 0)
    return {{}, Eigen::MatrixXd::Identity(A.rows(), A.rows()), Eigen::MatrixXd::Identity(A.cols(), A.cols())};
  constexpr unsigned kBoth = Eigen::ComputeFullU | Eigen::ComputeFullV;
  if (std::min(A.rows(), A.cols()) <= kSmall) {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, kBoth);
    return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
  }
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(A, kBoth);
  return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
}

RightSingular full_right_singular_divided(const Eigen::MatrixXd& A) {
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

}  // namespace mbc::runtime
