// SPDX-License-Identifier: Apache-2.0
// mbc: models of constrained mechanics, compiled and run. The whole embedding interface; standard library types only.
//
//   #include <mbc/mbc.h>
//
//   mbc::Program program = mbc::Program::from_file("pendulum.mbd");
//   if (!program.ok()) { std::cerr << program.render_diagnostics(); return 1; }
//   mbc::RunResult result = program.simulate({}, [](const mbc::Row& row) { /* row.time, row.values */ return true; });
//
// Nothing here prints, reads anything but the file it is given (and a cache of compiled code, CompileOptions::cache),
// or throws for a mistake of the user's: mistakes of a model are diagnostics, failures of a run are a status with a
// diagnostic. std::bad_alloc and failed internal checks (std::logic_error) are all that can escape. A Program may be
// used by one thread at a time; different Programs by different threads (compiling is serialised inside). All numbers
// are SI; vectors are flat.
#pragma once
#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mbc {

[[nodiscard]] std::string version();           // "0.1.0"
[[nodiscard]] std::string back_end_version();  // "LLVM 19.1.7, ..." or "" when only the interpreter is there

// ---- diagnostics
// -------------------------------------------------------------------------------------------------------

struct Place {  // lines and columns from 1; line 0 = no place
  std::string file;
  std::uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
};

struct DiagnosticInfo {
  std::string severity;  // "error", "warning", "note"
  std::string code;      // "E0302"
  std::string kind;      // "dimension_mismatch"
  std::string message;
  Place place;
  std::vector<std::pair<Place, std::string>> labels;
  std::vector<std::string> notes;
  std::string help;
  std::optional<double> time;  // of a run-time failure
};

// What `mbc explain CODE` says; "" for an unknown code.
[[nodiscard]] std::string explain(const std::string& code);
struct CodeInfo {
  std::string code, name, severity, message;
};
[[nodiscard]] std::vector<CodeInfo> all_codes();

// The canonical layout of a model's text (`mbc fmt`); nothing, and why, when it has syntax errors.
[[nodiscard]] std::optional<std::string> format_text(const std::string& text, const std::string& name,
                                                     std::string& error, bool colour = false);

// ---- compiling
// ---------------------------------------------------------------------------------------------------------

struct CompileOptions {
  std::vector<std::string> set;  // "R = 0.4 [m]", "demo.time.end = 2": see docs/language.md
  bool interpret = false;        // run the interpreter, do not load LLVM
  int optimise = 2;              // 0 or 2
  std::string folder{};          // from_string: where `use "parts.mbd"` finds files; "" = nowhere
  std::string stdlib{};          // folder in place of the standard library built in; "" = that
  // Without either flag a model is interpreted at first and changes over to native code, compiled on a thread of its
  // own, when a run is long enough for it: the same bits, sooner.
  bool native_at_once = false;  // compile before the first step
  bool cache = true;            // keep compiled code in a folder (docs/benchmarks.md) and look for it there
};

enum class Stage : std::uint8_t { ast, model, system, kernel, llvm_ir, assembly, object };

struct StageTime {
  std::string name;
  double seconds = 0;
  bool background = false;  // on a thread of its own, while something else went on
};

struct Quantity {  // a parameter, coordinate, speed, state, input or output
  std::string name;
  std::string unit;  // "" in a model without units, "1" for a pure number in one with units
  std::string description;
};

struct TimeSpan {  // of a `simulate` block
  double begin = 0, end = 0, step = 0;
};

// The equations of motion at a state: M u' = f + A^T lambda, A u' = b, with the loads of `nonideal` blocks M u' = f + C
// + A^T lambda.
struct RowSet {
  std::size_t n = 0, m = 0;
  std::vector<double> M, A;  // n x n, m x n, row-major
  std::vector<double> f, b, acceleration, multiplier;
  std::vector<double> ideal;  // the multipliers as they would be without C; empty where there is none
  std::vector<std::string> row_names;
  int rank = 0;
  std::vector<std::string> dependent_rows;
};

// ---- running
// -----------------------------------------------------------------------------------------------------------

