// SPDX-License-Identifier: Apache-2.0
// Expressions as they are written on paper: trees whose terms and factors stand in the order in which they are read.
// A printer needs no algebra: negative terms are products with a negative number in front, quotients are products with
// powers of negative exponents, and fractions are quotients of whole numbers.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/data_table.h"
#include "kernel/op.h"

namespace mbc::reading {

enum class Form : std::uint8_t { number, symbol, sum, product, power, call };

struct Expression {
  Form form = Form::number;
  double number = 0;
  std::uint32_t symbol = 0;              // its index in Symbols
  kernel::Op op = kernel::Op::constant;  // of a call: sin, atan2, min, <, select, ...
  std::vector<Expression> parts;         // terms | factors | base and exponent | arguments
  bool operator==(const Expression&) const = default;
};

// The builders keep trees flat: no sum in a sum, no product in a product, numbers of a product in front as one, equal
// factors as one power. x/x stays, and so does what a product that is zero is divided by: 0/x.
Expression number(double value);  // as a fraction where a person would write one: 1/2, 2/3, but 9.81 and 0.1
Expression symbol(std::uint32_t index);
Expression sum(std::vector<Expression> terms);
Expression product(std::vector<Expression> factors);
Expression power(Expression base, Expression exponent);
Expression call(kernel::Op op, std::vector<Expression> arguments);
Expression negative(Expression e);

// The number that a product begins with, or that a number or a fraction is: 1 where there is none.
double coefficient(const Expression& e);
bool is_number(const Expression& e, double value);
// A factor of a denominator: a power with a negative number as its exponent.
bool is_denominator(const Expression& e);

// Returns what an expression divides by, anywhere in it, each once: the bases of its denominators but for numbers.
std::vector<Expression> divisors(const Expression& e);

// Expressions are compared by their length: roughly the characters of their text, with three for every symbol.
std::size_t length(const Expression& e);
// The same with the widths of the symbols.
std::size_t length(const Expression& e, std::span<const std::size_t> widths);
std::size_t depth(const Expression& e);

// `values` has one for every symbol. A call of a table needs the tables of the graph.
double evaluate(const Expression& e, std::span<const double> values, const kernel::DataTables* tables = nullptr);
// The value where every term of every sum is taken without its sign: what rounding errors are relative to.
double magnitude(const Expression& e, std::span<const double> values, const kernel::DataTables* tables = nullptr);

}  // namespace mbc::reading
