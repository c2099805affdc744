// SPDX-License-Identifier: Apache-2.0
// The events of a run whose steps a host makes (model_exchange.h): the numbers that it follows, and the instants at
// which it stops. What an instant does is what it does in every run.
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "runtime/events/event_run.h"
#include "runtime/events/functions/event_indicators.h"
#include "runtime/record/options.h"
#include "runtime/state/accepted_state.h"
#include "runtime/state/constraint_handling.h"
#include "runtime/state/run_state.h"

namespace mbc::runtime {

class ExchangeEvents {
 public:
  // Everything outlives the object.
  ExchangeEvents(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                 AcceptedState& accepted, EventRun& events);

  // At the accepted, evaluated state of the beginning, and of an instant that the host has come to; false: the run
  // ends.
  void begin(double t);
  bool arrive(double t);
  // At the accepted, evaluated state behind one of its steps.
  void passed(double t);
  // The numbers that it follows. y has n_y entries and is made one of norm 1; false: no rate there.
  bool indicators(double t, double* y, double* out);
  // As of EventRun.
  [[nodiscard]] double next_time() const { return events_.next_time(); }
  bool opens_modes() { return events_.opens_modes(); }

  void transfer(Archive& archive) { archive(indicators_); }

 private:
  bool draw_out(double t);

  const SimulateOptions& options_;
  RunState& state_;
  ConstraintHandling& constraints_;
  AcceptedState& accepted_;
  EventRun& events_;
  EventIndicators indicators_;
  std::vector<std::uint32_t> fired_;  // that an instant begins with
  std::vector<double> values_, y_;
};

}  // namespace mbc::runtime
