// SPDX-License-Identifier: Apache-2.0
// A motion of a model: its time, state, parameters and inputs, and everything a run needs to go on.
//
//   mbc::Simulation simulation = mbc::Simulation::create(model).value();
//   simulation.set_parameter("L", 1.0).value();
//   simulation.reset();
//   while (simulation.time() < 10) simulation.step(1e-3).value();
//
// Making one is cheap: the model is shared, arrays are made. Any number of simulations of one model may be used at
// once, each by one thread at a time. A simulation keeps its model alive.
//
// All numbers are SI; the state is one flat vector y = [q; u; s; w]: coordinates, speeds, states (Model::coordinates(),
// speeds(), states()), integrals of work. It begins at the beginning of its `simulate` block (time 0 in a model without
// one) with the initial values of the text, soft ones moved onto the constraints.
//
// There are two ways to move it. run() makes the whole block at once, from its initial state, and says all that can be
// said of a run. step() and run_until() go on from the time and state at hand, with the integrator, formulation and
// stabilisation of the block; they keep a run alive from call to call, so that many short calls cost what a long one
// does and give the same bits as one run over the same steps.
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
#include "mbc/result.h"
#include "mbc/run.h"
#include "mbc/tests.h"

namespace MBC_API mbc {

// The equations of motion at a state: M u' = f + C + A^T multiplier, A u' = b.
struct RowSet {
  std::size_t n = 0, m = 0;  // speeds, rows
  std::vector<double> M, A;  // n x n, m x n, row-major
  std::vector<double> f, b, acceleration, multiplier;
  std::vector<double> ideal;  // the multipliers as they would be without C; empty where there is none
  std::vector<std::string> row_names;
  std::vector<Level> levels;                                 // of the rows
  std::vector<double> position_residual, velocity_residual;  // 0 where a row has no position level
  int rank = 0;
  std::vector<std::string> dependent_rows;
  // n: what constraints do besides (`nonideal`); reaction-dependent loads and sliding friction are part of f.
  std::vector<double> C;
};

// The right-hand side of a simulation as a plain function, for integrators of others: y' = f(t, y), at the parameters,
// inputs and held states that the simulation has when it is called. It checks nothing: y and dy have `size` entries,
// do not overlap, and the thread rounds to nearest. It allocates nothing but for the first calls, and never throws.
struct RhsFunction {
  // 0: dy holds y'; k > 0: dy[k-1] is not finite; -1: not now, since a run is in progress or the simulation has another
  // shape by now (Simulation::rhs says more).
  std::int32_t (*call)(void* context, double t, const double* y, double* dy) noexcept = nullptr;
  void* context = nullptr;
  std::size_t size = 0;
};

class Simulation {
 public:
  // Of that `simulate` block; "": the first one, or none in a model without blocks. Fails for a model that is not ok(),
  // for a block that is not there or that the model cannot be had for, and where native code was demanded and cannot be
  // had.
  [[nodiscard]] static Result<Simulation> create(const Model& model, const std::string& simulation = "");
  // One that was moved from may be assigned to or destroyed, and nothing else.
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  // In the shape it is simulated in.
  [[nodiscard]] const Model& model() const;

  // ---- time, state, parameters, inputs
  [[nodiscard]] double time() const;
  [[nodiscard]] const std::vector<double>& state();  // y, Model::state_size() entries
  // Finite, and as long as the model's; whether it satisfies the constraints is looked at by the next step.
  Result<void> set_state(double time, std::span<const double> y);
  // Of that index or name. Setting one leaves the state alone, also where initial values are made of it (reset()), and
  // gives other parameters and inputs that are declared by it their new values; nothing is compiled again. Values are
  // finite.
  [[nodiscard]] Result<double> parameter(std::size_t index) const;
  [[nodiscard]] Result<double> parameter(const std::string& name) const;
  Result<void> set_parameter(std::size_t index, double value);
  Result<void> set_parameter(const std::string& name, double value);
  // An input keeps its declared value, or the signal of its block, until it is set: then that. input(): what it is at
  // the present time and state; of one with a signal not while a run is under way.
  [[nodiscard]] Result<double> input(std::size_t index) const;
  [[nodiscard]] Result<double> input(const std::string& name) const;
  Result<void> set_input(std::size_t index, double value);
  Result<void> set_input(const std::string& name, double value);
  // What only events change: states without a rate, `.count` and `.time` of the events, `.enabled` of what they switch
  // (1 or 0), by their names.
  [[nodiscard]] std::vector<std::string> held_names() const;
  [[nodiscard]] Result<double> held(const std::string& name) const;
  Result<void> set_held(const std::string& name, double value);
  // The discrete state: all that is constant between events, also which contacts hold and what sticks. A motion leaves
  // it behind; at a state that was set it is found anew, as the beginning of a run finds it, or set: the numbers behind
  // those of the inputs in Row::inputs. As long as discrete_names(); the values are checked by name.
  [[nodiscard]] std::vector<std::string> discrete_names() const;
  [[nodiscard]] Result<std::vector<double>> discrete_state();
  Result<void> set_discrete_state(std::span<const double> values);
  // An output at the present state. Evaluates the equations of motion.
  [[nodiscard]] Result<double> output(std::size_t index);
  [[nodiscard]] Result<double> output(const std::string& name);

