// SPDX-License-Identifier: Apache-2.0
// Expressions as text: for terminals, for LaTeX and in the languages of programs, with as few parentheses as each
// needs.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "compiler/reading/expression.h"
#include "compiler/reading/language.h"

namespace mbc::reading {

// The text of a symbol, by its number.
using TextOfSymbol = std::function<std::string(std::uint32_t)>;

// One line, with marks where it may be broken.
[[nodiscard]] std::string print(const Expression& expression, Language language, const TextOfSymbol& symbol);

// A text with marks as one line.
[[nodiscard]] std::string on_one_line(std::string_view marked);
// As lines of at most `width` columns, broken at the marks that are least deep in parentheses. `between` ends one line
// and begins the next; columns of what stands before the text count as `used`.
[[nodiscard]] std::string on_lines(std::string_view marked, std::size_t width, std::size_t used,
                                   std::string_view between);

}  // namespace mbc::reading
