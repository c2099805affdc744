// SPDX-License-Identifier: Apache-2.0
// Tests functions given by points: values and slopes known by hand, polynomials that they reproduce, derivatives
// against differences, the interval search against a linear search, and the behaviour beyond the points.
#include "kernel/data_table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using mbc::kernel::DataTable;
using mbc::kernel::TableKey;
using Method = DataTable::Method;
using Beyond = DataTable::Beyond;

namespace {

DataTable made(const std::vector<double>& x, const std::vector<double>& y, Method m, Beyond b = Beyond::error) {
  return {x, y, m, b};
}

std::vector<double> random_arguments(std::mt19937_64& random, std::size_t n) {
  std::uniform_real_distribution<double> gap(0.01, 1);
  std::vector<double> x{-1.5};
  while (x.size() < n) x.push_back(x.back() + gap(random) * gap(random));
  return x;
}

}  // namespace

TEST_CASE("a linear table is its points and the straight lines between them") {
  const DataTable t = made({0, 1, 2, 5}, {0, 10, 35, 80}, Method::linear);
  for (const auto& [x, y] :
       {std::pair{0.0, 0.0}, {0.5, 5.0}, {1.0, 10.0}, {1.5, 22.5}, {2.0, 35.0}, {3.5, 57.5}, {5.0, 80.0}})
    CHECK(t.value(x, 0) == y);
  CHECK(t.value(0.5, 1) == 10);
  CHECK(t.value(1, 1) == 25);  // At a point the slope is that of the interval after it.
  CHECK(t.value(5, 1) == 15);
  CHECK(t.value(0.5, 2) == 0);
  CHECK(t.highest_order() == 1);
}

TEST_CASE("a cubic table has the slopes of Fritsch and Butland") {
  const DataTable t = made({0, 1, 2, 5}, {0, 1, 3, 4}, Method::cubic);
  CHECK(t.value(1, 1) == doctest::Approx(6 / (3.0 / 1 + 3.0 / 2)).epsilon(1e-15));
  CHECK(t.value(2, 1) == doctest::Approx(12 / (7.0 / 2 + 5.0 * 3)).epsilon(1e-15));
  CHECK(t.value(0, 1) == 0.5);              // The slope is (3*1 - 2)/2.
  CHECK(std::fabs(t.value(5, 1)) < 1e-15);  // The parabola would reverse the slope: (7/3 - 6)/4 < 0.
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {1.0, 1.0}, {2.0, 3.0}}) CHECK(t.value(x, 0) == y);
  CHECK(t.value(5, 0) == doctest::Approx(4).epsilon(1e-15));
  // At this end the parabola is steeper than three times the secant, and the data turn.
  const DataTable steep = made({0, 1, 2}, {0, 1, -20}, Method::cubic);
  CHECK(steep.value(0, 1) == 3);
}

TEST_CASE("a cubic table of a line is the line") {
  const std::vector<double> x{-1, 0.5, 0.75, 4, 9};
  std::vector<double> y;
  for (const double v : x) y.push_back(3 - 2 * v);
  const DataTable t = made(x, y, Method::cubic, Beyond::line);
  for (double at = -3; at < 12; at += 0.13) {
    CHECK(std::fabs(t.value(at, 0) - (3 - 2 * at)) < 1e-13);
    CHECK(std::fabs(t.value(at, 1) + 2) < 1e-13);
    CHECK(std::fabs(t.value(at, 2)) < 1e-12);
  }
}

TEST_CASE("a cubic table is as monotone as its points and has a continuous derivative") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> rise(0, 1);
  for (int k = 0; k < 200; ++k) {
    const std::vector<double> x = random_arguments(random, 12);
    std::vector<double> y{0.3};
    while (y.size() < x.size()) y.push_back(y.back() + std::pow(rise(random), 4));
    const DataTable t = made(x, y, Method::cubic);
    double before = y.front();
    for (int i = 0; i <= 2000; ++i) {
      const double now = t.value(x.front() + (x.back() - x.front()) * i / 2000, 0);
      REQUIRE(now >= before - 1e-14);
      before = now;
    }
    for (std::size_t i = 1; i + 1 < x.size(); ++i) {
      const double left = t.value(std::nextafter(x[i], -10), 1), right = t.value(x[i], 1);
      REQUIRE(std::fabs(left - right) < 1e-14 * (t.rounding(x[i], 1) + t.rounding(std::nextafter(x[i], -10), 1)));
    }
  }
}

