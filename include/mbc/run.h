// SPDX-License-Identifier: Apache-2.0
// A run of a `simulate` block: its options, its rows and its result. Simulation::run().
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

// A point where a run may be interrupted: an accepted state after its row, or within a step of many events, where no
// row is due.
struct Pause {
  double time = 0;
  std::uint64_t steps = 0;
  bool ending = false;                       // the run ends here: RunOptions::stop was set
  const std::function<std::string()>& save;  // returns the bytes for RunOptions::resume; empty: nothing can be saved
};

struct RunOptions {
  std::string simulation;  // name of the `simulate` block; "": the current block, initially the first one
  std::uint32_t output_every = 1;
  bool assemble = false;  // accept the correction of an initial state that is off its constraints
  // If this is not null and is set, by a signal handler or atomically by another thread, the run ends after the current
  // step with Status::interrupted.
  const volatile std::sig_atomic_t* stop = nullptr;
  // Replaces the span of the block: begin and end, finite, begin < end. The step is that of the block; the last one is
  // shorter if it does not divide the span.
  std::optional<std::pair<double, double>> span;
  std::vector<double> state;               // with `span`: y at its beginning; empty = the model's initial state
  std::function<void(double t)> progress;  // called every step; keep it cheap
  // Called once at every accepted state, the first and the last among them, before it is evaluated and recorded. It may
  // set the inputs (ordered as Model::inputs(); the last values on entry), which then stay constant until the next
  // step.
  std::function<void(double t, std::span<const double> y, std::span<double> inputs)> drive;
  // Called for every event that fires, with its name ("when in line 7" for an event without one), at the end of its
  // instant.
  std::function<void(double t, const std::string& event)> on_event;
  // Called at every accepted state, and after each 1000 events within one step; keep it cheap. A non-empty text ends
  // the run with Status::interrupted and a diagnostic (run_limit) that gives the text as the reason.
  std::function<std::string(const Pause&)> pause;
  // Bytes that Pause::save returned in a run of the same text, block, parameters and inputs, by the same version. The
  // run continues from there and gives the missing rows, bit for bit; if the method for stiff problems was at work, it
  // starts anew and the rows agree within its tolerance. The result is that of the whole run, except for its wall time.
  // Bytes that do not fit are Status::model_error; not every manipulation of them is detected.
  std::string resume;
  // Rows have the multipliers of the constraints; for rows that depend on others these are the minimum-norm
  // multipliers. Beyond 2000 rows there are none.
  bool multipliers = false;
  std::string until_event;  // the run ends after the first firing of this event; "": none
  // A second run with finer steps follows a run that is complete, and RunResult::global_error is the distance between
  // them. The second run calls only `progress` and `pause`, which cannot save then. An observer must not have set
  // parameters or inputs, and neither `drive` nor `resume` may be given with it (Status::model_error).
  bool global_error = false;
};

struct Row {
  double time = 0;
  std::span<const double> values;  // ordered as Model::columns()
  std::span<const double> state;   // y
  // Multipliers of the scalar rows of all constraints, 0 for rows that do not hold; present if RunOptions::multipliers
  // is set.
  std::span<const double> multipliers{};
  std::span<const double> inputs{};  // as Model::inputs(), then the discrete state: SceneView::set_inputs
};
// Called for every recorded row; a return value of false stops the run with Status::output_failed.
using Observer = std::function<bool(const Row&)>;

enum class Status : std::uint8_t {
  complete,
  model_error,    // nothing to run, the model has errors, or the options are invalid
  inconsistent,   // the initial state does not satisfy the constraints, or they contradict each other at the start
  stopped,        // the integration could not go on
  output_failed,  // the observer returned false
  interrupted,
  no_native_code,  // it was demanded and is not available
  no_threads,      // of a sweep: the system gives no thread at all
  internal_error   // a mistake in mbc; `rendered` says which
};

