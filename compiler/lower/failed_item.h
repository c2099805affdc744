// SPDX-License-Identifier: Apache-2.0
// Finds the statement whose operation failed. Kernels merge statements of equal shape and equal subexpressions, but the
// system still has each instance of a template, so its expressions are evaluated one by one. This is too slow for inner
// loops.
#pragma once
#include <optional>

#include "compiler/lower/item_name.h"

namespace mbc::lower {

// Returns the first statement with an operation at that place of the text that is not finite although its operands are.
// If there is none (because its operands are results of the equations of motion, say), returns the only statement that
// has an operation there.
std::optional<ItemPlace> failed_item(const System& system, const sema::Model& model,
                                     const problem::FailedOperation& failed);

// Returns whether the model has instances, or elements of arrays of loads, rows, states or outputs. A place in the text
// then does not tell which of them it is.
bool written_many_times(const sema::Model& model);

}  // namespace mbc::lower
