// SPDX-License-Identifier: Apache-2.0
// Whose operation failed. Kernels merge statements of equal shape and equal subexpressions; the system still knows each
// instance of a template, so its expressions are evaluated one by one. Not for inner loops.
#pragma once
#include <optional>

#include "compiler/lower/item_name.h"

namespace mbc::lower {

// The first statement with an operation at that place of the text that is not finite although its operands are. Where
// none is found (its operands are results of the equations of motion, say): the only statement that has an operation
// there.
std::optional<ItemPlace> failed_item(const System& system, const sema::Model& model,
                                     const problem::FailedOperation& failed);

// Whether the model has instances, or elements of arrays of loads, rows, states or outputs: a place in the text does
// not say which of them it is.
bool written_many_times(const sema::Model& model);

}  // namespace mbc::lower
