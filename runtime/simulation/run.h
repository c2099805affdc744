// SPDX-License-Identifier: Apache-2.0
// One run of a model, from its initial state on: the loop behind simulate(), in pieces, so that several runs may go
// side by side (batch.h).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/archive.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/constraints/singular_limit.h"
#include "runtime/constraints/stabilisation.h"
#include "runtime/integrators/ab4.h"
#include "runtime/integrators/dopri5.h"
#include "runtime/integrators/rk4.h"
#include "runtime/simulation/recording.h"
#include "runtime/simulation/simulate.h"

namespace mbc::runtime {

class Run {
 public:
  // Everything outlives the object. y: the initial state, then that of the run.
  Run(Equations& equations, const ModelInfo& info, const SimulateOptions& options, std::vector<double>& y,
      const Recorder& record);

  RunData run();

  // ---- in pieces, of steps of fixed size: begin(), at(0), advance(0), at(1), ... until one of them is false; finish()
  bool begin();
  // Everything that is done at the accepted state before that step; false at the end of the run, and when it ends here.
  bool at(std::uint64_t step);
  // The step from there to the next one.
  bool advance(std::uint64_t step);
  RunData finish();

  // ---- in pieces, of steps of the method's own size: begin(), begin_adaptive(), then adapt_to() with later and later
  // times until one of them is false; finish()
  bool begin_adaptive();
  bool adapt_to(double end);

  // ---- between two pieces
  // options.begin and options.step are others from here on: step 0 is the one from here.
  void step_changed();
  // Inputs have changed: the rate at the state, which was accepted before, is evaluated again.
  bool look_again(double t) { return evaluate(t); }
  [[nodiscard]] const RunData& data() const { return data_; }
  // All that the next piece depends on, but for the state and the options. An object that reads was made for the same
  // model with the same options, and has not begun.
  void transfer(Archive& archive);

  // Whether a row is recorded there.
  [[nodiscard]] bool records(std::uint64_t step) const {
    return step == 0 || step == options_.steps || (options_.rows_between && step % options_.output_every == 0);
  }
  [[nodiscard]] double time_of(std::uint64_t step) const {
    return options_.begin + static_cast<double>(step) * options_.step;
  }
  // At the state before, and for a while, nothing stood out: all rows certified, far from depending on each other.
  // While that is so and no row is recorded, a step is the integrator's and that of `stabilise` and nothing else.
  [[nodiscard]] bool calm() const { return quiet_ && !certification_.near_singular(); }
  // Steps made elsewhere: y is the state after them.
  void skipped(std::uint64_t steps, std::uint64_t evaluations) {
    data_.steps += steps;
    data_.evaluations += evaluations;
  }
  void interrupt() { data_.status = RunStatus::interrupted; }

 private:
  bool end(RunStatus status, Diagnostic d);

  // ---- the initial state (run_start.cpp)
  bool start();
  // Which reactions are unique is found by factorising all rows densely.
  [[nodiscard]] Diagnostic reactions_of_many() const;
  bool ideal_parts_unique(double t);
  bool begin_in_quasi_velocities(double t);
  bool take_quasi_velocities(double t);
  bool has_inertia(double t);
  bool meets_constraints(double t);

  // ---- at accepted states (run.cpp)
  bool evaluate(double t);
  bool speeds_renewed(double t);
  Diagnostic why_undefined(double t, const double* y);
  [[nodiscard]] Diagnostic speeds_lost(double t, const double* y);
  bool decide(double t);
  bool redundant_rows_agree(double t);
  bool redundant_rows_stay(double t);
  bool certified(double t);

  // ---- steps of the method's own size (run_adaptive.cpp)
  void adaptive_loop();
  // The last row is always recorded.
  [[nodiscard]] double next_time() const { return time_of(std::min(next_row_, options_.steps)); }
  [[nodiscard]] std::uint64_t rows_apart() const {
    return options_.rows_between ? options_.output_every : options_.steps;
  }
  double accepted_step(double t);
  [[nodiscard]] double length() const {
    return options_.horizon > 0 ? options_.horizon : static_cast<double>(options_.steps) * options_.step;
  }
  bool stuck(double t);
  Diagnostic step_too_small(std::size_t component, double t, double h) const;
  bool record_between(double t, double t_new, double h);

  // ---- what is integrated (run.cpp)
  std::vector<double>& state() { return quasi_ ? z_ : y_; }
  std::vector<double>& rate() { return quasi_ ? rate_ : k1_; }
  std::int32_t stage(double t, const double* y, double* dy);
  std::int32_t inner_stage(double t, const double* y, double* dy);
  [[nodiscard]] std::uint32_t entry_of(std::size_t entry) const;
  Diagnostic why_stage_failed(double t, const std::vector<double>& failed);
  bool fused_step(double t);
  bool step_from(double t);
  bool settle(double t);
  [[nodiscard]] bool jumped() const;
  bool kept(double t, ConstraintKeeper::Outcome made);

  Equations& equations_;
  const ModelInfo& info_;
  const SimulateOptions& options_;
  const kernel::SystemLayout& layout_;
  std::vector<double>& y_;
  std::vector<double> k1_, start_, defects_, mask_;
  bool quiet_ = false;                  // the rows are far from depending on each other at the last accepted state
  std::vector<double> row_, row_rate_;  // a recorded state between steps
  std::uint64_t next_row_ = 0, looked_at_ = 0;
  double was_at_ = 0;
  RunData data_;
  Projector projector_;
  Certification certification_;
  SingularPassage passage_;
  ConstraintKeeper keeper_;
  Recording recording_;
  // What is integrated: [q; u; s], or [q; y; s] in independent quasi-velocities; and its rate
  bool quasi_;
  std::vector<double> z_, rate_, moved_;
  std::uint64_t choice_ = 0;  // number of the choice that z_ belongs to
  std::optional<Rk4> rk4_;    // one of them
  std::optional<Ab4> ab4_;
  std::optional<Dopri5> dopri5_;
  std::optional<StepControl> control_;  // of dopri5
  double t_ = 0;                        // where it is
};

}  // namespace mbc::runtime
