// SPDX-License-Identifier: Apache-2.0
// MassScaling defines the metric for constraint rows by M = L L^T. Rows A become G = A L^-T and speeds u become y = L^T
// u, so that the Euclidean norm of y is the mass-weighted norm of u. For a diagonal M the factors are M^1/2 and M^-1/2.
#pragma once
#include <Eigen/Core>

namespace mbc::runtime {

// Returns whether a symmetric matrix is positive definite beyond rounding, that is, whether every pivot of its Cholesky
// factorisation is well above zero.
bool positive_definite(const Eigen::MatrixXd& M);

class MassScaling {
 public:
  static MassScaling diagonal(const Eigen::VectorXd& masses);
  static MassScaling dense(const Eigen::MatrixXd& M);
  static MassScaling identity(int n) { return diagonal(Eigen::VectorXd::Ones(n)); }

  // Returns false if M is not positive definite. In that case the functions below must not be called.
  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] int size() const { return size_; }

  [[nodiscard]] Eigen::MatrixXd scale_rows(const Eigen::MatrixXd& A) const;   // A L^-T
  [[nodiscard]] Eigen::VectorXd to_scaled(const Eigen::VectorXd& u) const;    // L^T u
  [[nodiscard]] Eigen::VectorXd from_scaled(const Eigen::VectorXd& y) const;  // L^-T y
  [[nodiscard]] double norm(const Eigen::VectorXd& u) const { return to_scaled(u).norm(); }

 private:
  Eigen::VectorXd root_;   // square roots of a diagonal M
  Eigen::MatrixXd lower_;  // L of a dense M
  int size_ = 0;
  bool valid_ = false;
};

}  // namespace mbc::runtime
