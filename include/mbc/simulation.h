// SPDX-License-Identifier: Apache-2.0
// A motion of a model: its time, state, parameters and inputs, and everything a run needs to go on.
//
//   mbc::Simulation simulation = mbc::Simulation::create(model).value();
//   simulation.set_parameter("L", 1.0).value();
//   simulation.reset();
//   while (simulation.time() < 10) simulation.step(1e-3).value();
//
// Creating one is cheap: the model is shared and only arrays are allocated. Any number of simulations of one model may
// be used at once, each by one thread at a time. A simulation keeps its model alive.
//
// All numbers are SI; the state is one flat vector y = [q; u; s; w]: coordinates, speeds, states (Model::coordinates(),
// speeds(), states()), integrals of work. A simulation begins at the beginning of its `simulate` block (time 0 in a
// model without one) with the initial values of the text, soft ones moved onto the constraints.
//
// There are two ways to advance it. run() makes the whole block at once, from its initial state, and reports the whole
// run. step() and run_until() continue from the current time and state, with the integrator, formulation and
// stabilisation of the block. They keep a run alive from call to call, so that many short calls cost as much as a long
// one and give the same bits as one run over the same steps.
#pragma once
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mbc/doctor.h"
#include "mbc/export.h"
#include "mbc/model.h"
#include "mbc/questions.h"
#include "mbc/result.h"
#include "mbc/run.h"
#include "mbc/tests.h"

namespace MBC_API mbc {

// The equations of motion at a state: M u' = f + C + A^T multiplier, A u' = b.
struct RowSet {
  std::size_t n = 0, m = 0;                            // speeds, rows
  std::vector<double> M, A;                            // n x n, m x n, row-major
  std::vector<double> f, b, acceleration, multiplier;  // b with the terms of `stabilise = baumgarte`
  std::vector<double> ideal;                           // the multipliers without C; empty if there is no C
  std::vector<std::string> row_names;
  std::vector<Level> levels;                                 // of the rows
  std::vector<double> position_residual, velocity_residual;  // 0 where a row has no position level
  int rank = 0;
  std::vector<std::string> dependent_rows;
  // n entries: the forces of `nonideal` blocks. Reaction-dependent loads and sliding friction are part of f.
  std::vector<double> C;
};

// The right-hand side of a simulation as a plain function for external integrators: y' = f(t, y), at the parameters,
// inputs and discrete state that the simulation has at the call. It checks nothing: y and dy have `size` entries and do
// not overlap, and the thread rounds to nearest. It allocates memory only in the first calls, and never throws.
struct RhsFunction {
  // Returns 0: dy holds y'; k > 0: dy[k-1] is not finite; -1: not available, because a run is in progress or the
  // simulation has changed its shape (the error of Simulation::rhs gives details).
  std::int32_t (*call)(void* context, double t, const double* y, double* dy) noexcept = nullptr;
  void* context = nullptr;
  std::size_t size = 0;
};

class Simulation {
 public:
  // Creates a simulation of the named `simulate` block; "": the first one, or none in a model without blocks. Fails for
  // a model that is not ok(), for a block that does not exist or that the model cannot be compiled for, and if native
  // code was demanded and is not available.
  [[nodiscard]] static Result<Simulation> create(const Model& model, const std::string& simulation = "");
  // A simulation that was moved from may only be assigned to or destroyed.
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  // The model in the shape that is simulated.
  [[nodiscard]] const Model& model() const;

  // ---- time, state, parameters, inputs
  [[nodiscard]] double time() const;
  [[nodiscard]] const std::vector<double>& state();  // y, Model::state_size() entries
  // Sets time and state; y is finite and as long as the model's state. The next step checks whether it satisfies the
  // constraints.
  Result<void> set_state(double time, std::span<const double> y);
  // Parameters by index or name. Setting one leaves the state unchanged, even if initial values depend on it (reset()),
  // and updates the parameters and inputs whose declarations contain it; nothing is compiled again. Values are finite.
  [[nodiscard]] Result<double> parameter(std::size_t index) const;
  [[nodiscard]] Result<double> parameter(const std::string& name) const;
  Result<void> set_parameter(std::size_t index, double value);
  Result<void> set_parameter(const std::string& name, double value);
  // An input keeps its declared value, or the signal of its block, until it is set; then it keeps the value set.
  // input() returns its value at the present time and state; for an input with a signal it fails during a run.
  [[nodiscard]] Result<double> input(std::size_t index) const;
  [[nodiscard]] Result<double> input(const std::string& name) const;
  Result<void> set_input(std::size_t index, double value);
  Result<void> set_input(const std::string& name, double value);
  // Discrete states by name: states without a rate, `.count` and `.time` of the events, `.enabled` of what events
  // switch (1 or 0).
  [[nodiscard]] std::vector<std::string> held_names() const;
  [[nodiscard]] Result<double> held(const std::string& name) const;
  Result<void> set_held(const std::string& name, double value);
  // The complete discrete state: all values that are constant between events, including active contacts and sticking
  // frictions. A motion leaves it as it is at its end. After set_state() it is found as at the beginning of a run, or
  // it is set to the numbers that follow the inputs in Row::inputs. It has as many entries as discrete_names(); the
  // values are checked by name.
  [[nodiscard]] std::vector<std::string> discrete_names() const;
  [[nodiscard]] Result<std::vector<double>> discrete_state();
  Result<void> set_discrete_state(std::span<const double> values);
  // Returns an output at the present state. Evaluates the equations of motion.
  [[nodiscard]] Result<double> output(std::size_t index);
  [[nodiscard]] Result<double> output(const std::string& name);

