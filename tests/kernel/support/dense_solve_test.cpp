// SPDX-License-Identifier: Apache-2.0
// Compares mbc_dense_solve with Eigen and tests its rules for rows that are left out.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "kernel/support/mbc_support.h"
#include "tests/kernel/random_kernel.h"

namespace mbc::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Solution {
  std::int32_t status = 0;
  VectorXd udot, lambda, pivot, scale;
};

struct System {
  MatrixXd mass;  // n x n
  VectorXd force;
  MatrixXd a;  // m x n
  VectorXd b;
  VectorXd mask;
};

// Packs the system into plan and workspace. The pattern omits zeros of A.
Solution solve(const System& s, bool diagonal) {
  const auto n = static_cast<std::uint32_t>(s.force.size());
  const auto m = static_cast<std::uint32_t>(s.b.size());
  std::vector<double> work;
  const auto put = [&](auto&& values) {
    const auto offset = static_cast<std::uint32_t>(work.size());
    work.insert(work.end(), values.begin(), values.end());
    return offset;
  };
  std::vector<double> mass, values;
  std::vector<std::uint32_t> row_ptr{0}, column;
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j)
      if (!diagonal || i == j) mass.push_back(s.mass(i, j));
  for (std::uint32_t k = 0; k < m; ++k) {
    for (std::uint32_t i = 0; i < n; ++i) {
      if (s.a(k, i) == 0) continue;
      values.push_back(s.a(k, i));
      column.push_back(i);
    }
    row_ptr.push_back(static_cast<std::uint32_t>(values.size()));
  }
  const std::uint32_t kind = diagonal ? 0 : 1;
  std::vector<std::uint32_t> plan{n, m, kind, put(mass), put(s.force), put(values), put(s.b)};
  const auto udot = static_cast<std::uint32_t>(work.size());
  for (const std::uint32_t offset : {udot, udot + n, udot + n + m, udot + n + 2 * m, udot + n + 3 * m})
    plan.push_back(offset);
  work.resize(udot + n + 3 * m + mbc_dense_solve_scratch(n, m, kind), std::numeric_limits<double>::quiet_NaN());
  plan.insert(plan.end(), row_ptr.begin(), row_ptr.end());
  plan.insert(plan.end(), column.begin(), column.end());
  REQUIRE(mbc_dense_solve_check(plan.data(), static_cast<std::uint32_t>(plan.size()), m,
                                static_cast<std::uint32_t>(work.size())) == nullptr);

  Solution out;
  out.status = mbc_dense_solve(plan.data(), s.mask.data(), work.data());
  const auto take = [&](std::uint32_t offset, std::uint32_t size) {
    return VectorXd(Eigen::Map<const VectorXd>(work.data() + offset, size));
  };
  out.udot = take(udot, n);
  out.lambda = take(udot + n, m);
  out.pivot = take(udot + n + m, m);
  out.scale = take(udot + n + 2 * m, m);
  return out;
}

System random_system(Random& random, Eigen::Index n, Eigen::Index m, bool diagonal) {
  const auto fill = [&](auto& x) {
    for (Eigen::Index i = 0; i < x.size(); ++i) x.data()[i] = random.uniform(-2, 2);
  };
  System s{MatrixXd(n, n), VectorXd(n), MatrixXd(m, n), VectorXd(m), VectorXd::Ones(m)};
  fill(s.mass);
  fill(s.force);
  fill(s.a);
  fill(s.b);
  s.mass = (s.mass * s.mass.transpose() + MatrixXd::Identity(n, n)).eval();
  if (diagonal) s.mass = MatrixXd(VectorXd(s.mass.diagonal()).asDiagonal());
  for (Eigen::Index i = 0; i < s.a.size(); ++i)
    if (random.chance(0.3)) s.a.data()[i] = 0;
  return s;
}

// Returns the reference: minimum-norm multipliers of the active rows by a complete orthogonal decomposition.
VectorXd oracle(const System& s) {
  const MatrixXd a = s.mask.asDiagonal() * s.a;
  const VectorXd b = s.mask.asDiagonal() * s.b;
  const MatrixXd inverse = s.mass.inverse();
  const VectorXd free = inverse * s.force;
  if (a.rows() == 0) return free;
  const MatrixXd schur = a * inverse * a.transpose();
  const VectorXd lambda = schur.completeOrthogonalDecomposition().solve(b - a * free);
  return free + inverse * a.transpose() * lambda;
}

double difference(const VectorXd& x, const VectorXd& y) { return (x - y).norm() / (1 + y.norm()); }

}  // namespace

TEST_CASE("independent rows: accelerations and multipliers of the saddle-point system") {
  Random random(1);
  for (int run = 0; run < 300; ++run) {
    const bool diagonal = run % 2 == 0;
    const Eigen::Index n = 1 + random.below(9);
    const Eigen::Index m = random.below(static_cast<std::uint32_t>(n));
    System s = random_system(random, n, m, diagonal);
    for (Eigen::Index k = 0; k < m; ++k) s.a(k, k) += 4;  // This term makes the rows well conditioned.
    const Solution x = solve(s, diagonal);
    CHECK(x.status == 0);
    CHECK(difference(x.udot, oracle(s)) < 1e-10);
    CHECK((s.a * x.udot - s.b).norm() < 1e-9);
    CHECK((s.mass * x.udot - s.force - s.a.transpose() * x.lambda).norm() < 1e-9);
    for (Eigen::Index k = 0; k < m; ++k) CHECK(x.pivot[k] > 0);
  }
}

