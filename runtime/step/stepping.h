// SPDX-License-Identifier: Apache-2.0
// One step of a run from an accepted state with its rate to the next state: the stages of the method, and then the
// stabilisation.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/constraints/jumps.h"
#include "runtime/record/options.h"
#include "runtime/record/run_state.h"
#include "runtime/state/constraint_handling.h"
#include "runtime/state/integration.h"
#include "runtime/step/symmetric_steps.h"

namespace mbc::runtime {

class Stepping {
 public:
  explicit Stepping(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                    Integration& integration)
      : options_(options),
        state_(state),
        constraints_(constraints),
        integration_(integration),
        jumps_(state_.equations(), state_.info(), constraints_.projector()),
        start_(state_.y().size()) {
    if (options_.chooses_steps()) jumps_.allow(options_.control.rtol, options_.control.atol);
    if (auto* gauss = integration_.method().get<Gauss>())
      symmetric_.emplace(options, state, constraints, *gauss, *this);
  }

  // Makes a step of size h. Returns false if the run ends here; its state is then that before the step.
  bool step(double t, double h);
  // Does the same by the fused step (options.fused). Returns false if the step has to be made by step().
  bool fused_step(double t);

  // Checks and corrects the state at the end of a step to time t_new: it must be finite, has quaternions of norm 1, and
  // is projected if requested. `projected`: the method has done the last two. `began` is the state at t. Returns false
  // if the run ends here.
  bool settle(double t, const std::vector<double>& began, double t_new, bool projected = false);
  // Checks a step whose method has corrected its state itself. Returns false, and ends the run, if a constraint has
  // jumped.
  bool without_jumps(const Jumps::Step& step) {
    std::optional<Diagnostic> jump = jumps_.look(step);
    return !jump || state_.stop(std::move(*jump));
  }
  // Does the same only for jumps where an operation switches.
  bool is_continuous(const Jumps::Step& step) {
    std::optional<Diagnostic> jump = jumps_.interrupted(step);
    return !jump || state_.stop(std::move(*jump));
  }
  // Applies the outcome of the stabilisation. Returns false when the run ends.
  bool accepts(double t, const double* y, Stabiliser::Outcome made);

  // Saves or reads the data of a method that has more than rates.
  void transfer(Archive& archive) {
    if (symmetric_) archive(*symmetric_);
  }

  // These functors call the functions below; methods take them as arguments.
  [[nodiscard]] auto rhs() {
    return [this](double t, const double* state, double* rate) { return rhs(t, state, rate); };
  }
  [[nodiscard]] auto fast_rhs() {
    return [this](double t, const double* state, double* rate) { return fast_rhs(t, state, rate); };
  }
  // Evaluates the rate of the integrated state. Returns 0, or the failed entry + 1.
  std::int32_t rhs(double t, const double* state, double* rate) {
    ++state_.data().evaluations;
    if (state_.integrated().in_quasi_velocities()) return state_.equations().rhs_of_quasi_state(t, state, rate);
    return state_.layout().quasi ? state_.equations().rhs(t, state, rate)
                                 : constraints_.singular_limit().rhs(t, state, rate);
  }
  // Does the same if only the derivatives are needed.
  std::int32_t fast_rhs(double t, const double* state, double* rate) {
    if (!state_.equations().fast_rhs(t, state, rate)) return rhs(t, state, rate);
    ++state_.data().evaluations;
    return 0;
  }

 private:
  enum class Settled : std::uint8_t { ended, done, misled };

  // Returns `misled` instead of ending the run if the rates of earlier states, which the method used, may be the reason
  // why the state cannot be corrected.
  Settled settle_made(double t, const std::vector<double>& began, double t_new, bool projected);
  bool undefined_stage();
  bool symmetric_step(double t, double h);
  [[nodiscard]] bool history_jumped() const;

  Stabiliser::Outcome with_jumps(const Jumps::Step& step, Stabiliser::Outcome made);

  const SimulateOptions& options_;
  RunState& state_;
  ConstraintHandling& constraints_;
  Integration& integration_;
  Jumps jumps_;
  std::optional<SymmetricSteps> symmetric_;
  std::vector<double> start_;  // the state at the beginning of a step
  std::vector<double> made_;   // the state before the correction
  std::vector<double> moved_;  // the state computed from quasi-velocities
};

}  // namespace mbc::runtime
