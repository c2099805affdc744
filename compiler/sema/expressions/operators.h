// SPDX-License-Identifier: Apache-2.0
// Operators: signs, sums, products, powers, comparisons, logic, choices, units, vectors, and primes, with their checks
// of shape and dimension.
#pragma once
#include <utility>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/sema/expressions/value_checks.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

// Returns the SI factor and the dimension of a unit; reports an unknown one.
std::optional<std::pair<double, Dimension>> unit_value(const ast::Unit& written, Sink& sink);

class Operators : public ValueChecks {
 public:
  using ValueChecks::ValueChecks;

  Value evaluate(const ast::Unary& u, Span span, const Scope& scope);
  Value evaluate(const ast::Sum& s, Span span, const Scope& scope);
  Value evaluate(const ast::Product& p, Span span, const Scope& scope);
  Value evaluate(const ast::Power& p, Span span, const Scope& scope);
  Value evaluate(const ast::Compare& c, Span span, const Scope& scope);
  Value evaluate(const ast::Logic& l, Span span, const Scope& scope);
  Value evaluate(const ast::If& i, Span span, const Scope& scope);
  Value evaluate(const ast::Tuple& t, Span span, const Scope& scope);
  Value evaluate(const ast::Measured& m, Span span, const Scope& scope);
  // Returns a pure number in a unit, its factor and dimension; reports a value that is no pure number.
  Value in_unit(Value v, const std::pair<double, Dimension>& unit, Span span);
  Value evaluate(const ast::SumOver& s, Span span, const Scope& scope);

  // Returns lhs - rhs of an equation, with its checks.
  Value difference(const ast::Compare& equation, Span span, const Scope& scope);
  Value add_or_subtract(const Value& a, const Value& b, Span op, bool adding);
  Value time_derivative(const Value& v, std::uint32_t order, Span span);

 private:
  Value value(const ast::Expr& e, const Scope& scope);
  // Evaluates the first term and combines it with each further term in turn.
  template <class Terms, class Combine>
  Value in_turn(const Terms& terms, Span span, const Scope& scope, Combine&& combine);
  // Reports operands that are not numbers of one shape and dimension, and returns false.
  bool alike(const Value& a, const Value& b, Span op, const char* verb);
  Value multiply(const Value& a, const Value& b, bool dividing, Span op);
  Value matrix_product(const Value& a, const Value& b);
  Value elementwise(Op op, const Value& v, Span span);
  bool same_labels(const Value& a, const Value& b);
  bool fits_vector(const Value& v, const Value& so_far, bool rows, const ast::Tuple& t, Span span);
  std::optional<std::vector<double>> bounds(const ast::SumOver& s, const Scope& scope, Value& broken);
  bool fits_sum(const Value& term, Value& first, Span span);
  bool differentiable(const std::vector<NodeId>& nodes, Span span, bool& moves);
};

}  // namespace mbc::sema
