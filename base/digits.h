// SPDX-License-Identifier: Apache-2.0
// The decimal digits of ASCII.
#pragma once
#include <algorithm>
#include <string_view>

namespace mbc {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Returns whether a text is a number without sign, point or exponent.
[[nodiscard]] inline bool all_digits(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), is_digit);
}

}  // namespace mbc
