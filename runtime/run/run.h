// SPDX-License-Identifier: Apache-2.0
// One run of a model from its initial state. It is the loop of simulate() in pieces, so that several runs can be made
// side by side (batch.h). A run belongs to one thread, as its equations do; several runs share nothing.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/archive.h"
#include "runtime/events/event_run.h"
#include "runtime/record/pauses.h"
#include "runtime/record/recording.h"
#include "runtime/run/model_exchange.h"
#include "runtime/state/accepted_state.h"
#include "runtime/step/adaptive_steps.h"
#include "runtime/step/companion_steps.h"
#include "runtime/step/fixed_steps.h"
#include "runtime/step/stepping.h"
#include "runtime/step/time_stepping.h"

namespace mbc::runtime {

class Run {
 public:
  // References must outlive the object. `y` is the initial state, and then the state of the run.
  Run(Equations& equations, const problem::Problem& info, const SimulateOptions& options, std::vector<double>& y,
      const Recorder& record);

  RunData run();
  // Saves or reads everything that the rest of the run and its summary depend on, with the state, at a pause.
  void transfer_whole(Archive& archive);

  // Finds the discrete state that the run begins with, and the rows that act there. The state does not change: an
  // impact or a projection at the beginning of a run is undone. Returns false if there is no such state; data() has the
  // reason.
  bool find_discrete_state();

  // ---- in pieces: begin(), first(), then go_to() with later and later times until one of them is false; finish()
  bool begin();
  // Evaluates and records the first state.
  bool first();
  // Makes steps up to that time, which is that of a step if their size is fixed. Returns false if the run ends before.
  bool go_to(double end);
  // Returns the time of the last accepted state.
  [[nodiscard]] double time() const { return adaptive_ ? adaptive_->time() : time_of(at_); }
  // After a failure the state of a run by steps of the method's own size is one that was not accepted.
  [[nodiscard]] const std::vector<double>& accepted_state() const { return adaptive_->state(); }
  RunData finish();

  // ---- in pieces of fixed steps: begin(), at(0), advance(0), at(1), ... until one of them is false; finish()
  // Does everything at the accepted state before that step. Returns false at the end of the run and if the run ends
  // here.
  bool at(std::uint64_t step);
  // Makes the step from there to the next one.
  bool advance(std::uint64_t step);

  // ---- in pieces that a host makes by its own method: begin(), at(0), begin_exchange()
  void begin_exchange() {
    make_exchange();
    exchange_->begin();
  }
  [[nodiscard]] ModelExchange* exchange() { return exchange_ ? &*exchange_ : nullptr; }

  // ---- between two pieces
  // Takes new values of options.begin and options.step; step 0 begins here.
  void step_changed();
  // Starts fused steps again after the run was read.
  void restart_fused();
  // Returns the rate at the last accepted state, for steps of fixed size.
  [[nodiscard]] const std::vector<double>& rate() { return state_.dy(); }
  // Evaluates the rate at the accepted state again, because inputs have changed.
  bool look_again(double t) { return accepted_.evaluate(t); }
  [[nodiscard]] const RunData& data() const { return state_.data(); }
  // Saves or reads everything that the next piece depends on, except the state and the options. A run that reads was
  // made for the same model with the same options and has not begun.
  void transfer(Archive& archive);
  // Returns whether everything that is due lies after that time, for a run that was read.
  [[nodiscard]] bool stands_at(double t) const { return !events_ || exchange_ || events_->stands_at(t); }
  // Returns whether the run goes on at the accepted state; the caller may have interrupted it.
  [[nodiscard]] bool goes_on(double t) { return pauses_.goes_on(t); }
  // Returns whether the next piece of a host may reach that time. If not, the run ends here.
  bool can_reach(double t, double end) { return !events_ || events_->can_reach(t, end); }

  // Returns whether a row is recorded there.
  [[nodiscard]] bool records(std::uint64_t step) const {
    const SimulateOptions& o = plan_.options();
    return step == 0 || step == o.steps || (o.rows_between && step % o.output_every == 0);
  }
  [[nodiscard]] double time_of(std::uint64_t step) const { return plan_.time_of(step); }
  [[nodiscard]] bool is_shorter(std::uint64_t step) const { return plan_.is_shorter(step); }  // than the other steps
  // Returns whether all rows are certified and far from dependent at the last state and for a while. A step without a
  // recorded row then consists only of the integrator and `stabilise`.
  [[nodiscard]] bool regular() const { return constraints_.certification().regularity().regular(); }
  // Returns whether an event may come in the step although the caller follows the event functions along it, from a
  // state that is clear of zero. stands_clear() returns the signs that the numbers have to keep and their largest
  // sizes. come_back() returns the sizes with the state, without the integrals of work.
  [[nodiscard]] bool due(std::uint64_t step) { return fixed_steps_->due(step); }
  bool stands_clear(std::uint64_t step, const std::vector<WatchedNumber>& numbers, std::span<double> signs,
                    std::span<double> sizes) {
    return !events_ || events_->stands_clear(time_of(step), numbers, signs, sizes);
  }
  void come_back(const std::vector<WatchedNumber>& numbers, std::span<const double> sizes) {
    energy_monitor_.forget();
    if (events_) events_->take_sizes(numbers, sizes);
  }
  // Returns by row the pivot at and below which a state has to be looked at.
  [[nodiscard]] const std::vector<double>& least_pivots() const { return constraints_.certification().watched(); }
  // Returns the sizes that residuals are relative to, which lanes need.
  [[nodiscard]] const ModelSize& size() const { return constraints_.projector().size(); }
  // Follows the angles of joints to the state y after a step that was made elsewhere.
  void follow_angles(std::uint64_t step) { accepted_.follow_angles(time_of(step), state_.y().data()); }
  // Counts steps that were made elsewhere; y is the state after them.
  void skipped(std::uint64_t steps, std::uint64_t evaluations) {
    state_.data().steps += steps;
    state_.data().evaluations += evaluations;
  }
  void interrupt() { state_.data().status = RunStatus::interrupted; }

 private:
  void open();
  bool take_changes(double t);
  bool arrive(std::uint64_t step);
  bool step_on(double end);
  [[nodiscard]] bool resume();
  bool go();
  static RunData unread();
  [[nodiscard]] EventRun* events() { return events_ ? &*events_ : nullptr; }
  void make_adaptive() {
    adaptive_.emplace(plan_, state_, constraints_, integration_, recording_, energy_monitor_, crossing_, accepted_,
                      stepping_, companions_, events());
  }
  void make_exchange() { exchange_.emplace(plan_.options(), state_, constraints_, accepted_, stepping_, events()); }

  RunPlan plan_;
  RunState state_;
  ConstraintHandling constraints_;
  Integration integration_;
  Recording recording_;
  EnergyMonitor energy_monitor_;
  Pauses pauses_;
  std::uint64_t at_ = 0;  // fixed steps before the accepted state
  Crossing crossing_;
  AcceptedState accepted_;
  RunStart start_;
  Stepping stepping_;
  CompanionSteps companions_;
  std::optional<EventRun> events_;  // if the model has any
  std::optional<FixedSteps> fixed_steps_;
  std::optional<TimeStepping> time_stepping_;  // replaces events and fixed steps
  std::optional<AdaptiveSteps> adaptive_;
  std::optional<ModelExchange> exchange_;
};

}  // namespace mbc::runtime
