// SPDX-License-Identifier: Apache-2.0
#include "kernel/enclosure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "kernel/op_semantics.h"

namespace mbc::kernel {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Bounds are widened by more than the rounding of an operation, or of a library function, moves its result.
constexpr double kRounded = std::numeric_limits<double>::epsilon();
constexpr double kLibrary = 8 * std::numeric_limits<double>::epsilon();

Interval widened(double low, double high, double by) {
  if (std::isnan(low) || std::isnan(high)) return {};
  const double tiny = std::numeric_limits<double>::denorm_min();
  return {low - by * std::fabs(low) - tiny, high + by * std::fabs(high) + tiny};
}

bool is_point(const Interval& a) { return a.low == a.high; }
Interval hull(const Interval& a, const Interval& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
Interval negative(const Interval& a) { return {-a.high, -a.low}; }

// 0 times infinity is 0, because the factor of an infinite bound is finite.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Interval sum(const Interval& a, const Interval& b) {
  const bool exact = (a.low == 0 && a.high == 0) || (b.low == 0 && b.high == 0);
  return exact ? Interval{a.low + b.low, a.high + b.high} : widened(a.low + b.low, a.high + b.high, kRounded);
}

Interval product(const Interval& a, const Interval& b) {
  if ((a.low == 0 && a.high == 0) || (b.low == 0 && b.high == 0)) return {0, 0};
  const double ends[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)};
  const auto [low, high] = std::minmax_element(std::begin(ends), std::end(ends));
  return widened(*low, *high, kRounded);
}

Interval reciprocal(const Interval& a) {
  if (a.holds(0)) return {};
  return widened(1 / a.high, 1 / a.low, kRounded);
}

Interval square(const Interval& a) {
  const double low = a.low * a.low, high = a.high * a.high;
  const Interval out = widened(a.holds(0) ? 0 : std::min(low, high), std::max(low, high), kRounded);
  return {std::max(out.low, 0.0), out.high};
}

Interval absolute(const Interval& a) {
  const double low = std::fabs(a.low), high = std::fabs(a.high);
  return {a.holds(0) ? 0 : std::min(low, high), std::max(low, high)};
}

Enclosure scaled(const Interval& value, const Interval& slope, const Interval& rate) {
  return {value, product(slope, rate)};
}

// Encloses a library function that rises throughout, and its slope.
Enclosure rising(Op op, const Enclosure& a, const Interval& slope) {
  return scaled(widened(apply_library(op, a.value.low, 0), apply_library(op, a.value.high, 0), kLibrary), slope,
                a.rate);
}

// Returns the values of cos over an interval. cos is largest at multiples of 2 pi and smallest half way between them.
Interval cosine(const Interval& a) {
  constexpr double kFarther = 1e9;  // beyond it the multiples are not exact to the last digit
  if (!a.bounded() || std::max(std::fabs(a.low), std::fabs(a.high)) > kFarther) return {-1, 1};
  const double turn = 2 * std::numbers::pi, slack = 1e-15 * (1 + std::max(std::fabs(a.low), std::fabs(a.high)));
  const auto holds_turn = [&](double shift) {
    const double first = std::ceil((a.low - slack - shift) / turn);
    return first * turn + shift <= a.high + slack;
  };
  const double ends[] = {std::cos(a.low), std::cos(a.high)};
  const Interval out = widened(std::min(ends[0], ends[1]) - slack, std::max(ends[0], ends[1]) + slack, kLibrary);
  return {holds_turn(std::numbers::pi) ? -1 : std::max(out.low, -1.0), holds_turn(0) ? 1 : std::min(out.high, 1.0)};
}

Interval sine(const Interval& a) { return cosine(sum(a, {-0.5 * std::numbers::pi, -0.5 * std::numbers::pi})); }

Enclosure tangent(const Enclosure& a) {
  const Interval cos = cosine(a.value);
  if (cos.holds(0)) return {};
  const Interval value = widened(std::tan(a.value.low), std::tan(a.value.high), kLibrary);
  return scaled(value, reciprocal(square(cos)), a.rate);
}

// asin, acos and atanh are undefined outside of an interval, acosh below 1.
Enclosure inverse(Op op, const Enclosure& a) {
  const Interval& x = a.value;
  const Interval one{1, 1};
  if (op == Op::acosh) {
    if (!(x.low > 1)) return {};
    return rising(op, a,
                  reciprocal({std::sqrt(x.low * x.low - 1) * (1 - 1e-9), std::sqrt(x.high * x.high - 1) * (1 + 1e-9)}));
  }
  if (!(x.low > -1 && x.high < 1)) return {};
  const Interval rest = sum(one, negative(square(x)));  // 1 - x^2
  if (!(rest.low > 0)) return {};
  if (op == Op::atanh) return rising(op, a, reciprocal(rest));
  const Interval slope = reciprocal({std::sqrt(rest.low) * (1 - kLibrary), std::sqrt(rest.high) * (1 + kLibrary)});
  if (op == Op::asin) return rising(op, a, slope);
  return scaled(widened(std::acos(x.high), std::acos(x.low), kLibrary), negative(slope), a.rate);
}

