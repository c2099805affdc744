// SPDX-License-Identifier: Apache-2.0
// The languages that expressions are written in, and how each spells the operations: one table for all of them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/op.h"

namespace mbc::reading {

// `text` has Greek letters and raised exponents; `ascii` is the language of models itself.
enum class Language : std::uint8_t { text, ascii, latex, c, python, octave, sympy, julia };

// Programs compute: their numbers are not rewritten as fractions.
[[nodiscard]] constexpr bool is_program(Language l) { return l >= Language::c; }

// How a language writes sums, products and powers.
struct Operators {
  std::string_view times;      // between two factors
  std::string_view divided;    // between numerator and denominator; "" where a fraction is drawn
  std::string_view power;      // between base and exponent; "" where it is raised or a function
  bool decimal_point = false;  // 1/2 is a division of integers there
};
[[nodiscard]] const Operators& operators_of(Language language);

// A pattern with its operands in place of $1, $2, ...
[[nodiscard]] std::string filled(std::string_view pattern, const std::vector<std::string>& operands);

// The pattern of an operation, with $1, $2, $3 in place of its operands. One that begins with an operand stands between
// them.
[[nodiscard]] std::string pattern_of(kernel::Op op, Language language);

}  // namespace mbc::reading
