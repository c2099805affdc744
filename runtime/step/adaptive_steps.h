// SPDX-License-Identifier: Apache-2.0
// Makes steps of the method's own size, and the rows between them at begin + i*step, from the dense output of the step
// that contains them.
#pragma once
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/events/event_run.h"
#include "runtime/integrators/step_control.h"
#include "runtime/record/chattering.h"
#include "runtime/record/energy_monitor.h"
#include "runtime/record/error_sizes.h"
#include "runtime/record/recording.h"
#include "runtime/record/run_plan.h"
#include "runtime/record/run_state.h"
#include "runtime/singular/crossing.h"
#include "runtime/state/accepted_state.h"
#include "runtime/state/constraint_handling.h"
#include "runtime/state/integration.h"
#include "runtime/step/clock_rounding.h"
#include "runtime/step/companion_steps.h"
#include "runtime/step/rate_jump.h"
#include "runtime/step/rate_terms.h"
#include "runtime/step/stepping.h"
#include "runtime/step/stiff_steps.h"
#include "runtime/step/trial_steps.h"

namespace mbc::runtime {

class AdaptiveSteps {
 public:
  // The run has begun (run_start.h). `events` is null for a model without events.
  AdaptiveSteps(const RunPlan& plan, RunState& state, ConstraintHandling& constraints, Integration& integration,
                Recording& recording, EnergyMonitor& energy_monitor, Crossing& crossing, AcceptedState& accepted,
                Stepping& stepping, CompanionSteps& companions, EventRun* events);

  // begin() records the first row. make() makes one step, which ends at that time at the latest, with the rows up to
  // its end. Both return false when the run has ended; state_.data() has the reason.
  bool begin();
  bool make(double last);

  // Returns the sizes that errors of a run are relative to.
  [[nodiscard]] std::vector<std::pair<std::string, double>> sizes() const { return sizes_.summary(); }
  // Returns the time of the last accepted state(). After a failure the state of the run is one that was not accepted.
  [[nodiscard]] double time() const { return t_; }
  // Returns whether the method for stiff problems is in use. It begins again after a pause, because its history is not
  // saved.
  [[nodiscard]] bool begins_anew() const { return stiff_.has_value(); }
  [[nodiscard]] const std::vector<double>& state() const { return accepted_state_; }

  void transfer(Archive& archive) {
    archive(control_, sizes_, terms_, clock_, t_, next_row_, looked_at_, rejected_then_, was_at_, stiff_steps_,
            stiff_repeated_, other_steps_, told_stiff_, chattering_);
    bool stiff = stiff_.has_value();  // the method for stiff problems begins again
    archive(stiff, changes_, stiff_rate_, vibrates_, clock_seen_, rounded_in_);
    if (archive.reading() && stiff && !stiff_ && may_turn_stiff())
      stiff_.emplace(plan_.options(), state_, constraints_, integration_, stepping_, limits());
    archive.expect(stiff == stiff_.has_value() && row_is_next());
    archive.expect(plan_.options().horizon > 0 || control_.end() <= plan_.time_of(plan_.options().steps));
    accepted_state_ = state_.y();
  }

