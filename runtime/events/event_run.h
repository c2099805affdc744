// SPDX-License-Identifier: Apache-2.0
// The events of one run: ends of steps at times that are known (`at`, `every`), changes that are located inside steps
// (`when`), and the instants at both. The loops of a run ask it where steps have to end and tell it where they did.
//
// A model without events has none of this: each loop asks for a pointer that is null.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/archive.h"
#include "runtime/events/discontinuity_modes.h"
#include "runtime/events/event_instant.h"
#include "runtime/events/functions/event_clock.h"
#include "runtime/events/functions/event_watch.h"
#include "runtime/events/functions/watched_numbers.h"
#include "runtime/record/run_plan.h"
#include "runtime/simulation/run_parts.h"
#include "runtime/singular/crossing.h"
#include "runtime/state/integration.h"
#include "runtime/state/run_start.h"
#include "runtime/state/run_state.h"

namespace mbc::runtime {

class EventRun {
 public:
  // Everything outlives the object.
  EventRun(const RunPlan& plan, RunState& state, ConstraintHandling& constraints, Integration& integration,
           Recording& recording, RunParts& parts, RunStart& start, Crossing& crossing, AcceptedState& accepted);
  EventRun(const EventRun&) = delete;
  EventRun& operator=(const EventRun&) = delete;

  // At the accepted, evaluated state the run begins with: sides, and what is due there. This and the others: false when
  // the run ends here.
  bool start(double t);
  // Decides which contacts and frictions act at the state at t. No event fires, but the state may be moved.
  bool find_discrete_state(double t) { return instant_.begin(t); }

  // Whether a step that ends there has to do with an event, by what is known before it is made.
  [[nodiscard]] bool concerned(double end) const { return signs_.any() || clock_due(end); }
  // The same of a step from t where somebody else looks along it at what is watched (watched_numbers.h).
  [[nodiscard]] bool due(double t, double end) {
    look_ahead(t, end);
    return clock_due(end) || time_functions_.next() <= end + tolerance(end);
  }
  // Of the accepted, evaluated state at t.
  bool stands_clear(double t, const std::vector<WatchedNumber>& numbers, std::span<double> signs,
                    std::span<double> sizes);
  void take_sizes(const std::vector<WatchedNumber>& numbers, std::span<const double> sizes);

  // ---- for a loop of steps
  // The next time at which a step has to end.
  [[nodiscard]] double next_time() const { return std::min(clock_.next(), time_functions_.next()); }
  // Whether something that depends on the time alone changes at that instant.
  [[nodiscard]] bool changes_now(double t) const { return time_functions_.changes_by(t + tolerance(t)); }
  // Looks for changes of what depends on the time alone, from t on.
  void look_ahead(double t, double to) {
    if (time_functions_.any()) time_functions_.search(t, to);
  }
  // What becomes of a step that was looked at. retry: the step is made again, by other modes of piecewise functions.
  // shorten: a shorter step is to be looked at, since an event function is undefined at the end of this one (beyond the
  // end of a table), since one of the time alone changes before, or since bounds do not exclude hidden changes at their
  // cost limit. ended: the run has ended.
  enum class StepVerdict : std::uint8_t { accepted, retry, shorten, ended };
  // Looks along a step of size h from t; h becomes shorter where the step passes a change. The state is that at t.
  StepVerdict shorten(double t, double& h, const EventWatch::Along& along);
  // The same without a change of h: `at` is the size of the step that ends at the change.
  StepVerdict look(double t, double h, const EventWatch::Along& along, double& at);
  // Whether the step that was looked at last ends at a change.
  [[nodiscard]] bool found_change() const { return !fired_.empty(); }
  // Whether something is due at the end of a step at t.
  [[nodiscard]] bool is_due(double t) const { return found_change() || next_time() <= t + tolerance(t); }
  // Times that differ by less are one.
  [[nodiscard]] double tolerance(double t) const { return plan_.tolerance(t); }
  // As the motion goes on now, looked at twice, so much apart: when the first slip in a plane comes to rest. Infinity:
  // none does.
  [[nodiscard]] double time_to_rest(double t, double apart);
  // At an accepted state: piecewise functions whose side is known are held.
  void hold_modes(double t);
  // The values of the events there.
  const std::vector<double>& values_now(double t);
  // A step that has no finite value by its modes: whether there is one to be tried without them.
  bool opens_modes() { return modes_.open_all(); }
  // The step that was looked at last is not taken.
  void look_again() {
    watch_.look_again();
    fired_.clear();
  }
  [[nodiscard]] bool holds_modes() const { return modes_.holds(); }
  // Behind a step that cannot be made again: no event has passed in it.
  bool nothing_passed(double end);
  // From t to `end`; false, and the run ends here, where it would hold more firings than anybody waits for.
  bool can_reach(double t, double end);
  // Reading: what is due lies ahead of t.
  [[nodiscard]] bool stands_at(double t) const { return clock_.stands_at(t, 2 * tolerance(t)); }
  // At the accepted, evaluated state at the end of a step: the instant there, if there is one. fired: what somebody
  // else has found to happen at it.
  bool arrive(double t, const std::vector<std::uint32_t>& fired = {});
  [[nodiscard]] bool watches() const { return signs_.any(); }
  // The values of the events at a state; false where its rate is not finite. y has n_y entries.
  bool values_at(double t, double* y, std::vector<double>& values);

  void transfer(Archive& archive);

  // ---- for somebody else who makes the steps
  // Nothing is looked at along them from here on.
  void leave_looking();
  [[nodiscard]] EventSigns& signs() { return signs_; }
  // Slips in a plane are followed along the direction that they have by these values.
  void follow(const std::vector<double>& values) {
    if (instant_.follows()) instant_.follow(values);
  }
  // After rows were switched or positions have jumped: which rows are independent, how many directions they hold.
  bool certify_again(double t);

 private:
  // Of one event: when it fired last, and how its firings follow each other.
  struct Firing {
    double last = 0, interval = 0, burst_from = 0;
    std::uint32_t shrinking = 0, burst = 0;
    void transfer(Archive& archive) { archive(last, interval, burst_from, shrinking, burst); }
  };
  bool read_times(double t);
  void measure_terms(double t, std::vector<double>& terms);
  bool note_sides(double t);
  StepVerdict shorter_by_time(double t, double h, double& at);
  void find_time_functions();
  void take_time_sides();
  [[nodiscard]] bool clock_due(double end) const { return modes_.any() || clock_.next() <= end + tolerance(end); }
  bool limits_hold(double t, double h, double part, const EventWatch::Dense& dense);
  bool within_samples(double t);
  bool goes_on_firing(double t);
  bool undefined(double t);
  bool fail(Kind kind, std::uint32_t event, std::vector<std::string> args, double t, const char* help = "");

  const RunPlan& plan_;
  RunState& state_;
  RunStart& start_;
  const problem::Events& events_;
  Crossing& crossing_;
  AcceptedState& accepted_;
  EventClock clock_;
  EventSigns signs_;
  EventWatch watch_;
  EventBounds bounds_;
  TimeFunctions time_functions_;
  HiddenChanges hidden_;
  std::vector<std::uint32_t> of_time_;  // events in which something depends on the time alone
  int unclear_ = 0;                     // shortenings of a step in which bounds excluded too little
  DiscontinuityModes modes_;
  EventInstant instant_;
  std::vector<Firing> firings_;
  std::vector<std::uint32_t> fired_;
  std::vector<double> y_, dy_, values_, later_;
  DiscontinuityModes::Evaluate evaluate_;
};

}  // namespace mbc::runtime
