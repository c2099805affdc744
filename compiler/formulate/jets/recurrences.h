// SPDX-License-Identifier: Apache-2.0
// Taylor coefficients of an expression from those of its operands, operation by operation (Moore 1966; the recurrences
// of Jorba and Zou, "A software package for the numerical integration of ODEs by means of high-order Taylor methods",
// Exp. Math. 14, 2005). With x_k the coefficient of h^k in x(t + h), the coefficient of order k is linear in those of
// order k of the operands. The other terms are sums over lower orders, called pairs,
//
//   P_k = sum_(j=1)^(k-1) x_j y_(k-j),
//
// which contain no value of order k. Therefore all of them are computed before the code of the order, side by side
// (jet.cpp). docs/numerics.md, section 7, lists the recurrences.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "compiler/formulate/jets/series_code.h"

namespace mbc::formulate {

class Recurrences : public SeriesCode {
 public:
  // a, b, c are the operands that the operation has. Returns nothing if there is no recurrence; refused() has the
  // reason.
  std::optional<Stream> apply(Op op, const Stream& a, const Stream& b, const Stream& c, Span origin);
  [[nodiscard]] const std::string& refused() const { return refused_; }

 private:
  Next sum(const Next& a, const Next& b);
  Next difference(const Next& a, const Next& b);
  Next multiple(Value zero, const Next& a);

  // ---- in the code of order 0
  Value twice(Value zero) { return early(Op::add, zero, zero); }
  Value inverse(Value zero) { return early(Op::div, constant(1).zero, zero); }

  // ---- recurrences; `zero` is the value of order 0
  Stream multiplied(const Stream& a, const Stream& b);
  Next times(const Stream& a, const Stream& b);
  Next divided(const Stream& a, const Stream& b, Value zero);
  Next root(const Next& radicand, Value zero);
  struct Partners {
    Stream first, second;  // sine and cosine, or the hyperbolic ones
  };
  const Partners& turned(const Stream& a, bool hyperbolic);
  Next tangent(const Stream& a, Value zero, bool hyperbolic);
  Next exponential(const Next& a, Value zero);
  Next logarithm(const Stream& a);
  Next power(const Stream& a, const Stream& b, Value zero);
  Next whole_power(const Stream& a, unsigned exponent);
  // Returns r with r' w = a'.
  Next integral(const Next& a, const Stream& w);
  Next inverse_function(kernel::Elementary op, const Stream& a);
  Next direction(const Stream& y, const Stream& x);
  Next of_arithmetic(kernel::Arithmetic op, const Stream& a, const Stream& b, const Stream& c, Value zero);
  Next of_function(kernel::Elementary op, const Stream& a, const Stream& b, Value zero);
  Next of_pieces(kernel::Piecewise op, const Stream& a, const Stream& b, const Stream& c);
  Next chosen(Value condition, const Next& yes, const Next& no);
  Next smaller_or_larger(kernel::Piecewise op, const Stream& a, const Stream& b);

  std::map<std::pair<Value, bool>, Partners> turned_;  // by the argument of sine and cosine
  std::string refused_;
};

}  // namespace mbc::formulate
