// SPDX-License-Identifier: Apache-2.0
// Typed texts of the language: the characters of names, and pieces between signs outside of brackets.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace mbc::tools {

// Returns whether a byte is a letter, a digit, `_` or part of a character outside of ASCII.
[[nodiscard]] inline bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80u;
}

// Splits a text at a sign outside of brackets; an empty text gives one empty piece.
[[nodiscard]] inline std::vector<std::string> pieces_between(char sign, const std::string& text) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == sign && depth == 0)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

// Splits "a, f(b, c)" into "a" and " f(b, c)".
[[nodiscard]] inline std::vector<std::string> pieces_between_commas(const std::string& text) {
  return pieces_between(',', text);
}

// "hinge.angle in [deg]": a quantity, and the unit to show it in.
struct QuantityText {
  std::string name;
  std::optional<std::string> unit;  // nothing: that of the quantity
};

[[nodiscard]] inline QuantityText quantity_text(const std::string& text) {
  const std::size_t at = text.rfind(" in [");
  if (at == std::string::npos || !text.ends_with("]")) return {text, {}};
  std::string name = text.substr(0, at);
  name.erase(name.find_last_not_of(' ') + 1);
  return {name, text.substr(at + 5, text.size() - at - 6)};
}

}  // namespace mbc::tools