struct RunOptions {
  std::string simulation;  // name of the `simulate` block; "" when there is one
  std::uint32_t output_every = 1;
  bool assemble = false;  // accept the correction of an initial state that is off its constraints
  // When not null and set (by a signal handler), the run ends after the step at hand with Status::interrupted.
  const volatile std::sig_atomic_t* stop = nullptr;
  // Instead of the span of the block: go on from a state (the REPL, hosts that drive time themselves).
  std::optional<std::pair<double, double>> span;
  std::vector<double> state;               // with `span`: y at its beginning; empty = the model's initial state
  std::function<void(double t)> progress;  // called every step; keep it cheap
  // Called once at every accepted state, the first and the last among them, before it is evaluated and recorded: may
  // set the inputs (as Program::inputs(); the last values on entry), which then are constant until the next step.
  std::function<void(double t, std::span<const double> y, std::span<double> inputs)> drive;
};

struct Row {
  double time = 0;
  std::span<const double> values;  // as Program::columns(simulation)
  std::span<const double> state;   // y
};
// Called for every recorded row; returning false stops the run with Status::output_failed.
using Observer = std::function<bool(const Row&)>;

enum class Status : std::uint8_t {
  complete,
  model_error,    // nothing to run, or the model has errors
  inconsistent,   // the initial state does not satisfy the constraints, or they contradict each other at the start
  stopped,        // the integration could not go on
  output_failed,  // the observer said so
  interrupted
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

struct RankChange {
  double time = 0;
  int before = 0, after = 0;
  std::vector<std::string> rows;
};

struct ConstraintReport {  // largest absolute residuals over the recorded rows, in the row's own units
  std::string name;
  std::optional<double> position, velocity, acceleration;
};

struct RunResult {
  Status status = Status::complete;
  std::optional<DiagnosticInfo> diagnostic;  // why it stopped
  std::vector<DiagnosticInfo> warnings;
  std::string rendered;                                                // both as text
  std::string simulation, integrator, formulation, stabilise, engine;  // choices made, with their arguments
  // Of the formulation: second- or first-order equations solved for accelerations (000, table 1), unknowns of the
  // linear system(s) solved, first-order states integrated (those of the model among them, the two work integrals not).
  std::size_t equations = 0, unknowns = 0, states = 0;
  std::vector<std::string> chosen_for_user;  // settings that were not written: "integrator = rk4", ...
  std::vector<InitialMove> assembled;        // initial values that were moved onto the constraints
  std::uint64_t steps = 0, rows = 0, evaluations = 0;
  double begin = 0, end = 0, step = 0, reached = 0;
  bool adaptive = false;  // the integrator chose its steps: `step` is the interval of the rows
  std::uint64_t rejected = 0;
  double smallest_step = 0, largest_step = 0;  // accepted ones
  double wall_seconds = 0;
  int rank = 0;
  std::vector<std::string> dependent_rows;  // at the start
  std::vector<RankChange> rank_changes;
  // outputs that hold multipliers of dependent rows; the recorded ones are the smallest of all that fit
  std::vector<std::string> reactions_not_unique;
  double smallest_distance = 1;  // how near a row came to depending on the others (sine of an angle)
  std::vector<ConstraintReport> constraints;
  double energy_begin = 0, energy_end = 0, work_of_loads = 0, work_of_constraints = 0, balance_error = 0;
  // What each constraint that does work has done, and the forces of `nonideal` blocks together ("prescribed forces").
  std::vector<std::pair<std::string, double>> works;
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

// ---- tests that live with the model
// -----------------------------------------------------------------------------------------------------------------

struct TestInfo {
  std::string title;
  std::string simulation;  // the block it runs
  Place place;
  std::size_t checks = 0;  // conjunctions count by their parts
};

struct TestResult {
  TestInfo test;
  bool passed = false;
  std::vector<DiagnosticInfo> failures;  // of checks, in the order of the file; why the run did not reach its end
  std::string rendered;                  // the same as text
  RunResult run;
};

std::string summary_text(const RunResult& result);
std::string moves_text(const std::vector<InitialMove>& moves);  // "psi 80 deg -> 77.3 deg, ..."
std::string summary_json(const RunResult& result);

// ---- looking at a model
// -----------------------------------------------------------------------------------------------------------

struct DiagnoseOptions {
  int samples = 20;  // random states on the constraints, near the initial one
  std::uint64_t seed = 1;
  bool motion = true;              // look at states along the motion of a `simulate` block as well
  std::string simulation;          // which; "" the first one
  std::uint64_t max_steps = 4000;  // of that motion
};

struct RowDiagnosis {
  std::string name, level;              // level: "position", "velocity", "acceleration"
  bool independent = true;              // at the initial state
  std::vector<std::string> depends_on;  // dependent: the rows it is a combination of; empty: the row vanishes
  double distance = 1;                  // sine of its angle to the rows before it
  bool multiplier_unique = true;
  int times_dependent = 0;  // of all states looked at
};

struct RankSample {
  enum class Kind : std::uint8_t { initial, random, motion } kind{};
  double time = 0;
  int rank = 0;
  double smallest = 0;  // singular value that still counts, of rows scaled to norm 1
};

struct ConservedQuantity {
  std::string name;              // "energy", "linear momentum x"
  double value = 0, change = 0;  // at the beginning; the largest change seen
  bool conserved = false;
};

struct Diagnosis {
  bool consistent = true;                    // the initial state satisfies the constraints
  std::optional<DiagnosticInfo> diagnostic;  // why not, or why the motion stopped
  std::string rendered;
  std::vector<InitialMove> moved;  // soft values
  std::size_t coordinates = 0, speeds = 0, position_rows = 0, velocity_rows = 0, acceleration_rows = 0;
  int rank = 0;           // at the initial state
  int usual_rank = 0;     // the largest of all states
  int freedoms = 0;       // speeds - usual_rank
  int position_rank = 0;  // of the rows of position level: speeds - position_rank places to go
  std::vector<RowDiagnosis> rows;
  std::vector<std::string> changing;         // rows dependent in some states and independent in others
  std::vector<std::string> conflicting;      // a minimal set of rows that contradict each other
  std::vector<std::string> undetermined;     // coordinates or speeds with neither inertia nor row
  std::vector<std::string> without_inertia;  // those whose rates no kinetic energy depends on
  std::vector<RankSample> samples;
  int failed_samples = 0;                // random states that could not be brought onto the constraints
  std::vector<RankChange> rank_changes;  // along the motion
  std::optional<TimeSpan> motion;        // what was run, with its step
  std::vector<ConservedQuantity> conserved;
  double work_of_loads = 0, work_of_constraints = 0, balance_error = 0;