TEST_CASE("masked rows take no part, whatever they hold, and their pivots are known") {
  Random random(2);
  for (int run = 0; run < 100; ++run) {
    System s = random_system(random, 6, 4, run % 2 == 0);
    for (Eigen::Index k = 0; k < 4; ++k) s.a(k, k) += 4;
    s.mask[random.below(4)] = 0;
    const Solution x = solve(s, run % 2 == 0);
    CHECK(difference(x.udot, oracle(s)) < 1e-10);
    for (Eigen::Index k = 0; k < 4; ++k) {
      CHECK(x.pivot[k] > 0);
      if (s.mask[k] == 0) CHECK(x.lambda[k] == 0);
    }
  }
}

TEST_CASE("dependent rows are left out by their pivots, in row order") {
  Random random(3);
  for (int run = 0; run < 100; ++run) {
    System s = random_system(random, 7, 4, run % 2 == 0);
    for (Eigen::Index k = 0; k < 4; ++k) s.a(k, k) += 4;
    s.a.row(2) = 3 * s.a.row(0) - 0.1 * s.a.row(1);
    s.b[2] = 3 * s.b[0] - 0.1 * s.b[1];
    const Solution x = solve(s, run % 2 == 0);
    CHECK(difference(x.udot, oracle(s)) < 1e-10);
    CHECK(x.lambda[2] == 0);
    CHECK(std::fabs(x.pivot[2]) <= 1e-13 * x.scale[2]);
    CHECK((s.a * x.udot - s.b).norm() < 1e-9);
  }
}

TEST_CASE("a row of zeros is left out") {
  Random random(4);
  System s = random_system(random, 3, 2, true);
  s.a.row(0).setZero();
  const Solution x = solve(s, true);
  CHECK(x.lambda[0] == 0);
  CHECK(x.scale[0] == 0);
  CHECK(s.a.row(1).dot(x.udot) == doctest::Approx(s.b[1]));
}

TEST_CASE("without rows the accelerations are M^-1 f") {
  System s{MatrixXd::Identity(2, 2) * 4, VectorXd::Constant(2, 2), MatrixXd(0, 2), VectorXd(0), VectorXd(0)};
  CHECK(solve(s, true).udot == VectorXd::Constant(2, 0.5));
  CHECK(solve(s, false).udot == VectorXd::Constant(2, 0.5));
}

TEST_CASE("a mass matrix that is not positive definite is refused") {
  Random random(5);
  for (const bool diagonal : {true, false}) {
    System s = random_system(random, 3, 1, diagonal);
    s.mass(1, 1) = 0;
    CHECK(solve(s, diagonal).status == 1);
    s.mass(1, 1) = -1;
    CHECK(solve(s, diagonal).status == 1);
  }
}

TEST_CASE("NaN in any operand that takes part reaches the accelerations") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const bool diagonal : {true, false}) {
    Random random(6);
    const System good = random_system(random, 4, 3, diagonal);
    const auto spoiled = [&](auto change) {
      System s = good;
      change(s);
      const Solution x = solve(s, diagonal);
      return x.status == 0 && x.udot.hasNaN();
    };
    CHECK(spoiled([&](System& s) { s.mass(2, 2) = nan; }));
    CHECK(spoiled([&](System& s) { s.force[1] = nan; }));
    CHECK(spoiled([&](System& s) { s.a(1, 2) = nan; }));
    CHECK(spoiled([&](System& s) { s.b[2] = nan; }));
    CHECK_FALSE(spoiled([&](System& s) {
      s.b[2] = nan;
      s.mask[2] = 0;
    }));
    CHECK(spoiled([&](System& s) {
      s.a(1, 2) = nan;
      s.mask[1] = 0;
    }));
  }
}

TEST_CASE("the same input gives the same bits") {
  Random random(7);
  const System s = random_system(random, 8, 5, false);
  const Solution x = solve(s, false), y = solve(s, false);
  for (Eigen::Index i = 0; i < 8; ++i) CHECK(same_bits(x.udot[i], y.udot[i]));
}

TEST_CASE("the plan check names what is wrong") {
  const std::vector<std::uint32_t> good{2, 1, 0, 0, 2, 4, 6, 7, 9, 10, 11, 12, 0, 2, 0, 1};
  const auto check = [](std::vector<std::uint32_t> plan, std::uint32_t n_mask, std::uint32_t n_work) {
    const char* wrong = mbc_dense_solve_check(plan.data(), static_cast<std::uint32_t>(plan.size()), n_mask, n_work);
    return std::string(wrong != nullptr ? wrong : "");
  };
  const std::uint32_t enough = 12 + mbc_dense_solve_scratch(2, 1, 0);
  CHECK(check(good, 1, enough) == "");
  CHECK(check(good, 1, enough - 1) == "an array of the plan leaves the workspace");
  CHECK(check(good, 0, enough) == "the mask has too few rows");
  CHECK(check({2, 1, 0}, 1, enough) == "the plan is too short");
  std::vector<std::uint32_t> plan = good;
  plan[15] = 2;
  CHECK(check(plan, 1, enough) == "a column index is out of range");
  plan = good;
  plan[12] = 1;
  CHECK(check(plan, 1, enough) == "the row pointers do not begin at 0");
  plan = good;
  plan[2] = 3;
  CHECK(check(plan, 1, enough) == "unknown kind of mass matrix");
  plan = good;
  plan[1] = 100000;
  CHECK(check(plan, 1, enough) == "the system is too large for a dense solve");
}

}  // namespace mbc::test
