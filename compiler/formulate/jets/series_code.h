// SPDX-License-Identifier: Apache-2.0
// The code that computes Taylor coefficients, in two parts: the code of order 0, which runs once with values, and the
// code of every order k > 0, with coefficients of that order. Sums over lower orders, called pairs,
//
//   P_k = sum_(j=1)^(k-1) x_j y_(k-j),
//
// are computed before the code of the order begins; that code states from which coefficients they are formed.
#pragma once
#include <map>
#include <optional>
#include <utility>

#include "compiler/formulate/steps/code_builder.h"

namespace mbc::formulate {

// The target of an access of the code before the sizes of the arrays are known: an array and a place in it as one
// index.
enum class JetArray : std::uint8_t {
  plain,       // the place itself
  state,       // coefficients of the state, of the present order
  state_next,  // coefficients of the state, of the next order
  left,        // x and y of the pairs, of the present order
  right,
  squared,  // x of the pairs with x = y
  sums,     // P_k of the pairs, and of the squares
  square_sums,
  held,    // values of order 0
  number,  // k, 1/k, 1/(k + 1), the coefficient of the time
  reciprocal,
  reciprocal_next,
  time
};
inline constexpr std::size_t kJetArrays = static_cast<std::size_t>(JetArray::time) + 1;
inline constexpr std::uint32_t kJetArrayBits = 26;  // bits of the index for the place
inline constexpr std::uint32_t in_array(JetArray array, std::uint32_t place) {
  return static_cast<std::uint32_t>(array) << kJetArrayBits | place;
}

class SeriesCode {
 public:
  using Value = CodeBuilder::Value;
  // An expression along the motion: its value, from the code of order 0, and its coefficient, from the code of any
  // higher order; without a coefficient it is constant in time.
  struct Stream {
    Value zero = 0;
    std::optional<Value> next;
  };

  Stream constant(double value);
  // Returns a parameter, an input or a mask.
  Stream fixed(Space space, std::uint32_t index);
  Stream time();
  Stream state(std::uint32_t entry);
  // Sets the rate of one of n entries, which gives the first coefficient of the state.
  void rate(std::uint32_t entry, std::uint32_t n, const Stream& stream);

  CodeBuilder start, next;  // the code of order 0, and of an order k > 0
  [[nodiscard]] std::uint32_t n_pairs() const { return n_pairs_; }
  [[nodiscard]] std::uint32_t n_squares() const { return n_squares_; }
  [[nodiscard]] std::uint32_t n_held() const { return n_held_; }

 protected:
  using Next = std::optional<Value>;

  // Operations of the code of order 0 and of order k, with the place in the text of the operation that is developed.
  Value early(Op op, Value a, Value b = 0, Value c = 0) { return start.op(op, a, b, c, origin_); }
  Value late(Op op, Value a, Value b = 0, Value c = 0) { return next.op(op, a, b, c, origin_); }
  void develop(Span origin) { origin_ = origin; }

  // Returns a value of order 0 for use in the code of order k.
  Value held(Value zero);
  // Returns the number of a value of order 0, if it is a literal.
  [[nodiscard]] std::optional<double> literal(Value zero) const;
  Value product(Value a, Value b) { return late(Op::mul, a, b); }
  Value fused(Value a, Value b, Value c) { return late(Op::fma, a, b, c); }
  Value negative(Value a) { return late(Op::neg, a); }
  Value derivative(Value coefficient) { return product(number(JetArray::number), coefficient); }  // k x_k
  Value by_order(Value x) { return product(number(JetArray::reciprocal), x); }                    // x/k

  // P_k of two values; open_pair() is for a value that depends on P_k itself and is set later by close_pair().
  Value pair(Value x, Value y);
  std::pair<std::uint32_t, Value> open_pair();
  void close_pair(std::uint32_t pair, Value x, Value y);
  Value square(Value x);
  std::pair<std::uint32_t, Value> open_square();
  void close_square(std::uint32_t square, Value x);

 private:
  Value number(JetArray which) { return next.load(Space::work, in_array(which, 0)); }

  Span origin_;
  std::map<Value, double> constants_;                       // constants of `start`
  std::map<Value, std::pair<Space, std::uint32_t>> fixed_;  // values that are loaded from their original places
  std::map<Value, Value> held_;                             // in `next`
  std::map<std::pair<Value, Value>, std::uint32_t> pairs_;
  std::map<Value, std::uint32_t> squares_;
  std::uint32_t n_pairs_ = 0, n_squares_ = 0, n_held_ = 0;
};

}  // namespace mbc::formulate
