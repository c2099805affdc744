// SPDX-License-Identifier: Apache-2.0
// The events of a run in model exchange (model_exchange.h): the event indicators that the host follows, and the
// instants at which it stops. An instant does the same as in every other run.
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "runtime/events/event_run.h"
#include "runtime/events/functions/event_indicators.h"
#include "runtime/record/options.h"
#include "runtime/record/run_state.h"
#include "runtime/state/accepted_state.h"
#include "runtime/state/constraint_handling.h"

namespace mbc::runtime {

class ExchangeEvents {
 public:
  // The references must outlive the object.
  ExchangeEvents(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                 AcceptedState& accepted, EventRun& events);

  // The first function is called at the accepted, evaluated state of the beginning, and the second one at that of an
  // instant that the host has come to. The second one returns false if the run ends.
  void begin(double t);
  bool arrive(double t);
  // Notes the sides at the accepted, evaluated state after a step of the host.
  void passed(double t);
  // Computes the event indicators. y has n_y entries and its quaternions are normalised. Returns false if the state has
  // no rate.
  bool indicators(double t, double* y, double* out);
  // These functions do the same as those of EventRun.
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
  std::vector<std::uint32_t> fired_;  // events that an instant begins with
  std::vector<double> values_, y_;
};

}  // namespace mbc::runtime
