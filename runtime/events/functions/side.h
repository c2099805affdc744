// SPDX-License-Identifier: Apache-2.0
// The side of an event function, and the truth of a condition that follows from the sides of its comparisons.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "kernel/enclosure.h"
#include "kernel/problem/events.h"

namespace mbc::runtime {

// For conditions the values mean false, unknown, true.
enum class Side : std::int8_t { below = -1, open = 0, above = 1 };

constexpr bool known(Side side) { return side >= Side::below && side <= Side::above; }

inline Side flipped(Side s) { return static_cast<Side>(-static_cast<int>(s)); }

inline double flipped(double margin) { return -margin; }

// Combines the values of a condition's comparisons, and of terms with a truth of their own: `and` takes the smaller
// one, `or` the larger one, and `not` the opposite. Sides combine by Kleene's logic. of_term(term) gives the values.
template <class OfTerm>
auto combined(const std::vector<problem::ConditionTerm>& terms, OfTerm&& of_term) {
  using Value = std::invoke_result_t<OfTerm&, const problem::ConditionTerm&>;
  constexpr std::size_t kFew = 16;
  std::array<Value, kFew> few{};
  std::vector<Value> many(terms.size() > kFew ? terms.size() : 0);
  const std::span<Value> values = many.empty() ? std::span<Value>(few).first(terms.size()) : std::span<Value>(many);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const problem::ConditionTerm& c = terms[k];
    switch (c.kind) {
      case problem::ConditionTerm::Kind::comparison:
      case problem::ConditionTerm::Kind::exact:
        values[k] = of_term(c);
        break;
      case problem::ConditionTerm::Kind::all:
        values[k] = std::min(values[c.a], values[c.b]);
        break;
      case problem::ConditionTerm::Kind::any:
        values[k] = std::max(values[c.a], values[c.b]);
        break;
      case problem::ConditionTerm::Kind::negation:
        values[k] = flipped(values[c.a]);
        break;
    }
  }
  return values.back();
}

// The rule by which a number is read as a side.
enum class Reading : std::uint8_t {
  number,   // its sign
  less,     // a comparison that does not hold at its limit
  at_most,  // a comparison that holds at its limit
  truth     // 1 or 0
};
inline Reading reading_of(const problem::ConditionTerm& c) {
  if (c.kind == problem::ConditionTerm::Kind::exact) return Reading::truth;
  return c.at_limit ? Reading::at_most : Reading::less;
}

// Returns the side that all values within these bounds have, or nothing if they differ.
inline std::optional<Side> side_within(const kernel::Interval& v, Reading reading) {
  switch (reading) {
    case Reading::number:
      if (v.low == 0 && v.high == 0) return Side::open;
      break;
    case Reading::less:
      if (v.high <= 0) return Side::below;
      break;
    case Reading::at_most:
      if (v.low >= 0) return Side::above;
      break;
    case Reading::truth:
      if (v.low == v.high) return v.low != 0 ? Side::above : Side::below;
      return {};
  }
  if (v.low > 0) return Side::above;
  if (v.high < 0) return Side::below;
  return {};
}

// Returns whether a number with this rate may return to a value within a stretch, as far as the rate shows.
inline bool may_turn(const kernel::Interval& rate, Reading reading) {
  return reading == Reading::truth || !(rate.bounded() && (rate.low > 0 || rate.high < 0));
}

// Calls f(number, reading) for each number that decides the side of an event.
template <class F>
void each_number(const problem::Event& e, F&& f) {
  if (e.kind != problem::Event::Kind::condition) return f(e.value, Reading::number);
  for (const problem::ConditionTerm& c : e.terms)
    if (c.kind == problem::ConditionTerm::Kind::comparison || c.kind == problem::ConditionTerm::Kind::exact)
      f(c.value, reading_of(c));
}

// Calls f(number) for each number whose size an event compares with zero. Jumps inside a term are among them.
template <class F>
void each_signed_number(const problem::Event& e, F&& f) {
  if (e.kind != problem::Event::Kind::condition) return f(e.value);
  for (const problem::ConditionTerm& c : e.terms) {
    if (c.kind == problem::ConditionTerm::Kind::comparison) f(c.value);
    for (const std::uint32_t edge : c.edges) f(edge);
  }
}

}  // namespace mbc::runtime
