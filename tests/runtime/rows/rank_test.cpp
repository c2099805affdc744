// SPDX-License-Identifier: Apache-2.0
// Tests verdicts on constraint rows: independent, redundant, contradicting, doubtful. Every case is also tested with
// all rows and with single rows scaled by 1e6 and 1e-6, because the units of a row must not matter.
#include "runtime/rows/rank.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "tests/runtime/rows/numerics_support.h"

using namespace mbc;
using runtime::certify;
using runtime::RankInput;
using runtime::RankReport;
using runtime::RowGrade;
using runtime::RowReport;

namespace {

// Returns one letter per row: o ok, n near, R redundant, N redundant and near, followed by x if the row contradicts.
std::string verdict(const RankReport& report) {
  std::string out;
  for (const RowReport& row : report.rows) {
    switch (row.grade) {
      case RowGrade::ok:
        out += 'o';
        break;
      case RowGrade::near:
        out += 'n';
        break;
      case RowGrade::redundant:
        out += 'R';
        break;
      case RowGrade::redundant_near:
        out += 'N';
        break;
    }
    if (!row.consistent) out += 'x';
  }
  return out;
}

void scale_row(RankInput& input, int row, double factor) {
  input.G.row(row) *= factor;
  for (Eigen::VectorXd* v : {&input.row_noise, &input.row_terms, &input.r, &input.r_noise, &input.drift})
    if (v->size() > 0) (*v)(row) *= factor;
}

void check_under_scalings(const RankInput& input, const std::string& expected) {
  for (double factor : {1.0, 1e6, 1e-6}) {
    RankInput all = input;
    for (int i = 0; i < all.G.rows(); ++i) scale_row(all, i, factor);
    INFO("all rows scaled by ", factor);
    CHECK(verdict(certify(all)) == expected);
    for (int i = 0; i < input.G.rows(); ++i) {
      RankInput one = input;
      scale_row(one, i, factor);
      INFO("row ", i, " scaled by ", factor);
      CHECK(verdict(certify(one)) == expected);
    }
  }
}

// Returns m random rows in n coordinates with a right-hand side that a known y produces.
RankInput consistent_rows(int m, int n, std::uint64_t seed) {
  test::Random random(seed);
  RankInput input;
  input.G = random.matrix(m, n);
  input.r = input.G * random.vector(n);
  return input;
}

void append(RankInput& input, const Eigen::RowVectorXd& row, double r) {
  const Eigen::Index m = input.G.rows();
  input.G.conservativeResize(m + 1, row.size());
  input.G.row(m) = row;
  input.r.conservativeResize(m + 1);
  input.r(m) = r;
}

// Returns a unit vector perpendicular to all rows.
Eigen::RowVectorXd perpendicular(const Eigen::MatrixXd& G) {
  return G.fullPivLu().kernel().col(0).normalized().transpose();
}

}  // namespace

TEST_CASE("independent rows are ok") {
  check_under_scalings(consistent_rows(4, 6, 1), "oooo");
  const RankReport report = certify(consistent_rows(4, 6, 1));
  CHECK(report.rank == 4);
  CHECK(report.independent.size() == report.rows.size());
  CHECK(report.consistent());
  CHECK_FALSE(report.near());
  CHECK(report.methods_agree);
  CHECK(report.condition < 50);
  CHECK(report.largest_dropped == 0);
  for (const RowReport& row : report.rows) CHECK(row.multiplier_unique);
}

TEST_CASE("a repeated row is redundant, the later one, and names the earlier") {
  RankInput input = consistent_rows(3, 5, 2);
  append(input, input.G.row(1), input.r(1));
  check_under_scalings(input, "oooR");
  const RankReport report = certify(input);
  CHECK(report.rank == 3);
  REQUIRE(report.rows[3].combination.size() == 1);
  CHECK(report.rows[3].combination[0].row == 1);
  CHECK(report.rows[3].combination[0].coefficient == doctest::Approx(1).epsilon(1e-14));
  CHECK(report.rows[0].multiplier_unique);
  CHECK_FALSE(report.rows[1].multiplier_unique);
  CHECK(report.rows[2].multiplier_unique);
  CHECK_FALSE(report.rows[3].multiplier_unique);
}

TEST_CASE("a repeated row times two, right-hand side times two, is redundant") {
  RankInput input = consistent_rows(3, 5, 3);
  append(input, 2 * input.G.row(1), 2 * input.r(1));
  check_under_scalings(input, "oooR");
  const RankReport report = certify(input);
  REQUIRE(report.rows[3].combination.size() == 1);
  CHECK(report.rows[3].combination[0].coefficient == doctest::Approx(1).epsilon(1e-14));
  CHECK(report.rows[3].combination[0].raw_coefficient == doctest::Approx(2).epsilon(1e-14));
}

