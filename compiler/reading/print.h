// SPDX-License-Identifier: Apache-2.0
// Expressions as text: for terminals, for LaTeX and in the languages of programs, with as few parentheses as each
// needs.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/reading/expression.h"
#include "compiler/reading/language.h"

namespace mbc::reading {

// The text of a symbol, by its number.
using TextOfSymbol = std::function<std::string(std::uint32_t)>;

// One line, with marks where it may be broken.
[[nodiscard]] std::string print(const Expression& expression, Language language, const TextOfSymbol& symbol);

// Texts with marks behind each other: "a, b". A line may end behind each comma.
[[nodiscard]] std::string listed(const std::vector<std::string>& marked);

// A text with marks as one line.
[[nodiscard]] std::string on_one_line(std::string_view marked);
// As lines of at most `width` columns, broken at the marks that are least deep in parentheses. `between` ends one line
// and begins the next; columns of what stands before the text count as `used`.
[[nodiscard]] std::string on_lines(std::string_view marked, std::size_t width, std::size_t used,
                                   std::string_view between);

// The same for LaTeX, in columns as they are typeset. Delimiters that grow are closed at the end of a line and opened
// again on the next one.
[[nodiscard]] std::string on_lines_in_latex(std::string_view marked, std::size_t width, std::size_t used,
                                            std::string_view between);
// Columns of a formula in LaTeX, roughly.
[[nodiscard]] std::size_t width_in_latex(std::string_view text);

}  // namespace mbc::reading
