// SPDX-License-Identifier: Apache-2.0
// Taylor coefficients of an expression from those of its operands, operation by operation (Moore 1966; the recurrences
// of Jorba and Zou, "A software package for the numerical integration of ODEs by means of high-order Taylor methods",
// Exp. Math. 14, 2005). With x_k the coefficient of h^k in x(t + h), the coefficient of order k is linear in those of
// order k of the operands. What else there is are sums over lower orders,
//
//   P_k = sum_(j=1)^(k-1) x_j y_(k-j),
//
// "pairs", which no value of order k takes part in: all of them are known before the order begins, and are formed side
// by side (jet.cpp). docs/numerics.md, section 3.6, lists the recurrences.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/formulate/steps/code_builder.h"

namespace mbc::formulate {

// Where an access of the code goes, before it is known how large the arrays are: an array and a place in it as one
// index.
enum class JetArray : std::uint8_t {
  plain,       // the place itself
  state,       // coefficients of the state, of the order at hand
  state_next,  // of the next order
  left,        // x and y of the pairs, of the order at hand
  right,
  squared,  // x of the pairs with x = y
  sums,     // P_k of the pairs, and of those
  square_sums,
  held,    // values of order 0
  number,  // k, 1/k, 1/(k + 1), the coefficient of the time
  reciprocal,
  reciprocal_next,
  time
};
inline constexpr std::size_t kJetArrays = static_cast<std::size_t>(JetArray::time) + 1;
inline constexpr std::uint32_t kJetArrayBits = 26;  // of the index, for the place
inline constexpr std::uint32_t in_array(JetArray array, std::uint32_t place) {
  return static_cast<std::uint32_t>(array) << kJetArrayBits | place;
}

class Recurrences {
 public:
  using Value = CodeBuilder::Value;
  // An expression along the motion: its value, of the code of order 0, and its coefficient, of the code of any higher
  // order; without one it does not change in time.
  struct Stream {
    Value zero = 0;
    std::optional<Value> next;
  };

  Stream constant(double value);
  // Parameters, inputs, masks.
  Stream fixed(kernel::Space space, std::uint32_t index);
  Stream time();
  Stream state(std::uint32_t entry);
  // a, b, c: operands, those the operation has. Nothing where there is no recurrence: refused() says why.
  std::optional<Stream> apply(kernel::Op op, const Stream& a, const Stream& b, const Stream& c, Span origin);
  [[nodiscard]] const std::string& refused() const { return refused_; }

  // The rate of an entry of n, and the first coefficient of the state that follows.
  void rate(std::uint32_t entry, std::uint32_t n, const Stream& stream);

  CodeBuilder start, next;  // the code of order 0, and of an order k > 0
  [[nodiscard]] std::uint32_t n_pairs() const { return n_pairs_; }
  [[nodiscard]] std::uint32_t n_squares() const { return n_squares_; }
  [[nodiscard]] std::uint32_t n_held() const { return n_held_; }

 private:
  using Next = std::optional<Value>;

  // Operations of the code of order 0 and of order k, with the place of the one that is developed.
  Value early(kernel::Op op, Value a, Value b = 0, Value c = 0) { return start.op(op, a, b, c, origin_); }
  Value late(kernel::Op op, Value a, Value b = 0, Value c = 0) { return next.op(op, a, b, c, origin_); }

  // ---- in the code of order k
  Value held(Value zero);
  Value product(Value a, Value b) { return late(kernel::Op::mul, a, b); }
  Value fused(Value a, Value b, Value c) { return late(kernel::Op::fma, a, b, c); }
  Value negative(Value a) { return late(kernel::Op::neg, a); }
  Value number(JetArray which) { return next.load(kernel::Space::work, in_array(which, 0)); }
  Value derivative(Value coefficient) { return product(number(JetArray::number), coefficient); }  // k x_k
  Value by_order(Value x) { return product(number(JetArray::reciprocal), x); }                    // x/k
  Next sum(const Next& a, const Next& b);
  Next difference(const Next& a, const Next& b);
  Next multiple(Value zero, const Next& a);
  // P_k of two values, or of one that follows from it and is told later.
  Value pair(Value x, Value y);
  std::pair<std::uint32_t, Value> open_pair();
  void close_pair(std::uint32_t pair, Value x, Value y);
  Value square(Value x);
  std::pair<std::uint32_t, Value> open_square();
  void close_square(std::uint32_t square, Value x);

  // ---- in the code of order 0
  Value twice(Value zero) { return early(kernel::Op::add, zero, zero); }
  Value inverse(Value zero) { return early(kernel::Op::div, constant(1).zero, zero); }

  // ---- recurrences; `zero` is the value of order 0
  Stream multiplied(const Stream& a, const Stream& b);
  Next times(const Stream& a, const Stream& b);
  Next divided(const Stream& a, const Stream& b, Value zero);
  Next root(const Next& radicand, Value zero);
  struct Partners {
    Stream first, second;  // sine and cosine, of the circle or the hyperbola
  };
  const Partners& turned(const Stream& a, bool hyperbolic);
  Next tangent(const Stream& a, Value zero, bool hyperbolic);
  Next exponential(const Next& a, Value zero);
  Next logarithm(const Stream& a);
  Next power(const Stream& a, const Stream& b, Value zero);
  Next whole_power(const Stream& a, unsigned exponent);
  // r with r' w = a'
  Next integral(const Next& a, const Stream& w);
  Next inverse_function(kernel::Op op, const Stream& a);
  Next direction(const Stream& y, const Stream& x);
  Next of_function(kernel::Op op, const Stream& a, const Stream& b, Value zero);
  Next of_choice(kernel::Op op, const Stream& a, const Stream& b, const Stream& c);
  Next chosen(Value condition, const Next& yes, const Next& no);
  Next smaller_or_larger(kernel::Op op, const Stream& a, const Stream& b);

  std::map<Value, double> constants_;                               // of `start`
  std::map<Value, std::pair<kernel::Space, std::uint32_t>> fixed_;  // that are loaded where they lie
  std::map<Value, Value> held_;                                     // in `next`
  std::map<std::pair<Value, Value>, std::uint32_t> pairs_;
  std::map<Value, std::uint32_t> squares_;
  std::map<std::pair<Value, bool>, Partners> turned_;  // by the value turned by
  std::uint32_t n_pairs_ = 0, n_squares_ = 0, n_held_ = 0;
  Span origin_;
  std::string refused_;
};

}  // namespace mbc::formulate
