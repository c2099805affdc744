// SPDX-License-Identifier: Apache-2.0
// Tests correlated normal draws: moments of a million members, singular matrices, and the seed.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/correlation.h"
#include "compiler/pipeline.h"

namespace mbc {
namespace {

constexpr std::uint64_t kDraws = 1'000'000;

sema::Sweep read(const std::string& block) {
  const std::string text =
      "mbd 1\nparam m = 1 [kg], k = 1 [N/m], c = 1 [N*s/m]\nparticle p(m) at (1 [m], 0, 0)\n"
      "force spring on p: -k*p.pos - c*p.vel\nsimulate s { time = 0 [s] .. 1 [s] step 1 [ms] }\nsweep w over s { " +
      block + " }\n";
  const Compilation c = analyse("a.mbd", text, {});
  REQUIRE(c.ok());
  return c.model.sweeps[0];
}

struct Moments {
  double mean = 0, variance = 0;
  std::vector<double> standard;  // draws less the mean, by the deviation asked for
};

Moments moments(const sema::Varied& v, double mean, double deviation) {
  Moments out;
  for (std::uint64_t k = 0; k < kDraws; ++k) out.standard.push_back((v.written(k) - mean) / deviation);
  for (const double z : out.standard) out.mean += z / kDraws;
  for (const double z : out.standard) out.variance += (z - out.mean) * (z - out.mean) / (kDraws - 1);
  return out;
}

}  // namespace

TEST_CASE("a million correlated draws have the moments and the cross moments of the normal distribution") {
  const double rho[3][3] = {{1, 0.6, -0.3}, {0.6, 1, 0.2}, {-0.3, 0.2, 1}};
  const sema::Sweep s = read(
      "m ~ normal(2, 0.1) [kg]; k ~ normal(8, 0.3) [N/m]; c ~ normal(5, 1) [N*s/m]; members = 1000000; seed = 5; "
      "correlation = ((m, k, c), ((1, 0.6, -0.3), (0.6, 1, 0.2), (-0.3, 0.2, 1)))");
  const double means[] = {2, 8, 5}, deviations[] = {0.1, 0.3, 1}, n = kDraws;
  std::vector<Moments> of;
  for (std::size_t q = 0; q < 3; ++q) {
    of.push_back(moments(s.varied[q], means[q], deviations[q]));
    CHECK(std::fabs(of[q].mean) <= 4 / std::sqrt(n));
    CHECK(std::fabs(of[q].variance - 1) <= 4 * std::sqrt(2 / n));
  }
  // Isserlis: E[x y] = r with the variance 1 + r^2; E[x^2 y^2] = 1 + 2 r^2 and E[x^4 y^4] = 9 + 72 r^2 + 24 r^4.
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const double r = rho[a][b];
      double product = 0, squares = 0;
      for (std::uint64_t k = 0; k < kDraws; ++k) {
        const double xy = of[a].standard[k] * of[b].standard[k];
        product += xy / n;
        squares += xy * xy / n;
      }
      CAPTURE(a);
      CAPTURE(b);
      CHECK(std::fabs(product - r) <= 4 * std::sqrt((1 + r * r) / n));
      const double expected = 1 + 2 * r * r, fourth = 9 + 72 * r * r + 24 * r * r * r * r;
      CHECK(std::fabs(squares - expected) <= 4 * std::sqrt((fourth - expected * expected) / n));
    }
}

TEST_CASE("a quantity of perfect correlation follows from the others") {
  const sema::Sweep s = read(
      "m ~ normal(2, 0.1) [kg]; k ~ normal(8, 0.3) [N/m]; c ~ normal(5, 1) [N*s/m]; members = 100; "
      "correlation = ((k, m, c), ((1, -1, 0.5), (-1, 1, -0.5), (0.5, -0.5, 1)))");
  for (std::uint64_t k = 0; k < 100; ++k)
    CHECK((s.varied[0].written(k) - 2) / 0.1 == doctest::Approx(-(s.varied[1].written(k) - 8) / 0.3).epsilon(1e-12));
}

TEST_CASE("correlated draws follow from the seed and the number alone, and the first one is as without a correlation") {
  const std::string draws = "m ~ normal(2, 0.1) [kg]; k ~ normal(8, 0.3) [N/m]; seed = 3; members = ";
  const std::string correlation = "; correlation = ((m, k), ((1, 0.5), (0.5, 1)))";
  const sema::Sweep alone = read(draws + "100"), few = read(draws + "100" + correlation),
                    many = read(draws + "1000" + correlation);
  for (std::uint64_t k = 0; k < 100; ++k) {
    CHECK(alone.varied[0].written(k) == few.varied[0].written(k));
    CHECK(alone.varied[1].written(k) != few.varied[1].written(k));
    CHECK(many.varied[1].written(k) == few.varied[1].written(k));
  }
}

TEST_CASE("the factor of a correlation matrix gives the matrix back") {
  const std::vector<std::vector<double>> matrix{{1, 0.5, 0.25}, {0.5, 1, -0.125}, {0.25, -0.125, 1}};
  const CorrelationFactor f = factor_of_correlation(matrix);
  REQUIRE(f.why.empty());
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= j; ++k) sum += f.rows[i][k] * f.rows[j][k];
      CHECK(sum == doctest::Approx(matrix[i][j]).epsilon(1e-15));
    }
  CHECK(factor_of_correlation({{1, 0.9, -0.9}, {0.9, 1, 0.9}, {-0.9, 0.9, 1}}).why ==
        "the matrix is not positive semidefinite");
  CHECK(factor_of_correlation({{1, 1, 0.5}, {1, 1, 0.4}, {0.5, 0.4, 1}}).why ==
        "the matrix is not positive semidefinite");
  for (const double beyond : {2.0, -1.0000001, std::nan("")}) {
    const CorrelationFactor none = factor_of_correlation({{1, beyond}, {beyond, 1}});
    CHECK(none.why == "a correlation is a number from -1 to 1");
    CHECK(none.row == 0);
    CHECK(none.column == 1);
  }
}

}  // namespace mbc