TEST_CASE("a repeated row with another right-hand side contradicts") {
  RankInput input = consistent_rows(3, 5, 4);
  append(input, input.G.row(1), input.r(1) + 1);
  check_under_scalings(input, "oooRx");
  const RankReport report = certify(input);
  CHECK_FALSE(report.consistent());
  CHECK(report.rows[3].raw_residual == doctest::Approx(1).epsilon(1e-12));
  CHECK(report.rows[3].residual == doctest::Approx(1 / report.rows[3].scale).epsilon(1e-12));
  CHECK(report.rows[3].allowance < 1e-11);
}

TEST_CASE("a combination of two rows, with rounding, is redundant and lists both") {
  RankInput input = consistent_rows(3, 5, 5);
  append(input, input.G.row(0) / 3 + 0.1 * input.G.row(1), input.r(0) / 3 + 0.1 * input.r(1));
  check_under_scalings(input, "oooR");
  const RankReport report = certify(input);
  REQUIRE(report.rows[3].combination.size() == 2);
  CHECK(report.rows[3].combination[0].row == 0);
  CHECK(report.rows[3].combination[0].raw_coefficient == doctest::Approx(1.0 / 3).epsilon(1e-13));
  CHECK(report.rows[3].combination[1].row == 1);
  CHECK(report.rows[3].combination[1].raw_coefficient == doctest::Approx(0.1).epsilon(1e-13));
  CHECK(report.rows[2].multiplier_unique);
}

TEST_CASE("near-duplicates go from ok through doubtful to redundant") {
  const struct {
    double offset;
    const char* expected;
  } cases[] = {{1e-6, "oo"}, {1e-9, "on"}, {1e-12, "oN"}, {1e-13, "oN"}, {1e-15, "oR"}, {1e-16, "oR"}};
  for (const auto& c : cases) {
    INFO("offset ", c.offset);
    for (std::uint64_t seed = 10; seed < 30; ++seed) {
      RankInput input = consistent_rows(1, 4, seed);
      const double norm = input.G.row(0).norm();
      append(input, input.G.row(0) + c.offset * norm * perpendicular(input.G), input.r(0));
      check_under_scalings(input, c.expected);
    }
  }
}

TEST_CASE("the condition number of a near-duplicate at 1e-6 is noted") {
  RankInput input = consistent_rows(1, 4, 6);
  append(input, input.G.row(0) + 1e-6 * input.G.row(0).norm() * perpendicular(input.G), input.r(0));
  const RankReport report = certify(input);
  CHECK(report.condition == doctest::Approx(2e6).epsilon(1e-6));
  CHECK(report.smallest_kept == doctest::Approx(1e-6 / std::sqrt(2.0)).epsilon(1e-6));
  CHECK(report.rows[1].distance == doctest::Approx(1e-6).epsilon(1e-6));
}

TEST_CASE("a dropped near-duplicate shows in the largest dropped singular value") {
  RankInput input = consistent_rows(1, 4, 7);
  append(input, input.G.row(0) + 1e-12 * input.G.row(0).norm() * perpendicular(input.G), input.r(0));
  const RankReport report = certify(input);
  CHECK(report.rank == 1);
  CHECK(report.near());
  CHECK(report.largest_dropped == doctest::Approx(1e-12 / std::sqrt(2.0)).epsilon(1e-3));
}

TEST_CASE("independent rows written in tiny units stay independent") {
  for (double factor : {1e-12, 1e-17, 1e-150, 1e150}) {
    INFO("factor ", factor);
    RankInput input = consistent_rows(3, 5, 8);
    scale_row(input, 1, factor);
    check_under_scalings(input, "ooo");
    CHECK(certify(input).rank == 3);
  }
}

TEST_CASE("rows scaled by 1e12 and 1e-6 are all kept") {
  RankInput input = consistent_rows(3, 5, 9);
  scale_row(input, 0, 1e12);
  scale_row(input, 2, 1e-6);
  check_under_scalings(input, "ooo");
}

TEST_CASE("a row that is only cancellation noise is a zero row") {
  RankInput input = consistent_rows(3, 5, 10);
  test::Random random(77);
  append(input, 1e-16 * random.matrix(1, 5), 0);
  SUBCASE("known from the noise of the row") { input.row_noise = Eigen::Vector4d(1e-16, 1e-16, 1e-16, 1e-16); }
  SUBCASE("known from the sum of its terms") { input.row_terms = Eigen::Vector4d(3, 3, 3, 3); }
  check_under_scalings(input, "oooR");
  CHECK(certify(input).rows[3].state == runtime::RowState::zero);
}

TEST_CASE("a zero row is redundant when its right-hand side is zero and contradicts when it is not") {
  RankInput input = consistent_rows(2, 4, 11);
  append(input, Eigen::RowVectorXd::Zero(4), 0);
  check_under_scalings(input, "ooR");
  CHECK(certify(input).rows[2].state == runtime::RowState::zero);
  CHECK_FALSE(certify(input).rows[2].multiplier_unique);
  input.r(2) = 1e-3;
  check_under_scalings(input, "ooRx");
}

TEST_CASE("more rows than coordinates") {
  RankInput input = consistent_rows(6, 3, 12);
  check_under_scalings(input, "oooRRR");
  const RankReport report = certify(input);
  CHECK(report.rank == 3);
  CHECK(report.rows[5].combination.size() == 3);
  input.r(4) += 0.5;
  check_under_scalings(input, "oooRRxR");
}

