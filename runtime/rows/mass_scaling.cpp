// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/mass_scaling.h"

#include <cmath>

#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

bool positive_definite(const Eigen::MatrixXd& M) {
  const Eigen::Index n = M.rows();
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const double pivot = M(j, j) - L.row(j).head(j).squaredNorm();
    if (!(pivot > kMassPivot * std::fabs(M(j, j)))) return false;
    L(j, j) = std::sqrt(pivot);
    const Eigen::Index below = n - j - 1;
    L.col(j).tail(below) =
        (M.col(j).tail(below) - L.bottomLeftCorner(below, j) * L.row(j).head(j).transpose()) / L(j, j);
  }
  return true;
}

MassScaling MassScaling::diagonal(const Eigen::VectorXd& masses) {
  MassScaling out;
  out.size_ = static_cast<int>(masses.size());
  out.valid_ = masses.allFinite() && (masses.array() > 0).all();
  if (out.valid_) out.root_ = masses.cwiseSqrt();
  return out;
}

MassScaling MassScaling::dense(const Eigen::MatrixXd& M) {
  MassScaling out;
  out.size_ = static_cast<int>(M.rows());
  if (!M.allFinite()) return out;
  out.valid_ = cholesky(M, out.lower_);
  return out;
}

Eigen::MatrixXd MassScaling::scale_rows(const Eigen::MatrixXd& A) const {
  if (A.size() == 0) return A;
  if (lower_.size() == 0) return A * root_.cwiseInverse().asDiagonal();
  return lower_.triangularView<Eigen::Lower>().solve(A.transpose()).transpose();
}

Eigen::VectorXd MassScaling::to_scaled(const Eigen::VectorXd& u) const {
  if (lower_.size() == 0) return root_.cwiseProduct(u);
  return lower_.transpose() * u;
}

Eigen::VectorXd MassScaling::from_scaled(const Eigen::VectorXd& y) const {
  if (lower_.size() == 0) return y.cwiseQuotient(root_);
  return lower_.transpose().triangularView<Eigen::Upper>().solve(y);
}

}  // namespace mbc::runtime
