// SPDX-License-Identifier: Apache-2.0
// Tests rank, conflicts and uniqueness with rows of real mechanisms and of random redundant systems.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "runtime/rows/conflict.h"
#include "runtime/rows/mass_scaling.h"
#include "runtime/rows/rank.h"
#include "tests/runtime/rows/numerics_support.h"

using namespace mbc;
using runtime::certify;
using runtime::minimal_conflicting_set;
using runtime::RankInput;
using runtime::RankReport;
using runtime::RowGrade;
using runtime::RowState;

namespace {

Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
  Eigen::Matrix3d S;
  S << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return S;
}

// Returns the rows of a hinge about z at `point` between two bodies with speeds (v, omega) in world axes. Body -1 is
// the ground.
Eigen::MatrixXd hinge(int bodies, int one, int other, const Eigen::Vector3d& point,
                      const std::vector<Eigen::Vector3d>& centres) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(5, 6 * bodies);
  const auto add = [&](int body, double sign) {
    if (body < 0) return;
    rows.block<3, 3>(0, 6 * body) = sign * Eigen::Matrix3d::Identity();
    rows.block<3, 3>(0, 6 * body + 3) = -sign * skew(point - centres[body]);
    rows.block<2, 3>(3, 6 * body + 3) = sign * Eigen::Matrix<double, 2, 3>::Identity();
  };
  add(one, 1);
  add(other, -1);
  return rows;
}

// Returns the plane four-bar linkage A B C D modelled with three rigid bodies in space and four hinges: 20 rows, 18
// speeds.
Eigen::MatrixXd four_bar_in_space() {
  const Eigen::Vector3d A(0, 0, 0), B(0.3, 0.9, 0), C(1.9, 1.3, 0), D(2.1, 0, 0);
  const std::vector<Eigen::Vector3d> centres{(A + B) / 2, (B + C) / 2, (C + D) / 2};
  Eigen::MatrixXd G(20, 18);
  G << hinge(3, -1, 0, A, centres), hinge(3, 0, 1, B, centres), hinge(3, 1, 2, C, centres), hinge(3, 2, -1, D, centres);
  return G;
}

Eigen::VectorXd bar_masses() {
  Eigen::VectorXd M(18);
  for (int k = 0; k < 3; ++k) M.segment<6>(6 * k) << 2, 2, 2, 0.01, 0.2, 0.2;
  return M;
}

// Returns the two knife-edge rows z2 x'' - y'' = .. and z2^2 x'' - y'' = .. of particle 2, differentiated once.
RankInput knife_rows(double z2, double zdot, double xdot) {
  RankInput input;
  input.G.resize(2, 3);
  input.G << z2, -1, 0, z2 * z2, -1, 0;
  input.r = Eigen::Vector2d(-zdot * xdot, -2 * z2 * zdot * xdot);
  return input;
}

// Returns the rows of e' = a' x b + a x b' for cross(a, b) = 0 between two bodies with speeds (omega_a, omega_b).
Eigen::MatrixXd cross_rows(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  Eigen::MatrixXd J(3, 6);
  J << skew(b) * skew(a), -skew(a) * skew(b);
  return J;
}

}  // namespace

TEST_CASE("a plane four-bar linkage modelled in space has three redundant rows") {
  test::Random random(3);
  for (double factor : {1.0, 1e6, 1e-6}) {
    for (int single = -1; single < 20; ++single) {
      RankInput input;
      input.G = runtime::MassScaling::diagonal(bar_masses()).scale_rows(four_bar_in_space());
      input.r = input.G * random.vector(18);
      for (int i = 0; i < 20; ++i) {
        if (single >= 0 && single != i) continue;
        input.G.row(i) *= factor;
        input.r(i) *= factor;
      }
      const RankReport report = certify(input);
      CHECK(report.rank == 17);
      CHECK(report.consistent());
      CHECK_FALSE(report.near());
      CHECK(std::count_if(report.rows.begin(), report.rows.end(),
                          [](const auto& row) { return row.grade == RowGrade::redundant; }) == 3);
      for (int i = 0; i < 15; ++i) CHECK(report.rows[i].state == RowState::independent);
    }
  }
}

TEST_CASE("in-plane reactions of the four-bar are unique, the out-of-plane ones are not") {
  RankInput input;
  input.G = runtime::MassScaling::diagonal(bar_masses()).scale_rows(four_bar_in_space());
  const RankReport report = certify(input);
  const Eigen::MatrixXd null = input.G.transpose().fullPivLu().kernel();
  REQUIRE(null.cols() == 3);
  for (int i = 0; i < 20; ++i) {
    const bool in_plane = i % 5 < 2;
    CHECK(report.rows[i].multiplier_unique == in_plane);
    CHECK(report.rows[i].multiplier_unique == (null.row(i).norm() < 1e-10));
  }
}

