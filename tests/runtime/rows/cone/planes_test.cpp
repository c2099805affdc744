// SPDX-License-Identifier: Apache-2.0
// Contact problems without friction: the point nearest to the origin on one side of many planes. Conditions of Karush,
// Kuhn and Tucker, which have one point; planes in excess; planes that leave no point.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "runtime/rows/cone/problem.h"

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

// held: how many of the first planes are held as equations.
ConeProblem planes(const Matrix& B, const Vector& d, int held = 0) {
  ConeProblem out;
  out.n = static_cast<std::uint32_t>(B.cols());
  for (Eigen::Index i = 0; i < B.rows(); ++i) {
    for (Eigen::Index j = 0; j < B.cols(); ++j)
      if (B(i, j) != 0) out.rows.add(static_cast<std::uint32_t>(j), B(i, j));
    out.rows.close();
    (i < held ? out.held : out.unilateral).push_back(static_cast<std::uint32_t>(i));
  }
  out.wanted.assign(d.begin(), d.end());
  out.size = 1 + d.norm();
  out.tolerance = 1e-14;
  return out;
}

struct Planes {
  Matrix B;
  Vector inside, d;
};

Planes random_planes(std::mt19937& source, int k, int n, int m) {
  Planes out{random_matrix(source, m, n), random_matrix(source, n, 1).col(0), {}};
  if (k % 3 == 0 && m > 2) out.B.row(m - 1) = out.B.row(0) + 0.5 * out.B.row(1);
  if (k % 5 == 0 && m > 1) out.B.row(1) = 2 * out.B.row(0);
  out.d = out.B * out.inside;  // there is a point that meets all
  if (k % 2 == 0)
    for (Eigen::Index i = 0; i < m; i += 2) out.d[i] -= 0.5;
  return out;
}

}  // namespace

TEST_CASE("random planes: the conditions of optimality hold, with more planes than are needed") {
  std::mt19937 source(1);
  int pressing = 0, in_excess = 0;
  for (int k = 0; k < 2000; ++k) {
    const int n = 1 + k % 9, m = 1 + k / 9 % 12;
    const auto [B, inside, d] = random_planes(source, k, n, m);
    const ConeSolution r = solve_cones(planes(B, d), Vector());
    CAPTURE(k);
    REQUIRE(r.settled);
    const double size = 1 + B.norm() * (1 + r.jump.norm());
    CHECK((d - B * r.jump).maxCoeff() <= 1e-11 * size);
    CHECK(r.multipliers.minCoeff() >= 0);
    CHECK((r.jump - B.transpose() * r.multipliers).norm() <= 1e-9 * size);
    CHECK(std::fabs(r.multipliers.dot(B * r.jump - d)) <= 1e-9 * size * (1 + r.multipliers.norm()));
    CHECK(r.jump.norm() <= inside.norm() * (1 + 1e-9));
    const auto presses = (r.multipliers.array() > 0).count();
    pressing += presses > 0 ? 1 : 0;
    in_excess += ((B * r.jump - d).cwiseAbs().array() < 1e-11).count() > n ? 1 : 0;
  }
  CHECK(pressing > 1000);
  CHECK(in_excess > 50);
}

TEST_CASE("planes of which some are equations: these hold, whatever they pull") {
  std::mt19937 source(3);
  int pulls = 0;
  for (int k = 0; k < 500; ++k) {
    const int n = 3 + k % 9, m = 2 + k / 9 % 12, held = 1 + k % 2;
    const auto [B, inside, d] = random_planes(source, k % 2 == 0 ? k + 1 : k, n, m);
    const ConeSolution r = solve_cones(planes(B, d, held), Vector());
    CAPTURE(k);
    REQUIRE(r.settled);
    const double size = 1 + B.norm() * (1 + r.jump.norm());
    const Vector left = B * r.jump - d;
    CHECK(left.head(held).cwiseAbs().maxCoeff() <= 1e-11 * size);
    CHECK(left.minCoeff() >= -1e-11 * size);
    if (m > held) CHECK(r.multipliers.tail(m - held).minCoeff() >= 0);
    CHECK(std::fabs(r.multipliers.dot(left)) <= 1e-9 * size * (1 + r.multipliers.norm()));
    CHECK((r.jump - B.transpose() * r.multipliers).norm() <= 1e-9 * size);
    pulls += r.multipliers.head(held).minCoeff() < 0 ? 1 : 0;
  }
  CHECK(pulls > 50);
}

TEST_CASE("wherever it begins, the point and its multipliers are the same") {
  std::mt19937 source(2);
  int many = 0;
  for (int k = 0; k < 1000; ++k) {
    const int n = 2 + k % 40, m = 1 + k % 57;
    const auto [B, inside, d] = random_planes(source, k, n, m);
    const Vector first = random_matrix(source, m, 1).col(0).cwiseMax(0);
    const ConeSolution cold = solve_cones(planes(B, d), Vector()), warm = solve_cones(planes(B, d), first);
    CAPTURE(k);
    REQUIRE(cold.settled);
    REQUIRE(warm.settled);
    const double size = 1 + B.norm() * (1 + cold.jump.norm());
    CHECK((warm.jump - cold.jump).norm() <= 1e-9 * size);
    CHECK((d - B * warm.jump).maxCoeff() <= 1e-11 * size);
    CHECK(warm.multipliers.minCoeff() >= 0);
    CHECK((warm.jump - B.transpose() * warm.multipliers).norm() <= 1e-9 * size);
    // that which it comes to is a place to begin with that is left as it is
    const ConeSolution again = solve_cones(planes(B, d), warm.multipliers);
    CHECK((again.jump - warm.jump).norm() <= 1e-11 * size);
    many += (warm.multipliers.array() > 0).count() > 10 ? 1 : 0;
  }
  CHECK(many > 300);
}

TEST_CASE("a place to begin with does not hide planes that leave no point") {
  Matrix B(3, 2);
  B << 1, 0, -1, 0, 0, 1;
  Vector d(3);
  d << 1, 0, 5;
  for (const Eigen::Vector3d& first : {Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(0, 1, 0), Eigen::Vector3d(1, 1, 0),
                                       Eigen::Vector3d(1, 0, 1), Eigen::Vector3d(1, 1, 1)})
    CHECK(!solve_cones(planes(B, d), first).settled);
}

TEST_CASE("planes that leave no point are named") {
  Matrix B(3, 2);
  B << 1, 0, 0, 1, -1, 0;
  Vector d(3);
  d << 1, -1, 0;
  const ConeSolution r = solve_cones(planes(B, d), Vector());
  CHECK(!r.settled);
  CHECK((r.worst == 0 || r.worst == 2));
  d << 1, -1, -2;
  const ConeSolution between = solve_cones(planes(B, d), Vector());
  REQUIRE(between.settled);
  CHECK(between.jump[0] == doctest::Approx(1));
  CHECK((between.multipliers[0] > 0 && between.multipliers[1] == 0 && between.multipliers[2] == 0));
}

TEST_CASE("a plane without a normal is met or not") {
  const Matrix B = Matrix::Zero(1, 2);
  CHECK(!solve_cones(planes(B, Vector::Constant(1, 1.0)), Vector()).settled);
  CHECK(solve_cones(planes(B, Vector::Constant(1, -1.0)), Vector()).settled);
  CHECK(solve_cones(planes(Matrix(0, 3), Vector(0)), Vector()).jump.norm() == 0);
}
