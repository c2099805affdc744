// SPDX-License-Identifier: Apache-2.0
// A run whose steps a host makes, by a method of its own (Model Exchange of FMI): it asks for rates at states that it
// gives, follows numbers that pass zero where events happen, and stops where they did.
//
// What it gives drifts off the constraints. Rates, and all else that is asked for, are those of the nearest state on
// them; the state itself is moved at instants only, as it is behind a step of a run. Models whose `stabilise` moves
// nothing are taken as they are.
//
// What a failure does not end is told by why(): the host may go on from where it was, by a smaller step.
#pragma once
#include <optional>
#include <vector>

#include "base/archive.h"
#include "runtime/events/exchange_events.h"
#include "runtime/record/options.h"
#include "runtime/state/accepted_state.h"
#include "runtime/state/constraint_handling.h"
#include "runtime/state/run_state.h"
#include "runtime/step/stepping.h"

namespace mbc::runtime {

class ModelExchange {
 public:
  // Everything outlives the object; events: null where there are none.
  ModelExchange(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                AcceptedState& accepted, Stepping& stepping, EventRun* events);

  // At the accepted, evaluated state of the run.
  void begin() {
    if (events_) events_->begin(state_.data().reached);
  }

  // ---- at any time and state, of n_y entries; false: there is none, why() says more
  // The state on the constraints.
  bool look(double t, const double* given);
  [[nodiscard]] const std::vector<double>& looked() const { return y_; }
  bool rate(double t, const double* given, double* dy);
  [[nodiscard]] std::size_t indicator_count() const;
  bool indicators(double t, const double* given, double* out);
  [[nodiscard]] const std::optional<Diagnostic>& why() const { return why_; }
  // Inputs have changed.
  void forget() { known_ = false; }

  // ---- the end of a step, and of one where something happens; false: the run ends here
  // `off`: how far the state is from the constraints, relative to the size of the model.
  bool completed(double t, const double* given, double& off);
  // The state is then that of the run.
  bool instant(double t, const double* given);
  // The next time that is known to be one; infinity.
  [[nodiscard]] double next_time() const;

  void transfer(Archive& archive);

 private:
  bool no_rate(double t);

  const SimulateOptions& options_;
  RunState& state_;
  ConstraintHandling& constraints_;
  AcceptedState& accepted_;
  Stepping& stepping_;
  std::optional<ExchangeEvents> events_;
  bool known_ = false;  // y_ belongs to t_ and given_
  double t_ = 0, off_ = 0;
  std::vector<double> given_, y_, again_;
  std::optional<Diagnostic> why_;
};

}  // namespace mbc::runtime
