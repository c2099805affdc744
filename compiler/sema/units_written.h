// SPDX-License-Identifier: Apache-2.0
// Whether a model has units: one with a dimension written anywhere makes its numbers carry dimensions. An angle in
// degrees is a number like any other, and does not.
#pragma once
#include "compiler/ast/ast.h"

namespace mbc::sema {

bool units_written(const ast::File& file);

}  // namespace mbc::sema
