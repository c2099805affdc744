// mbc: models of constrained mechanics, compiled and run. The whole embedding interface; standard library types only.
//
//   #include <mbc/mbc.h>
//
//   mbc::Program program = mbc::Program::from_file("pendulum.mbd");
//   if (!program.ok()) { std::cerr << program.render_diagnostics(); return 1; }
//   mbc::RunResult result = program.simulate({}, [](const mbc::Row& row) { /* row.time, row.values */ return true; });
//
// Nothing here prints, reads anything but the file it is given, or throws for a mistake of the user's: mistakes of a
// model are diagnostics, failures of a run are a status with a diagnostic. std::bad_alloc and failed internal checks
// (std::logic_error) are all that can escape. A Program may be used by one thread at a time; different Programs by
// different threads (compiling is serialised inside). All numbers are SI; vectors are flat.
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

// ---- compiling
// ---------------------------------------------------------------------------------------------------------

struct CompileOptions {
  std::vector<std::string> set;  // "R = 0.4 [m]", "demo.time.end = 2": see docs/language.md
  bool interpret = false;        // run the interpreter, do not load LLVM
  int optimise = 2;              // 0 or 2
};

enum class Stage : std::uint8_t { ast, model, system, kernel, llvm_ir, assembly, object };

struct StageTime {
  std::string name;
  double seconds = 0;
};

struct Quantity {  // a parameter, coordinate, speed or output
  std::string name;
  std::string unit;  // "" in a model without units, "1" for a pure number in one with units
  std::string description;
};

struct TimeSpan {  // of a `simulate` block
  double begin = 0, end = 0, step = 0;
};

struct RowSet {  // the equations of motion at a state: M u' = f + A^T lambda, A u' = b
  std::size_t n = 0, m = 0;
  std::vector<double> M, A;  // n x n, m x n, row-major
  std::vector<double> f, b, acceleration, multiplier;
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
};

struct Row {
  double time = 0;
  std::span<const double> values;  // as Program::columns(simulation)
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
  std::vector<std::string> chosen_for_user;  // settings that were not written: "integrator = rk4", ...
  std::uint64_t steps = 0, rows = 0, evaluations = 0;
  double begin = 0, end = 0, step = 0, reached = 0;
  bool adaptive = false;  // the integrator chose its steps: `step` is the interval of the rows
  std::uint64_t rejected = 0;
  double smallest_step = 0, largest_step = 0;  // accepted ones
  double wall_seconds = 0;
  int rank = 0;
  std::vector<std::string> dependent_rows;  // at the start
  std::vector<RankChange> rank_changes;
  double smallest_distance = 1;  // how near a row came to depending on the others (sine of an angle)
  std::vector<ConstraintReport> constraints;
  double energy_begin = 0, energy_end = 0, work_of_loads = 0, work_of_constraints = 0, balance_error = 0;
  ConstraintReport violation;  // largest Euclidean norm of the residuals of all rows, by level, over the recorded rows
  std::uint64_t renewals = 0;  // of the dependent coordinates (stabilise = partition)
  double largest_correction = 0;  // of one step, mass-weighted, position level
  std::vector<double> state;      // y at the end
};

std::string summary_text(const RunResult& result);
std::string summary_json(const RunResult& result);

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
  [[nodiscard]] std::vector<Quantity> outputs() const;
  [[nodiscard]] std::vector<std::string> simulations() const;
  [[nodiscard]] std::string save_path(const std::string& simulation) const;  // its `save`, or ""
  // Its `time`; nothing for a name that is none ("" as in RunOptions::simulation).
  [[nodiscard]] std::optional<TimeSpan> time_span(const std::string& simulation) const;
  [[nodiscard]] std::string source_text() const;

  // What a stage produced, as text (object: bytes). `prefix` names the functions of asm and obj: prefix_rhs, ... On
  // failure "" and `error`.
  std::string emit(Stage stage, const std::string& prefix, std::string& error);
  [[nodiscard]] std::vector<StageTime> stage_times() const;

  // State y = [q; u; s]; sizes: coordinates, speeds, 2 work integrals.
  [[nodiscard]] std::vector<double> initial_state() const;
  [[nodiscard]] double parameter(std::size_t index) const;
  bool set_parameter(const std::string& name, double value);  // never recompiles; false when there is no such name
  int rhs(double t, std::span<const double> y, std::span<double> dy);  // 0, or k: dy[k-1] is not finite
  RowSet rows(double t, std::span<const double> y);
  // Value of an expression of the language at a state (the REPL); nullopt and `error` (rendered) when it has none.
  std::optional<std::vector<double>> value(const std::string& expression, double t, std::span<const double> y,
                                           std::string& error);

  // Columns of the recorded rows after time: positions, velocities, accelerations of each particle, then the outputs.
  [[nodiscard]] std::vector<Quantity> columns() const;
  [[nodiscard]] std::string time_unit() const;
  RunResult simulate(const RunOptions& options, const Observer& observer);

 private:
  struct Impl;
  explicit Program(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mbc
