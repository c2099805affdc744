// SPDX-License-Identifier: Apache-2.0
// Parts of messages: counts, quoted names, texts made safe to print. They are in one place, so that all messages are
// worded alike.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/name.h"

namespace mbc {

// Returns "1 row", "3 rows"; "2 bodies".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);
// Returns the count with an irregular plural: counted(2, "index", "indices").
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one, std::string_view many);
// Returns "no arguments", "1 argument".
[[nodiscard]] std::string counted_or_no(std::uint64_t count, std::string_view noun);

// Returns the text without the blanks, tabs and line ends around it.
[[nodiscard]] std::string trimmed(std::string_view text);

// Returns "a, b, c".
[[nodiscard]] std::string joined(const std::vector<std::string>& list, std::string_view separator = ", ");

// Returns the length of the well-formed UTF-8 sequence at `at`, 0 if there is none (Unicode 15, table 3-7: no overlong
// forms, no surrogates, nothing above U+10FFFF).
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t at);

// Returns the code point of `text` at `at` and advances `at`; bytes that are not UTF-8 yield U+FFFD one by one.
char32_t next_code_point(std::string_view text, std::size_t& at);

// Returns whether a character moves the cursor, controls the terminal or changes the direction of writing.
[[nodiscard]] bool is_control(char32_t c);

// Limit in bytes for a text inside a sentence, for printable() and quoted().
inline constexpr std::size_t kExcerpt = 60;

// Returns the text as a stream may show it, to a terminal or a program: control characters, controls of the writing
// direction and bytes that are not UTF-8 are written as `\u001b` and `\xff`; tabs and line ends stay. In strings of
// JSON, where alone such characters can occur, that form is JSON's own. All printed text passes through this
// (tools/streams.h).
[[nodiscard]] std::string escaped(std::string_view text);

// Returns the text with control characters escaped, cut to `limit` bytes at a code point: for any text of a model that
// goes to a terminal.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 200);
template <std::same_as<Name> N>  // excludes types that convert to Name
[[nodiscard]] std::string printable(const N& name) {
  return printable(name.text());
}

// Returns printable() in backticks, as all messages show texts of a model. The overloads hide std::quoted, which
// argument-dependent lookup would find for a std::string.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t limit = 200);
[[nodiscard]] inline std::string quoted(const std::string& text, std::size_t limit = 200) {
  return quoted(std::string_view(text), limit);
}
[[nodiscard]] inline std::string quoted(std::string& text) { return quoted(std::string_view(text)); }
[[nodiscard]] inline std::string quoted(const char* text, std::size_t limit = 200) {
  return quoted(std::string_view(text), limit);
}

// Returns the candidate closest to `name` by edit distance, or "" if none is close enough to suggest.
[[nodiscard]] std::string nearest(std::string_view name, const std::vector<std::string>& candidates);
// Returns a help that names the candidate closest to `name`, or `otherwise` if none is close enough.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates,
                                       std::string otherwise = "");

}  // namespace mbc