struct InitialMove {  // an initial value that was moved, in the unit of its declaration
  std::string name, unit;
  double given = 0, taken = 0;
};

struct InitialState {
  std::vector<double> state;  // y; if not consistent, the values as given
  bool consistent = true;
  std::vector<InitialMove> moved;
  std::vector<double> distance;              // mass-weighted size of the move: positions, speeds
  std::optional<DiagnosticInfo> diagnostic;  // why not consistent
  std::string rendered;                      // the same as text
};

struct EventCount {  // how often one event fired, and the time of its last firing
  std::string name;
  std::uint64_t count = 0;
  double last = 0;
};

// An infinite sequence of impacts of an inequality that ends with closed contact: its limit in time.
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

struct Methods {  // the choices in effect; RunResult has their texts, with the arguments
  Integrator integrator{};
  Formulation formulation{};
  Representation bodies{};
  Stabilisation stabilise{};
  AtSingular at_singular{};
  EngineUsed engine{};
};

// Estimates of the accuracy of a run.
struct Accuracy {
  // Errors of the steps that were examined (all steps if the integrator chooses them): the sum of their estimated
  // errors, extrapolated to all steps, relative to the tolerance's norm; the largest error of one step, and its time.
  std::uint64_t steps_looked_at = 0;
  double local_errors = 0, largest = 0, largest_at = 0;
  // The estimated error of the whole motion relative to its size, where it can be told. 1 says that the error is as
  // large as the motion.
  std::optional<double> error;
  std::vector<std::pair<std::string, double>> sizes;  // what errors are relative to (`auto`): "lengths" 1.5
  double energy_exchanged = 0;  // the largest of kinetic energy, change of potential energy, and works
};

// The error of a whole run, estimated by a second run with a hundredth of its tolerances or with steps of half the
// size. Rows at the same times are compared by their coordinates, speeds and states.
struct GlobalError {
  std::string against;     // "tol = 1e-10", "steps of 0.0005"
  std::uint64_t rows = 0;  // number of compared rows
  double largest = 0;      // largest distance, relative to the sizes of the model (of `auto`)
  double absolute = 0;     // the same distance in SI units
  std::string name;        // its quantity: "x", "p.z"; "" if there is none
  double time = 0;
  std::optional<DiagnosticInfo> diagnostic;  // why the second run ended before the first one
};

// Loads that change much within one step of time stepping, which takes them by the backward rule.
struct BackwardLoads {
  std::vector<std::string> loads;  // their names
  std::uint64_t steps = 0;         // steps with such loads
  double stiffest = 0;             // the largest h^2 k/m or h c/m of a step
  double lost = 0;                 // energy that the rule has taken
  double error = 0;                // the largest error of the speeds of a step, relative to the speeds of the model
};

