// The `simulate` block: settings to plain data, each checked, none ignored.
#pragma once
#include "compiler/sema/elaborate.h"
#include "compiler/sema/evaluate.h"

namespace mbc::sema {

Simulation simulation(const ast::Simulate& s, Span span, const Scope& scope, Model& model, Evaluator& evaluator,
                      const std::vector<Override>& overrides, Sink& sink);

}  // namespace mbc::sema
