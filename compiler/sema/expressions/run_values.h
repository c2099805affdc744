// SPDX-License-Identifier: Apache-2.0
// Functions that only a test or a sweep can use: initial(e), final(e), min_over(e), max_over(e), which are values of a
// whole run, and `residuals`. A run value is an input leaf of the graph; the runner of the test sets it
// (runtime/run/check_run.h). In the rest of a model initial(e) is a discrete variable, which an event sets when a run
// begins.
#pragma once
#include <string>
#include <vector>

#include "compiler/sema/expressions/value_checks.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

class RunValues : public ValueChecks {
 public:
  using ValueChecks::ValueChecks;

  // Calls the functions of a whole run, which have one argument.
  Value call(const std::string& callee, const Value& e, Span span);
  Value residuals(Span span);

 private:
  std::vector<NodeId> residuals_;  // of all rows, once they are used
};

// Returns whether the nodes hold a run value; with `known_late` only those known at the end of the run count.
bool holds_run_value(const Model& model, const std::vector<NodeId>& nodes, bool known_late);

// Lists Model::held_at_begin anew, where the expressions of a model have changed.
void list_held_at_begin(Model& model);

}  // namespace mbc::sema