  // Nothing that keeps the model from running.
  [[nodiscard]] bool sound() const {
    return consistent && conflicting.empty() && without_inertia.empty() && !diagnostic;
  }
};

struct ParameterInfo {
  Quantity quantity;
  double value = 0;
  bool from_outside = false;  // by CompileOptions::set
};

struct EntityInfo {  // a particle, body, point, load, energy
  std::string kind, name, detail, description;
};

struct CoordinateInfo {
  Quantity quantity;
  double initial = 0;
  bool soft = false;
};

struct ConstraintInfo {
  std::string name, level, description;
  std::size_t rows = 0;
};

struct SimulationInfo {
  std::string name;
  TimeSpan time;
  std::vector<std::pair<std::string, std::string>> choices;  // integrator, formulation, ...; defaults included
  std::vector<std::string> defaults;                         // which of them were not written
  std::string save;
  bool assemble = false;
};

struct ConservedMomentum {                             // c.(dT/du), c a constant direction of the speeds
  std::string name, kind;                              // "phi", "coordinate"; "translation x of p, q", "direction"
  std::string unit;                                    // as of a Quantity
  std::vector<std::pair<std::string, double>> speeds;  // and what each counts in it
};

struct UnconservedMomentum {  // of a coordinate that the energies do not depend on
  std::string name, reason;
};

struct VariedInfo {  // a parameter or input that a sweep varies
  Quantity quantity;
  std::uint64_t count = 0;  // of values
  double first = 0, last = 0;
  bool list = false;  // not evenly spaced
};

struct SweepInfo {
  std::string name, simulation;  // name: "" when it comes from SweepOptions::vary alone
  std::vector<VariedInfo> varied;
  std::vector<Quantity> records;
  std::uint64_t members = 0;
};

struct ModelOverview {
  std::string description;  // the /// lines at the top of the file
  unsigned space = 3;
  bool has_units = false;
  std::vector<ParameterInfo> parameters, inputs;
  std::vector<EntityInfo> entities, loads;
  std::vector<CoordinateInfo> coordinates, speeds, states;  // states: those declared with `state`
  std::vector<ConstraintInfo> constraints;
  std::vector<Quantity> outputs;
  std::vector<SimulationInfo> simulations;
  std::vector<SweepInfo> sweeps;
  std::vector<ConservedMomentum> momenta;
  std::vector<UnconservedMomentum> rejected_momenta;
  bool momenta_limited = false;  // too large a model: there may be more
};

// ---- comparing methods
// -----------------------------------------------------------------------------------------------------------

struct CompareOptions {
  CompileOptions compile;  // a formulation or representation that `set` fixes is the only one
  std::string simulation;  // name of the `simulate` block; "" when there is one
  // As in a `simulate` block, arguments included: "udwadia_kalaba(literal)". Empty: all that are built.
  std::vector<std::string> formulations;
  std::vector<std::string> bodies;  // representations of free bodies; empty: the one of the block
  int samples = 100;                // random states on the constraints, near the initial one
  std::uint64_t seed = 1;
  bool run = true;             // compare runs as well, and take their time
  double seconds_to_time = 1;  // a run is repeated (4 times at most) while all its runs took less than this
  const volatile std::sig_atomic_t* stop = nullptr;  // as in RunOptions
  // part: of the whole, 0 to 1; method: what is looked at
  std::function<void(double part, const std::string& method)> progress;
};

struct Difference {        // the largest one found
  double relative = 0;     // to the size of what is compared; absolute where that is 0
  double absolute = 0;     // in `unit`
  std::string name, unit;  // of the column
  double time = 0;         // of trajectories; of accelerations the time they are looked at
};

// One formulation with one representation of bodies.
struct ComparedMethod {
  std::string formulation, bodies;           // bodies: "" in a model without free bodies in space
  bool applied = false;                      // it gives accelerations at the initial state
  Status status = Status::model_error;       // of its run, or of the attempt
  std::optional<DiagnosticInfo> diagnostic;  // why it could not be applied, or why its run stopped
  std::string reason;                        // the same in one line; "" when there is nothing to say
  std::string engine;
  std::size_t equations = 0, unknowns = 0, states = 0;  // as in RunResult; 0: not known
  // From the reference. Accelerations at random states: of particles, bodies (in their axes) and coordinates; relative
  // to the largest acceleration of the reference at the same state, or to its largest speed over the length of the
  // block where that is more. Trajectories: places and velocities of the same, and states of the model; relative to the
  // largest value of the same kind and unit in the reference's run (of any unit where that is round-off).
  std::optional<Difference> acceleration, trajectory;
  int states_compared = 0, states_failed = 0;  // failed: the reference has accelerations there, this one has none
  // Along the run. |E - E0 - work of loads and constraints|, relative to the larger of |E0| and the largest kinetic
  // energy (absolute where both are 0). Change of the conserved momenta p = c.(dT/du) that ModelOverview::momenta
  // lists, at 1000 rows at most, relative to the largest p that the kinetic energy allows, sqrt(2 T c.Mc); nothing when
  // there are none. Euclidean norms of the residuals of all rows.
  std::optional<double> energy_error, momentum_error;
  std::optional<double> position_error, velocity_error, acceleration_error;
  std::optional<double> rhs_seconds, run_seconds;  // the best of several
};

struct Comparison {
  Status status = Status::complete;         // model_error: nothing could be compiled, why is below; interrupted
  std::vector<DiagnosticInfo> diagnostics;  // errors, or the warnings of the model
  std::string rendered;                     // the same as text
  std::string file, simulation, integrator, stabilise, time_unit;
  TimeSpan time;
  int samples = 0;         // states that were found, of
  int samples_wanted = 0;  // these
  // How near one of them came to a singular position: the smallest singular value that counts, of rows scaled to norm
  // 1. No method knows the accelerations better there than to rounding divided by it.
  double nearest_singular = 1;
  bool ran = false;                      // runs were asked for
  std::optional<std::size_t> reference;  // the first method that could be applied
  std::vector<ComparedMethod> methods;   // all formulations for each representation

