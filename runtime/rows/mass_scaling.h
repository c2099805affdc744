// SPDX-License-Identifier: Apache-2.0
// The metric of the constraint mathematics: M = L L^T. Rows A become G = A L^-T, scaled speeds y = L^T u, so that the
// Euclidean norm of y is the mass-weighted norm of u. For a diagonal M this is M^1/2 and M^-1/2.
#pragma once
#include <Eigen/Core>

namespace mbc::runtime {

// Whether a symmetric matrix is positive definite beyond rounding: no pivot of its Cholesky factorisation is lost.
bool positive_definite(const Eigen::MatrixXd& M);

class MassScaling {
 public:
  static MassScaling diagonal(const Eigen::VectorXd& masses);
  static MassScaling dense(const Eigen::MatrixXd& M);
  static MassScaling identity(int n) { return diagonal(Eigen::VectorXd::Ones(n)); }

  // False when M is not positive definite. The functions below must not be called then.
  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] int size() const { return size_; }

  [[nodiscard]] Eigen::MatrixXd scale_rows(const Eigen::MatrixXd& A) const;   // A L^-T
  [[nodiscard]] Eigen::VectorXd to_scaled(const Eigen::VectorXd& u) const;    // L^T u
  [[nodiscard]] Eigen::VectorXd from_scaled(const Eigen::VectorXd& y) const;  // L^-T y
  [[nodiscard]] double norm(const Eigen::VectorXd& u) const { return to_scaled(u).norm(); }

 private:
  Eigen::VectorXd root_;   // diagonal M: square roots
  Eigen::MatrixXd lower_;  // dense M: L
  int size_ = 0;
  bool valid_ = false;
};

}  // namespace mbc::runtime
