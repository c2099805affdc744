// SPDX-License-Identifier: Apache-2.0
// Computes singular values and vectors of larger matrices through the bidiagonal form.
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/epsilon.h"
#include "runtime/rows/decompositions.h"

// One-sided Jacobi handles smaller matrices; jacobi_svd.cpp instantiates it.
extern template class Eigen::JacobiSVD<Eigen::MatrixXd>;

namespace mbc::runtime {

namespace {

using Index = Eigen::Index;
using Bidiagonal = Eigen::internal::UpperBidiagonalization<Eigen::MatrixXd>;

constexpr Index kSmall = 16;
constexpr Index kMostSweeps = 60;  // a singular value; two are usual

// The factorisation is A = U B V^T with B upper bidiagonal. Each sweep of the implicit QR algorithm multiplies U and V
// by rotations, so that they stay orthonormal to rounding for any values (G. Golub, C. Van Loan, Matrix Computations,
// section 8.6).
class ImplicitQr {
 public:
  explicit ImplicitQr(const Eigen::MatrixXd& tall) {
    Bidiagonal made(tall);
    // The rows hold the superdiagonal, shifted right by one place, and the diagonal.
    const auto& band = made.bidiagonal().coeffs();
    d_ = band.row(1).transpose();
    e_ = band.row(0).tail(d_.size() - 1).transpose();
    U_ = made.householderU();
    V_ = made.householderV();
    largest_ = std::max(d_.cwiseAbs().maxCoeff(), e_.cwiseAbs().maxCoeff());
  }

  // Returns false if the iteration does not converge.
  bool diagonalise() {
    Index last = d_.size() - 1;
    for (Index sweeps = kMostSweeps * d_.size(); sweeps > 0; --sweeps) {
      drop_negligible(last);
      while (last > 0 && e_[last - 1] == 0) --last;
      if (last == 0) return d_.allFinite();
      Index first = last - 1;
      while (first > 0 && e_[first - 1] != 0) --first;
      Index zero = first;
      while (zero < last && d_[zero] != 0) ++zero;
      if (zero < last)
        clear_row(zero, last);
      else
        sweep(first, last);
    }
    return false;
  }

  // The values are descending and not negative.
  SingularDecomposition sorted() && {
    const Index n = d_.size();
    for (Index k = 0; k < n; ++k)
      if (d_[k] < 0) {
        d_[k] = -d_[k];
        V_.col(k) = -V_.col(k);
      }
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [this](Index i, Index j) { return d_[i] > d_[j]; });
    SingularDecomposition out{d_(order), std::move(U_), V_(Eigen::all, order)};
    out.U.leftCols(n) = Eigen::MatrixXd(out.U(Eigen::all, order));
    return out;
  }

 private:
  void drop_negligible(Index last) {
    for (Index k = 0; k < last; ++k) {
      if (std::fabs(e_[k]) <= kEpsilon * (std::fabs(d_[k]) + std::fabs(d_[k + 1]))) e_[k] = 0;
      if (std::fabs(d_[k]) <= kEpsilon * largest_) d_[k] = 0;
    }
  }

  // Rotates columns i and j of `of` by the rotation that turns (x, y) into (r, 0).
  static Eigen::JacobiRotation<double> rotate(Eigen::MatrixXd& of, Index i, Index j, double x, double y, double& r) {
    Eigen::JacobiRotation<double> g;
    g.makeGivens(x, -y, &r);
    of.applyOnTheRight(i, j, Eigen::JacobiRotation<double>(g.c(), -g.s()));
    return g;
  }

  // The diagonal entry `row` is zero. Rotations with the rows below remove the superdiagonal entry of this row.
  void clear_row(Index row, Index last) {
    double f = std::exchange(e_[row], 0);
    for (Index j = row + 1; j <= last && f != 0; ++j) {
      const auto g = rotate(U_, j, row, d_[j], f, d_[j]);
      if (j == last) break;
      f = -g.s() * e_[j];
      e_[j] *= g.c();
    }
  }

  // Returns the eigenvalue of the last 2 x 2 block of B^T B that is nearer to its last entry.
  [[nodiscard]] double shift(Index first, Index last) const {
    const double above = last - 1 > first ? e_[last - 2] : 0;
    const double a = d_[last - 1] * d_[last - 1] + above * above, b = d_[last - 1] * e_[last - 1];
    const double c = d_[last] * d_[last] + e_[last - 1] * e_[last - 1], half = (a - c) / 2;
    const double root = std::copysign(std::hypot(half, b), half);
    return half + root == 0 ? c : c - b * b / (half + root);
  }

  void sweep(Index first, Index last) {
    double y = d_[first] * d_[first] - shift(first, last), z = d_[first] * e_[first];
    for (Index k = first; k < last; ++k) {
      double r = 0;
      const auto right = rotate(V_, k, k + 1, y, z, r);
      if (k > first) e_[k - 1] = r;
      const double below = right.s() * d_[k + 1], diagonal = right.c() * d_[k] + right.s() * e_[k];
      e_[k] = right.c() * e_[k] - right.s() * d_[k];
      d_[k + 1] *= right.c();
      const auto left = rotate(U_, k, k + 1, diagonal, below, d_[k]);
      y = left.c() * e_[k] + left.s() * d_[k + 1];
      d_[k + 1] = left.c() * d_[k + 1] - left.s() * e_[k];
      e_[k] = y;
      if (k + 1 == last) break;
      z = left.s() * e_[k + 1];
      e_[k + 1] *= left.c();
    }
  }

  Eigen::VectorXd d_, e_;
  Eigen::MatrixXd U_, V_;
  double largest_ = 0;
};

std::optional<SingularDecomposition> by_implicit_qr(const Eigen::MatrixXd& A) {
  const double size = A.cwiseAbs().maxCoeff();
  if (!(size > 0) || !std::isfinite(size)) return {};
  const bool wide = A.rows() < A.cols();
  ImplicitQr qr((wide ? Eigen::MatrixXd(A.transpose()) : A) / size);
  if (!qr.diagonalise()) return {};
  SingularDecomposition out = std::move(qr).sorted();
  out.values *= size;
  if (wide) out.U.swap(out.V);
  return out;
}

}  // namespace

// The singular values are the positive eigenvalues of a tridiagonal matrix with a zero diagonal, whose off-diagonal
// holds the entries of the bidiagonal form (G. Golub, W. Kahan, SIAM Journal on Numerical Analysis B 2 (1965) 205-224).
Eigen::VectorXd singular_values_tridiagonal(const Eigen::MatrixXd& A) {
  const double size = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0;
  if (!(size > 0) || !std::isfinite(size)) return {};
  const Eigen::MatrixXd tall = (A.rows() < A.cols() ? Eigen::MatrixXd(A.transpose()) : A) / size;
  const Bidiagonal made(tall);
  // The rows hold the superdiagonal, shifted right by one place, and the diagonal.
  const auto& band = made.bidiagonal().coeffs();
  const Index n = tall.cols();
  Eigen::VectorXd beside(2 * n - 1);
  for (Index k = 0; k < n; ++k) {
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
  if (std::min(A.rows(), A.cols()) > kSmall)
    if (std::optional<SingularDecomposition> made = by_implicit_qr(A)) return *std::move(made);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
}

RightSingular full_right_singular(const Eigen::MatrixXd& A) {
  SingularDecomposition made = singular_decomposition(A);
  return {std::move(made.values), std::move(made.V)};
}

}  // namespace mbc::runtime
