// SPDX-License-Identifier: Apache-2.0
// Compares generalised inverses truncated at a given rank with a pseudo-inverse made from eigenvectors.
#include "runtime/rows/truncated_inverse.h"

#include <doctest/doctest.h>

#include <limits>
#include <numeric>

#include "tests/runtime/rows/numerics_support.h"

using namespace mbc;
using runtime::RowComponent;
using runtime::TruncatedInverse;

namespace {

std::vector<Eigen::Index> all(Eigen::Index count) {
  std::vector<Eigen::Index> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

TruncatedInverse one_part(const Eigen::MatrixXd& G, int rank) {
  TruncatedInverse inverse;
  RowComponent part;
  part.rows = all(G.rows());
  part.columns = all(G.cols());
  part.rank = rank;
  inverse.parts.push_back(part);
  inverse.weight = Eigen::VectorXd::Ones(G.rows());
  return inverse;
}

struct Solution {
  Eigen::VectorXd y, multipliers;
};

Solution solved(TruncatedInverse& inverse, const Eigen::MatrixXd& G, const Eigen::VectorXd& r) {
  REQUIRE(inverse.decompose(G));
  Solution s{Eigen::VectorXd::Zero(G.cols()), Eigen::VectorXd::Zero(G.rows())};
  inverse.solve(r, s.y, s.multipliers);
  return s;
}

// Returns the reference: y is the sum of v (v^T G^T r) / s^2 over the `rank` leading eigenvectors v of G^T G.
Eigen::VectorXd oracle(const Eigen::MatrixXd& G, const Eigen::VectorXd& r, int rank) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(G.transpose() * G);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(G.cols());
  for (int k = 0; k < rank; ++k) {
    const Eigen::Index at = G.cols() - 1 - k;
    const Eigen::VectorXd v = eigen.eigenvectors().col(at);
    y += v * (v.dot(G.transpose() * r) / eigen.eigenvalues()(at));
  }
  return y;
}

Eigen::MatrixXd orthonormal(test::Random& random, int n) {
  return Eigen::HouseholderQR<Eigen::MatrixXd>(random.matrix(n, n)).householderQ();
}

// Returns an m x n matrix with these singular values.
Eigen::MatrixXd with_values(test::Random& random, int m, int n, const Eigen::VectorXd& values) {
  const Eigen::Index k = values.size();
  return orthonormal(random, m).leftCols(k) * values.asDiagonal() * orthonormal(random, n).leftCols(k).transpose();
}

}  // namespace

TEST_CASE("counted inverse of random rows, full and redundant: the pseudo-inverse and its multipliers") {
  test::Random random(11);
  for (int trial = 0; trial < 300; ++trial) {
    CAPTURE(trial);
    const int n = 1 + random.index(9), rank = 1 + random.index(n), m = rank + random.index(5);
    const Eigen::VectorXd values = random.vector(rank).array().abs() + 0.3;
    const Eigen::MatrixXd G = with_values(random, m, n, values);
    // If rows are redundant, this right-hand side is contradictory, and the solution is that of least squares.
    const Eigen::VectorXd r = random.vector(m);
    TruncatedInverse inverse = one_part(G, rank);
    const Solution s = solved(inverse, G, r);
    CHECK(test::max_abs(s.y - oracle(G, r, rank)) < 1e-12);
    CHECK(test::max_abs(G.transpose() * s.multipliers - s.y) < 1e-12);
    const RowComponent& part = inverse.parts[0];
    CHECK(part.smallest() == doctest::Approx(values.minCoeff()).epsilon(1e-13));
    CHECK(part.largest_truncated() < 1e-14);
    CHECK(test::max_abs(G * part.free_directions() * Eigen::VectorXd::Ones(n - rank)) < 1e-13);
    CHECK(inverse.leading(0, r).squaredNorm() + inverse.truncated(0, r).squaredNorm() ==
          doctest::Approx(r.squaredNorm()).epsilon(1e-13));
  }
}

