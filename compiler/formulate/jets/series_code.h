// SPDX-License-Identifier: Apache-2.0
// The code that Taylor coefficients are made by, in two pieces: what is done once, with values, and what is done for
// every order k > 0, with coefficients of that order. Sums over lower orders,
//
//   P_k = sum_(j=1)^(k-1) x_j y_(k-j),
//
// "pairs", are there before the code of the order begins; it says which coefficients they are formed of.
#pragma once
#include <map>
#include <optional>
#include <utility>

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

class SeriesCode {
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
  Stream fixed(Space space, std::uint32_t index);
  Stream time();
  Stream state(std::uint32_t entry);
  // The rate of an entry of n, and the first coefficient of the state that follows.
  void rate(std::uint32_t entry, std::uint32_t n, const Stream& stream);

  CodeBuilder start, next;  // the code of order 0, and of an order k > 0
  [[nodiscard]] std::uint32_t n_pairs() const { return n_pairs_; }
  [[nodiscard]] std::uint32_t n_squares() const { return n_squares_; }
  [[nodiscard]] std::uint32_t n_held() const { return n_held_; }

 protected:
  using Next = std::optional<Value>;

  // Operations of the code of order 0 and of order k, with the place of the one that is developed.
  Value early(Op op, Value a, Value b = 0, Value c = 0) { return start.op(op, a, b, c, origin_); }
  Value late(Op op, Value a, Value b = 0, Value c = 0) { return next.op(op, a, b, c, origin_); }
  void develop(Span origin) { origin_ = origin; }

  // A value of order 0, in the code of order k.
  Value held(Value zero);
  // The number that a value of order 0 is, where it is a literal.
  [[nodiscard]] std::optional<double> literal(Value zero) const;
  Value product(Value a, Value b) { return late(Op::mul, a, b); }
  Value fused(Value a, Value b, Value c) { return late(Op::fma, a, b, c); }
  Value negative(Value a) { return late(Op::neg, a); }
  Value derivative(Value coefficient) { return product(number(JetArray::number), coefficient); }  // k x_k
  Value by_order(Value x) { return product(number(JetArray::reciprocal), x); }                    // x/k

  // P_k of two values, or of one that follows from it and is told later.
  Value pair(Value x, Value y);
  std::pair<std::uint32_t, Value> open_pair();
  void close_pair(std::uint32_t pair, Value x, Value y);
  Value square(Value x);
  std::pair<std::uint32_t, Value> open_square();
  void close_square(std::uint32_t square, Value x);

 private:
  Value number(JetArray which) { return next.load(Space::work, in_array(which, 0)); }

  Span origin_;
  std::map<Value, double> constants_;                       // of `start`
  std::map<Value, std::pair<Space, std::uint32_t>> fixed_;  // that are loaded where they lie
  std::map<Value, Value> held_;                             // in `next`
  std::map<std::pair<Value, Value>, std::uint32_t> pairs_;
  std::map<Value, std::uint32_t> squares_;
  std::uint32_t n_pairs_ = 0, n_squares_ = 0, n_held_ = 0;
};

}  // namespace mbc::formulate
