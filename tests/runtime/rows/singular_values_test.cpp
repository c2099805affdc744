// SPDX-License-Identifier: Apache-2.0
// Compares singular values and vectors with one-sided Jacobi. The matrices are those of mechanisms with equal parts,
// whose equal blocks repeat values, and matrices with values of every kind.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/split_mix64.h"
#include "runtime/rows/decompositions.h"

using namespace mbc::runtime;

namespace {

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : bits_(seed) {}
  Index upto(Index n) { return 1 + static_cast<Index>(0.5 * (bits_.next() + 1) * static_cast<double>(n)); }
  Matrix matrix() {
    Matrix out(upto(5), upto(6));
    for (double& x : out.reshaped()) x = bits_.next();
    return out;
  }

 private:
  mbc::SplitMix64 bits_;
};

// Makes blocks, some of them equal and some of ones, and then sums of neighbouring rows.
Matrix blocks(std::uint64_t seed) {
  Draw draw(seed);
  const Matrix same = draw.matrix();
  Matrix out;
  for (Index left = 4 + draw.upto(6); left > 0; --left) {
    const Index kind = draw.upto(3);
    const Matrix next = kind == 1   ? same
                        : kind == 2 ? Matrix(Matrix::Identity(draw.upto(4), draw.upto(5)))
                                    : draw.matrix();
    const Index rows = out.rows(), columns = out.cols();
    out.conservativeResizeLike(Matrix::Zero(rows + next.rows(), columns + next.cols()));
    out.bottomRightCorner(next.rows(), next.cols()) = next;
  }
  if (draw.upto(2) == 1)
    for (Index i = 0; i + 1 < out.rows(); ++i) out.row(i) += static_cast<double>(draw.upto(3) - 2) * out.row(i + 1);
  return out;
}

// Checks for the values of one-sided Jacobi and for a decomposition that multiplies to A with orthonormal U and V.
void check_decomposition(const Matrix& A) {
  const Eigen::VectorXd wanted = singular_values(A);
  const double rounding = 1e-13 * A.norm();
  const SingularDecomposition made = singular_decomposition(A);
  const Index n = wanted.size();
  CHECK((made.values - wanted).norm() <= rounding);
  CHECK(made.values.minCoeff() >= 0);
  CHECK(std::is_sorted(made.values.begin(), made.values.end(), std::greater<>()));
  CHECK((A * made.V.leftCols(n) - made.U.leftCols(n) * made.values.asDiagonal()).norm() <= rounding);
  CHECK((made.U.transpose() * made.U - Matrix::Identity(A.rows(), A.rows())).norm() < 1e-12);
  CHECK((made.V.transpose() * made.V - Matrix::Identity(A.cols(), A.cols())).norm() < 1e-12);
  const RightSingular right = full_right_singular(A);
  CHECK((right.values - wanted).norm() <= rounding);
  CHECK((A * right.V.rightCols(A.cols() - n)).norm() <= rounding);
}

Matrix orthonormal(Index n, mbc::SplitMix64& bits) {
  Matrix out(n, n);
  for (double& x : out.reshaped()) x = bits.next();
  return orthonormal_range(out);
}

// Returns values that are spread, graded over 300 orders of magnitude, repeated, tiny, zero, clustered, or with a last
// value of zero.
Eigen::VectorXd drawn_values(Index n, int kind, mbc::SplitMix64& bits) {
  Eigen::VectorXd out(n);
  for (Index k = 0; k < n; ++k) {
    const double next = bits.next();
    switch (kind) {
      case 0:
        out[k] = next;
        break;
      case 1:
        out[k] = std::pow(10.0, -20 * std::fabs(next));
        break;
      case 2:
        out[k] = std::pow(10.0, -150 * std::fabs(next));
        break;
      case 3:
        out[k] = std::ceil(3 * next);
        break;
      case 4:
        out[k] = k < n / 2 ? next : 1e-17 * next;
        break;
      case 5:
        out[k] = k < n / 3 ? 1 : 0;
        break;
      case 6:
        out[k] = 1 + 1e-15 * next;
        break;
      default:
        out[k] = k + 1 < n ? 1 + next : 0;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("singular values and vectors of matrices of blocks, some of them equal") {
  int larger = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    const Matrix A = blocks(seed);
    larger += std::min(A.rows(), A.cols()) > 16 ? 1 : 0;
    CHECK((singular_values_tridiagonal(A) - singular_values(A)).norm() < 1e-13 * A.norm());
    check_decomposition(A);
  }
  CHECK(larger > 100);
}

TEST_CASE("singular values and vectors of matrices whose values are graded, repeated, tiny or zero") {
  mbc::SplitMix64 bits(5);
  for (int round = 0; round < 240; ++round) {
    const auto upto = [&bits](Index n) { return static_cast<Index>(0.5 * (bits.next() + 1) * static_cast<double>(n)); };
    const Index m = 17 + upto(40), n = 17 + upto(20);
    const int kind = round % 8;
    CAPTURE(round);
    CAPTURE(m);
    CAPTURE(n);
    Matrix A = Matrix::Zero(m, n);
    A.diagonal() = drawn_values(std::min(m, n), kind, bits);
    const Matrix plain = A;
    A = orthonormal(m, bits) * A * orthonormal(n, bits);
    check_decomposition(A);
    check_decomposition(A.transpose());
    check_decomposition(plain);
    for (Index k = 0; k + 1 < std::min(m, n); ++k) A(k, k + 1) = plain(k, k);  // This matrix is already bidiagonal.
    check_decomposition(A.triangularView<Eigen::Upper>());
    Matrix band = plain;
    for (Index k = 0; k + 1 < std::min(m, n); ++k) band(k, k + 1) = k % 3 == 0 ? 0 : bits.next();
    check_decomposition(band);
    check_decomposition(1e-140 * band);
  }
}

TEST_CASE("singular values keep their scale, and those of nothing are none") {
  const Matrix A = blocks(7);
  for (const double scale : {1e-150, 1e-9, 1e9, 1e150})
    CHECK((singular_values_tridiagonal(scale * A) / scale - singular_values(A)).norm() < 1e-13 * A.norm());
  CHECK(singular_values_tridiagonal(Matrix::Zero(20, 30)).size() == 0);
}