  // Returns the values of Model::columns() at the present state, as a row of a run has them; a quaternion computed from
  // a matrix may have the opposite sign there. Evaluates the equations of motion.
  [[nodiscard]] Result<std::vector<double>> columns();

  // Returns to the beginning of the block: its time, and the initial values at the present parameters. Parameters and
  // inputs keep their values.
  void reset();
  // Returns the initial values at the beginning of the block, soft ones moved onto the constraints. If that is not
  // possible, or hard values violate the constraints, it returns the values as given.
  [[nodiscard]] std::vector<double> initial_state();
  // Returns the initial state at a time, and whether it satisfies the constraints. assemble: hard values may be moved
  // as well.
  [[nodiscard]] Result<InitialState> initial(double time, bool assemble = false);

  // ---- advancing the motion
  // Does the work of the beginning of a run at the present state: impacts of contacts that close there, projection onto
  // the constraints, contacts and frictions. The time does not change.
  Result<void> settle();
  // Sets the flag that ends step() and run_until() with ErrorCode::interrupted, between two steps, once a signal
  // handler or, atomically, another thread has set it; null: none. It has to outlive these calls.
  void set_stop(const volatile std::sig_atomic_t* stop);
  // Makes one step of size h > 0 by the integrator of the block; dopri5 and bdf make as many steps as they need. After
  // a failure, time and state are those of the last successful step.
  Result<void> step(double h);
  // Makes steps of the block's size until `time`; the last one is shorter if they do not fit. Does nothing if the time
  // is reached already.
  Result<void> run_until(double time);

  // Makes a whole run of a block (the one named in RunOptions; "": the current one, or the only one) from its beginning
  // to its end, unless the options say otherwise. `observer` is called for every recorded row. It may set parameters
  // and inputs, which take effect from that row on (with dopri5 and bdf, whose rows lie within steps, from the end of
  // the step); `drive` overrides such an input at the next step. The run leaves time and state at its end, and its
  // block becomes the current one: step() continues with the methods of that block, reset() goes to its beginning.
  // Invalid options, and a model that cannot be compiled for the block, are Status::model_error.
  RunResult run(const RunOptions& options = {}, const Observer& observer = {});

  // ---- evaluation at any time and state y, not only the current ones. Both are finite, y as long as the model's state
  // dy[k] = y'[k]. Error::index says which entry is not finite.
  Result<void> rhs(double time, std::span<const double> y, std::span<double> dy);
  // Returns rhs() without the checks as a plain function; fails for a model with contacts or friction, which the
  // function would ignore. The function belongs to this simulation and lives as long; both may be called by one thread
  // at a time.
  [[nodiscard]] Result<RhsFunction> rhs_function();
  // Returns the equations of motion; fails with ErrorCode::too_large beyond 2000 rows.
  [[nodiscard]] Result<RowSet> rows(double time, std::span<const double> y);
  // Returns the value of an expression of the language. It fails if the expression has errors (with a message like
  // those of the compiler) or its value is undefined.
  [[nodiscard]] Result<std::vector<double>> value(const std::string& expression, double time,
                                                  std::span<const double> y);
  [[nodiscard]] Result<std::vector<double>> value(const std::string& expression);  // at the present state
  // The same with shape and unit.
  [[nodiscard]] Result<Evaluated> evaluate(const std::string& expression, double time, std::span<const double> y);
  // Returns derivatives at a state that satisfies the constraints, along the manifold of such states; exact but for
  // rounding. Fails with a diagnostic at a singular position, at the edge of a contact, at a discontinuity, and where a
  // force depends on reactions.
  [[nodiscard]] Result<Jacobian> jacobian(JacobianOf of, JacobianBy by, double time, std::span<const double> y);
  // Returns the linear model at a state of the block. Time and state do not change.
  [[nodiscard]] Result<LinearModel> linearize(const LinearizeOptions& options = {});
  // Searches positions without motion: all speeds and all rates are zero. Fails with a diagnostic if none is found.
  // Time and state do not change.
  [[nodiscard]] Result<EquilibriumReport> equilibrium(const EquilibriumOptions& options = {});
  // Analyses degrees of freedom, redundant and conflicting rows, and further properties at many states near the initial
  // one. Time and state do not change.
  [[nodiscard]] Result<DoctorReport> doctor(const DoctorOptions& options = {});
  // Runs the simulation of a test as its block says and checks the test at every step; `stop` as in RunOptions. The
  // current state does not change.
  [[nodiscard]] Result<TestResult> run_test(std::size_t index, const volatile std::sig_atomic_t* stop = nullptr);

  // ---- saving and restoring
  // Returns the bytes of everything that determines the further motion: time, state, values that were set, and the live
  // run with its certified rows, history, step control, independent speeds and counters. A simulation of the same text
  // and settings, in this or another process, that restores them continues bit for bit; with bdf, whose history is not
  // kept, within the tolerance. The bytes are valid for this version of mbc only.
  [[nodiscard]] std::string save();
  // Fails, and changes nothing, for bytes that save() did not return.
  Result<void> restore(const std::string& bytes);

  struct Impl;  // internal
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mbc
