// SPDX-License-Identifier: Apache-2.0
// Small words of messages: counts, quoted names, texts made safe to print. One home, so that all messages say them
// alike.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/name.h"

namespace mbc {

// "1 row", "3 rows"; "2 bodies".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);
// Where an `s` is not enough: counted(2, "index", "indices").
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one, std::string_view many);
// "no arguments", "1 argument".
[[nodiscard]] std::string counted_or_no(std::uint64_t count, std::string_view noun);

// Without the blanks, tabs and line ends around it.
[[nodiscard]] std::string trimmed(std::string_view text);

// "a, b, c".
[[nodiscard]] std::string joined(const std::vector<std::string>& list, std::string_view separator = ", ");

// Length of the well-formed UTF-8 sequence at `at`, 0 where there is none (Unicode 15, table 3-7: no overlong forms, no
// surrogates, nothing above U+10FFFF).
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t at);

// The next code point of `text` at `at`, which moves on; bytes that are no UTF-8 come one by one as U+FFFD.
char32_t next_code_point(std::string_view text, std::size_t& at);

// What moves the cursor, speaks to the terminal or turns the direction of writing.
[[nodiscard]] bool is_control(char32_t c);

// Bytes of a text that stands inside a sentence: a limit for printable and quoted.
inline constexpr std::size_t kExcerpt = 60;

// As a stream may show it, to a terminal or a program: control characters, controls of the writing direction and bytes
// that are no UTF-8 are written out, `\u001b` and `\xff`; tabs and line ends stay. In strings of JSON, which has no
// other places for them, that form is JSON's own. Everything that is printed goes through this (tools/streams.h).
[[nodiscard]] std::string escaped(std::string_view text);

// Control characters escaped, cut to `limit` bytes at a code point: anything from a model that goes to a terminal.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 200);
template <std::same_as<Name> N>  // nothing that would become one
[[nodiscard]] std::string printable(const N& name) {
  return printable(name.text());
}

// Printable and in backticks, as all messages show what stands in a model. The overloads keep std::quoted away, which
// argument-dependent lookup would find for a std::string.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t limit = 200);
[[nodiscard]] inline std::string quoted(const std::string& text, std::size_t limit = 200) {
  return quoted(std::string_view(text), limit);
}
[[nodiscard]] inline std::string quoted(std::string& text) { return quoted(std::string_view(text)); }
[[nodiscard]] inline std::string quoted(const char* text, std::size_t limit = 200) {
  return quoted(std::string_view(text), limit);
}

// The candidate closest to `name` by edit distance, or "" when none is near enough to suggest.
[[nodiscard]] std::string nearest(std::string_view name, const std::vector<std::string>& candidates);
// The help names the candidate closest to `name`; it is `otherwise` when none is near enough.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates,
                                       std::string otherwise = "");

}  // namespace mbc
