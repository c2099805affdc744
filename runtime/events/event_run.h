// SPDX-License-Identifier: Apache-2.0
// The events of one run: steps that end at known times (`at`, `every`), changes that are located inside steps (`when`),
// and the instants at both. The loops of a run ask where steps have to end and report where they ended.
//
// A model without events has no EventRun: each loop tests a pointer that is null.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/archive.h"
#include "runtime/events/discontinuity_modes.h"
#include "runtime/events/event_instant.h"
#include "runtime/events/followed_errors.h"
#include "runtime/events/functions/event_clock.h"
#include "runtime/events/functions/event_watch.h"
#include "runtime/events/functions/watched_numbers.h"
#include "runtime/record/run_plan.h"
#include "runtime/record/run_state.h"
#include "runtime/singular/crossing.h"
#include "runtime/state/integration.h"
#include "runtime/state/run_start.h"

namespace mbc::runtime {

class EventRun {
 public:
  // The references must outlive the object.
  EventRun(const RunPlan& plan, RunState& state, ConstraintHandling& constraints, Integration& integration,
           Recording& recording, RunStart& start, Crossing& crossing, AcceptedState& accepted, FollowedErrors& errors);
  EventRun(const EventRun&) = delete;
  EventRun& operator=(const EventRun&) = delete;

  // Sets the sides at the accepted, evaluated state that the run begins with, and executes the events that are due
  // there. This function and those below return false if the run ends here.
  bool start(double t);
  // Decides which contacts and frictions act at the state at t. No event fires, but the state may change.
  bool find_discrete_state(double t) { return instant_.begin(t); }

  // Returns whether a step that ends at `end` may meet an event, by what is known before the step is made.
  [[nodiscard]] bool concerned(double end) const { return signs_.any() || clock_due(end); }
  // Does the same for a step from t whose event functions the caller follows (watched_numbers.h).
  [[nodiscard]] bool due(double t, double end) {
    look_ahead(t, end);
    return clock_due(end) || time_functions_.next() <= end + tolerance(end);
  }
  // Returns whether all watched numbers are clear of zero at the accepted, evaluated state at t; fills their signs and
  // sizes.
  bool stands_clear(double t, const std::vector<WatchedNumber>& numbers, std::span<double> signs,
                    std::span<double> sizes);
  void take_sizes(const std::vector<WatchedNumber>& numbers, std::span<const double> sizes);

  // ---- for a loop of steps
  // Returns the next time at which a step has to end.
  [[nodiscard]] double next_time() const { return std::min(clock_.next(), time_functions_.next()); }
  // Returns whether something that depends on the time alone changes at that instant.
  [[nodiscard]] bool changes_now(double t) const { return time_functions_.changes_by(t + tolerance(t)); }
  // Searches changes of what depends on the time alone, from t on.
  void look_ahead(double t, double to) {
    if (time_functions_.any()) time_functions_.search(t, to);
  }
  // The result of a look along a step.
  // retry: the step is made again with other modes of piecewise functions.
  // shorten: a shorter step is looked at next. An event function is undefined at the end of this one (beyond the end of
  // a table), one that depends on the time alone changes earlier, or bounds do not exclude hidden changes within their
  // cost limit.
  // ended: the run has ended.
  enum class StepVerdict : std::uint8_t { accepted, retry, shorten, ended };
  // Looks along a step of size h from t. The result h is shorter if the step passes a change. The state is that at t.
  StepVerdict shorten(double t, double& h, const EventWatch::Along& along);
  // Does the same without changing h; `at` is the size of the step that ends at the change.
  StepVerdict look(double t, double h, const EventWatch::Along& along, double& at);
  // Returns whether the step that was looked at last ends at a change.
  [[nodiscard]] bool found_change() const { return !fired_.empty(); }
  // Returns whether an event is due at the end of a step at t.
  [[nodiscard]] bool is_due(double t) const { return found_change() || next_time() <= t + tolerance(t); }
  // Times that differ by less than this are equal.
  [[nodiscard]] double tolerance(double t) const { return plan_.tolerance(t); }
  // Returns the time until the first slip in a plane comes to rest, from two looks at the present motion that are
  // `apart` s apart. The result is infinity if none does.
  [[nodiscard]] double time_to_rest(double t, double apart);
  // Sets the modes of piecewise functions whose side is known at an accepted state, and evaluates its rates by them.
  // Returns false if the run ends here.
  bool hold_modes(double t);
  // Returns the values of the event functions at the state.
  const std::vector<double>& values_now(double t);
  // Sets all modes to 0 after a step that has no finite value by its modes. Returns whether a step without modes can be
  // tried.
  bool opens_modes() { return modes_.open_all(); }
  // Rejects the step that was looked at last.
  void look_again() {
    watch_.look_again();
    fired_.clear();
  }
  [[nodiscard]] bool holds_modes() const { return modes_.holds(); }
  // Handles a step that cannot be repeated. Returns false, and ends the run, if an event has passed in it.
  bool nothing_passed(double end);
  // Returns false, and ends the run, if the time from t to `end` holds more firings than a run can make.
  bool can_reach(double t, double end);
  // Returns whether everything that is due lies after t, for a run that is read from a file.
  [[nodiscard]] bool stands_at(double t) const { return clock_.stands_at(t, 2 * tolerance(t)); }
  // Executes the instant at the accepted, evaluated state at the end of a step, if there is one. `fired` lists events
  // that the caller has found to fire there.
  bool arrive(double t, const std::vector<std::uint32_t>& fired = {});
  [[nodiscard]] bool watches() const { return signs_.any(); }
  // Computes the event functions at a state. Returns false if its rate is not finite. y has n_y entries.
  bool values_at(double t, double* y, std::vector<double>& values);