  // Methods that gave something to compare, the reference among them.
  [[nodiscard]] std::size_t applied() const;
  // No difference from the reference, of accelerations or trajectories, is above the tolerance (relative), and no state
  // or run is missing.
  [[nodiscard]] bool agree(double tolerance) const;
};

[[nodiscard]] Comparison compare(const std::string& path, const CompareOptions& options = {});
[[nodiscard]] Comparison compare_text(const std::string& text, const std::string& name,
                                      const CompareOptions& options = {});
// Tables for people; one line a method, numbers in full; the same as JSON.
std::string comparison_text(const Comparison& comparison);
std::string comparison_csv(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);

// ---- sweeps over parameters
// -----------------------------------------------------------------------------------------------------------

struct SweepMember {
  std::uint64_t number = 0;              // from 1; the last of the names varied changes fastest
  std::vector<double> varied, recorded;  // recorded: empty when the run did not reach its end
  Status status = Status::complete;      // of its run; model_error: its values are none of the model (a mass of 0)
  std::string reason;                    // "" when it succeeded; otherwise in one line
  std::optional<DiagnosticInfo> diagnostic;
};

struct SweepOptions {
  CompileOptions compile;
  // Of the `sweep` block, or, with `vary`, of a `simulate` block; "": the only one.
  std::string name;
  std::vector<std::string> vary;    // "k = 1 .. 2 step 0.1": in place of the block's values of k, or besides them
  std::vector<std::string> record;  // "max_over(bead.z)": besides what the block records
  unsigned jobs = 0;                // threads; 0: one for each core. Results do not depend on it
  bool assemble = false;            // as in RunOptions, for every member
  const volatile std::sig_atomic_t* stop = nullptr;  // ends the sweep; members that are complete are kept
  // These and the observer are called by the thread that called sweep(). begin: once, before the first member.
  std::function<void(const SweepInfo&)> begin;
  std::function<void(double part)> progress;  // 0 to 1
};
// Called for every member in the order of their numbers; returning false ends the sweep with Status::output_failed.
using SweepObserver = std::function<bool(const SweepMember&)>;

struct SweepFailure {  // members that failed for one reason
  std::string reason;  // of the first of them
  std::uint64_t members = 0, first = 0;
};

struct SweepResult {
  Status status = Status::complete;         // model_error: nothing was run; interrupted; output_failed
  std::vector<DiagnosticInfo> diagnostics;  // errors, or the warnings of the model
  std::string rendered;                     // the same as text
  SweepInfo sweep;
  std::string integrator, formulation, stabilise, engine;
  TimeSpan time;
  std::vector<ParameterInfo> parameters;  // of the model; those that are varied have their values in the members
  std::string source_text;
  unsigned jobs = 0;
  std::uint64_t members = 0, failed = 0;  // that have been run; of them, with a reason
  std::vector<SweepFailure> failures;     // by kind, in the order of the first of each
  // Of members that were stepped eight at a time: steps made so, and steps each had to make by itself.
  std::uint64_t steps_together = 0, steps_alone = 0;
  double compile_seconds = 0, wall_seconds = 0;
  std::vector<StageTime> stages;  // of the compiler
  std::vector<SweepMember> rows;  // all members, when there is no observer
};

// Compiles once, and runs the members on several threads. Without recorded expressions the final values of the outputs
// are recorded, without outputs those of all columns of the run.
[[nodiscard]] SweepResult sweep(const std::string& path, const SweepOptions& options = {},
                                const SweepObserver& observer = {});
[[nodiscard]] SweepResult sweep_text(const std::string& text, const std::string& name, const SweepOptions& options = {},
                                     const SweepObserver& observer = {});
std::string summary_text(const SweepResult& result);

class Program {
 public:
  // A file that cannot be read is a diagnostic of the result.
  static Program from_file(const std::string& path, const CompileOptions& options = {});
  static Program from_string(const std::string& text, const std::string& name, const CompileOptions& options = {});
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  [[nodiscard]] bool ok() const;
  [[nodiscard]] std::vector<DiagnosticInfo> diagnostics() const;
  [[nodiscard]] std::string render_diagnostics(bool colour = false) const;
  [[nodiscard]] std::string render_diagnostics_json() const;  // one object a line

