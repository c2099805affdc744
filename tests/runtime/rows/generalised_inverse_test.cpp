// SPDX-License-Identifier: Apache-2.0
// Tests y = G^+ r: the literal formula, the solver for stages, and multipliers of redundant rows.
#include "runtime/rows/generalised_inverse.h"

#include <doctest/doctest.h>

#include <limits>
#include <numeric>

#include "tests/runtime/rows/numerics_support.h"

using namespace mbc;
using runtime::literal_generalised_inverse;
using runtime::LiteralOptions;
using runtime::LiteralSolution;
using runtime::RobustSolver;

namespace {

// Returns the reference: the pseudo-inverse of the rows scaled to norm 1, by singular values.
Eigen::VectorXd oracle(Eigen::MatrixXd G, Eigen::VectorXd r) {
  for (int i = 0; i < G.rows(); ++i) {
    const double norm = G.row(i).norm();
    if (norm == 0) continue;
    G.row(i) /= norm;
    r(i) /= norm;
  }
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(G, Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(1e-10);
  return svd.solve(r);
}

std::vector<int> all_rows(const Eigen::MatrixXd& G) {
  std::vector<int> rows(static_cast<std::size_t>(G.rows()));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// Returns multipliers of all rows with the same G^T lambda as `basic` (which may leave redundant rows at 0) and the
// smallest norm in units of the scaled rows (|row_i| lambda_i). They are basic - N N^T basic with N an orthonormal
// basis of the null space of the transposed scaled rows. `report` is the certification of the rows.
//
// In scaled rows, N spans e_i - sum_j c_j e_j for every dependent row i and e_i for every zero row (whose lambda is 0).
Eigen::VectorXd minimum_norm_multipliers(const runtime::RankReport& report, const Eigen::VectorXd& basic) {
  const int m = static_cast<int>(report.rows.size());
  std::vector<int> dependent;
  Eigen::VectorXd mu(m);
  for (int i = 0; i < m; ++i) {
    mu(i) = report.rows[i].state == runtime::RowState::zero ? 0.0 : basic(i) * report.rows[i].scale;
    if (report.rows[i].state == runtime::RowState::dependent) dependent.push_back(i);
  }
  if (!dependent.empty()) {
    Eigen::MatrixXd null = Eigen::MatrixXd::Zero(m, static_cast<Eigen::Index>(dependent.size()));
    for (int k = 0; k < null.cols(); ++k) {
      null(dependent[k], k) = 1;
      for (const runtime::Dependency& term : report.rows[dependent[k]].combination)
        null(term.row, k) = -term.coefficient;
    }
    mu -= null * Eigen::HouseholderQR<Eigen::MatrixXd>(null).solve(mu);  // Least squares removes the part in span(N).
  }
  for (int i = 0; i < m; ++i) mu(i) = report.rows[i].scale > 0 ? mu(i) / report.rows[i].scale : 0.0;
  return mu;
}

}  // namespace

TEST_CASE("contradicting rows get the least-squares solution of the scaled rows") {
  const Eigen::MatrixXd G = Eigen::MatrixXd::Ones(2, 2);
  for (auto method : {LiteralOptions::Method::complete_orthogonal, LiteralOptions::Method::svd}) {
    const LiteralSolution s = literal_generalised_inverse(G, Eigen::Vector2d(1, 2), {method, 1e-10});
    CHECK(s.rank == 1);
    CHECK(s.y(0) == doctest::Approx(0.75).epsilon(1e-14));
    CHECK(s.y(1) == doctest::Approx(0.75).epsilon(1e-14));
    CHECK(s.raw_residual == doctest::Approx(0.5).epsilon(1e-14));
    CHECK(s.residual == doctest::Approx(0.5).epsilon(1e-14));
    // Without scaling of the rows, ten times the second equation would give 0.995.
    Eigen::MatrixXd scaled = G;
    scaled.row(1) *= 10;
    const LiteralSolution t = literal_generalised_inverse(scaled, Eigen::Vector2d(1, 20), {method, 1e-10});
    CHECK(t.y(0) == doctest::Approx(0.75).epsilon(1e-14));
  }
}

TEST_CASE("the literal formula guards its input") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  Eigen::MatrixXd G = test::Random(1).matrix(3, 4);
  const Eigen::Vector3d r(1, 2, 3);
  G(1, 2) = nan;
  CHECK(literal_generalised_inverse(G, r).non_finite.row == 1);
  CHECK(literal_generalised_inverse(G, r).non_finite.column == 2);
  CHECK(literal_generalised_inverse(G, r).y.size() == 0);
  G(1, 2) = 0;
  CHECK(literal_generalised_inverse(G, Eigen::Vector3d(1, 2, inf)).non_finite.row == 2);
  G.row(0).setZero();
  const LiteralSolution zero_row = literal_generalised_inverse(G, Eigen::Vector3d(0, 2, 3));
  CHECK(zero_row.rank == 2);
  CHECK(zero_row.residual < 1e-14);
  CHECK(literal_generalised_inverse(Eigen::MatrixXd(0, 4), Eigen::VectorXd(0)).y == Eigen::VectorXd::Zero(4));
  CHECK(literal_generalised_inverse(Eigen::MatrixXd(2, 0), Eigen::Vector2d(0, 1)).residual == 1);
  const LiteralSolution none = literal_generalised_inverse(Eigen::MatrixXd::Zero(2, 3), Eigen::Vector2d(0, 0));
  CHECK(none.rank == 0);
  CHECK(none.y == Eigen::VectorXd::Zero(3));
}

TEST_CASE("rows in very different units keep their rank") {
  Eigen::MatrixXd G = test::Random(2).matrix(3, 5);
  const Eigen::VectorXd y = G.transpose() * Eigen::Vector3d(1, -2, 0.5);
  G.row(0) *= 1e12;
  G.row(2) *= 1e-17;
  const LiteralSolution s = literal_generalised_inverse(G, G * y);
  CHECK(s.rank == 3);
  CHECK(test::max_abs(s.y - y) < 1e-13);
}

TEST_CASE("random redundant consistent systems: literal, stage solver and pseudo-inverse agree") {
  test::Random random(7);
  RobustSolver solver;
  for (int trial = 0; trial < 1000; ++trial) {
    const int n = 2 + random.index(10), rank = 1 + random.index(n - 1), m = rank + random.index(5);
    Eigen::MatrixXd G = random.matrix(m, rank) * random.matrix(rank, n);
    for (int i = 0; i < m; ++i) G.row(i) *= std::pow(10.0, random.index(9) - 4);
    const Eigen::VectorXd r = G * random.vector(n);
    const runtime::RankReport report = runtime::certify({G, {}, {}, r, {}, {}});
    if (report.condition > 1e6) continue;
    REQUIRE(report.rank == rank);
    const Eigen::VectorXd expected = oracle(G, r);
    const double tolerance = 1e-13 * report.condition * (1 + expected.norm());

    const LiteralSolution literal = literal_generalised_inverse(G, r);
    CHECK(literal.rank == rank);
    CHECK(test::max_abs(literal.y - expected) < tolerance);
    CHECK(solver.solve(G, r, report.independent) == RobustSolver::Status::ok);
    CHECK(test::max_abs(solver.y() - expected) < tolerance);
    CHECK(solver.rank() == rank);
    const double force_error = test::max_abs(G.transpose() * solver.multipliers() - expected);
    CHECK(force_error < 1e-12 * report.condition * (1 + expected.norm()));

    const Eigen::VectorXd least = minimum_norm_multipliers(report, solver.multipliers());
    CHECK(test::max_abs(G.transpose() * least - expected) < 1e-12 * report.condition * (1 + expected.norm()));
    Eigen::VectorXd scale(m);
    for (int i = 0; i < m; ++i) scale(i) = G.row(i).norm();
    CHECK(least.cwiseProduct(scale).norm() <= solver.multipliers().cwiseProduct(scale).norm() * (1 + 1e-12));
  }
}

TEST_CASE("a row that vanishes inside a stage is skipped and flagged") {
  Eigen::MatrixXd G(3, 3);
  G << 1e-15, -1, 0, 1e-30, -1, 0, 0, 0, 2;
  RobustSolver solver(3, 3);
  CHECK(solver.solve(G, Eigen::Vector3d(0, 0, 4), all_rows(G)) == RobustSolver::Status::skipped_rows);
  REQUIRE(solver.skipped().size() == 1);
  CHECK(solver.skipped()[0] == 1);
  CHECK(solver.rank() == 2);
  CHECK(solver.y()(2) == 2);
  CHECK(std::abs(solver.y()(0)) < 1e-14);
  CHECK(solver.multipliers()(1) == 0);
  CHECK(solver.residual() < 1e-14);
  CHECK(solver.solve(G, Eigen::Vector3d(0, 1, 4), all_rows(G)) == RobustSolver::Status::skipped_rows);
  CHECK(solver.residual() == doctest::Approx(1));
}

TEST_CASE("the stage solver does not square the condition number") {
  // The two rows have an angle of 1e-7. With S = G G^T (1e-14 in S) half of the digits would be lost entirely.
  Eigen::MatrixXd G(2, 3);
  G << 1, 0, 0, 1, 1e-7, 0;
  const Eigen::Vector3d y(1, 2, 0);
  RobustSolver solver(2, 3);
  CHECK(solver.solve(G, G * y, all_rows(G)) == RobustSolver::Status::ok);
  CHECK(test::max_abs(solver.y() - y) < 1e-8);
}

TEST_CASE("the stage solver refuses non-finite input and leaves zeros") {
  Eigen::MatrixXd G = test::Random(3).matrix(2, 3);
  RobustSolver solver(2, 3);
  CHECK(solver.solve(G, Eigen::Vector2d(1, 1), all_rows(G)) == RobustSolver::Status::ok);
  G(1, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK(solver.solve(G, Eigen::Vector2d(1, 1), all_rows(G)) == RobustSolver::Status::non_finite);
  CHECK(solver.y() == Eigen::VectorXd::Zero(3));
  CHECK(solver.multipliers() == Eigen::VectorXd::Zero(2));
  G(1, 1) = 1;
  CHECK(solver.solve(G, Eigen::Vector2d(1, INFINITY), all_rows(G)) == RobustSolver::Status::non_finite);
  CHECK(solver.solve(G, Eigen::Vector2d(1, INFINITY), std::vector<int>{0}) == RobustSolver::Status::ok);
}

TEST_CASE("degenerate sizes of the stage solver") {
  RobustSolver solver;
  CHECK(solver.solve(Eigen::MatrixXd(0, 3), Eigen::VectorXd(0), {}) == RobustSolver::Status::ok);
  CHECK(solver.y() == Eigen::VectorXd::Zero(3));
  CHECK(solver.solve(Eigen::MatrixXd(1, 0), Eigen::VectorXd::Zero(1), std::vector<int>{0}) ==
        RobustSolver::Status::skipped_rows);
  const Eigen::MatrixXd tall = test::Random(4).matrix(5, 2);
  const Eigen::Vector2d y(1, -1);
  CHECK(solver.solve(tall, tall * y, all_rows(tall)) == RobustSolver::Status::skipped_rows);
  CHECK(solver.skipped().size() == 3);
  CHECK(test::max_abs(solver.y() - y) < 1e-13);
  CHECK(solver.residual() < 1e-13);
}

TEST_CASE("multipliers of equal rows share the force, in scaled rows") {
  // The rows are x, x, x + y and 2 y with y_needed = (3, 1). The basic solution loads only the first rows.
  Eigen::MatrixXd G(4, 2);
  G << 1, 0, 1, 0, 1, 1, 0, 2;
  const Eigen::Vector2d y(3, 1);
  const runtime::RankReport report = runtime::certify({G, {}, {}, G * y, {}, {}});
  REQUIRE(report.independent == std::vector<int>{0, 2});
  RobustSolver solver(4, 2);
  solver.solve(G, G * y, report.independent);
  const Eigen::VectorXd basic = solver.multipliers();
  CHECK(basic(0) == doctest::Approx(2));
  CHECK(basic(2) == doctest::Approx(1));
  const Eigen::VectorXd least = minimum_norm_multipliers(report, basic);
  // The reference is the pseudo-inverse of the transposed scaled rows.
  const Eigen::Vector4d scale(1, 1, std::sqrt(2.0), 2);
  const Eigen::MatrixXd scaled = scale.cwiseInverse().asDiagonal() * G;
  const Eigen::VectorXd mu = scaled.transpose().completeOrthogonalDecomposition().solve(y);
  CHECK(test::max_abs(least.cwiseProduct(scale) - mu) < 1e-14);
  CHECK(least(0) == doctest::Approx(least(1)));
  CHECK(least.cwiseProduct(scale).norm() < basic.cwiseProduct(scale).norm() - 0.1);
  for (const auto& row : report.rows) CHECK_FALSE(row.multiplier_unique);
}

TEST_CASE("independent rows keep their multipliers, zero rows have none") {
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(3, 3);
  G.row(0) << 1, 2, 3;
  G.row(2) << 0, 1, -1;
  const runtime::RankReport report = runtime::certify({G, {}, {}, Eigen::Vector3d(1, 0, 2), {}, {}});
  const Eigen::VectorXd least = minimum_norm_multipliers(report, Eigen::Vector3d(5, 9, 7));
  CHECK(test::max_abs(least - Eigen::Vector3d(5, 0, 7)) < 1e-15);
  CHECK(report.rows[0].multiplier_unique);
  CHECK_FALSE(report.rows[1].multiplier_unique);
  CHECK(report.rows[2].multiplier_unique);
}
