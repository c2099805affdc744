// SPDX-License-Identifier: Apache-2.0
// One run of a model, from its initial state on: the loop behind simulate(), in pieces, so that several runs may go
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
#include "runtime/simulation/run_parts.h"
#include "runtime/state/accepted_state.h"
#include "runtime/step/adaptive_loop.h"
#include "runtime/step/fixed_steps.h"
#include "runtime/step/step_sample.h"
#include "runtime/step/stepping.h"
#include "runtime/step/time_stepping.h"

namespace mbc::runtime {

class Run {
 public:
  // Everything outlives the object. y: the initial state, then that of the run.
  Run(Equations& equations, const problem::Problem& info, const SimulateOptions& options, std::vector<double>& y,
      const Recorder& record);

  RunData run();
  // All that the rest of the run and what is told of the whole depend on, the state among it; at a pause.
  void transfer_whole(Archive& archive);

  // Finds the discrete state that the run begins with, and the rows that act there. The state stays as it is: an impact
  // or a projection that the beginning of a run makes is not kept. False: there is none, and data() says why.
  bool find_discrete_state();

  // ---- in pieces, of steps of fixed size: begin(), at(0), advance(0), at(1), ... until one of them is false; finish()
  bool begin();
  // Everything that is done at the accepted state before that step; false at the end of the run, and when it ends here.
  bool at(std::uint64_t step);
  // The step from there to the next one.
  bool advance(std::uint64_t step);
  RunData finish();

  // ---- in pieces, of steps of the method's own size: begin(), begin_adaptive(), then adapt_to() with later
  // and later times until one of them is false; finish()
  bool begin_adaptive();
  bool adapt_to(double end);
  // The last state that was accepted, and its time.
  [[nodiscard]] double adapted_to() const { return adaptive_->time(); }
  [[nodiscard]] const std::vector<double>& adapted_state() const { return adaptive_->state(); }

  // ---- in pieces that a host makes by its own method: begin(), at(0), begin_exchange()
  void begin_exchange() {
    exchange_.emplace(plan_.options(), state_, constraints_, accepted_, stepping_, events_ ? &*events_ : nullptr);
    exchange_->begin();
  }
  [[nodiscard]] ModelExchange* exchange() { return exchange_ ? &*exchange_ : nullptr; }

  // ---- between two pieces
  // options.begin and options.step are others from here on: step 0 is the one from here.
  void step_changed();
  // Its steps in one piece begin anew: after reading.
  void restart_fused();
  // The rate at the state that was accepted last, by steps of fixed size.
  [[nodiscard]] const std::vector<double>& rate() { return state_.dy(); }
  // Inputs have changed: the rate at the state, which was accepted before, is evaluated again.
  bool look_again(double t) { return accepted_.evaluate(t); }
  [[nodiscard]] const RunData& data() const { return state_.data(); }
  // All that the next piece depends on, but for the state and the options. A run that reads was made for the same model
  // with the same options, and has not begun.
  void transfer(Archive& archive);
  // Behind reading: whether what is due next lies ahead of that time.
  [[nodiscard]] bool stands_at(double t) const { return !events_ || exchange_ || events_->stands_at(t); }
  // Whether a host's next piece may be as long as to that time; false, and the run ends here.
  bool can_reach(double t, double end) { return !events_ || events_->can_reach(t, end); }

  // Whether a row is recorded there.
  [[nodiscard]] bool records(std::uint64_t step) const {
    const SimulateOptions& o = plan_.options();
    return step == 0 || step == o.steps || (o.rows_between && step % o.output_every == 0);
  }
  [[nodiscard]] double time_of(std::uint64_t step) const { return plan_.time_of(step); }
  [[nodiscard]] bool is_shorter(std::uint64_t step) const { return plan_.is_shorter(step); }  // than the others
  // At the state before, and for a while, nothing stood out: all rows certified, far from depending on each other.
  // While that is so and no row is recorded, a step is the integrator's and that of `stabilise` and nothing else.
  [[nodiscard]] bool regular() const { return constraints_.certification().regularity().regular(); }
  // Whether the step has to do with an event.
  [[nodiscard]] bool concerned(std::uint64_t step) const;
  // The same where somebody else looks along the step at what events watch, from a state that stands clear: the signs
  // which the numbers have to keep, and how large they have been, go out. Sizes come back with the state, of which the
  // integrals of work are not known.
  [[nodiscard]] bool due(std::uint64_t step);
  bool stands_clear(std::uint64_t step, const std::vector<WatchedNumber>& numbers, std::span<double> signs,
                    std::span<double> sizes) {
    return !events_ || events_->stands_clear(time_of(step), numbers, signs, sizes);
  }
  void come_back(const std::vector<WatchedNumber>& numbers, std::span<const double> sizes) {
    energy_monitor_.forget();
    if (events_) events_->take_sizes(numbers, sizes);
  }
  // By row: pivots from which on, downwards, a state has to be looked at.
  [[nodiscard]] const std::vector<double>& least_pivots() const { return constraints_.certification().watched(); }
  // What residuals are relative to, which lanes need.
  [[nodiscard]] const ModelSize& size() const { return constraints_.projector().size(); }
  // Steps made elsewhere: y is the state after them.
  void skipped(std::uint64_t steps, std::uint64_t evaluations) {
    state_.data().steps += steps;
    state_.data().evaluations += evaluations;
  }
  void interrupt() { state_.data().status = RunStatus::interrupted; }

 private:
  void open();
  bool take_changes(double t);
  void go_through_steps();
  [[nodiscard]] bool resume();
  bool go();
  static RunData unread();
  CrossingHooks hooks();

  RunPlan plan_;
  RunState state_;
  ConstraintHandling constraints_;
  Integration integration_;
  Recording recording_;
  EnergyMonitor energy_monitor_;
  Pauses pauses_;
  RunParts parts_;
  std::uint64_t at_ = 0;  // steps of fixed size before the accepted state
  Crossing crossing_;
  AcceptedState accepted_;
  RunStart start_;
  Stepping stepping_;
  StepSample sample_;
  std::optional<EventRun> events_;             // where the model has any
  std::optional<FixedSteps> fixed_steps_;      // there
  std::optional<TimeStepping> time_stepping_;  // in their place
  std::optional<AdaptiveLoop> adaptive_;
  std::optional<ModelExchange> exchange_;
};

}  // namespace mbc::runtime
