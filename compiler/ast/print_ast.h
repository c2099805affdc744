// SPDX-License-Identifier: Apache-2.0
// The syntax tree as stable text (mbc compile --emit=ast): an indented list, one node a line, `kind detail`.
#pragma once
#include <string>

#include "compiler/ast/ast.h"

namespace mbc::ast {
std::string print(const File& file);
std::string print(const Expr& expr);
}  // namespace mbc::ast
