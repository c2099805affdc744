// SPDX-License-Identifier: Apache-2.0
// Tests the points of samples and the distributions that are drawn from.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>
#include <vector>

#include "base/distribution.h"
#include "base/sample_points.h"

namespace mbc {
namespace {

constexpr std::uint64_t kDraws = 1'000'000;

// By dimension the sums of x_k and of k x_k over the first 1,000 points of Sobol's sequence, from scipy 1.10
// (scipy.stats.qmc.Sobol(21, scramble=False)), whose direction numbers are those of Joe and Kuo.
constexpr double kSobolSums[kSobolDimensions][2] = {
    {499.7265625, 249858.41796875}, {499.6796875, 250064.00390625}, {499.5546875, 249797.56640625},
    {499.7578125, 249886.02734375}, {499.2734375, 249644.08203125}, {500.2265625, 250355.16796875},
    {499.8984375, 250283.26953125}, {499.4140625, 249530.32421875}, {499.9765625, 250097.29296875},
    {499.3359375, 249710.30078125}, {498.9609375, 249333.98828125}, {499.8828125, 250008.46484375},
    {500.1328125, 250392.33984375}, {499.7890625, 249914.63671875}, {499.5546875, 249802.56640625},
    {499.1171875, 249492.03515625}, {499.7265625, 249856.41796875}, {499.7265625, 249854.41796875},
    {499.2109375, 249588.86328125}, {499.5859375, 249972.17578125}, {499.4609375, 249827.73828125}};

std::vector<double> drawn(const Distribution& d, Points points = Points::random) {
  const Sample sample{points, 5, kDraws};
  std::vector<double> out;
  for (std::uint64_t k = 0; k < kDraws; ++k) out.push_back(d.quantile(sample_point(sample, "m", 0, k)));
  return out;
}

// Checks mean and variance against their closed forms, and the largest distance from the distribution function, each
// within four standard errors (for the distance: a probability of 1e-4).
void check_moments(const std::vector<double>& x, double mean, double variance) {
  double m = 0, squares = 0, fourths = 0;
  for (const double v : x) m += v;
  m /= static_cast<double>(kDraws);
  for (const double v : x) {
    squares += (v - m) * (v - m);
    fourths += std::pow(v - m, 4);
  }
  const double n = kDraws, s2 = squares / (n - 1);
  CHECK(std::fabs(m - mean) <= 4 * std::sqrt(variance / n));
  CHECK(std::fabs(s2 - variance) <= 4 * std::sqrt((fourths / n - s2 * s2) / n));
}

void check_distance(std::vector<double> x, const std::function<double(double)>& part) {
  std::sort(x.begin(), x.end());
  double largest = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double p = part(x[k]);
    largest = std::max({largest, p - static_cast<double>(k) / kDraws, static_cast<double>(k + 1) / kDraws - p});
  }
  CHECK(largest <= 2.23 / std::sqrt(static_cast<double>(kDraws)));
}

double normal_part(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

}  // namespace

TEST_CASE("Sobol's points are those of Joe and Kuo") {
  for (std::uint32_t d = 0; d < kSobolDimensions; ++d) {
    CAPTURE(d);
    double sum = 0, weighted = 0;
    for (std::uint64_t k = 0; k < 1000; ++k) {
      const double x = static_cast<double>(sobol_bits(d, k)) * 0x1p-52;
      sum += x;
      weighted += static_cast<double>(k) * x;
    }
    CHECK(sum == kSobolSums[d][0]);
    CHECK(weighted == kSobolSums[d][1]);
  }
}

TEST_CASE("Halton's points mirror the digits of their numbers") {
  for (const auto& [k, x] : std::vector<std::pair<std::uint64_t, double>>{{1, 0.5}, {2, 0.25}, {3, 0.75}, {6, 0.375}})
    CHECK(halton_point(0, k) == x);
  CHECK(halton_point(1, 5) == doctest::Approx(2.0 / 3 + 1.0 / 9).epsilon(1e-15));
  CHECK(halton_point(2, 7) == doctest::Approx(2.0 / 5 + 1.0 / 25).epsilon(1e-15));
}

TEST_CASE("a Latin hypercube has one point in each interval of every dimension") {
  for (const std::uint64_t count : {1, 2, 3, 17, 1000, 4097}) {
    const Sample sample{Points::latin, 3, count};
    for (const char* name : {"m", "long.k"}) {
      std::set<std::uint64_t> intervals;
      for (std::uint64_t k = 0; k < count; ++k)
        intervals.insert(static_cast<std::uint64_t>(sample_point(sample, name, 0, k) * static_cast<double>(count)));
      CHECK(intervals.size() == count);
      CHECK(*intervals.rbegin() == count - 1);
    }
  }
}

TEST_CASE("points of one seed stay the same, and those of other seeds and names differ") {
  // The first points of seed 1 for the name m: members of a seed are the same in every version.
  const Sample first{Points::random, 1, 1000};
  const double pinned[] = {0.78785520939860343, 0.61071444395104624, 0.83654911877401361, 0.27421796305235235};
  for (std::uint64_t k = 0; k < 4; ++k) CHECK(sample_point(first, "m", 0, k) == pinned[k]);
  for (const Points points : {Points::random, Points::latin, Points::sobol, Points::halton}) {
    const Sample a{points, 1, 1000}, b{points, 2, 1000};
    std::set<double> all;
    for (std::uint64_t k = 0; k < 1000; ++k) {
      for (const Sample& s : {a, b}) {
        const double x = sample_point(s, "m", 0, k);
        CHECK(x > 0);
        CHECK(x < 1);
        all.insert(x);
      }
      all.insert(sample_point(a, "k", 1, k));
    }
    CHECK(all.size() == 3000);
  }
}

TEST_CASE("the normal quantile") {
  // From Python 3.11, statistics.NormalDist().inv_cdf, which agrees with the distribution function to rounding.
  for (const auto& [u, x] : std::vector<std::pair<double, double>>{{1e-300, -37.0470962993612},
                                                                   {1e-20, -9.262340089798405},
                                                                   {0.001, -3.090232306167813},
                                                                   {0.075, -1.4395314709384557},
                                                                   {0.3, -0.5244005127080407},
                                                                   {0.99, 2.3263478740408408}})
    CHECK(normal_quantile(u) == doctest::Approx(x).epsilon(1e-15));
  for (int k = 1; k < 100; ++k)
    CHECK(normal_part(normal_quantile(0.01 * k)) == doctest::Approx(0.01 * k).epsilon(1e-14));
  CHECK(normal_quantile(0.5) == 0);
}

TEST_CASE("distributions: moments and distribution functions of 1,000,000 draws") {
  using Kind = Distribution::Kind;
  const auto made = [](Kind kind, std::vector<double> parameters) {
    Distribution d;
    d.kind = kind;
    d.parameters = std::move(parameters);
    return d;
  };
  SUBCASE("normal") {
    const std::vector<double> x = drawn(made(Kind::normal, {2, 0.1}));
    check_moments(x, 2, 0.01);
    check_distance(x, [](double v) { return normal_part((v - 2) / 0.1); });
  }
  SUBCASE("lognormal") {
    const double s = 0.25;
    const std::vector<double> x = drawn(made(Kind::lognormal, {3, s}));
    check_moments(x, 3 * std::exp(s * s / 2), 9 * std::exp(s * s) * (std::exp(s * s) - 1));
    check_distance(x, [&](double v) { return normal_part(std::log(v / 3) / s); });
  }
  SUBCASE("uniform") {
    const std::vector<double> x = drawn(made(Kind::uniform, {-1, 3}));
    check_moments(x, 1, 16.0 / 12);
    check_distance(x, [](double v) { return (v + 1) / 4; });
  }
  SUBCASE("triangular") {
    const std::vector<double> x = drawn(made(Kind::triangular, {1, 2, 4}));
    check_moments(x, 7.0 / 3, (1 + 4 + 16 - 2 - 4 - 8) / 18.0);
    check_distance(x, [](double v) { return v < 2 ? (v - 1) * (v - 1) / 3 : 1 - (4 - v) * (4 - v) / 6; });
  }
  SUBCASE("normal between bounds, in the middle and far out") {
    for (const auto& [low, high] : std::vector<std::pair<double, double>>{{-1, 0.5}, {6, 8}, {-9, -7}}) {
      Distribution d = made(Kind::normal, {0, 1});
      d.low = low;
      d.high = high;
      d.cut = true;
      REQUIRE(why_impossible(d).empty());
      const std::vector<double> x = drawn(d);
      const auto [least, greatest] = std::minmax_element(x.begin(), x.end());
      CHECK(*least >= low);
      CHECK(*greatest <= high);
      // The tails of the normal distribution keep their digits on the side of small parts.
      const double sign = low > 0 ? -1 : 1, from = normal_part(sign > 0 ? low : -high),
                   to = normal_part(sign > 0 ? high : -low);
      check_distance(x, [&](double v) {
        const double part = (normal_part(sign * v) - from) / (to - from);
        return sign > 0 ? part : 1 - part;
      });
    }
  }
  SUBCASE("values") {
    Distribution d = made(Kind::values, {1, 2, 5});
    d.weights = {0.2, 0.3, 0.5};
    check_moments(drawn(d), 3.3, 0.2 + 1.2 + 12.5 - 3.3 * 3.3);
  }
}

TEST_CASE("even points integrate better than random ones") {
  // The mean of x^2 for x uniform between 0 and 1 is 1/3; random points miss it by about 0.3/sqrt(n).
  const auto miss = [](Points points) {
    const Sample sample{points, 1, 4096};
    double sum = 0;
    for (std::uint64_t k = 0; k < sample.count; ++k) sum += std::pow(sample_point(sample, "m", 0, k), 2);
    return std::fabs(sum / 4096 - 1.0 / 3);
  };
  CHECK(miss(Points::random) < 4 * 0.3 / 64);
  for (const Points points : {Points::latin, Points::sobol, Points::halton}) CHECK(miss(points) < 1e-3);
}

TEST_CASE("impossible distributions say why") {
  using Kind = Distribution::Kind;
  const auto why = [](Kind kind, std::vector<double> parameters, std::vector<double> weights = {}) {
    return why_impossible({kind, std::move(parameters), std::move(weights)});
  };
  CHECK(why(Kind::normal, {1, 0}) == "its standard deviation is not above 0");
  CHECK(why(Kind::normal, {1, std::nan("")}) == "an argument is not a finite number");
  CHECK(why(Kind::lognormal, {-1, 0.1}) == "its median is not above 0");
  CHECK(why(Kind::lognormal, {1, -0.1}) == "the standard deviation of its logarithm is not above 0");
  CHECK(why(Kind::uniform, {1, 1}) == "its lowest value is not below its highest one");
  CHECK(why(Kind::triangular, {1, 4, 3}) == "its lowest value, its mode and its highest value are not in this order");
  CHECK(why(Kind::values, {1, 2}, {1}) == "it has as many weights as values");
  CHECK(why(Kind::values, {1, 2}, {0.5, 0.6}) == "the sum of its weights is not 1");
  CHECK(why(Kind::values, {1, 2}, {1.5, -0.5}) == "a weight is below 0");
  CHECK(why_impossible({Kind::normal, {0, 1}, {}, 2, 1, true}) == "its lower bound is not below its upper one");
  CHECK(why_impossible({Kind::normal, {0, 1}, {}, 40, 41, true}) == "nothing of it lies between its bounds");
  CHECK(why_impossible({Kind::lognormal, {1, 1}, {}, -1, 1, true}) == "its lower bound is below 0");
}

}  // namespace mbc
