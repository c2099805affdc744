// SPDX-License-Identifier: Apache-2.0
// The unit that a value is written in, for what is said about numbers without one.
#pragma once
#include <string>

#include "compiler/ast/ast.h"
#include "compiler/sema/units.h"

namespace mbc::sema {

// Returns the unit of `80 [deg]` or `-80 [deg]`; null for any other expression.
[[nodiscard]] const ast::Unit* written_unit(const ast::Expr& e);
// Returns the SI unit for numbers of this dimension written in the unit: "rad" for degrees, "rad/s" for [rpm].
[[nodiscard]] std::string si_text(const ast::Unit& written, const Dimension& dimension);

}  // namespace mbc::sema