TEST_CASE("a count below the rank leaves the weakest directions out; one above it counts what is nearly lost") {
  test::Random random(12);
  const Eigen::Vector4d values(2, 1, 1e-5, 1e-11);
  const Eigen::MatrixXd G = with_values(random, 5, 6, values);
  const Eigen::VectorXd r = G * random.vector(6);
  for (int rank = 1; rank <= 3; ++rank) {
    CAPTURE(rank);
    TruncatedInverse inverse = one_part(G, rank);
    const Solution s = solved(inverse, G, r);
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(G, Eigen::ComputeThinU | Eigen::ComputeThinV);
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(6);
    for (int k = 0; k < rank; ++k)
      expected += svd.matrixV().col(k) * (svd.matrixU().col(k).dot(r) / svd.singularValues()(k));
    CHECK(test::max_abs(s.y - expected) < 1e-10);
    CHECK(inverse.parts[0].smallest() == doctest::Approx(values(rank - 1)).epsilon(1e-9));
    CHECK(inverse.parts[0].largest_truncated() == doctest::Approx(values(rank)).epsilon(1e-4));
    CHECK(inverse.parts[0].weak(1e-3) == (rank == 3 ? 1 : 0));
    CHECK(inverse.parts[0].weak(10) == rank);
  }
}

TEST_CASE("on a singular position itself a counted direction without a value is left out") {
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(2, 3);
  G(0, 0) = 2;
  TruncatedInverse inverse = one_part(G, 2);
  const Solution s = solved(inverse, G, Eigen::Vector2d(1, 1));
  CHECK(test::max_abs(s.y - Eigen::Vector3d(0.5, 0, 0)) < 1e-15);
  CHECK(test::max_abs(s.multipliers - Eigen::Vector2d(0.25, 0)) < 1e-15);
}

TEST_CASE("weights scale the rows: the answer to rows that fit is the same, that to others is weighted") {
  test::Random random(13);
  const Eigen::MatrixXd G = random.matrix(3, 5);
  const Eigen::VectorXd r = random.vector(3);
  TruncatedInverse plain = one_part(G, 3), weighted = one_part(G, 3);
  weighted.weight << 10, 0.1, 3;
  const Solution one = solved(plain, G, r), other = solved(weighted, G, r);
  CHECK(test::max_abs(one.y - other.y) < 1e-12);
  CHECK(test::max_abs(one.multipliers - other.multipliers) < 1e-12);
  const Eigen::MatrixXd equal = Eigen::MatrixXd::Ones(2, 1);
  TruncatedInverse twice = one_part(equal, 1);
  twice.weight << 1, 3;
  CHECK(solved(twice, equal, Eigen::Vector2d(0, 1)).y(0) == doctest::Approx(0.9).epsilon(1e-14));
}

TEST_CASE("parts are solved apart, each with its own rank, and leave other columns alone") {
  test::Random random(14);
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(4, 6);
  const Eigen::MatrixXd first = random.matrix(2, 2), row = random.matrix(1, 2);
  G(std::vector{0, 2}, std::vector{1, 4}) = first;
  G(std::vector{1}, std::vector{0, 3}) = row;
  G(std::vector{3}, std::vector{0, 3}) = -2 * row;
  TruncatedInverse inverse = one_part(G, 0);
  inverse.parts.assign(2, {});
  inverse.parts[0].rows = {0, 2};
  inverse.parts[0].columns = {1, 4};
  inverse.parts[0].rank = 2;
  inverse.parts[1].rows = {1, 3};
  inverse.parts[1].columns = {0, 3};
  inverse.parts[1].rank = 1;
  const Eigen::VectorXd y = Eigen::VectorXd::LinSpaced(6, 1, 6), r = G * y;
  const Solution s = solved(inverse, G, r);
  CHECK(test::max_abs(G * s.y - r) < 1e-12);
  CHECK(s.y(2) == 0);
  CHECK(s.y(5) == 0);
  CHECK(test::max_abs(inverse.truncated(1, r)) < 1e-13);
  CHECK(inverse.scaled_rows(1, G) == Eigen::MatrixXd(G(std::vector{1, 3}, std::vector{0, 3})));
}

TEST_CASE("rows that are not finite are refused") {
  Eigen::MatrixXd G = test::Random(15).matrix(2, 3);
  TruncatedInverse inverse = one_part(G, 2);
  G(1, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(inverse.decompose(G));
  G(1, 1) = std::numeric_limits<double>::infinity();
  CHECK_FALSE(inverse.decompose(G));
  G(1, 1) = 0;
  CHECK(inverse.decompose(G));
}