Enclosure square_root(const Enclosure& a) {
  const Interval& x = a.value;
  if (!(x.low >= 0)) return {};
  const Interval value = widened(std::sqrt(x.low), std::sqrt(x.high), kRounded);
  if (x.low == 0)
    return {{std::max(value.low, 0.0), value.high}, is_point(a.rate) && a.rate.low == 0 ? a.rate : Interval{}};
  return scaled(value, product({0.5, 0.5}, reciprocal(value)), a.rate);
}

Enclosure logarithm(Op op, const Enclosure& a) {
  if (!(a.value.low > 0)) return {};
  const double unit = op == Op::ln ? 1 : std::numbers::ln10;
  return rising(op, a, reciprocal(product(a.value, {unit, unit})));
}

// For a positive base a, a^b is monotone in each of the two. For a constant whole exponent b it is a power of any a.
Enclosure power(const Enclosure& a, const Enclosure& b) {
  const Interval &x = a.value, &e = b.value;
  const auto at = [](double base, double exponent) { return apply_library(Op::pow, base, exponent); };
  if (x.low > 0) {
    const double ends[] = {at(x.low, e.low), at(x.low, e.high), at(x.high, e.low), at(x.high, e.high)};
    const auto [low, high] = std::minmax_element(std::begin(ends), std::end(ends));
    const Interval value = widened(*low, *high, kLibrary);
    const Interval log = widened(std::log(x.low), std::log(x.high), kLibrary);
    const Interval relative = sum(product(product(e, reciprocal(x)), a.rate), product(log, b.rate));
    return {value, product(value, relative)};
  }
  if (!is_point(e) || e.low != std::floor(e.low) || !(e.low >= 1) || !x.bounded()) return {};
  const double n = e.low;
  const bool even = std::fmod(n, 2) == 0;
  const auto powered = [&](double exponent, bool is_even) {
    const double low = at(x.low, exponent), high = at(x.high, exponent);
    if (!is_even) return widened(low, high, kLibrary);
    return widened(x.holds(0) ? (exponent == 0 ? 1 : 0) : std::min(low, high), std::max(low, high), kLibrary);
  };
  return scaled(powered(n, even), product({n, n}, powered(n - 1, !even)), a.rate);
}

// The angle of (x, y) jumps across the negative x axis.
Enclosure angle(const Enclosure& y, const Enclosure& x) {
  const Interval &p = y.value, &q = x.value;
  if (!p.bounded() || !q.bounded() || (p.holds(0) && q.low <= 0)) return {};
  const double ends[] = {std::atan2(p.low, q.low), std::atan2(p.low, q.high), std::atan2(p.high, q.low),
                         std::atan2(p.high, q.high)};
  const auto [low, high] = std::minmax_element(std::begin(ends), std::end(ends));
  const Interval moved = sum(product(q, y.rate), negative(product(p, x.rate)));
  return {widened(*low, *high, kLibrary), product(moved, reciprocal(sum(square(q), square(p))))};
}

// A truth is 0 or 1; it is constant where it is decided.
Enclosure truth(bool surely, bool surely_not) {
  if (surely) return Enclosure::constant(1);
  if (surely_not) return Enclosure::constant(0);
  return {{0, 1}, {}};
}

Enclosure stepped(double low, double high) {
  if (low == high) return Enclosure::constant(low);
  return {{low, high}, {}};
}

double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

Enclosure absolute_value(const Enclosure& a) {
  if (a.value.low >= 0) return a;
  if (a.value.high <= 0) return {negative(a.value), negative(a.rate)};
  return {absolute(a.value), hull(a.rate, negative(a.rate))};
}

// Encloses the smaller operand; the larger one is found by changing the signs of both.
Enclosure smaller(const Enclosure& a, const Enclosure& b) {
  if (a.value.high < b.value.low) return a;
  if (b.value.high < a.value.low) return b;
  return {{std::min(a.value.low, b.value.low), std::min(a.value.high, b.value.high)}, hull(a.rate, b.rate)};
}

Enclosure opposite(const Enclosure& a) { return {negative(a.value), negative(a.rate)}; }

// Returns the enclosure of one operand if the condition is decided, else the hull of both.
Enclosure chosen(const Enclosure& condition, const Enclosure& b, const Enclosure& c) {
  if (!condition.value.holds(0)) return b;
  if (condition.value.low == 0 && condition.value.high == 0) return c;
  return {hull(b.value, c.value), {}};
}

Enclosure defined(const Enclosure& e) {
  if (!e.value.bounded()) return {};
  return e;
}

