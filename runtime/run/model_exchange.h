// SPDX-License-Identifier: Apache-2.0
// A run in model exchange (FMI): the host makes the steps by its own method. It asks for rates at states that it gives,
// follows event indicators, and stops where events happen.
//
// The states of the host drift off the constraints. Rates and all other results are those of the nearest state on the
// constraints. The state itself is only moved at instants, as it is after a step of a run. States are not moved if the
// setting of `stabilise` moves nothing.
//
// why() explains a failure that does not end the run; the host may continue from its last state by a smaller step.
#pragma once
#include <optional>
#include <vector>

#include "base/archive.h"
#include "runtime/events/event_run.h"
#include "runtime/events/functions/event_indicators.h"
#include "runtime/record/options.h"
#include "runtime/record/run_state.h"
#include "runtime/state/accepted_state.h"
#include "runtime/state/constraint_handling.h"
#include "runtime/step/stepping.h"

namespace mbc::runtime {

class ModelExchange {
 public:
  // References must outlive the object. `events` is null for a model without events.
  ModelExchange(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                AcceptedState& accepted, Stepping& stepping, EventRun* events);

  // Begins at the accepted, evaluated state of the run.
  void begin() {
    if (events_) begin_events(state_.data().reached);
  }

  // ---- at any time and state, of n_y entries; a result of false means that there is none, and why() explains it
  // Finds the state on the constraints.
  bool look(double t, const double* given);
  [[nodiscard]] const std::vector<double>& looked() const { return y_; }
  bool rate(double t, const double* given, double* dy);
  [[nodiscard]] std::size_t indicator_count() const { return events_ ? events_->signs().watched().size() : 0; }
  bool indicators(double t, const double* given, double* out);
  [[nodiscard]] const std::optional<Diagnostic>& why() const { return why_; }
  // Discards the last state, because inputs have changed.
  void forget() { known_ = false; }

  // ---- the end of a step, and of a step that ends at an event; a result of false means that the run ends here
  // Accepts a step. `off` is the distance of the state from the constraints, relative to the size of the model.
  bool completed(double t, const double* given, double& off);
  // Executes an instant. The state becomes that of the run.
  bool instant(double t, const double* given);
  // Returns the next known time of an event, or infinity.
  [[nodiscard]] double next_time() const;

  void transfer(Archive& archive);

 private:
  bool no_rate(double t);
  void begin_events(double t);
  bool arrive(double t);
  bool draw_out(double t);

  const SimulateOptions& options_;
  RunState& state_;
  ConstraintHandling& constraints_;
  AcceptedState& accepted_;
  Stepping& stepping_;
  bool known_ = false;  // y_ is the state for t_ and given_
  double t_ = 0, off_ = 0;
  std::vector<double> given_, y_, again_;
  EventRun* events_;                           // null: the model has none
  std::optional<EventIndicators> indicators_;  // of these events
  std::vector<std::uint32_t> fired_;           // events that an instant begins with
  std::vector<double> values_;
  std::optional<Diagnostic> why_;
};

}  // namespace mbc::runtime
