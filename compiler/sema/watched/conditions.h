// SPDX-License-Identifier: Apache-2.0
// The condition of a `when`, taken apart into the distances of its continuous comparisons from their limits. With them
// a run tells a condition that has clearly become false from one that is false by rounding.
#pragma once
#include <optional>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "compiler/sema/model.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

// Returns nothing and reports numbers that vary continuously and are compared by `==` or `!=`. `span` is the condition.
std::optional<std::vector<ConditionTerm>> condition_terms(Model& model, NodeId condition, Span span, Sink& sink);

}  // namespace mbc::sema