// These return whether a < b, a <= b and a == b hold throughout, or nowhere.
Enclosure less(const Interval& a, const Interval& b) { return truth(a.high < b.low, a.low >= b.high); }
Enclosure at_most(const Interval& a, const Interval& b) { return truth(a.high <= b.low, a.low > b.high); }
Enclosure equal(const Interval& a, const Interval& b) {
  return truth(is_point(a) && is_point(b) && a.low == b.low, a.high < b.low || b.high < a.low);
}
Enclosure negation(const Enclosure& a) { return truth(a.value.high == 0, a.value.low == 1); }

Enclosure product_of(const Enclosure& a, const Enclosure& b) {
  return {product(a.value, b.value), sum(product(a.rate, b.value), product(a.value, b.rate))};
}

Enclosure sum_of(const Enclosure& a, const Enclosure& b) { return {sum(a.value, b.value), sum(a.rate, b.rate)}; }

Enclosure quotient(const Enclosure& a, const Enclosure& b) {
  const Interval inverse = reciprocal(b.value);
  if (!inverse.bounded()) return {};
  const Interval value = product(a.value, inverse);
  return {value, product(sum(a.rate, negative(product(value, b.rate))), inverse)};
}

Interval hyperbolic_cosine(const Interval& a) {
  const Interval size = absolute(a);
  return widened(std::cosh(size.low), std::cosh(size.high), kLibrary);
}

// ---- one rule for each operation; unused operands have no name
using E = Enclosure;
using Rule = E (*)(const E& a, const E& b, const E& c);

struct RuleOf {
  Op op;
  Rule rule;
};

constexpr RuleOf kRules[] = {
    {Op::neg, [](const E& a, const E&, const E&) { return opposite(a); }},
    {Op::add, [](const E& a, const E& b, const E&) { return sum_of(a, b); }},
    {Op::sub, [](const E& a, const E& b, const E&) { return sum_of(a, opposite(b)); }},
    {Op::mul, [](const E& a, const E& b, const E&) { return product_of(a, b); }},
    {Op::div, [](const E& a, const E& b, const E&) { return quotient(a, b); }},
    {Op::fma, [](const E& a, const E& b, const E& c) { return sum_of(product_of(a, b), c); }},
    {Op::pow, [](const E& a, const E& b, const E&) { return power(a, b); }},
    {Op::sqrt, [](const E& a, const E&, const E&) { return square_root(a); }},
    {Op::sin, [](const E& a, const E&, const E&) { return scaled(sine(a.value), cosine(a.value), a.rate); }},
    {Op::cos, [](const E& a, const E&, const E&) { return scaled(cosine(a.value), negative(sine(a.value)), a.rate); }},
    {Op::tan, [](const E& a, const E&, const E&) { return tangent(a); }},
    {Op::asin, [](const E& a, const E&, const E&) { return inverse(Op::asin, a); }},
    {Op::acos, [](const E& a, const E&, const E&) { return inverse(Op::acos, a); }},
    {Op::acosh, [](const E& a, const E&, const E&) { return inverse(Op::acosh, a); }},
    {Op::atanh, [](const E& a, const E&, const E&) { return inverse(Op::atanh, a); }},
    {Op::atan,
     [](const E& a, const E&, const E&) {
       return rising(Op::atan, a, reciprocal(sum({1, 1}, square(a.value))));
     }},
    {Op::atan2, [](const E& a, const E& b, const E&) { return angle(a, b); }},
    {Op::exp,
     [](const E& a, const E&, const E&) {
       return rising(Op::exp, a, widened(std::exp(a.value.low), std::exp(a.value.high), kLibrary));
     }},
    {Op::ln, [](const E& a, const E&, const E&) { return logarithm(Op::ln, a); }},
    {Op::log10, [](const E& a, const E&, const E&) { return logarithm(Op::log10, a); }},
    {Op::sinh, [](const E& a, const E&, const E&) { return rising(Op::sinh, a, hyperbolic_cosine(a.value)); }},
    {Op::cosh,
     [](const E& a, const E&, const E&) {
       const Interval slope = widened(std::sinh(a.value.low), std::sinh(a.value.high), kLibrary);
       return scaled(hyperbolic_cosine(a.value), slope, a.rate);
     }},
    {Op::tanh,
     [](const E& a, const E&, const E&) {
       const Interval size = absolute(a.value);
       const double steepest = std::tanh(size.low), least = std::tanh(size.high);
       return rising(Op::tanh, a, widened(1 - least * least, 1 - steepest * steepest, kLibrary));
     }},
    {Op::asinh,
     [](const E& a, const E&, const E&) {
       return rising(Op::asinh, a, reciprocal(square_root({sum({1, 1}, square(a.value)), {0, 0}}).value));
     }},
    {Op::abs, [](const E& a, const E&, const E&) { return absolute_value(a); }},
    {Op::sign, [](const E& a, const E&, const E&) { return stepped(sign_of(a.value.low), sign_of(a.value.high)); }},
    {Op::floor,
     [](const E& a, const E&, const E&) { return stepped(std::floor(a.value.low), std::floor(a.value.high)); }},
    {Op::min, [](const E& a, const E& b, const E&) { return smaller(a, b); }},
    {Op::max, [](const E& a, const E& b, const E&) { return opposite(smaller(opposite(a), opposite(b))); }},
    {Op::lt, [](const E& a, const E& b, const E&) { return less(a.value, b.value); }},
    {Op::le, [](const E& a, const E& b, const E&) { return at_most(a.value, b.value); }},
    {Op::eq, [](const E& a, const E& b, const E&) { return equal(a.value, b.value); }},
    {Op::ne, [](const E& a, const E& b, const E&) { return negation(equal(a.value, b.value)); }},
    {Op::logical_and,
     [](const E& a, const E& b, const E&) {
       return truth(a.value.low == 1 && b.value.low == 1, a.value.high == 0 || b.value.high == 0);
     }},
    {Op::logical_or,
     [](const E& a, const E& b, const E&) {
       return truth(a.value.low == 1 || b.value.low == 1, a.value.high == 0 && b.value.high == 0);
     }},
    {Op::logical_not, [](const E& a, const E&, const E&) { return negation(a); }},
    {Op::select, [](const E& a, const E& b, const E& c) { return chosen(a, b, c); }},
};