  // The functions below need ok().
  [[nodiscard]] std::vector<Quantity> parameters() const;
  [[nodiscard]] std::vector<Quantity> coordinates() const;
  [[nodiscard]] std::vector<Quantity> speeds() const;
  [[nodiscard]] std::vector<Quantity> states() const;  // those declared with `state`
  [[nodiscard]] std::vector<Quantity> inputs() const;
  [[nodiscard]] std::vector<Quantity> outputs() const;
  [[nodiscard]] std::vector<std::string> simulations() const;
  [[nodiscard]] std::string save_path(const std::string& simulation) const;  // its `save`, or ""
  // Its `time`; nothing for a name that is none ("" as in RunOptions::simulation).
  [[nodiscard]] std::optional<TimeSpan> time_span(const std::string& simulation) const;
  [[nodiscard]] std::string source_text() const;

  // What a stage produced, as text (object: bytes). `prefix` names the functions of asm and obj: prefix_rhs, ... On
  // failure "" and `error`. `processor` of llvm_ir, asm and obj: "native", a name LLVM knows, or "" for the oldest of
  // the architecture, where fused multiply-adds are calls of the runtime library; the results are the same.
  std::string emit(Stage stage, const std::string& prefix, std::string& error, const std::string& processor = "");
  // False where LLVM knows no processor of that name; true without LLVM, where nothing can be said.
  [[nodiscard]] bool knows_processor(const std::string& processor) const;
  [[nodiscard]] std::vector<StageTime> stage_times() const;
  // Whether native code is being made, which the end of a Program waits for. A process must not end by exit()
  // meanwhile.
  [[nodiscard]] bool compiling() const;

