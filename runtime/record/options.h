// SPDX-License-Identifier: Apache-2.0
// The settings of a run. Times are in s and tolerances without unit. Callbacks are not called after the run.
#pragma once
#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/settings.h"
#include "base/span.h"
#include "kernel/partials.h"
#include "runtime/integrators/step_control.h"

namespace mbc::runtime {

// An accepted state after its row and before the next step, where a run may be left.
struct Pause {
  double t = 0;
  std::uint64_t steps = 0;
  bool ending = false;                       // the run ends here because it was interrupted
  const std::function<std::string()>& save;  // the bytes for SimulateOptions::resume; empty if the run cannot be saved
};

class FusedStep;
struct PartialsCode;
struct JetCode;

struct SimulateOptions {
  double begin = 0, step = 0;  // see chooses_steps
  std::uint64_t steps = 0;
  bool whole = false;             // the span is that of a block, not a piece that a host has chosen
  std::vector<double> row_times;  // for a method that chooses its steps: where its rows are listed (time_steps.h)
  std::optional<double> end;      // the end of the last step, if it is shorter than the others
  Integrator integrator = Integrator::rk4;
  bool fixed_steps = false;      // for a method that could choose its steps
  bool estimates_error = false;  // if somebody reads Accuracy::global
  Span integrator_at;            // the place where the integrator was chosen
  StepSettings control;          // for a method that chooses its steps
  Stabilisation stabilisation = Stabilisation::project;
  double tolerance = 1e-12;       // for project and partition: largest |e|/|G|, mass-weighted
  double alpha = 5, beta = 5;     // for baumgarte, 1/s
  bool stop_at_singular = false;  // the run ends before a position where rows lose their rank
  bool literal = false;           // udwadia_kalaba(literal)
  double rank_tolerance = 1e-10;
  bool locates_kinks = false;  // steps end where piecewise functions change their mode
  settings::Impact impact = settings::Impact::newton;
  bool unique_reactions = false;  // a run ends where the motion depends on the choice of friction or load multipliers
  bool shares_accepted = false;   // the model accepts the minimum-norm multipliers there
  bool time_stepping = false;     // steps of fixed size pass impacts (time_stepping.h), whatever the integrator
  Span formulation_at{};          // the place where the formulation was chosen
  double contact_tolerance = 1e-12;  // relative to the speeds: accuracy of the impulses of such a step
  bool exchange = false;             // a host makes the steps (model_exchange.h)
  bool assemble = false;
  std::uint32_t output_every = 1;
  bool multipliers = false;     // multipliers of a recorded row are the minimum-norm ones, as if an output used them
  bool rows_of_events = false;  // rows before and after each instant of events
  bool rows_between = true;     // otherwise only the first and the last row are recorded
  // Returns whether the method controls its error by steps of its own size; `step` is then the interval of the rows.
  [[nodiscard]] bool chooses_steps() const { return settings::controls_error(integrator) && !fixed_steps; }
  [[nodiscard]] kernel::PartialsScope partials_scope() const {
    return time_stepping ? kernel::PartialsScope::loads : kernel::PartialsScope::rates;
  }
  [[nodiscard]] std::uint64_t rows_apart() const { return rows_between ? output_every : steps; }
  // The assumed length of a run in pieces, whose end is not known, for sizes that depend on the length; 0 means steps *
  // step.
  double horizon = 0;
  const volatile std::sig_atomic_t* stop = nullptr;  // set by a signal handler: the run ends before the next step
  std::function<void(double)> progress;
  // Set to the state of a row before it is recorded. The state may lie within a step.
  std::span<const double>* row_state = nullptr;
  // Called for every recorded row with the outputs just evaluated (tests).
  std::function<void(double t, bool last, const double* y, double* dy)> watch;
  // Called for every event that has fired, at the state that its instant leaves, with the outputs just evaluated
  // (tests).
  std::function<void(double t, std::uint32_t event, const double* y, double* dy)> watch_event;
  // Called at every accepted state between two steps. A text that is not empty ends the run, for that reason.
  std::function<std::string(const Pause&)> pause;
  // The bytes that a pause has saved, for a run of the same model with the same options. The run continues bit for bit;
  // the method for stiff problems begins again there, within its tolerance. The contents are trusted.
  const std::string* resume = nullptr;
  // Called once at every accepted state, before it is evaluated. It may set the inputs until the next one.
  std::function<void(double t, std::span<const double> y, std::span<double> inputs)> drive;
  // Set by the recorder when parameters or inputs have changed; the run resets it.
  bool* changed = nullptr;
  // Returns the partials of the kernel, made on request: for bdf those of the rates, for time steps those of the loads
  // (none if it is empty). The function outlives the run.
  std::function<const PartialsCode&()> partials;
  // Returns the right-hand side as a series, for taylor (jets.h).
  std::function<const JetCode&(std::uint32_t order, bool all_rows)> jets;
  // Called with the number of every event that has fired, after its instant.
  std::function<void(double t, std::uint32_t event)> on_event;
  std::optional<std::uint32_t> until_event;  // the run ends after it
  // The discrete state for a run that continues from a state; null means that of the start.
  const std::vector<double>* held = nullptr;
  FusedStep* fused = nullptr;  // makes steps of the same simulation where it can
};

}  // namespace mbc::runtime
