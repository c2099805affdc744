// SPDX-License-Identifier: Apache-2.0
// The `simulate` block: settings to plain data, each checked, none ignored.
#pragma once
#include "compiler/sema/elaborate.h"
#include "compiler/sema/evaluate.h"

namespace mbc::sema {

Simulation simulation(const ast::Simulate& s, Span span, const Scope& scope, Model& model, Evaluator& evaluator,
                      const std::vector<Override>& overrides, Sink& sink);

// What `integrator`, `formulation`, `stabilise` or `bodies` may be, in the order of the documents.
std::vector<std::string> method_names(const std::string& key);

}  // namespace mbc::sema