  // State y = [q; u; s; w]; sizes: coordinates, speeds, states, integrals of work
  // (of loads, of constraints, and of each constraint that does any). At the beginning of the first
  // `simulate` block (0 without one), with soft values moved onto the constraints; where that is not possible, and for
  // hard values that are off the constraints, the values as given.
  [[nodiscard]] std::vector<double> initial_state() const;
  // Without the momenta it costs next to nothing.
  [[nodiscard]] ModelOverview overview(bool momenta = true) const;
  // Degrees of freedom, redundant and conflicting rows, and what else can be said by looking at many states.
  Diagnosis diagnose(const DiagnoseOptions& options = {});
  // The initial state at a time, and whether it satisfies the constraints. assemble: hard values may be moved as well.
  InitialState initial(double t, bool assemble = false);
  [[nodiscard]] double parameter(std::size_t index) const;
  bool set_parameter(const std::string& name, double value);  // never recompiles; false when there is no such name
  // An input keeps its declared value until it is set; for rhs, rows, value and the beginning of simulate.
  [[nodiscard]] double input(std::size_t index) const;
  bool set_input(const std::string& name, double value);  // false when there is no such name
  // 0, or k: dy[k-1] is not finite, or -1: y or dy is not as long as initial_state().
  int rhs(double t, std::span<const double> y, std::span<double> dy);
  RowSet rows(double t, std::span<const double> y);  // empty beyond 2000 rows
  // Value of an expression of the language at a state (the REPL); nullopt and `error` (rendered) when it has none.
  std::optional<std::vector<double>> value(const std::string& expression, double t, std::span<const double> y,
                                           std::string& error);

  // How many there are, where lists of them would be long: coordinates, and scalar rows of constraints.
  [[nodiscard]] std::size_t coordinate_count() const;
  [[nodiscard]] std::size_t constraint_row_count() const;

  // Columns of the recorded rows after time: positions, velocities, accelerations of each particle, states, outputs.
  [[nodiscard]] std::vector<Quantity> columns() const;
  // One by one, where there are very many.
  [[nodiscard]] std::size_t column_count() const;
  [[nodiscard]] Quantity column(std::size_t index) const;
  [[nodiscard]] std::string time_unit() const;
  RunResult simulate(const RunOptions& options, const Observer& observer);

  // The `test` blocks, in the order of the file. A test runs its simulation at every step, as its block says; `stop` as
  // in RunOptions.
  [[nodiscard]] std::vector<TestInfo> tests() const;
  TestResult run_test(std::size_t index, const volatile std::sig_atomic_t* stop = nullptr);
  struct Parts;  // internal

 private:
  friend class ComparedProgram;  // internal
  struct Impl;
  [[nodiscard]] Parts parts() const;
  explicit Program(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mbc