TEST_CASE("knife-edge rows through their rank drop") {
  SUBCASE("away from it") {
    const RankReport report = certify(knife_rows(1e-3, 0.25, 0.5));
    CHECK(report.rank == 2);
    CHECK(report.rows[1].grade == RowGrade::ok);
    CHECK(report.rows[1].distance == doctest::Approx(1e-3 - 1e-6).epsilon(1e-5));
  }
  SUBCASE("at it, at rest") {
    const RankReport report = certify(knife_rows(0, 0.25, 0));
    CHECK(report.rank == 1);
    CHECK(report.consistent());
    CHECK(report.rows[1].grade == RowGrade::redundant);
  }
  SUBCASE("at it up to the rounding of a sum of steps") {
    const RankReport report = certify(knife_rows(1e-14, 0.25, 0));
    CHECK(report.rank == 1);
    CHECK(report.consistent());
    CHECK(report.rows[1].grade == RowGrade::redundant);
  }
  SUBCASE("at it, moving: the rows contradict") {
    const RankInput input = knife_rows(0, 0.25, 0.5);
    const RankReport report = certify(input);
    CHECK(report.rank == 1);
    CHECK_FALSE(report.rows[1].consistent);
    CHECK(report.rows[1].raw_residual == doctest::Approx(0.125));
    CHECK(minimal_conflicting_set(input.G, input.r) == std::vector<int>{0, 1});
  }
}

TEST_CASE("a cross product as a constraint has rank two, also under drift that is declared") {
  test::Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Vector3d a = random.vector(3).normalized();
    RankInput input;
    input.G = cross_rows(a, a);
    CHECK(certify(input).rank == 2);
    const double drift = 1e-9;
    const Eigen::Vector3d b = (a + drift * random.vector(3)).normalized();
    input.G = cross_rows(a, b);
    input.row_noise = Eigen::Vector3d::Constant(drift);
    for (double tolerance : {1e-12, 1e-10, 1e-8, 1e-6}) {
      runtime::RankOptions options;
      options.tolerance = tolerance;
      CHECK(certify(input, options).rank == 2);
    }
  }
}

TEST_CASE("minimal conflicting sets are inconsistent and irreducible") {
  test::Random random(8);
  for (int trial = 0; trial < 60; ++trial) {
    const int m = 4 + random.index(12), n = m + random.index(5);
    Eigen::MatrixXd G = random.matrix(m + 1, n);
    std::vector<int> expected;
    G.row(m).setZero();
    for (int i = 0; i < m; ++i) {
      if (random.index(3) != 0) continue;
      G.row(m) += (1.5 + random.value()) * G.row(i);
      expected.push_back(i);
    }
    if (expected.empty()) continue;
    expected.push_back(m);
    Eigen::VectorXd r = G * random.vector(n);
    CHECK(minimal_conflicting_set(G, r).empty());
    r(expected[0]) += 0.3;
    CHECK(minimal_conflicting_set(G, r) == expected);
    CHECK(minimal_conflicting_set(G, r, Eigen::VectorXd::Constant(m + 1, 10.0)).empty());
  }
}

TEST_CASE("of several contradictions the smallest is shown") {
  Eigen::MatrixXd G = test::Random(9).matrix(6, 8);
  Eigen::MatrixXd all(9, 8);
  all << G, G.row(0) + G.row(1) + G.row(2), 3 * G.row(4), Eigen::RowVectorXd::Zero(8);
  Eigen::VectorXd r = Eigen::VectorXd::Ones(9);
  CHECK(minimal_conflicting_set(all, r) == std::vector<int>{8});
  r(8) = 0;
  CHECK(minimal_conflicting_set(all, r) == std::vector<int>{4, 7});
  r(7) = 3;
  CHECK(minimal_conflicting_set(all, r) == std::vector<int>{0, 1, 2, 6});
  r(6) = 3;
  CHECK(minimal_conflicting_set(all, r).empty());
}

TEST_CASE("a few hundred rows are searched in one go") {
  test::Random random(10);
  const int m = 200, n = 220;
  Eigen::MatrixXd G = random.matrix(m + 1, n);
  G.row(m) = G.topRows(m).colwise().sum();
  Eigen::VectorXd r = G * random.vector(n);
  r(17) += 1;
  CHECK(minimal_conflicting_set(G, r).size() == m + 1);
}

TEST_CASE("random redundant consistent systems agree with the singular values") {
  test::Random random(2026);
  for (int trial = 0; trial < 1000; ++trial) {
    const int n = 1 + random.index(10), rank = 1 + random.index(n), m = rank + random.index(6);
    RankInput input;
    input.G = random.matrix(m, rank) * random.matrix(rank, n);
    for (int i = 0; i < m; ++i) input.G.row(i) *= std::pow(10.0, random.index(13) - 6);
    input.r = input.G * random.vector(n);
    const RankReport report = certify(input);
    Eigen::MatrixXd scaled = input.G;
    scaled.rowwise().normalize();
    const Eigen::VectorXd sigma = Eigen::JacobiSVD<Eigen::MatrixXd>(scaled).singularValues();
    // This random matrix is ill-conditioned by chance.
    if (sigma(std::min<Eigen::Index>(rank, sigma.size()) - 1) < 1e-6) continue;
    REQUIRE(report.rank == rank);
    CHECK(report.consistent());
    CHECK(report.methods_agree);
    for (const auto& row : report.rows) {
      if (row.state != RowState::dependent) continue;
      const auto index = static_cast<Eigen::Index>(&row - report.rows.data());
      Eigen::RowVectorXd rest = input.G.row(index);
      for (const auto& term : row.combination) rest -= term.raw_coefficient * input.G.row(term.row);
      CHECK(rest.norm() < 1e-8 * row.scale);
    }
  }
}