  void transfer(Archive& archive);

  // ---- for a caller that makes the steps itself
  // Stops looking along steps.
  void leave_looking();
  [[nodiscard]] EventSigns& signs() { return signs_; }
  // Fixes the directions of slips in a plane by these values of the event functions.
  void follow(const std::vector<double>& values) {
    if (instant_.contact().follows()) instant_.contact().follow(values);
  }
  // Certifies the rows after rows were switched or positions have jumped, and finds their generic rank again.
  bool certify_again(double t);

 private:
  // The firings of one event: the time of the last one, and how they follow each other.
  struct Firing {
    double last = 0, interval = 0, burst_from = 0;
    std::uint32_t shrinking = 0, burst = 0;
    void transfer(Archive& archive) { archive(last, interval, burst_from, shrinking, burst); }
  };
  bool read_times(double t);
  void warn_if_outside(std::uint32_t event, double from, double due, double begin);
  void measure_terms(double t, std::vector<double>& terms);
  bool note_sides(double t);
  StepVerdict shorter_by_time(double t, double h, double& at);
  void find_time_functions();
  void take_time_sides();
  [[nodiscard]] bool clock_due(double end) const { return modes_.any() || clock_.next() <= end + tolerance(end); }
  bool limits_hold(double t, double h, double part, const EventWatch::Dense& dense);
  bool within_samples(double t);
  bool take_initial_values(double t);
  double late_by_error(double t);
  double late_by_error(double t, std::uint32_t event, double scale, double earlier) const;
  bool goes_on_firing(double t);
  bool undefined(double t);
  bool fail(Kind kind, std::uint32_t event, std::vector<std::string> args, double t, const char* help = "");

  const RunPlan& plan_;
  RunState& state_;
  RunStart& start_;
  const problem::Events& events_;
  Crossing& crossing_;
  AcceptedState& accepted_;
  FollowedErrors& errors_;
  EventClock clock_;
  EventSigns signs_;
  EventWatch watch_;
  EventBounds bounds_;
  TimeFunctions time_functions_;
  HiddenChanges hidden_;
  std::vector<std::uint32_t> of_time_;  // events that depend partly on the time alone
  int unclear_ = 0;                     // how often a step was shortened because bounds excluded too little
  DiscontinuityModes modes_;
  EventInstant instant_;
  std::vector<Firing> firings_;
  std::vector<std::uint32_t> fired_;
  std::vector<double> y_, dy_, values_, later_;
  std::vector<double> displaced_, earlier_, work_;  // event functions beside and before an instant; of the equations
  DiscontinuityModes::Evaluate evaluate_;
};

}  // namespace mbc::runtime
