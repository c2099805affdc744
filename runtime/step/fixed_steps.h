// SPDX-License-Identifier: Apache-2.0
// Steps of fixed size. Events divide a step into pieces. A piece that passes a change is repeated from its first state,
// so that it ends at the change. States inside a piece lie on the cubic through its ends.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "base/archive.h"
#include "runtime/events/event_run.h"
#include "runtime/record/pauses.h"
#include "runtime/record/run_plan.h"
#include "runtime/record/run_state.h"
#include "runtime/singular/crossing.h"
#include "runtime/state/accepted_state.h"
#include "runtime/state/constraint_handling.h"
#include "runtime/state/integration.h"
#include "runtime/step/stepping.h"

namespace mbc::runtime {

class FixedSteps {
 public:
  // References must outlive the object. `events` is null for a model without events.
  FixedSteps(const RunPlan& plan, RunState& state, ConstraintHandling& constraints, Integration& integration,
             Pauses& pauses, Crossing& crossing, AcceptedState& accepted, Stepping& stepping, EventRun* events);

  // Makes the step with that number. The state at its end is not evaluated. Returns false if the run ends here.
  bool make(std::uint64_t step);
  // Returns whether events may divide the step, by what is known before it is made. due() does the same if the caller
  // follows the event functions along the step.
  [[nodiscard]] bool concerned(std::uint64_t step) const;
  [[nodiscard]] bool due(std::uint64_t step);
  // Returns whether the run was left within the step.
  [[nodiscard]] bool is_inside() const { return inside_ != kNotInside; }

  void transfer(Archive& archive);

 private:
  struct Kept {
    std::vector<double> y, dy, state, rate;
  };
  [[nodiscard]] bool takes_pieces() const;
  bool pieces(double t, double end, double h);
  bool piece(double t, double end, double h, double& reached);
  Crossing::Status beside(double t, double end, double h);
  EventWatch::Along along(double t, double h);
  void keep();
  void restore();
  bool make_again(double t, double h);
  bool goes_on_inside(double t);
  [[nodiscard]] double before_rest(double t, double end);

  const RunPlan& plan_;
  RunState& state_;
  ConstraintHandling& constraints_;
  Integration& integration_;
  Pauses& pauses_;
  Crossing& crossing_;
  AcceptedState& accepted_;
  Stepping& stepping_;
  EventRun* events_;
  double last_step_ = 0;  // its size; remembered rates belong to steps of one size
  static constexpr double kNotInside = -std::numeric_limits<double>::infinity();
  double inside_ = kNotInside;  // the time within a step at which a run was left
  Kept kept_;                   // the state that the current piece began with
  std::vector<double> y_, end_, end_rate_;
};

}  // namespace mbc::runtime
