// SPDX-License-Identifier: Apache-2.0
// Tests the nearest point on one side of many planes: the conditions of Karush, Kuhn and Tucker, uniqueness, and more
// planes than dimensions.
#include "runtime/rows/least_distance.h"

#include <doctest/doctest.h>

#include <random>

#include "runtime/rows/decompositions.h"

using namespace mbc::runtime;

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Matrix random_matrix(std::mt19937& source, int rows, int columns) {
  std::normal_distribution<double> normal;
  Matrix out(rows, columns);
  for (Eigen::Index i = 0; i < out.size(); ++i) out.data()[i] = normal(source);
  return out;
}

Vector small(Eigen::Index n) { return Vector::Constant(n, 1e-12); }

}  // namespace

TEST_CASE("random planes: the conditions of optimality hold, and pressing planes are independent") {
  std::mt19937 source(1);
  int pressing = 0, in_excess = 0;
  for (int k = 0; k < 2000; ++k) {
    const int n = 1 + k % 9, m = 1 + k / 9 % 12;
    Matrix B = random_matrix(source, m, n);
    const Vector inside = random_matrix(source, n, 1).col(0);
    if (k % 3 == 0 && m > 2) B.row(m - 1) = B.row(0) + 0.5 * B.row(1);
    if (k % 5 == 0 && m > 1) B.row(1) = 2 * B.row(0);
    Vector d = B * inside;  // Some point satisfies all rows.
    if (k % 2 == 0)
      for (Eigen::Index i = 0; i < d.size(); i += 2) d[i] -= 0.5;
    const LeastDistance r = least_distance(B, d, small(m));
    CAPTURE(k);
    REQUIRE(r.outcome == LeastDistance::Outcome::found);
    const double size = 1 + B.norm() * (1 + r.w.norm());
    CHECK((d - B * r.w).maxCoeff() <= 1e-11 * size);
    CHECK(r.pressure.minCoeff() >= 0);
    CHECK((r.w - B.transpose() * r.pressure).norm() <= 1e-9 * size);
    CHECK(std::fabs(r.pressure.dot(B * r.w - d)) <= 1e-9 * size * (1 + r.pressure.norm()));
    CHECK(r.w.norm() <= inside.norm() * (1 + 1e-9));
    if (!r.pressing.empty()) {
      Matrix N(static_cast<Eigen::Index>(r.pressing.size()), n);
      for (std::size_t i = 0; i < r.pressing.size(); ++i) N.row(static_cast<Eigen::Index>(i)) = B.row(r.pressing[i]);
      CHECK(singular_values(N).minCoeff() > 1e-9);
      ++pressing;
      const Vector met = (B * r.w - d).cwiseAbs();
      in_excess += (met.array() < 1e-11).count() > static_cast<Eigen::Index>(r.pressing.size()) ? 1 : 0;
    }
  }
  CHECK(pressing > 1000);
  CHECK(in_excess > 50);
}

TEST_CASE("wherever it begins, the point is the same") {
  std::mt19937 source(2);
  int begun = 0, many = 0;
  for (int k = 0; k < 1000; ++k) {
    const int n = 2 + k % 40, m = 1 + k % 57;
    Matrix B = random_matrix(source, m, n);
    if (k % 3 == 0 && m > 2) B.row(m - 1) = B.row(0) + 0.5 * B.row(1);
    Vector d = B * random_matrix(source, n, 1).col(0);
    if (k % 2 == 0)
      for (Eigen::Index i = 0; i < d.size(); i += 2) d[i] -= 0.5;
    std::vector<int> first;
    for (int i = 0; i < m; ++i)
      if (source() % 2 == 0) first.push_back(i);
    const LeastDistance cold = least_distance(B, d, small(m)), warm = least_distance(B, d, small(m), first);
    CAPTURE(k);
    REQUIRE(cold.outcome == LeastDistance::Outcome::found);
    REQUIRE(warm.outcome == LeastDistance::Outcome::found);
    const double size = 1 + B.norm() * (1 + cold.w.norm());
    CHECK((warm.w - cold.w).norm() <= 1e-9 * size);
    CHECK((d - B * warm.w).maxCoeff() <= 1e-11 * size);
    CHECK(warm.pressure.minCoeff() >= 0);
    CHECK((warm.w - B.transpose() * warm.pressure).norm() <= 1e-9 * size);
    // Starting from the result, the solver does not change it.
    const LeastDistance again = least_distance(B, d, small(m), warm.pressing);
    CHECK((again.w - warm.w).norm() <= 1e-11 * size);
    CHECK(again.pressing == warm.pressing);
    begun += first.empty() ? 0 : 1;
    many += warm.pressing.size() > 10 ? 1 : 0;
  }
  CHECK(begun > 900);
  CHECK(many > 300);
}

TEST_CASE("a place to begin with does not hide planes that leave no point") {
  Matrix B(3, 2);
  B << 1, 0, -1, 0, 0, 1;
  Vector d(3);
  d << 1, 0, 5;
  for (const std::vector<int>& first : {std::vector<int>{0}, {1}, {0, 1}, {2, 0}, {0, 1, 2}})
    CHECK(least_distance(B, d, small(3), first).outcome == LeastDistance::Outcome::impossible);
}

TEST_CASE("planes that leave no point are named") {
  Matrix B(2, 1);
  B << 1, -1;
  Vector d(2);
  d << 1, 0;
  const LeastDistance r = least_distance(B, d, small(2));
  CHECK(r.outcome == LeastDistance::Outcome::impossible);
  CHECK(r.worst == 1);
  d << 1, -2;
  const LeastDistance between = least_distance(B, d, small(2));
  REQUIRE(between.outcome == LeastDistance::Outcome::found);
  CHECK(between.w[0] == doctest::Approx(1));
  CHECK(between.pressing == std::vector<int>{0});
}

TEST_CASE("a plane without a normal is met or not") {
  const Matrix B = Matrix::Zero(1, 2);
  CHECK(least_distance(B, Vector::Constant(1, 1.0), small(1)).outcome == LeastDistance::Outcome::impossible);
  CHECK(least_distance(B, Vector::Constant(1, -1.0), small(1)).outcome == LeastDistance::Outcome::found);
  CHECK(least_distance(Matrix(0, 3), Vector(0), Vector(0)).w.norm() == 0);
}
