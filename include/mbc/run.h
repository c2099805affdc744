// SPDX-License-Identifier: Apache-2.0
// A run of a `simulate` block: what is asked of it, what it gives row by row, what it was like. Simulation::run().
#pragma once
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mbc/diagnostics.h"
#include "mbc/export.h"
#include "mbc/settings.h"

namespace MBC_API mbc {

// Where a run may be left: an accepted state behind its row, or within a step of many events, where no row is due.
struct Pause {
  double time = 0;
  std::uint64_t steps = 0;
  bool ending = false;                       // the run ends here: RunOptions::stop was set
  const std::function<std::string()>& save;  // what RunOptions::resume goes on from; empty: nothing can be saved
};

struct RunOptions {
  std::string simulation;  // name of the `simulate` block; "": the one at hand, at first the first one
  std::uint32_t output_every = 1;
  bool assemble = false;  // accept the correction of an initial state that is off its constraints
  // When not null and set, by a signal handler or atomically by another thread, the run ends after the step at hand
  // with Status::interrupted.
  const volatile std::sig_atomic_t* stop = nullptr;
  // Instead of the span of the block: begin and end, finite, begin < end; the step is that of the block, the last one
  // shorter where it does not divide the span.
  std::optional<std::pair<double, double>> span;
  std::vector<double> state;               // with `span`: y at its beginning; empty = the model's initial state
  std::function<void(double t)> progress;  // called every step; keep it cheap
  // Called once at every accepted state, the first and the last among them, before it is evaluated and recorded: may
  // set the inputs (as Model::inputs(); the last values on entry), which then are constant until the next step.
  std::function<void(double t, std::span<const double> y, std::span<double> inputs)> drive;
  // Called for every event that fires, by its name ("when in line 7" of one without), when its instant is over.
  std::function<void(double t, const std::string& event)> on_event;
  // Called at every accepted state, and behind each 1000 events within one step; keep it cheap. A text that is not
  // empty ends the run with Status::interrupted and a diagnostic (run_limit) that gives it for the reason.
  std::function<std::string(const Pause&)> pause;
  // What Pause::save gave in a run of the same text, block, parameters and inputs, by the same version: the run goes on
  // from there and gives the rows that were missing, bit for bit; where the method for stiff problems was at work,
  // which begins anew, within its tolerance. The result is that of the whole run, but for its time on the clock. Bytes
  // that do not fit are Status::model_error; those that have been tampered with are not all found out.
  std::string resume;
  // Rows come with the multipliers of the constraints; of rows that depend on others the smallest of all that fit.
  // Beyond 2000 rows there are none.
  bool multipliers = false;
  std::string until_event;  // the run ends behind the first firing of the event of this name; "": none
  // A second run with finer steps follows one that is complete, and RunResult::global_error says how far it came out
  // from it. It calls nobody but `progress` and `pause`, which saves nothing then; an observer must not have set
  // parameters or inputs, and neither `drive` nor `resume` goes with it (Status::model_error).
  bool global_error = false;
};

struct Row {
  double time = 0;
  std::span<const double> values;  // as Model::columns()
  std::span<const double> state;   // y
  // Of the scalar rows of all constraints, 0 of those that do not hold; where RunOptions::multipliers asks for them.
  std::span<const double> multipliers{};
  std::span<const double> inputs{};  // as Model::inputs(), then all that events change: SceneView::set_inputs
};
// Called for every recorded row; returning false stops the run with Status::output_failed.
using Observer = std::function<bool(const Row&)>;

enum class Status : std::uint8_t {
  complete,
  model_error,    // nothing to run, the model has errors, or the options make no sense
  inconsistent,   // the initial state does not satisfy the constraints, or they contradict each other at the start
  stopped,        // the integration could not go on
  output_failed,  // the observer said so
  interrupted,
  no_native_code,  // it was demanded and cannot be had
  no_threads,      // of a sweep: the system gives not one
  internal_error   // a mistake in mbc; `rendered` says which
};

struct InitialMove {  // an initial value that was moved, in the unit it was written with
  std::string name, unit;
  double given = 0, taken = 0;
};

struct InitialState {
  std::vector<double> state;  // y; when not consistent, the values as given
  bool consistent = true;
  std::vector<InitialMove> moved;
  std::vector<double> distance;              // mass-weighted size of the move: positions, speeds
  std::optional<DiagnosticInfo> diagnostic;  // why not consistent
  std::string rendered;                      // the same as text
};

struct EventCount {  // of one event: how often it fired, and when it did so last
  std::string name;
  std::uint64_t count = 0;
  double last = 0;
};

// Impacts of an inequality that came ever faster, until its sides stayed together: their limit in time.
struct Accumulation {
  std::string name;
  double time = 0;
};

struct RankChange {
  double time = 0;
  int before = 0, after = 0;
  std::vector<std::string> rows;
};

struct ConstraintReport {  // largest absolute residuals over the recorded rows, in the row's own units
  std::string name;
  std::optional<double> position, velocity, acceleration;
};

struct Methods {  // choices made; RunResult has their texts, with the arguments
  Integrator integrator{};
  Formulation formulation{};
  Representation bodies{};
  Stabilisation stabilise{};
  AtSingular at_singular{};
  EngineUsed engine{};
};

// How accurate a run is, as far as it can tell.
struct Accuracy {
  // Of the steps that were looked at (all of them where the integrator chooses its steps): the estimated errors added
  // up, for all steps, relative to the tolerance's norm; the largest of one step, and its time.
  std::uint64_t steps_looked_at = 0;
  double local_errors = 0, largest = 0, largest_at = 0;
  std::vector<std::pair<std::string, double>> sizes;  // what errors are relative to (`auto`): "lengths" 1.5
  double energy_exchanged = 0;  // the largest of kinetic energy, change of potential energy, and works
};

// The error of a whole run, as far as a second one shows it: with a hundredth of its tolerances, or steps of half the
// size. Rows at the same times are compared, and of them coordinates, speeds and states.
struct GlobalError {
  std::string against;     // "tol = 1e-10", "steps of 0.0005"
  std::uint64_t rows = 0;  // that were compared
  double largest = 0;      // of all distances, relative to the sizes of the model (of `auto`)
  double absolute = 0;     // of the same, in SI units
  std::string name;        // of what: "x", "p.z"; "" where there is nothing
  double time = 0;
  std::optional<DiagnosticInfo> diagnostic;  // why the second run ended before the first one
};

struct RunResult {
  Status status = Status::complete;
  std::optional<DiagnosticInfo> diagnostic;  // why it stopped
  std::vector<DiagnosticInfo> warnings;
  std::string rendered;                                                // both as text
  std::string simulation, integrator, formulation, stabilise, engine;  // choices made, with their arguments
  Methods methods;
  // Of the formulation: second- or first-order equations solved for accelerations (000, table 1), unknowns of the
  // linear system(s) solved, first-order states integrated (those of the model among them, the two work integrals not).
  std::size_t equations = 0, unknowns = 0, states = 0;
  std::vector<std::string> chosen_for_user;  // settings that were not written: "integrator = rk4", ...
  std::vector<InitialMove> assembled;        // initial values that were moved onto the constraints
  std::uint64_t steps = 0, rows = 0, evaluations = 0;
  std::vector<double> row_times;  // where the block lists them; step: their mean distance
  double begin = 0, end = 0, step = 0, reached = 0;
  double last_step = 0;   // its size, where the steps do not divide the span and the last one is shorter; else 0
  bool adaptive = false;  // the integrator chose its steps: `step` is the interval of the rows
  std::uint64_t rejected = 0;
  double smallest_step = 0, largest_step = 0;  // accepted ones
  double wall_seconds = 0;
  std::vector<double> resumed;  // times at which the run has gone on from what was saved
  bool resumed_anew = false;    // there the method for stiff problems has begun anew
  int rank = 0;
  int freedoms = 0;                         // at the start: speeds - rank
  std::vector<std::string> dependent_rows;  // at the start
  std::vector<std::string> disabled_rows;   // at the start
  std::vector<std::string> inequalities;    // rows that only push, held or not
  std::vector<Accumulation> accumulations;
  // frictions, and other loads, that moved the model by the smallest of many reactions (`reactions = smallest`)
  std::vector<std::string> shares_taken;
  std::uint64_t lowered_restitutions = 0;  // impacts where they differ and would have added energy
  std::string impact;  // the law of impacts, where there are inequalities or frictions: "newton", "poisson", "moreau"
  bool time_stepping = false;     // by `contact = timestep`; else impacts are located
  double penetration = 0;         // of time stepping: the largest gap that was missing behind a step
  double penetration_before = 0;  // the same before positions were moved back
  double contact_error = 0;       // of it: what laws of contact were missed by, of the speeds
  std::vector<RankChange> rank_changes;
  // Singular positions that the motion went through: how many, and the times of the first 1000.
  std::uint64_t singular_positions = 0;
  std::vector<double> singular_times;
  // outputs that hold multipliers of dependent rows; the recorded ones are the smallest of all that fit
  std::vector<std::string> reactions_not_unique;
  // how near a row came to depending on the others: sine of an angle, beside positions the smallest singular value;
  // when
  double smallest_distance = 1, nearest_time = 0;
  // of the model, mass-weighted, positions and speeds: what tolerances are relative to
  std::array<double, 2> sizes{1, 1};
  std::vector<ConstraintReport> constraints;
  Accuracy accuracy;
  std::optional<GlobalError> global_error;  // RunOptions::global_error; not of a run that is not complete
  double energy_begin = 0, energy_end = 0, work_of_loads = 0, work_of_constraints = 0, balance_error = 0;
  std::uint64_t events = 0;              // that have fired
  std::vector<EventCount> event_counts;  // of all events of the model
  std::uint64_t kinks = 0;               // of piecewise functions that were located (`kinks = locate`)
  double work_of_events = 0;             // by which they have changed the energy
  // The text of the `stop` that ended the run, or the name of RunOptions::until_event; the run is complete then.
  std::optional<std::string> ended_by;
  // What each constraint that does work has done, and the forces of `nonideal` blocks together ("prescribed forces").
  std::vector<std::pair<std::string, double>> works;
  double met = 0;  // largest mass-weighted distance from a row that `stabilise` holds, where it is near its tolerance
  ConstraintReport violation;  // largest Euclidean norm of the residuals of all rows, by level, over the recorded rows
  std::uint64_t renewals = 0;  // of the dependent coordinates (stabilise = partition)
  // Formulations in independent speeds: what was chosen at the start, which of the user's `speed`s were left out
  // because they depend on rows or on others, how often another set was taken, and the momenta kept as rows.
  std::vector<std::string> independent_speeds, speeds_left_out, momenta_kept;
  std::vector<std::string> speeds_completed;  // of the independent ones: those added to the user's by pivoting
  std::uint64_t speed_renewals = 0;
  double largest_correction = 0;  // of one step, mass-weighted, position level
  std::vector<double> state;      // y at the end
};

[[nodiscard]] std::string summary_text(const RunResult& result);
[[nodiscard]] std::string summary_json(const RunResult& result);
[[nodiscard]] std::string moves_text(const std::vector<InitialMove>& moves);  // "psi 80 deg -> 77.3 deg, ..."

}  // namespace mbc
