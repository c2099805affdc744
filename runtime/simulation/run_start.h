// SPDX-License-Identifier: Apache-2.0
// The beginning of a run: is there a motion at all, is the state on the constraints, which rows are certified, which
// speeds are independent.
#pragma once
#include "runtime/simulation/accepted_state.h"
#include "runtime/simulation/run_parts.h"

namespace mbc::runtime {

class RunStart {
 public:
  RunStart(RunParts& run, AcceptedState& accepted) : run_(run), accepted_(accepted) {}

  // All of it. False when there is no motion to be computed: run.data says why.
  bool begin();
  // What is said of the rows, in run.data.start, at a later state: after an event.
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

  RunParts& run_;
  AcceptedState& accepted_;
};

}  // namespace mbc::runtime
