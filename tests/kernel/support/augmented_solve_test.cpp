// SPDX-License-Identifier: Apache-2.0
// Compares mbc_augmented_solve and mbc_add_rows with Eigen and with each other, for mass matrices that are singular
// without rows, redundant or vanishing rows, and different units.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>

#include "kernel/support/mbc_support.h"

namespace mbc::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct System {
  MatrixXd mass;  // n x n
  VectorXd force;
  MatrixXd a;  // m x n
  VectorXd b, mask;
};

struct Solution {
  std::int32_t status = 0;
  VectorXd udot, lambda, pivot, scale;
};

// A Workspace holds M, f, A, b, udot, lambda, pivot, scale, weight, scratch, and the plans of the routines on it.
struct Workspace {
  std::uint32_t n, m, mass, force, values, right_side, udot, weight, scratch;
  std::vector<std::uint32_t> row_ptr{0}, column;
  std::vector<double> work;

  explicit Workspace(const System& s)
      : n(static_cast<std::uint32_t>(s.force.size())), m(static_cast<std::uint32_t>(s.b.size())) {
    const auto put = [&](const std::vector<double>& list) {
      const auto at = static_cast<std::uint32_t>(work.size());
      work.insert(work.end(), list.begin(), list.end());
      return at;
    };
    std::vector<double> dense, list;
    for (Eigen::Index i = 0; i < s.mass.rows(); ++i)
      // The routine must not read the upper triangle.
      for (Eigen::Index j = 0; j < s.mass.cols(); ++j) dense.push_back(j > i ? 1e99 : s.mass(i, j));
    for (Eigen::Index k = 0; k < s.a.rows(); ++k) {
      for (Eigen::Index i = 0; i < s.a.cols(); ++i)
        if (s.a(k, i) != 0) {
          list.push_back(s.a(k, i));
          column.push_back(static_cast<std::uint32_t>(i));
        }
      row_ptr.push_back(static_cast<std::uint32_t>(list.size()));
    }
    mass = put(dense);
    force = put({s.force.begin(), s.force.end()});
    values = put(list);
    right_side = put({s.b.begin(), s.b.end()});
    udot = static_cast<std::uint32_t>(work.size());
    weight = udot + n + 3 * m;
    scratch = weight + m;
    work.resize(scratch + mbc_augmented_solve_scratch(n, m) + mbc_dense_solve_scratch(n, m, 1),
                std::numeric_limits<double>::quiet_NaN());
    // The routine chooses a negative weight; its size is the threshold below which a column counts as having no
    // inertia.
    for (std::uint32_t k = 0; k < m; ++k) work[weight + k] = -1e-300;
  }

  [[nodiscard]] std::vector<std::uint32_t> solve_plan() const {
    std::vector<std::uint32_t> plan{
        n, m, 1, mass, force, values, right_side, udot, udot + n, udot + n + m, udot + n + 2 * m, scratch};
    append_pattern(plan);
    return plan;
  }
  [[nodiscard]] std::vector<std::uint32_t> add_plan() const {
    std::vector<std::uint32_t> plan{n, m, mass, force, values, right_side, weight};
    append_pattern(plan);
    return plan;
  }
  void append_pattern(std::vector<std::uint32_t>& plan) const {
    plan.insert(plan.end(), row_ptr.begin(), row_ptr.end());
    plan.insert(plan.end(), column.begin(), column.end());
  }
  [[nodiscard]] Solution take(std::int32_t status) const {
    const auto part = [&](std::uint32_t at, std::uint32_t size) {
      return VectorXd(Eigen::Map<const VectorXd>(work.data() + at, size));
    };
    return {status, part(udot, n), part(udot + n, m), part(udot + n + m, m), part(udot + n + 2 * m, m)};
  }
};

Solution augmented(const System& s) {
  Workspace w(s);
  const std::vector<std::uint32_t> plan = w.solve_plan();
  REQUIRE(mbc_augmented_solve_check(plan.data(), static_cast<std::uint32_t>(plan.size()), w.m,
                                    static_cast<std::uint32_t>(w.work.size())) == nullptr);
  return w.take(mbc_augmented_solve(plan.data(), s.mask.data(), w.work.data()));
}