// The rules by operation. An operation without a rule has no bounds, so that it excludes nothing.
constexpr auto kRuleOfOp = [] {
  std::array<Rule, kOpCount> table{};
  table.fill([](const E&, const E&, const E&) { return E(); });
  for (const RuleOf& r : kRules) table[static_cast<std::size_t>(r.op)] = r.rule;
  return table;
}();

}  // namespace

bool Interval::bounded() const { return std::isfinite(low) && std::isfinite(high); }

Enclosure enclose(Op op, const Enclosure& a, const Enclosure& b, const Enclosure& c) {
  const std::uint32_t operands = arity(op);
  const bool known =
      (operands < 1 || a.value.bounded()) && (operands < 2 || b.value.bounded()) && (operands < 3 || c.value.bounded());
  return known ? defined(kRuleOfOp[static_cast<std::size_t>(op)](a, b, c)) : Enclosure();
}

Enclosure enclose_square(const Enclosure& a) {
  if (!a.value.bounded()) return {};
  return defined({square(a.value), product({2, 2}, product(a.value, a.rate))});
}

Enclosure enclose(const DataTable& table, std::uint32_t order, const Enclosure& a) {
  const Interval& x = a.value;
  if (!x.bounded()) return {};
  const std::span<const double> points = table.arguments();
  if (table.beyond() == DataTable::Beyond::error && (x.low < points.front() || x.high > points.back())) return {};
  const auto at = [&](double argument, std::uint32_t of) { return table.value(argument, of); };
  if (order > table.highest_order()) return Enclosure::constant(0);
  // each piece of the function lies between two of these; what is beyond the points is a piece of its own
  const auto first = std::upper_bound(points.begin(), points.end(), x.low),
             last = std::lower_bound(first, points.end(), x.high);
  const bool one_piece = first == last;
  if (order > 0 && !is_point(x)) return {};
  // each piece is monotone (data_table.h), so that the ends of the pieces bound it
  double low = std::min(at(x.low, order), at(x.high, order)), high = std::max(at(x.low, order), at(x.high, order));
  for (auto point = first; point != last; ++point) {
    low = std::min(low, at(*point, order));
    high = std::max(high, at(*point, order));
    if (table.method() != DataTable::Method::hold || point == points.begin()) continue;
    low = std::min(low, at(*(point - 1), order));
    high = std::max(high, at(*(point - 1), order));
  }
  const Interval value = widened(low, high, kLibrary);
  if (table.method() == DataTable::Method::hold) return one_piece ? Enclosure{value, {0, 0}} : Enclosure{value, {}};
  if (order > 0 || table.method() == DataTable::Method::cubic || !one_piece) return {value, {}};
  const double slope = at(x.middle(), 1);
  return scaled(value, widened(slope, slope, kLibrary), a.rate);
}

Interval by_mean_value(const Enclosure& over, const Interval& in_middle, double half_width) {
  if (!over.rate.bounded() || !in_middle.bounded()) return over.value;
  const double most = std::max(std::fabs(over.rate.low), std::fabs(over.rate.high)) * half_width;
  const Interval by_rate = widened(in_middle.low - most, in_middle.high + most, kRounded);
  return {std::max(over.value.low, by_rate.low), std::min(over.value.high, by_rate.high)};
}

}  // namespace mbc::kernel
