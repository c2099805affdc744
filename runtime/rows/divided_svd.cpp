// SPDX-License-Identifier: Apache-2.0
// Singular values of larger matrices, by way of the bidiagonal form.
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "runtime/rows/decompositions.h"

// Its smallest blocks are left to one-sided Jacobi, which jacobi_svd.cpp instantiates.
extern template class Eigen::JacobiSVD<Eigen::MatrixXd>;

namespace mbc::runtime {

namespace {
constexpr Eigen::Index kSmall = 16;
constexpr double kMultiplies = 1e-12;  // of the matrix: what A V - U S may be by rounding

// By divide and conquer. Eigen's (3.4) is wrong, without a word, on one in ten matrices of blocks of which some are
// equal: their values are repeated (tests/runtime/rows/singular_values_test.cpp). What it has made is multiplied.
std::optional<SingularDecomposition> divided(const Eigen::MatrixXd& A, unsigned options) {
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(A, options);
  const Eigen::Index n = svd.singularValues().size();
  const Eigen::MatrixXd off =
      A * svd.matrixV().leftCols(n) - svd.matrixU().leftCols(n) * svd.singularValues().asDiagonal();
  if (svd.info() != Eigen::Success || !(off.norm() <= kMultiplies * A.norm())) return {};
  return SingularDecomposition{svd.singularValues(), svd.matrixU(), svd.matrixV()};
}
}  // namespace

// The positive eigenvalues of the tridiagonal matrix that has the entries of the bidiagonal form beside a diagonal of
// zeros (G. Golub, W. Kahan, SIAM Journal on Numerical Analysis B 2 (1965) 205-224).
Eigen::VectorXd singular_values_tridiagonal(const Eigen::MatrixXd& A) {
  const double size = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0;
  if (!(size > 0) || !std::isfinite(size)) return {};
  const Eigen::MatrixXd tall = (A.rows() < A.cols() ? Eigen::MatrixXd(A.transpose()) : A) / size;
  const Eigen::internal::UpperBidiagonalization<Eigen::MatrixXd> made(tall);
  const auto& band = made.bidiagonal().coeffs();  // the superdiagonal, one place to the right, and the diagonal
  const Eigen::Index n = tall.cols();
  Eigen::VectorXd beside(2 * n - 1);
  for (Eigen::Index k = 0; k < n; ++k) {
    beside[2 * k] = band(1, k);
    if (k + 1 < n) beside[2 * k + 1] = band(0, k + 1);
  }
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::VectorXd::Zero(2 * n), beside, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success || !solver.eigenvalues().allFinite()) return {};
  return size * solver.eigenvalues().tail(n).reverse().cwiseMax(0.0);
}

SingularDecomposition singular_decomposition(const Eigen::MatrixXd& A) {
  if (A.size() == 0)
    return {{}, Eigen::MatrixXd::Identity(A.rows(), A.rows()), Eigen::MatrixXd::Identity(A.cols(), A.cols())};
  constexpr unsigned kBoth = Eigen::ComputeFullU | Eigen::ComputeFullV;
  if (std::min(A.rows(), A.cols()) <= kSmall) {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, kBoth);
    return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
  }
  if (std::optional<SingularDecomposition> made = divided(A, kBoth)) return *std::move(made);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, kBoth);
  return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
}

RightSingular full_right_singular(const Eigen::MatrixXd& A) {
  SingularDecomposition made = singular_decomposition(A);
  return {std::move(made.values), std::move(made.V)};
}

}  // namespace mbc::runtime
