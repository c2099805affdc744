// SPDX-License-Identifier: Apache-2.0
// What only a test or a sweep can say: initial(e), final(e), min_over(e), max_over(e), which speak of a whole run, and
// `residuals`. A run value is an input leaf of the graph; whoever runs the test gives it its value
// (runtime/run/check_run.h).
#pragma once
#include <string>
#include <vector>

#include "compiler/sema/expressions/value_checks.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

class RunValues : public ValueChecks {
 public:
  using ValueChecks::ValueChecks;

  // The functions of a whole run, of one argument.
  Value call(const std::string& callee, const Value& e, Span span);
  Value residuals(Span span);

 private:
  std::vector<NodeId> residuals_;  // of all rows, once asked for
};

// A run value in these nodes: any, or one that is known only at the end of the run.
bool holds_run_value(const Model& model, const std::vector<NodeId>& nodes, bool known_late);

}  // namespace mbc::sema