  // The values of Model::columns() at the present state, as a row of a run has them; a quaternion that comes from a
  // matrix may have the other sign there. Evaluates the equations of motion.
  [[nodiscard]] Result<std::vector<double>> columns();

  // Back to the beginning of the block: its time, and the initial values at the present parameters. Parameters and
  // inputs stay what they are.
  void reset();
  // The initial values at the beginning of the block, soft ones moved onto the constraints; where that is not possible,
  // and for hard values that are off the constraints, the values as given.
  [[nodiscard]] std::vector<double> initial_state();
  // The initial state at a time, and whether it satisfies the constraints. assemble: hard values may be moved as well.
  [[nodiscard]] Result<InitialState> initial(double time, bool assemble = false);

  // ---- moving on
  // What the beginning of a run does at the present state: impacts of what meets there, projection onto the
  // constraints, contacts and frictions. The time stays.
  Result<void> settle();
  // One step of size h > 0 by the integrator of the block; with dopri5 and bdf as many as it needs to get there. After
  // a failure time and state are those of the last step that succeeded.
  Result<void> step(double h);
  // Steps of the block's size to `time`; the last one is shorter where they do not fit. At once when it is there.
  Result<void> run_until(double time);

  // A whole run: that block ("" in RunOptions: the one at hand, or the only one) from its beginning to its end, or what
  // the options say. `observer` is called for every recorded row; it may set parameters and inputs, which then count
  // from that row on (with dopri5 and bdf, where rows lie within steps, from the end of the step); an input that
  // `drive` sets is what it says at the next step. Leaves time and state where the run ended, and the simulation with
  // the block it was of: step() goes on with the methods of that block, reset() goes to its beginning. Mistakes in the
  // options, and a model that cannot be had as the block wants it, are Status::model_error.
  RunResult run(const RunOptions& options = {}, const Observer& observer = {});

  // ---- looking at it; at any time and state y, which need not be those at hand. Both finite, y as long as the model's
  // dy[k] = y'[k]. Error::index says which entry is not finite.
  Result<void> rhs(double time, std::span<const double> y, std::span<double> dy);
  // The same without the checks; none of a model with contacts or friction, which it would move through. The function
  // is this simulation's: it lives as long, one thread at a time calls either.
  [[nodiscard]] Result<RhsFunction> rhs_function();
  // ErrorCode::too_large beyond 2000 rows.
  [[nodiscard]] Result<RowSet> rows(double time, std::span<const double> y);
  // Value of an expression of the language; fails when it has none (a message like those of the compiler) or an
  // undefined one.
  [[nodiscard]] Result<std::vector<double>> value(const std::string& expression, double time,
                                                  std::span<const double> y);
  [[nodiscard]] Result<std::vector<double>> value(const std::string& expression);  // at the present state
  // The same with shape and unit.
  [[nodiscard]] Result<Evaluated> evaluate(const std::string& expression, double time, std::span<const double> y);
  // Degrees of freedom, redundant and conflicting rows, and what else can be said by looking at many states near the
  // initial one. Neither time nor state change.
  [[nodiscard]] Result<DoctorReport> doctor(const DoctorOptions& options = {});
  // A test runs its simulation at every step, as its block says; `stop` as in RunOptions. The state at hand stays.
  [[nodiscard]] Result<TestResult> run_test(std::size_t index, const volatile std::sig_atomic_t* stop = nullptr);

  // ---- all of it as bytes
  // Everything that decides how the motion goes on: time, state, what was set, and the run that is kept alive with its
  // certified rows, history, step control, independent speeds and counters. A simulation of the same text and settings,
  // in this or another process, that restores them goes on bit for bit; by bdf, whose history is not kept, within the
  // tolerance. Of this version of mbc only.
  [[nodiscard]] std::string save();
  // Fails, and changes nothing, for bytes that are not that.
  Result<void> restore(const std::string& bytes);

  struct Impl;  // internal
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mbc