TEST_CASE("contradictory lengths between the same points, at position level") {
  // The residuals are |d| - 1 and |d| - 2 with |d| = 1.5; r = -e.
  RankInput input;
  const Eigen::RowVector3d direction = Eigen::RowVector3d(0.6, 0.0, 0.8);
  append(input, direction, -0.5);
  append(input, direction, 0.5);
  check_under_scalings(input, "oRx");
}

TEST_CASE("non-finite entries are named and nothing is factorised") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (double bad : {inf, -inf, nan}) {
    RankInput input = consistent_rows(4, 5, 13);
    input.G(2, 3) = bad;
    RankReport report = certify(input);
    CHECK(report.non_finite.found);
    CHECK(report.non_finite.row == 2);
    CHECK(report.non_finite.column == 3);
    CHECK(report.rows.empty());
    CHECK_FALSE(report.consistent());
    input = consistent_rows(4, 5, 13);
    input.r(1) = bad;
    report = certify(input);
    CHECK(report.non_finite.found);
    CHECK(report.non_finite.row == 1);
    CHECK(report.non_finite.column == -1);
  }
}

TEST_CASE("no rows and no coordinates are fine") {
  RankInput none;
  none.G.resize(0, 5);
  none.r.resize(0);
  CHECK(certify(none).rank == 0);
  CHECK(certify(none).consistent());
  CHECK(certify(none).independent.size() == certify(none).rows.size());
  RankInput nothing_moves;
  nothing_moves.G.resize(2, 0);
  nothing_moves.r = Eigen::Vector2d(0, 0);
  CHECK(verdict(certify(nothing_moves)) == "RR");
  nothing_moves.r(1) = 1;
  CHECK(verdict(certify(nothing_moves)) == "RRx");
  CHECK(verdict(certify(RankInput{})).empty());
}

TEST_CASE("the rank alone can be asked for") {
  RankInput input = consistent_rows(3, 5, 14);
  append(input, input.G.row(0), 0);
  input.r.resize(0);
  CHECK(verdict(certify(input)) == "oooR");
}

TEST_CASE("what the drift explains is not a contradiction") {
  RankInput input = consistent_rows(3, 5, 15);
  append(input, input.G.row(2), input.r(2) + 1e-7);
  CHECK(verdict(certify(input)) == "oooRx");
  input.drift = Eigen::Vector4d::Constant(1e-7);
  check_under_scalings(input, "oooR");
  input.drift *= 0.1;
  check_under_scalings(input, "oooRx");
  input.drift.resize(0);
  input.r_noise = Eigen::Vector4d(0, 0, 0, 2e-7);
  check_under_scalings(input, "oooR");
}

TEST_CASE("where declaration order misleads, the singular values decide") {
  // The rows are a, a + 1e-9 b and b. Gram-Schmidt in order takes b from the second row with an error of 1e-7 and then
  // sees rounding as a third direction. There are only two.
  RankInput input;
  const Eigen::RowVector4d a(0.5, 0.5, 0.5, 0.5), b(0.1, -0.7, 0.7, -0.1);
  append(input, a, 1);
  append(input, a + 1e-9 * b.normalized(), 1);
  append(input, b.normalized(), 0);
  const RankReport report = certify(input);
  CHECK(report.rank == 2);
  CHECK(report.consistent());
  CHECK(report.independent == std::vector<int>{0, 2});
  check_under_scalings(input, "oRo");
}

TEST_CASE("an inexact row does not vouch for exact ones") {
  // Row 0 is known only to 1e-7, and row 1 repeats it exactly. The exact row is kept in either order.
  RankInput input;
  const Eigen::RowVector3d exact(1, 2, 2);
  append(input, exact + 2e-7 * Eigen::RowVector3d(1, -1, 0.5), 3);
  append(input, exact, 3);
  CHECK(certify(input).rank == 2);
  input.row_noise = Eigen::Vector2d(3e-7, 1e-16);
  const RankReport report = certify(input);
  CHECK(report.rank == 1);
  CHECK(report.independent == std::vector<int>{1});
  CHECK(report.consistent());
  check_under_scalings(input, "Ro");
}

TEST_CASE("large systems: every size class gives the same verdicts") {
  for (int n : {20, 90, 260}) {
    INFO("coordinates ", n);
    RankInput input = consistent_rows(n / 2, n, static_cast<std::uint64_t>(n));
    append(input, input.G.row(3) - 2 * input.G.row(n / 4), input.r(3) - 2 * input.r(n / 4));
    append(input, input.G.row(1), input.r(1) + 1);
    const RankReport report = certify(input);
    CHECK(report.rank == n / 2);
    CHECK(report.methods_agree);
    CHECK(report.rows[n / 2].combination.size() == 2);
    CHECK(report.rows[n / 2].consistent);
    CHECK_FALSE(report.rows[n / 2 + 1].consistent);
  }
}
