// SPDX-License-Identifier: Apache-2.0
// A unit that stands in a text that is no model: the header of a table.
#pragma once
#include <optional>
#include <string_view>

#include "compiler/ast/ast.h"

namespace mbc::sema {

// "kg*m^2/s", "1/s", "N/(m/s)", "m^(1/2)" as between the brackets of a model; `place` is where the text stands.
[[nodiscard]] std::optional<ast::Unit> parse_unit(std::string_view text, Span place);

}  // namespace mbc::sema