 private:
  // Returns whether the next row is the first one at or after t.
  [[nodiscard]] bool row_is_next() const;
  [[nodiscard]] bool driven() const;
  [[nodiscard]] double piece_end(double end) const;
  [[nodiscard]] double size(std::size_t entry, const std::vector<double>& y_new) const;
  [[nodiscard]] double size(std::size_t entry) { return size(entry, y_new()); }
  void first_step();
  void take_sizes(double t, bool cut);
  bool energy_holds(double t);
  double attempt(double t, double h, double shrunk = 1);
  double attempt_by_terms(double t, double h, double error);
  double attempt_by_clock(double t, double h, double error);
  double error_of_attempt();
  double longest_series(double t);
  bool crosses_jump(double t, double h);
  double series_step(double t);
  void look_for_stiffness(double t, double h);
  void fail(double t, double h, bool evaluated);
  static double on_clock(double t, double h);
  double too_small(std::size_t entry, double t, double h);
  void count_step(double h);
  void reach(double t, double h);
  bool followed_step(double last_time);
  const std::vector<double>* neglected();
  bool step_from(double& t, double last_time);
  EventRun::StepVerdict shortened(double t, double& h);
  [[nodiscard]] const std::vector<double>& y_new();
  std::optional<std::vector<double>> end_of_step(double t);
  bool found_step(double t, double last_time, double& h, double& whole);
  bool step_beside(double& t, double last_time);
  bool record_end(double t);
  double accepted_step(double t);
  double stiff_step(double t, double last_time);
  void stiff_sizes();
  bool look_at_clock_of_stiff(double t);
  [[nodiscard]] StiffSteps::Limits limits() const;
  [[nodiscard]] bool may_turn_stiff() const;
  void change_method(double t);
  void look_for_smoothness(double h);
  bool stuck(double t);
  bool rows_on_motion(double t, double& t_new, double& h, bool& cut);
  bool record_between(double t, double t_new, double h);
  void interpolate(StepPoint at, std::vector<double>& row);
  bool slope_at(double t, double h, double at);
  bool end_at_row(double t, double& t_new, double& h);
  bool record_at(double t, double apart);
  bool whole_step_is_continuous();
  bool end_contradicts();
  // The last row is always recorded.
  [[nodiscard]] double next_time() const { return plan_.time_of(std::min(next_row_, plan_.options().steps)); }

  const RunPlan& plan_;
  RunState& state_;
  ConstraintHandling& constraints_;
  Integration& integration_;
  Recording& recording_;
  EnergyMonitor& energy_monitor_;
  Crossing& crossing_;
  AcceptedState& accepted_;
  Stepping& stepping_;
  CompanionSteps& companions_;
  EventRun* events_;
  TrialSteps trial_steps_;
  std::optional<StiffSteps> stiff_;  // null: the method of the run makes the steps
  StepControl control_;
  ErrorSizes sizes_, trial_;  // at the accepted state; with a step that is tried
  RateTerms terms_;           // of entries that stay at zero
  ClockRounding clock_;
  double rounded_in_ = 0;               // the step whose rounding by the clock is no error, or 0
  std::uint64_t clock_seen_ = 0;        // stiff steps since the clock was looked at
  double t_ = 0, last_ = 0;             // current time; end of the current piece
  std::vector<double> accepted_state_;  // at t_
  std::uint64_t next_row_ = 0;
  std::uint64_t rejected_then_ = 0;
  std::uint64_t looked_at_ = 0;  // attempts at the last check of progress, and the time reached then
  double was_at_ = 0;
  std::uint64_t stiff_steps_ = 0, other_steps_ = 0;  // since the last change between stiff and other steps
  std::uint64_t stiff_repeated_ = 0;                 // attempts that the last stiff step took
  bool told_stiff_ = false, changes_ = false;        // changes_: the method changes before the next step
  double stiff_rate_ = 0;
  bool vibrates_ = false;  // the fast motion is a vibration
  Chattering chattering_;
  RateJump rate_jump_;
  std::vector<double> row_, row_rate_;  // a recorded state between steps
  std::vector<double> neglected_;       // the errors of a step
  std::vector<double> dense_row_;       // a state on the dense output, for bounds of event functions
  struct {
    std::vector<double> slope, state;     // of the dense output at a row
    double end = 0, checked = -HUGE_VAL;  // end of the method's step; of the last step checked for jumps
    double met = -HUGE_VAL;               // end of the last step whose rows are all met there
    bool only_looks = false;              // rows are checked but not recorded
    std::optional<double> off_motion;     // time at which the step should end, because a row is not on the motion
  } seen_;
};

}  // namespace mbc::runtime