Solution by_added_rows(const System& s) {
  Workspace w(s);
  const std::vector<std::uint32_t> add = w.add_plan(), plan = w.solve_plan();
  REQUIRE(mbc_add_rows_check(add.data(), static_cast<std::uint32_t>(add.size()), w.m,
                             static_cast<std::uint32_t>(w.work.size())) == nullptr);
  REQUIRE(mbc_add_rows(add.data(), s.mask.data(), w.work.data()) == 0);
  return w.take(mbc_dense_solve(plan.data(), s.mask.data(), w.work.data()));
}

// Makes M of the given rank and m rows, the last of which repeats the first; n <= r + m - 1.
System random_system(std::mt19937_64& random, Eigen::Index n, Eigen::Index m, Eigen::Index rank) {
  std::normal_distribution<double> normal;
  const auto matrix = [&](Eigen::Index rows, Eigen::Index columns) {
    return MatrixXd(MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); }));
  };
  System s;
  const MatrixXd half = matrix(rank, n);
  s.mass = half.transpose() * half;
  s.a = matrix(m, n);
  s.a.row(m - 1) = 2 * s.a.row(0) - s.a.row(1);
  s.force = matrix(n, 1);
  s.b = s.a * matrix(n, 1);
  s.mask = VectorXd::Ones(m);
  s.mask[m - 1] = 0;
  return s;
}

double worst_defect(const System& s, const Solution& x) {
  const VectorXd balance = s.mass * x.udot - s.force - s.a.transpose() * x.lambda;
  return std::max(balance.cwiseAbs().maxCoeff(), (s.a * x.udot - s.b).cwiseAbs().maxCoeff());
}

}  // namespace

TEST_CASE("singular mass matrices: one system, or rows added to M, satisfy the equations and agree") {
  std::mt19937_64 random(4);
  for (int sample = 0; sample < 300; ++sample) {
    const Eigen::Index n = 4 + sample % 5, m = 4, rank = n - sample % 4;
    CAPTURE(n);
    CAPTURE(rank);
    const System s = random_system(random, n, m, rank);
    const Solution x = augmented(s), y = by_added_rows(s);
    REQUIRE(x.status == 0);
    REQUIRE(y.status == 0);
    const double size = 1 + x.udot.norm() + x.lambda.norm();
    CHECK(worst_defect(s, x) < 1e-10 * size);
    CHECK(worst_defect(s, y) < 1e-9 * size);
    CHECK((x.udot - y.udot).norm() < 1e-8 * size);
    CHECK((x.lambda - y.lambda).norm() < 1e-8 * size);
    CHECK(x.lambda[m - 1] == 0);
    CHECK(x.pivot[m - 1] < 1e-12 * x.scale[m - 1]);  // The row depends on the others.
    for (Eigen::Index k = 0; k < m - 1; ++k) CHECK(x.pivot[k] > 1e-9 * x.scale[k]);
  }
}

TEST_CASE("the pivot of a row outside the mask is its Schur complement") {
  std::mt19937_64 random(5);
  for (int sample = 0; sample < 100; ++sample) {
    System s = random_system(random, 7, 4, 7);
    s.mass += MatrixXd::Identity(7, 7);
    s.a.row(3) += 1e-2 * MatrixXd::Random(1, 7);
    const Solution x = augmented(s);
    const MatrixXd kept = s.a.topRows(3), all = s.mass.inverse();
    const MatrixXd S = s.a * all * s.a.transpose(), Sk = kept * all * kept.transpose();
    const double left = S(3, 3) - (S.row(3).head(3) * Sk.inverse() * S.col(3).head(3))(0, 0);
    CHECK(x.pivot[3] == doctest::Approx(left).epsilon(1e-6));
  }
}

