// SPDX-License-Identifier: Apache-2.0
#include "compiler/reading/expression.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/epsilon.h"
#include "base/numbers.h"
#include "kernel/op_semantics.h"

namespace mbc::reading {
namespace {

constexpr int kLargestDenominator = 64;
constexpr double kRounding =
    4 * kEpsilon;  // Sums and products of literals miss what a person would have reckoned by this.

// 1/3 and 1/4 are read more easily than 0.3333333333333333 and 0.25; 0.1 and 9.81 are not changed.
bool reads_as_fraction(int denominator) {
  const bool power_of_two = (denominator & (denominator - 1)) == 0;
  int rest = denominator;
  while (rest % 2 == 0) rest /= 2;
  while (rest % 5 == 0) rest /= 5;
  return rest > 1 || (power_of_two && denominator <= 16);
}

struct Fraction {
  double numerator, denominator;
};

double rounded_decimal(double value) {
  const double shorter = std::stod(text::short_number(value, 15));
  return std::fabs(shorter - value) <= kRounding * std::fabs(value) ? shorter : value;
}

Fraction fraction(double value) {
  if (!std::isnormal(value) || value == std::floor(value)) return {value, 1};
  for (int q = 2; q <= kLargestDenominator; ++q) {
    const double p = std::round(value * q);
    if (std::fabs(p) > 999 || p == 0 || std::fabs(p / q - value) > kRounding * std::fabs(value)) continue;
    if (!reads_as_fraction(q)) break;  // A multiple of q would not be in lowest terms.
    return {p, static_cast<double>(q)};
  }
  return {rounded_decimal(value), 1};
}

Expression plain_number(double value) { return {.number = value, .parts = {}}; }

bool is_fraction_denominator(const Expression& e) {
  return e.form == Form::power && e.parts[0].form == Form::number && is_number(e.parts[1], -1);
}

// Equal factors become one power, where their exponents are numbers of the same sign.
void collect(std::vector<Expression>& factors, Expression e) {
  const auto base = [](const Expression& f) -> const Expression& { return f.form == Form::power ? f.parts[0] : f; };
  const auto exponent = [](const Expression& f) { return f.form == Form::power ? f.parts[1] : plain_number(1); };
  const Expression of_e = exponent(e);
  for (Expression& f : factors) {
    const Expression of_f = exponent(f);
    if (of_f.form != Form::number || of_e.form != Form::number || of_f.number * of_e.number <= 0) continue;
    if (!(base(f) == base(e))) continue;
    f = power(Expression(base(f)), plain_number(of_f.number + of_e.number));
    return;
  }
  factors.push_back(std::move(e));
}

void collect_divisors(const Expression& e, std::vector<Expression>& found) {
  const bool divides = is_denominator(e) && e.parts[0].form != Form::number;
  if (divides && std::find(found.begin(), found.end(), e.parts[0]) == found.end()) found.push_back(e.parts[0]);
  for (const Expression& p : e.parts) collect_divisors(p, found);
}

// A product that is zero is no number where it divides by what may be zero as well.
Expression zero_over(std::vector<Expression> factors) {
  std::vector<Expression> all{plain_number(0)};
  for (Expression& d : divisors({.form = Form::product, .parts = std::move(factors)}))
    all.push_back(power(std::move(d), plain_number(-1)));
  if (all.size() == 1) return plain_number(0);
  return {.form = Form::product, .parts = std::move(all)};
}

}  // namespace

Expression number(double value) {
  const Fraction f = fraction(value);
  if (f.denominator == 1) return plain_number(f.numerator);
  Expression under = power(plain_number(f.denominator), plain_number(-1));
  if (f.numerator == 1) return under;
  return {.form = Form::product, .parts = {plain_number(f.numerator), std::move(under)}};
}

Expression symbol(std::uint32_t index) { return {.form = Form::symbol, .symbol = index, .parts = {}}; }

Expression sum(std::vector<Expression> terms) {
  std::vector<Expression> flat;
  for (Expression& t : terms) {
    if (t.form == Form::sum)
      std::move(t.parts.begin(), t.parts.end(), std::back_inserter(flat));
    else if (!is_number(t, 0))
      flat.push_back(std::move(t));
  }
  if (flat.empty()) return plain_number(0);
  if (flat.size() == 1) return std::move(flat[0]);
  return {.form = Form::sum, .parts = std::move(flat)};
}

Expression product(std::vector<Expression> factors) {
  double number_in_front = 1;
  std::vector<Expression> flat;
  const auto take = [&](Expression& f) {
    if (f.form == Form::number)
      number_in_front *= f.number;
    else if (is_fraction_denominator(f))
      number_in_front /= f.parts[0].number;
    else
      collect(flat, std::move(f));
  };
  for (Expression& f : factors) {
    if (f.form != Form::product)
      take(f);
    else
      for (Expression& inner : f.parts) take(inner);
  }
  if (number_in_front == 0) return zero_over(std::move(flat));
  const Fraction c = fraction(number_in_front);
  if (c.numerator != 1) flat.insert(flat.begin(), plain_number(c.numerator));
  if (c.denominator != 1) flat.push_back(power(plain_number(c.denominator), plain_number(-1)));
  if (flat.empty()) return plain_number(1);
  if (flat.size() == 1) return std::move(flat[0]);
  return {.form = Form::product, .parts = std::move(flat)};
}

Expression power(Expression base, Expression exponent) {
  if (is_number(exponent, 1)) return base;
  const bool nested = base.form == Form::power && base.parts[1].form == Form::number && exponent.form == Form::number &&
                      exponent.number == std::floor(exponent.number) &&
                      (base.parts[1].number > 0 || exponent.number > 0);  // 1/(1/x) is not x where x is 0.
  if (!nested) return {.form = Form::power, .parts = {std::move(base), std::move(exponent)}};
  Expression inner = std::move(base.parts[0]);
  return power(std::move(inner), plain_number(exponent.number * base.parts[1].number));
}

Expression call(kernel::Op op, std::vector<Expression> arguments) {
  return {.form = Form::call, .op = op, .parts = std::move(arguments)};
}

Expression negative(Expression e) {
  if (e.form != Form::sum) return product({plain_number(-1), std::move(e)});
  for (Expression& t : e.parts) t = negative(std::move(t));
  return e;
}

double coefficient(const Expression& e) {
  if (e.form == Form::number) return e.number;
  if (is_fraction_denominator(e)) return 1 / e.parts[0].number;
  if (e.form != Form::product) return 1;
  double c = 1;
  for (const Expression& f : e.parts)
    if (f.form == Form::number || is_fraction_denominator(f)) c *= coefficient(f);
  return c;
}

bool is_number(const Expression& e, double value) { return e.form == Form::number && e.number == value; }

bool is_denominator(const Expression& e) {
  return e.form == Form::power && e.parts[1].form == Form::number && e.parts[1].number < 0;
}

std::vector<Expression> divisors(const Expression& e) {
  std::vector<Expression> found;
  collect_divisors(e, found);
  return found;
}

std::size_t length(const Expression& e) { return length(e, {}); }

std::size_t length(const Expression& e, std::span<const std::size_t> widths) {
  std::size_t n = 0;
  for (const Expression& p : e.parts) n += length(p, widths);
  switch (e.form) {
    case Form::number:
      return text::number(e.number).size();
    case Form::symbol:
      return e.symbol < widths.size() ? widths[e.symbol] : 3;
    case Form::sum:
      for (const Expression& p : e.parts) n += coefficient(p) < 0 ? 2 : 3;  // " - " takes the place of the minus sign
      return n - 3;
    case Form::product: {
      const auto below = static_cast<std::size_t>(std::count_if(e.parts.begin(), e.parts.end(), is_denominator));
      for (const Expression& p : e.parts) n += p.form == Form::sum ? 3 : 1;
      n += (below > 1 ? 2 : 0) + (below == e.parts.size() ? 1 : 0);
      return n - (is_number(e.parts[0], -1) ? 3 : 1);
    }
    case Form::power: {
      const bool simple = e.parts[0].form == Form::symbol || e.parts[0].form == Form::call;
      return n + (is_number(e.parts[1], -1) ? 0 : 1) + (simple || e.parts[0].form == Form::number ? 0 : 2) -
             (is_denominator(e) ? 1 : 0) - (is_number(e.parts[1], -1) ? 1 : 0);
    }
    case Form::call:
      return n + kernel::op_text(e.op).size() + 2 * e.parts.size();
  }
  return n;
}

std::size_t depth(const Expression& e) {
  std::size_t deepest = 0;
  for (const Expression& p : e.parts) deepest = std::max(deepest, depth(p));
  return deepest + 1;
}

namespace {

struct Value {
  double value, size;  // the value, and the same with every term without its sign
};

Value value_of(const Expression& e, std::span<const double> values, const kernel::DataTables* tables);

Value value_of_power(const Value& base, double exponent) {
  if (exponent == std::floor(exponent) && std::fabs(exponent) <= 64) {
    double v = 1, s = 1;
    for (int k = 0; k < std::fabs(exponent); ++k) v *= base.value, s *= base.size;
    return exponent < 0 ? Value{1 / v, s / (v * v)} : Value{v, s};
  }
  const double v = kernel::apply(kernel::Op::pow, base.value, exponent, 0);
  return {v, std::fabs(v) * std::max(1.0, base.size / std::fabs(base.value))};
}

Value value_of_call(const Expression& e, std::span<const double> values, const kernel::DataTables* tables) {
  double x[3] = {0, 0, 0}, size = 0;
  for (std::size_t k = 0; k < e.parts.size(); ++k) {
    const Value v = value_of(e.parts[k], values, tables);
    x[k] = v.value;
    size += v.size - std::fabs(v.value);  // only what cancels within the argument
  }
  double v = 0;
  if (e.op == kernel::Op::table) {
    const kernel::TableKey key = kernel::TableKey::of(x[1]);
    v = tables ? (*tables)[key.table]->value(x[0], key.order) : kernel::kNaN;
  } else {
    v = kernel::apply(e.op, x[0], x[1], x[2]);
  }
  return {v, std::fabs(v) + size};
}

Value value_of(const Expression& e, std::span<const double> values, const kernel::DataTables* tables) {
  switch (e.form) {
    case Form::number:
      return {e.number, std::fabs(e.number)};
    case Form::symbol:
      return {values[e.symbol], std::fabs(values[e.symbol])};
    case Form::sum:
    case Form::product: {
      const bool adds = e.form == Form::sum;
      Value all = adds ? Value{0, 0} : Value{1, 1};
      for (const Expression& p : e.parts) {
        const Value v = value_of(p, values, tables);
        all = adds ? Value{all.value + v.value, all.size + v.size} : Value{all.value * v.value, all.size * v.size};
      }
      return all;
    }
    case Form::power:
      return value_of_power(value_of(e.parts[0], values, tables), value_of(e.parts[1], values, tables).value);
    case Form::call:
      return value_of_call(e, values, tables);
  }
  return {kernel::kNaN, kernel::kNaN};
}

}  // namespace

double evaluate(const Expression& e, std::span<const double> values, const kernel::DataTables* tables) {
  return value_of(e, values, tables).value;
}

double magnitude(const Expression& e, std::span<const double> values, const kernel::DataTables* tables) {
  return value_of(e, values, tables).size;
}

}  // namespace mbc::reading
