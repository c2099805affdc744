// SPDX-License-Identifier: Apache-2.0
// Tests the bounds of operations: they contain the values and slopes on random intervals, and they are tight if each
// operand occurs once.
#include "kernel/enclosure.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernel/op_semantics.h"

using namespace mbc::kernel;

namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

// A Line is x0 + rate s for s from 0 to 1.
struct Line {
  double x0, rate;
  [[nodiscard]] double at(double s) const { return x0 + rate * s; }
  [[nodiscard]] Enclosure bounds() const { return {{std::min(at(0), at(1)), std::max(at(0), at(1))}, {rate, rate}}; }
};

Line drawn_line(std::mt19937_64& random) {
  std::uniform_real_distribution<double> value(-3, 3);
  std::uniform_int_distribution<int> kind(0, 5);
  const double width = std::pow(10, -std::uniform_real_distribution<double>(0, 6)(random));
  switch (kind(random)) {
    case 0:
      return {std::round(value(random)), 0};
    case 1:
      return {value(random), 0};
    case 2:
      return {100 * value(random), 10 * value(random)};
    default:
      return {value(random), width * value(random)};
  }
}

bool joins(Op op) { return op == Op::logical_and || op == Op::logical_or || op == Op::logical_not; }

}  // namespace

TEST_CASE("values and slopes of every operation lie in its bounds") {
  std::mt19937_64 random(20261129);
  std::vector<int> bounded(kOpCount, 0);
  for (std::size_t number = static_cast<std::size_t>(Op::neg); number < static_cast<std::size_t>(Op::table); ++number) {
    const Op op = static_cast<Op>(number);
    for (int draw = 0; draw < 2000; ++draw) {
      Line lines[3] = {drawn_line(random), drawn_line(random), drawn_line(random)};
      for (Line& line : lines)
        if (joins(op)) line = {line.x0 > 0 ? 1.0 : 0.0, 0};
      if (op == Op::pow && draw % 2 == 0) lines[1] = {std::round(std::fabs(lines[1].x0)), 0};
      if (op == Op::acosh) lines[0].x0 = 1 + std::fabs(lines[0].x0) + std::fabs(lines[0].rate);
      if (op == Op::asin || op == Op::acos || op == Op::atanh)
        lines[0] = {0.3 * lines[0].x0 / 3, 0.1 * lines[0].rate / 100};
      const Enclosure e = enclose(op, lines[0].bounds(), lines[1].bounds(), lines[2].bounds());
      if (!e.value.bounded()) continue;
      ++bounded[number];
      double before = 0;
      for (int k = 0; k <= 16; ++k) {
        const double s = k / 16.0;
        const double value = apply(op, lines[0].at(s), lines[1].at(s), lines[2].at(s));
        INFO(op_text(op) << " " << lines[0].x0 << "+" << lines[0].rate << "s, " << lines[1].x0 << "+" << lines[1].rate
                         << "s, " << lines[2].x0 << "+" << lines[2].rate << "s at " << s << ": " << value << " in ["
                         << e.value.low << ", " << e.value.high << "], [" << e.rate.low << ", " << e.rate.high << "]");
        REQUIRE(e.value.holds(value));
        if (k > 0 && e.rate.bounded()) {
          const double slope = (value - before) * 16, size = std::max(std::fabs(value), std::fabs(before));
          const double argument = std::fabs(lines[0].x0) + std::fabs(lines[1].x0) + 1;
          const double rounding =
              16 * 64 * kEps * (size + argument * (std::fabs(e.rate.low) + std::fabs(e.rate.high)) + argument);
          REQUIRE(slope >= e.rate.low - rounding);
          REQUIRE(slope <= e.rate.high + rounding);
        }
        before = value;
      }
    }
    CAPTURE(op_text(op));
    CHECK(bounded[number] > 300);
  }
}

TEST_CASE("bounds of one instant are as narrow as rounding") {
  std::mt19937_64 random(7);
  for (std::size_t number = static_cast<std::size_t>(Op::neg); number < static_cast<std::size_t>(Op::table); ++number) {
    const Op op = static_cast<Op>(number);
    for (int draw = 0; draw < 200; ++draw) {
      const double a = drawn_line(random).x0, b = drawn_line(random).x0, c = drawn_line(random).x0;
      const Enclosure e = enclose(op, Enclosure::constant(a), Enclosure::constant(b), Enclosure::constant(c));
      const double value = apply(op, a, b, c);
      if (!e.value.bounded() || is_truth(op)) continue;
      CAPTURE(op_text(op));
      CAPTURE(a);
      CAPTURE(b);
      CHECK(e.value.holds(value));
      CHECK(e.value.high - e.value.low <= 1e-12 * (1 + std::fabs(value) + std::fabs(a)));
      if (e.rate.bounded()) CHECK(e.rate.low <= 0);
      if (e.rate.bounded()) CHECK(e.rate.high >= 0);
    }
  }
}

