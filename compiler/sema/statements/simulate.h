// SPDX-License-Identifier: Apache-2.0
// The `simulate` block: settings to plain data, each checked, none ignored.
#pragma once
#include <vector>

#include "compiler/sema/elaborate.h"
#include "compiler/sema/expressions/evaluator.h"

namespace mbc::sema {

// Applies the overrides of the block and marks those that are used.
Simulation simulation(const ast::Simulate& s, Span span, const Scope& scope, Model& model, Evaluator& evaluator,
                      const std::vector<Override>& overrides, Sink& sink);

}  // namespace mbc::sema
