// SPDX-License-Identifier: Apache-2.0
// Whose operation failed. Kernels merge statements of equal shape and equal subexpressions; the system still knows each
// instance of a template, so its expressions are evaluated one by one. Not for inner loops.
#pragma once
#include <optional>
#include <span>

#include "compiler/lower/item_name.h"

namespace mbc::lower {

struct StateValues {  // SI; state: [q; u; s]
  double t = 0;
  const double* state = nullptr;
  std::span<const double> params, inputs;
};

// The first statement with an operation at `origin` that is not finite although its operands are. Where none is found
// (its operands are results of the equations of motion, say): the only statement that has an operation there.
std::optional<ItemPlace> failed_item(const System& system, const sema::Model& model, Span origin,
                                     const StateValues& at);

}  // namespace mbc::lower