TEST_CASE("what may be undefined has no bounds") {
  const auto over = [](double low, double high) { return Enclosure{{low, high}, {1, 1}}; };
  CHECK(!enclose(Op::sqrt, over(-1e-9, 1), {}, {}).value.bounded());
  CHECK(!enclose(Op::ln, over(0, 1), {}, {}).value.bounded());
  CHECK(!enclose(Op::div, over(1, 2), over(-1, 1), {}).value.bounded());
  CHECK(!enclose(Op::tan, over(1.5, 1.6), {}, {}).value.bounded());
  CHECK(!enclose(Op::asin, over(0.9, 1.1), {}, {}).value.bounded());
  CHECK(!enclose(Op::atan2, over(-0.1, 0.1), over(-1, 1), {}).value.bounded());
  CHECK(!enclose(Op::add, {}, over(0, 1), {}).value.bounded());
}

TEST_CASE("what jumps has values and no rate") {
  const Enclosure over{{-0.25, 0.25}, {1, 1}};
  CHECK(!enclose(Op::floor, over, {}, {}).rate.bounded());
  CHECK(enclose(Op::floor, over, {}, {}).value.low == -1);
  CHECK(enclose(Op::floor, over, {}, {}).value.high == 0);
  CHECK(!enclose(Op::sign, over, {}, {}).rate.bounded());
  CHECK(!enclose(Op::lt, over, Enclosure::constant(0), {}).rate.bounded());
  CHECK(enclose(Op::lt, over, Enclosure::constant(1), {}).value.low == 1);
  const Enclosure chosen = enclose(Op::select, {{0, 1}, {}}, Enclosure::constant(2), Enclosure::constant(5));
  CHECK(chosen.value.low == 2);
  CHECK(chosen.value.high == 5);
  CHECK(!chosen.rate.bounded());
}

TEST_CASE("a square is not negative, and the mean value theorem narrows what stands twice") {
  const Enclosure over{{-1, 2}, {1, 1}};
  CHECK(enclose_square(over).value.low == 0);
  CHECK(enclose_square(over).value.high == doctest::Approx(4));
  // For x - sin x from 0.1 to 0.2 the bounds of the two terms alone give -0.1 .. 0.1.
  const Enclosure x{{0.1, 0.2}, {1, 1}};
  const Enclosure e = enclose(Op::sub, x, enclose(Op::sin, x, {}, {}), {});
  const Interval narrow = by_mean_value(e, {0.15 - std::sin(0.15), 0.15 - std::sin(0.15)}, 0.05);
  CHECK(e.value.low < 0);
  CHECK(narrow.low > -1e-3);
  CHECK(narrow.low <= 0.1 - std::sin(0.1));
  CHECK(narrow.high >= 0.2 - std::sin(0.2));
  CHECK(narrow.high < 2e-3);
}

TEST_CASE("bounds of functions given by points") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> value(-2, 2), gap(0.1, 1), part(0, 1);
  for (int draw = 0; draw < 300; ++draw) {
    std::vector<double> x{-1}, y{value(random)};
    while (x.size() < 6) {
      x.push_back(x.back() + gap(random));
      y.push_back(value(random));
    }
    const auto method = static_cast<DataTable::Method>(draw % 3);
    const DataTable table(x, y, method, draw % 2 == 0 ? DataTable::Beyond::hold : DataTable::Beyond::line);
    const double width = part(random) * part(random) * 3;
    const double first = -2 + 6 * part(random);
    const Enclosure e = enclose(table, 0, {{first, first + width}, {1, 1}});
    REQUIRE(e.value.bounded());
    for (int k = 0; k <= 200; ++k) CHECK(e.value.holds(table.value(first + width * k / 200, 0)));
    if (e.rate.bounded())
      for (int k = 1; k <= 50; ++k) {
        const double slope =
            (table.value(first + width * k / 50, 0) - table.value(first + width * (k - 1) / 50, 0)) / (width / 50);
        CHECK(slope >= e.rate.low - 1e-9);
        CHECK(slope <= e.rate.high + 1e-9);
      }
  }
  const std::vector<double> points{0, 1};
  const DataTable ends(points, points, DataTable::Method::linear, DataTable::Beyond::error);
  CHECK(!enclose(ends, 0, {{0.5, 1.5}, {1, 1}}).value.bounded());
}
