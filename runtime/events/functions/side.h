// SPDX-License-Identifier: Apache-2.0
// The sign of an event function, and the truth of a condition that follows from the signs of its comparisons.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernel/enclosure.h"
#include "kernel/problem/events.h"

namespace mbc::runtime {

// Of conditions: false, unknown, true.
enum class Side : std::int8_t { below = -1, open = 0, above = 1 };

constexpr bool known(Side side) { return side >= Side::below && side <= Side::above; }

inline Side flipped(Side s) { return static_cast<Side>(-static_cast<int>(s)); }

// By Kleene's logic. side_of(term): of a comparison, or of what has a truth of its own.
template <class SideOf>
Side condition_side(const std::vector<problem::ConditionTerm>& terms, SideOf&& side_of) {
  constexpr std::size_t kFew = 16;
  std::array<Side, kFew> few{};
  std::vector<Side> many(terms.size() > kFew ? terms.size() : 0);
  const std::span<Side> sides = many.empty() ? std::span<Side>(few).first(terms.size()) : std::span<Side>(many);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const problem::ConditionTerm& c = terms[k];
    switch (c.kind) {
      case problem::ConditionTerm::Kind::comparison:
      case problem::ConditionTerm::Kind::exact:
        sides[k] = side_of(c);
        break;
      case problem::ConditionTerm::Kind::all:
        sides[k] = std::min(sides[c.a], sides[c.b]);
        break;
      case problem::ConditionTerm::Kind::any:
        sides[k] = std::max(sides[c.a], sides[c.b]);
        break;
      case problem::ConditionTerm::Kind::negation:
        sides[k] = flipped(sides[c.a]);
        break;
    }
  }
  return sides.back();
}

// How the side of a number is told.
enum class Reading : std::uint8_t {
  number,   // its sign
  less,     // a comparison that does not hold at its limit
  at_most,  // and one that does
  truth     // 1 or 0
};
inline Reading reading_of(const problem::ConditionTerm& c) {
  if (c.kind == problem::ConditionTerm::Kind::exact) return Reading::truth;
  return c.at_limit ? Reading::at_most : Reading::less;
}

// What values in these bounds say; nothing where they may say different things.
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

// Whether what changes at such a rate may come back to a value within a stretch, as far as that rate says.
inline bool may_turn(const kernel::Interval& rate, Reading reading) {
  return reading == Reading::truth || !(rate.bounded() && (rate.low > 0 || rate.high < 0));
}

// f(number, how it is read), for each number that decides on the side of an event.
template <class F>
void each_number(const problem::Event& e, F&& f) {
  if (e.kind != problem::Event::Kind::condition) return f(e.value, Reading::number);
  for (const problem::ConditionTerm& c : e.terms)
    if (c.kind == problem::ConditionTerm::Kind::comparison || c.kind == problem::ConditionTerm::Kind::exact)
      f(c.value, reading_of(c));
}

}  // namespace mbc::runtime
