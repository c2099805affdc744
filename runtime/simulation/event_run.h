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
#include "runtime/simulation/data/event_clock.h"
#include "runtime/simulation/event_instant.h"
#include "runtime/simulation/kink_branches.h"
#include "runtime/simulation/stepping.h"
#include "runtime/simulation/watch/event_watch.h"
#include "runtime/simulation/watch/watched_numbers.h"
#include "runtime/singular/crossing.h"

namespace mbc::runtime {

class EventRun {
 public:
  // Everything outlives the object.
  EventRun(RunParts& run, Crossing& crossing, AcceptedState& accepted, Stepping& stepping);
  EventRun(const EventRun&) = delete;
  EventRun& operator=(const EventRun&) = delete;

  // At the accepted, evaluated state the run begins with: sides, and what is due there. This and the others: false when
  // the run ends here.
  bool start(double t);

  // A step of size h from t to `end`, in as many pieces as events make of it. The state at its end is not evaluated.
  bool advance(double t, double end, double h);

  // Whether a step that ends there has to do with an event, by what is known before it is made.
  [[nodiscard]] bool concerned(double end) const { return watch_.any() || clock_due(end); }
  // The same of a step from t where somebody else looks along it at what is watched (watched_numbers.h).
  [[nodiscard]] bool due(double t, double end) {
    look_ahead(t, end);
    return clock_due(end) || time_functions_.next() <= end + tolerance(end);
  }
  // Of the accepted, evaluated state at t.
  bool stands_clear(double t, const std::vector<WatchedNumber>& numbers, std::span<double> signs,
                    std::span<double> sizes);
  void take_sizes(const std::vector<WatchedNumber>& numbers, std::span<const double> sizes);

  // ---- for steps of the method's own size
  // The next time at which a step has to end.
  [[nodiscard]] double next_time() const { return std::min(clock_.next(), time_functions_.next()); }
  // Whether something that depends on the time alone changes at that instant.
  [[nodiscard]] bool changes_now(double t) const { return time_functions_.changes_by(t + tolerance(t)); }
  // Looks for changes of what depends on the time alone, from t on.
  void look_ahead(double t, double to) {
    if (time_functions_.any()) time_functions_.search(t, to);
  }
  // A step of size h from t was found: h is made shorter where it passes a change. The state is that at t.
  // Looked::again: by other branches of piecewise functions. Looked::shorter: a shorter step of size h is to be looked
  // at, since something that is watched is not defined at the end of this one (behind the end of a table), something
  // that depends on the time alone changes before, or bounds do not exclude hidden changes at their cost limit.
  enum class Looked : std::uint8_t { good, again, shorter, ended };
  Looked shorten(double t, double& h, const EventWatch::Along& along);
  // A step that has no finite value by the branches that are held: whether there is one to be tried without them.
  bool opens_branches() { return branches_.open_all(); }
  // The step that was looked at last is not taken.
  void look_again() {
    watch_.look_again();
    fired_.clear();
  }
  [[nodiscard]] bool holds_branches() const { return branches_.holds(); }
  // Before steps that cannot be made again: piecewise functions as they are written.
  void open_branches() { branches_.open_all(); }
  // Behind a step that cannot be made again: no event has passed in it.
  bool nothing_passed(double end);
  // From t to `end`; false, and the run ends here, where it would hold more firings than anybody waits for.
  bool can_reach(double t, double end);
  // Reading: what is due lies ahead of t.
  [[nodiscard]] bool stands_at(double t) const { return clock_.stands_at(t, 2 * tolerance(t)); }
  // At the accepted, evaluated state at the end of a step: the instant there, if there is one.
  bool arrive(double t);
  [[nodiscard]] bool watches() const { return watch_.any(); }
  // The values of the events at a state; false where its rate is not finite. y has n_y entries.
  bool values_at(double t, double* y, std::vector<double>& values);

  void transfer(Archive& archive);

 private:
  friend class HostedEvents;  // the same events where a host makes the steps

  // Of one event: when it fired last, and how its firings follow each other.
  struct Firing {
    double last = 0, interval = 0, burst_from = 0;
    std::uint32_t shrinking = 0, burst = 0;
    void transfer(Archive& archive) { archive(last, interval, burst_from, shrinking, burst); }
  };
  bool read_times(double t);
  void measure_terms(double t, std::vector<double>& terms);
  bool note_sides(double t);
  EventWatch::Along along(double t, double h);
  bool piece(double t, double end, double h, double& reached);
  bool beside(double t, double end, double& reached);
  Looked look(double t, double h, const EventWatch::Along& along, double& at);
  Looked shorter_by_time(double t, double h, double& at);
  void find_time_functions();
  // Steps are made by somebody else, who looks along them.
  void leave_looking();
  void take_time_sides();
  [[nodiscard]] bool clock_due(double end) const {
    return inside_ != kNotInside || branches_.any() || clock_.next() <= end + tolerance(end);
  }
  void hold_branches(double t);
  bool make(double t, double h);
  void keep();
  void restore();
  bool limits_hold(double t, double h, double part, const EventWatch::Dense& dense);
  bool within_samples(double t);
  bool goes_on_firing(double t);
  bool certify_again(double t);
  bool draw_out(double t);
  bool undefined(double t);
  bool goes_on_inside(double t);
  [[nodiscard]] double before_rest(double t, double end);
  bool fail(Kind kind, std::uint32_t event, std::vector<std::string> args, double t, const char* help = "");
  [[nodiscard]] double tolerance(double t) const { return same_instant(t, length()); }
  [[nodiscard]] double length() const;

  RunParts& run_;
  const problem::Events& events_;
  Crossing& crossing_;
  AcceptedState& accepted_;
  Stepping& stepping_;
  EventClock clock_;
  EventWatch watch_;
  EventBounds bounds_;
  TimeFunctions time_functions_;
  HiddenChanges hidden_;
  std::vector<std::uint32_t> of_time_;  // events in which something depends on the time alone
  int unclear_ = 0;                     // shortenings of a step in which bounds excluded too little
  KinkBranches branches_;
  EventInstant instant_;
  std::vector<Firing> firings_;
  std::vector<std::uint32_t> fired_;
  double last_step_ = 0;  // its size; rates that are remembered belong to steps of one size
  static constexpr double kNotInside = -std::numeric_limits<double>::infinity();
  double inside_ = kNotInside;  // the time within a step at which a run was left
  struct Kept {                 // the state a step began with
    std::vector<double> y, dy, state, rate;
  } kept_;
  std::vector<double> y_, dy_, end_, end_rate_, values_, later_;
  KinkBranches::Evaluate evaluate_;
};

}  // namespace mbc::runtime
