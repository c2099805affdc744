// SPDX-License-Identifier: Apache-2.0
// Singular values of matrices as mechanisms of equal parts have them: blocks of which some are equal, so that values
// are repeated, against one-sided Jacobi.
#include <doctest/doctest.h>

#include <cmath>

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

// Blocks beside each other, some of them the same one, some of ones; and then sums of neighbouring rows.
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

}  // namespace

TEST_CASE("singular values and vectors of matrices of blocks, some of them equal") {
  int larger = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    const Matrix A = blocks(seed);
    const Eigen::VectorXd wanted = singular_values(A);
    const double rounding = 1e-13 * A.norm();
    larger += wanted.size() > 16 ? 1 : 0;
    CHECK((singular_values_tridiagonal(A) - wanted).norm() < rounding);
    const SingularDecomposition made = singular_decomposition(A);
    const Index n = wanted.size();
    CHECK((made.values - wanted).norm() < rounding);
    CHECK((A * made.V.leftCols(n) - made.U.leftCols(n) * made.values.asDiagonal()).norm() < 10 * rounding);
    CHECK((made.U.transpose() * made.U - Matrix::Identity(A.rows(), A.rows())).norm() < 1e-12);
    CHECK((made.V.transpose() * made.V - Matrix::Identity(A.cols(), A.cols())).norm() < 1e-12);
    const RightSingular right = full_right_singular(A);
    CHECK((right.values - wanted).norm() < rounding);
    CHECK((A * right.V.rightCols(A.cols() - n)).norm() < 10 * rounding);
  }
  CHECK(larger > 100);
}

TEST_CASE("singular values keep their scale, and those of nothing are none") {
  const Matrix A = blocks(7);
  for (const double scale : {1e-150, 1e-9, 1e9, 1e150})
    CHECK((singular_values_tridiagonal(scale * A) / scale - singular_values(A)).norm() < 1e-13 * A.norm());
  CHECK(singular_values_tridiagonal(Matrix::Zero(20, 30)).size() == 0);
}
