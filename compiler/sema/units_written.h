// SPDX-License-Identifier: Apache-2.0
// Tests whether a model has units: if a dimension is written anywhere, its numbers carry dimensions. An angle in
// degrees is a number like any other and does not count.
#pragma once
#include "compiler/ast/ast.h"

namespace mbc::sema {

bool units_written(const ast::File& file);

}  // namespace mbc::sema