struct RunResult {
  Status status = Status::complete;
  std::optional<DiagnosticInfo> diagnostic;  // why it stopped
  std::vector<DiagnosticInfo> warnings;
  std::string rendered;                                                // both as text
  std::string simulation, integrator, formulation, stabilise, engine;  // the choices in effect, with their arguments
  Methods methods;
  // Sizes of the formulation: second- or first-order equations solved for accelerations (000, table 1), unknowns of the
  // linear system(s) solved, first-order states integrated (with those of the model, without the two work integrals).
  std::size_t equations = 0, unknowns = 0, states = 0;
  std::vector<std::string> chosen_for_user;  // settings that were not written: "integrator = rk4", ...
  std::vector<InitialMove> assembled;        // initial values that were moved onto the constraints
  std::uint64_t steps = 0, rows = 0, evaluations = 0;
  std::vector<double> row_times;  // if the block lists them; `step` is their mean distance then
  double begin = 0, end = 0, step = 0, reached = 0;
  double last_step = 0;   // size of the last step if the steps do not divide the span and it is shorter; else 0
  bool adaptive = false;  // the integrator chose its steps: `step` is the interval of the rows
  std::uint64_t rejected = 0;
  double smallest_step = 0, largest_step = 0;  // accepted ones
  double wall_seconds = 0;
  std::vector<double> resumed;  // times at which the run continued from saved bytes
  bool resumed_anew = false;    // the method for stiff problems started anew at such a time
  int rank = 0;
  int freedoms = 0;                         // at the start: speeds - rank
  std::vector<std::string> dependent_rows;  // at the start
  std::vector<std::string> disabled_rows;   // at the start
  std::vector<std::string> inequalities;    // rows of unilateral constraints, active or not
  std::vector<Accumulation> accumulations;
  // frictions and other loads that depended on multipliers that are not unique: the minimum-norm multipliers were used
  // (`reactions = smallest`)
  std::vector<std::string> shares_taken;
  std::uint64_t lowered_restitutions = 0;  // impacts at which restitutions differ and would have added energy
  std::string impact;          // law of impacts if there are inequalities or frictions: "newton", "poisson", "moreau"
  bool time_stepping = false;  // contacts by `contact = timestep`; otherwise impacts are located
  double penetration = 0;      // of time stepping: the largest penetration after a step
  double penetration_before = 0;  // the same before the correction of positions
  double contact_error = 0;       // of time stepping: the largest violation of the contact laws, relative to the speeds
  BackwardLoads backward;         // of time stepping
  std::vector<RankChange> rank_changes;
  // Singular positions that the motion crossed: their number, and the times of the first 1000.
  std::uint64_t singular_positions = 0;
  std::vector<double> singular_times;
  // outputs that contain multipliers of dependent rows; the recorded values use the minimum-norm multipliers
  std::vector<std::string> reactions_not_unique;
  // smallest distance of a row from depending on the others: sine of an angle, near singular positions the smallest
  // singular value; its time
  double smallest_distance = 1, nearest_time = 0;
  // sizes of the model, mass-weighted, of positions and speeds; tolerances are relative to them
  std::array<double, 2> sizes{1, 1};
  std::vector<ConstraintReport> constraints;
  Accuracy accuracy;
  std::optional<GlobalError> global_error;  // if RunOptions::global_error is set and the run is complete
  double energy_begin = 0, energy_end = 0, work_of_loads = 0, work_of_constraints = 0, balance_error = 0;
  std::uint64_t events = 0;              // number of firings
  std::vector<EventCount> event_counts;  // of all events of the model
  std::uint64_t kinks = 0;               // located discontinuities of piecewise functions (`kinks = locate`)
  double work_of_events = 0;             // energy that events have added
  // The text of the `stop` that ended the run, or the name of RunOptions::until_event. The run is complete then.
  std::optional<std::string> ended_by;
  // Work of each constraint that does work, and of the forces of `nonideal` blocks together ("prescribed forces").
  std::vector<std::pair<std::string, double>> works;
  double met = 0;  // largest mass-weighted distance from a row that `stabilise` enforces, if it is near its tolerance
  ConstraintReport violation;  // largest Euclidean norm of the residuals of all rows, by level, over the recorded rows
  std::uint64_t renewals = 0;  // new choices of the dependent coordinates (stabilise = partition)
  // Formulations in independent speeds: the speeds chosen at the start; the user's `speed`s that were left out because
  // they depend on rows or on others; the momenta kept as rows; the number of later choices of another set.
  std::vector<std::string> independent_speeds, speeds_left_out, momenta_kept;
  std::vector<std::string> speeds_completed;  // independent speeds that pivoting added to the user's
  std::uint64_t speed_renewals = 0;
  double largest_correction = 0;  // largest correction of one step, mass-weighted, at position level
  std::vector<double> state;      // y at the end
};

[[nodiscard]] std::string summary_text(const RunResult& result);
[[nodiscard]] std::string summary_json(const RunResult& result);
[[nodiscard]] std::string moves_text(const std::vector<InitialMove>& moves);  // "psi 80 deg -> 77.3 deg, ..."

}  // namespace mbc