TEST_CASE("units change nothing but the units") {
  std::mt19937_64 random(6);
  const System s = random_system(random, 6, 4, 4);
  VectorXd unit(6), row(4);
  unit << 1e6, 1e-3, 1, 1e4, 1e-5, 10;
  row << 1e-4, 1e3, 1, 1e7;
  System t = s;
  t.mass = unit.asDiagonal() * s.mass * unit.asDiagonal();
  t.force = unit.cwiseProduct(s.force);
  t.a = row.asDiagonal() * s.a * unit.asDiagonal();
  t.b = row.cwiseProduct(s.b);
  for (auto* solve : {augmented, by_added_rows}) {
    const Solution x = solve(s), y = solve(t);
    REQUIRE(y.status == 0);
    CHECK((unit.cwiseProduct(y.udot) - x.udot).norm() < 1e-9 * x.udot.norm());
    CHECK((row.cwiseProduct(y.lambda) - x.lambda).norm() < 1e-9 * x.lambda.norm());
  }
}

TEST_CASE("rows that vanish or repeat are skipped, speeds that nothing determines are refused") {
  System s;
  s.mass = MatrixXd::Zero(3, 3);
  s.mass(0, 0) = 2;
  s.force = VectorXd::Ones(3);
  s.a = MatrixXd::Zero(4, 3);
  s.a.row(0) << 0, 1, 0;
  s.a.row(1) << 0, 2, 0;  // This row repeats the first one.
  s.a.row(3) << 1, 0, -1;
  s.b = VectorXd::Zero(4);
  s.mask = VectorXd::Ones(4);
  const Solution x = augmented(s);
  REQUIRE(x.status == 0);
  CHECK(x.udot[0] == doctest::Approx(1.0));  // 2 u' = 1 + 1, because the rows connect the coordinate without inertia.
  CHECK(x.udot[2] == doctest::Approx(1.0));
  CHECK(x.udot[1] == 0);
  CHECK(x.lambda[1] == 0);
  CHECK(x.lambda[2] == 0);
  CHECK(x.pivot[1] == 0);
  s.mask[3] = 0;
  CHECK(augmented(s).status == 1);
  s.mask[3] = 1;
  s.mass(0, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK(!augmented(s).udot.allFinite());
}

TEST_CASE("plans that do not fit are refused") {
  std::mt19937_64 random(8);
  const Workspace w(random_system(random, 5, 3, 5));
  const auto words = [](const std::vector<std::uint32_t>& plan) { return static_cast<std::uint32_t>(plan.size()); };
  const auto size = static_cast<std::uint32_t>(w.work.size());
  std::vector<std::uint32_t> plan = w.solve_plan();
  CHECK(mbc_augmented_solve_check(plan.data(), words(plan), 3, w.scratch + mbc_augmented_solve_scratch(5, 3)) ==
        nullptr);
  CHECK(mbc_augmented_solve_check(plan.data(), words(plan), 3, w.scratch + 8) != nullptr);
  CHECK(mbc_augmented_solve_check(plan.data(), words(plan), 2, size) != nullptr);
  std::vector<std::uint32_t> add = w.add_plan();
  CHECK(mbc_add_rows_check(add.data(), words(add), 3, size) == nullptr);
  CHECK(mbc_add_rows_check(add.data(), words(add) - 1, 3, size) != nullptr);
  CHECK(mbc_add_rows_check(add.data(), 3, 3, size) != nullptr);
  for (const std::uint32_t word : {MBC_ADD_MASS, MBC_ADD_FORCE, MBC_ADD_A, MBC_ADD_B, MBC_ADD_WEIGHT}) {
    std::vector<std::uint32_t> bad = add;
    bad[word] = size - 1;
    CHECK(mbc_add_rows_check(bad.data(), words(bad), 3, size) != nullptr);
  }
  add[MBC_ADD_FORCE] = MBC_ADD_NONE;
  CHECK(mbc_add_rows_check(add.data(), words(add), 3, size) == nullptr);
  add.back() = 5;
  CHECK(mbc_add_rows_check(add.data(), words(add), 3, size) != nullptr);
  add.back() = add[add.size() - 2];
  CHECK(mbc_add_rows_check(add.data(), words(add), 3, size) != nullptr);
}

}  // namespace mbc::test