TEST_CASE("derivatives of a table are those of its values") {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 100; ++k) {
    const std::vector<double> x = random_arguments(random, 8);
    std::vector<double> y;
    while (y.size() < x.size()) y.push_back(normal(random));
    const DataTable t = made(x, y, Method::cubic);
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const double at = x[i] + 0.37 * (x[i + 1] - x[i]), h = 0.1 * (x[i + 1] - x[i]);
      for (std::uint32_t order = 0; order < 3; ++order) {
        // For a cubic the error of the central difference over h is exactly h^2/6 times the third derivative.
        const double difference = (t.value(at + h, order) - t.value(at - h, order)) / (2 * h);
        const double correction = order == 0 ? h * h / 6 * t.value(at, 3) : 0;
        const double scale = std::fabs(t.value(at, order + 1)) + t.rounding(at, order) / h;
        CHECK(std::fabs(difference - correction - t.value(at, order + 1)) < 1e-12 * (1 + scale));
      }
      CHECK(t.value(at, 4) == 0);
    }
  }
}

TEST_CASE("tables converge: linear with order 2, cubic with order 3 where the data rise") {
  const auto error = [](int n, Method m) {
    std::vector<double> x, y;
    for (int i = 0; i <= n; ++i) {
      x.push_back(2.0 * i / n);
      y.push_back(std::exp(x.back()));
    }
    const DataTable t = made(x, y, m);
    double worst = 0;
    for (int i = 0; i <= 1000; ++i) {
      const double at = 2.0 * i / 1000;
      worst = std::max(worst, std::fabs(t.value(at, 0) - std::exp(at)));
    }
    return worst;
  };
  CHECK(std::log2(error(100, Method::linear) / error(200, Method::linear)) > 1.9);
  CHECK(std::log2(error(100, Method::cubic) / error(200, Method::cubic)) > 2.7);
  CHECK(error(200, Method::cubic) < 1e-5);
}

TEST_CASE("the interval is found in any table") {
  std::mt19937_64 random(3);
  for (std::size_t n : {2u, 3u, 17u, 400u}) {
    const std::vector<double> x = random_arguments(random, n);
    std::vector<double> y;
    for (std::size_t i = 0; i < n; ++i) y.push_back(static_cast<double>(i));
    const DataTable t = made(x, y, Method::hold, Beyond::hold);
    std::uniform_real_distribution<double> anywhere(x.front() - 1, x.back() + 1);
    for (int k = 0; k < 2000; ++k) {
      const double at = anywhere(random);
      const auto behind = std::upper_bound(x.begin(), x.end(), at) - x.begin();
      CHECK(t.value(at, 0) == static_cast<double>(std::max<std::ptrdiff_t>(behind, 1) - 1));
    }
    for (std::size_t i = 0; i < n; ++i) CHECK(t.value(x[i], 0) == y[i]);
  }
}

TEST_CASE("beyond its points a table is undefined, holds, or goes on straight") {
  for (const Method m : {Method::linear, Method::cubic}) {
    const std::vector<double> x{1, 2, 4}, y{1, 3, 4};
    const DataTable error = made(x, y, m), hold = made(x, y, m, Beyond::hold), line = made(x, y, m, Beyond::line);
    for (const double at : {0.5, 4.5}) {
      const double end = at < 1 ? 1 : 4, there = line.value(end, 0), slope = line.value(end, 1);
      for (std::uint32_t order = 0; order < 3; ++order) CHECK(std::isnan(error.value(at, order)));
      CHECK(hold.value(at, 0) == there);
      CHECK(hold.value(at, 1) == 0);
      CHECK(line.value(at, 0) == there + (at - end) * slope);
      CHECK(line.value(at, 1) == slope);
      CHECK(line.value(at, 2) == 0);
    }
    CHECK(error.value(std::nextafter(4, 5), 0) == error.value(4, 0));  // The argument is a time that was rounded.
    CHECK(error.value(std::nextafter(1, 0), 0) == error.value(1, 0));
    for (const DataTable* t : {&error, &hold, &line}) CHECK(std::isnan(t->value(std::nan(""), 0)));
  }
}

TEST_CASE("tables with slopes that are no numbers are found") {
  CHECK(made({0, 1, 2}, {0, 1, 2}, Method::cubic).finite());
  CHECK(!made({0, 5e-324, 2}, {0, 1, 2}, Method::linear).finite());
  CHECK(!made({0, 1, 2}, {-1e308, 1e308, 2}, Method::linear).finite());
  CHECK(!made({-1e308, 1e308}, {0, 1}, Method::linear).finite());
}

TEST_CASE("which table and which derivative is one number that no literal is") {
  for (std::uint32_t table : {0u, 1u, 12345u})
    for (std::uint32_t order = 0; order < 4; ++order) {
      const double key = TableKey{table, order}.as_constant();
      CHECK(std::fpclassify(key) == FP_SUBNORMAL);
      CHECK(TableKey::of(key).table == table);
      CHECK(TableKey::of(key).order == order);
    }
}
