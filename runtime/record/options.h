// SPDX-License-Identifier: Apache-2.0
// What a run is asked for. Times in s, tolerances without unit; who is called does not outlive the run.
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
#include "runtime/integrators/step_control.h"

namespace mbc::runtime {

// An accepted state behind its row, before the next step: where a run may be left.
struct Pause {
  double t = 0;
  std::uint64_t steps = 0;
  bool ending = false;                       // it ends here: it was interrupted
  const std::function<std::string()>& save;  // what SimulateOptions::resume goes on from; empty: nothing can be saved
};

class FusedStep;
struct PartialsCode;
struct JetCode;

struct SimulateOptions {
  double begin = 0, step = 0;  // see chooses_steps
  std::uint64_t steps = 0;
  std::vector<double> row_times;  // of a method that chooses its steps: where they are listed (time_steps.h)
  std::optional<double> end;      // of the last step, where it is shorter than the others
  Integrator integrator = Integrator::rk4;
  bool fixed_steps = false;  // of a method that could choose them
  Span integrator_at;        // where it was chosen
  StepSettings control;      // of a method that chooses its steps
  Stabilisation stabilisation = Stabilisation::project;
  double tolerance = 1e-12;       // of project and partition: largest |e|/|G|, mass-weighted
  double alpha = 5, beta = 5;     // of baumgarte, 1/s
  bool stop_at_singular = false;  // the run ends before a position where rows lose their rank
  bool literal = false;           // udwadia_kalaba(literal)
  double rank_tolerance = 1e-10;
  bool locates_kinks = false;  // steps end where piecewise functions change their branch
  settings::Impact impact = settings::Impact::newton;
  bool unique_reactions = false;  // a run ends where friction or loads let the motion depend on how they are shared
  bool shares_accepted = false;   // the model says that the smallest are to be taken there
  bool time_stepping = false;     // steps of fixed size go through impacts (time_stepping.h), whatever the integrator
  Span formulation_at{};          // where the formulation was chosen
  double contact_tolerance = 1e-12;  // of the speeds: what the impulses of such a step are found to
  bool exchange = false;             // somebody else makes the steps (model_exchange.h)
  bool assemble = false;
  std::uint32_t output_every = 1;
  bool multipliers = false;     // those of a recorded row are the smallest that fit, as where an output holds them
  bool rows_of_events = false;  // before and behind each instant of events
  bool rows_between = true;     // else the first and the last row are all there is
  // The method controls its error by steps of its own size; `step` is then the interval of the rows.
  [[nodiscard]] bool chooses_steps() const { return settings::controls_error(integrator) && !fixed_steps; }
  [[nodiscard]] std::uint64_t rows_apart() const { return rows_between ? output_every : steps; }
  // Of a run that is asked for piece by piece, whose end is not known: how long it is taken to be where sizes are
  // measured by that; 0: steps * step.
  double horizon = 0;
  const volatile std::sig_atomic_t* stop = nullptr;  // set by a signal handler: the run ends at the next step
  std::function<void(double)> progress;
  // Set to the state of a row, which may lie within a step, before it is recorded.
  std::span<const double>* row_state = nullptr;
  // Called for every recorded row with the outputs just evaluated (tests).
  std::function<void(double t, bool last, const double* y, double* dy)> watch;
  // Called for every event that has fired, at the state that its instant leaves, with the outputs just evaluated
  // (tests).
  std::function<void(double t, std::uint32_t event, const double* y, double* dy)> watch_event;
  // Called at every accepted state between two steps. A text that is not empty ends the run, for that reason.
  std::function<std::string(const Pause&)> pause;
  // The bytes that a pause has saved, of a run of the same model by the same options: it goes on from there, bit for
  // bit; by the method for stiff problems, which begins anew, within its tolerance. What they hold is trusted.
  const std::string* resume = nullptr;
  // Called once at every accepted state, before it is evaluated: may set the inputs until the next one.
  std::function<void(double t, std::span<const double> y, std::span<double> inputs)> drive;
  // Set by who is called with a row when parameters or inputs have other values from then on; taken back by the run.
  bool* changed = nullptr;
  // Of the kernel at hand, made when it is asked for: by bdf. It outlives the run.
  std::function<const PartialsCode&()> partials;
  // Its right-hand side as a series, by taylor (jets.h).
  std::function<const JetCode&(std::uint32_t order, bool all_rows)> jets;
  // Called for every event that has fired, by number, when its instant is over.
  std::function<void(double t, std::uint32_t event)> on_event;
  std::optional<std::uint32_t> until_event;  // the run ends behind it
  // Of a run that goes on from a state: the values that only events change. Null: those of the start.
  const std::vector<double>* held = nullptr;
  FusedStep* fused = nullptr;  // of the same simulation: takes the steps it can
};

}  // namespace mbc::runtime
