// SPDX-License-Identifier: Apache-2.0
// Parses a unit in a text that is no model: the header of a table.
#pragma once
#include <optional>
#include <string_view>

#include "compiler/ast/ast.h"

namespace mbc::sema {

// Parses "kg*m^2/s", "1/s", "N/(m/s)", "m^(1/2)" as between the brackets of a model; `place` is the place of the text.
[[nodiscard]] std::optional<ast::Unit> parse_unit(std::string_view text, Span place);

}  // namespace mbc::sema
