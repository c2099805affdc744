// SPDX-License-Identifier: Apache-2.0
// The loop: from an initial state to a trajectory, with everything that is watched on the way.
#pragma once
#include <csignal>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "runtime/constraints/certification.h"
#include "runtime/integrators/step_control.h"

namespace mbc::runtime {

enum class Integrator : std::uint8_t { rk4, ab4, dopri5, dopri5_fixed };
enum class Stabilisation : std::uint8_t { none, project, baumgarte, partition };

class FusedStep;

struct SimulateOptions {
  double begin = 0, step = 0;  // with dopri5: the interval of the rows, not of the integration
  std::uint64_t steps = 0;
  Integrator integrator = Integrator::rk4;
  StepSettings control;  // of dopri5
  Stabilisation stabilisation = Stabilisation::project;
  double tolerance = 1e-12;    // of project and partition
  double alpha = 5, beta = 5;  // of baumgarte
  bool literal = false;        // udwadia_kalaba(literal)
  double rank_tolerance = 1e-10;
  bool assemble = false;
  std::uint32_t output_every = 1;
  bool rows_between = true;  // without them the first and the last row are all there is
  // Of a run that is asked for piece by piece, whose end is not known: how long it is taken to be where sizes are
  // measured by that; 0: steps * step.
  double horizon = 0;
  const volatile std::sig_atomic_t* stop = nullptr;
  std::function<void(double)> progress;
  // Called for every recorded row with the outputs just evaluated (tests).
  std::function<void(double t, bool last, const double* y, double* dy)> watch;
  // Called once at every accepted state, before it is evaluated: may set the inputs until the next one.
  std::function<void(double t, std::span<const double> y, std::span<double> inputs)> drive;
  FusedStep* fused = nullptr;  // of the same simulation: takes the steps it can
};

enum class RunStatus : std::uint8_t { complete, inconsistent, stopped, output_failed, interrupted };

struct LevelMaxima {  // largest |residual| over the recorded rows; unused levels stay at 0
  double position = 0, velocity = 0, acceleration = 0;
};

struct RunData {
  RunStatus status = RunStatus::complete;
  std::optional<Diagnostic> diagnostic;
  std::vector<Diagnostic> warnings;
  std::uint64_t steps = 0, rejected = 0, rows = 0, evaluations = 0;
  double smallest_step = 0, largest_step = 0;  // of dopri5
  double reached = 0;
  RankReport start;
  std::vector<RankEvent> rank_events;
  double smallest_distance = 1;
  std::vector<LevelMaxima> residuals;  // by row
  std::vector<bool> not_unique;        // by output: it depends on which of several multipliers is taken
  LevelMaxima violation;               // largest Euclidean norm of all residuals of a level, over the recorded rows
  std::uint64_t renewals = 0;          // of the partition
  std::uint64_t speed_renewals = 0;    // of the independent speeds
  SpeedChoice first_choice;            // of formulations in independent speeds, at the start
  double energy_begin = 0, energy_end = 0, work_of_loads = 0, work_of_constraints = 0, balance_error = 0;
  std::vector<double> works;  // of those booked apart (lower::System::works)
  double largest_correction = 0;
  bool assembled = false;
  double assembly_moved[2] = {0, 0};
  std::vector<double> assembled_state;  // y, when assembled
};

// values: as ModelInfo::columns. Returning false ends the run.
using Recorder = std::function<bool(double t, std::span<const double> values)>;

// y: initial state in, last state out.
RunData simulate(Equations& equations, const ModelInfo& info, const SimulateOptions& options, std::vector<double>& y,
                 const Recorder& record);

// What the entry of the state is in the model, for messages; where it is declared.
std::string entry_name(const ModelInfo& info, const kernel::SystemLayout& layout, std::uint32_t entry);
Span entry_span(const ModelInfo& info, const kernel::SystemLayout& layout, std::uint32_t entry);

// The diagnostic for an evaluation that was not finite at (t, y).
Diagnostic undefined_value(Equations& equations, const ModelInfo& info, double t, const double* y);
// The same for an output of that name, at the accelerations in dy.
Diagnostic undefined_output(Equations& equations, const ModelInfo& info, double t, const double* y, const double* dy,
                            const std::string& name);

}  // namespace mbc::runtime
