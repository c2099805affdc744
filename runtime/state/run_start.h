// SPDX-License-Identifier: Apache-2.0
// The beginning of a run: it checks that there is a motion and that the state satisfies the constraints, certifies the
// rows, and chooses independent speeds.
#pragma once
#include "runtime/record/options.h"
#include "runtime/record/run_state.h"
#include "runtime/state/accepted_state.h"
#include "runtime/state/constraint_handling.h"
#include "runtime/state/integration.h"

namespace mbc::runtime {

class RunStart {
 public:
  RunStart(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints, Integration& integration,
           AcceptedState& accepted)
      : options_(options), state_(state), constraints_(constraints), integration_(integration), accepted_(accepted) {}

  // Does all of it. Returns false if no motion can be computed; state_.data() has the reason.
  bool begin();
  // Certifies the rows at a later state, after an event, and leaves the report in state_.data().start.
  bool certify_again(double t);
  // Only the rank of the rows is decided; the state need not meet them.
  bool certify_first(double t);

 private:
  bool meets_constraints(double t);
  bool has_series();
  bool certify(double t);
  void warn_of_near_rows();
  bool begins_on_no_corner(double t);
  bool reactions_can_be_told_apart();
  bool begin_in_quasi_velocities(double t);

  const SimulateOptions& options_;
  RunState& state_;
  ConstraintHandling& constraints_;
  Integration& integration_;
  AcceptedState& accepted_;
};

}  // namespace mbc::runtime
