// SPDX-License-Identifier: Apache-2.0
// The data of a Simulation.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/model/family.h"
#include "api/simulation/discrete_search.h"
#include "api/simulation/motion.h"
#include "mbc/simulation.h"
#include "runtime/run/check_run.h"
#include "runtime/singular/certification.h"

namespace mbc {

namespace api {

// The rows of the last evaluation of an expression.
struct KeptRows {
  std::vector<double> at;  // time, state, parameters, inputs, discrete state
  RowSet rows;
  std::vector<double> inputs;  // inputs of the kernel there: those of the model, then the discrete state
};

}  // namespace api

struct MBC_HIDDEN Simulation::Impl {
  Impl(Model model, std::string block);

  // ---- present state
  Model model;  // in the present variant
  std::string block;
  double time = 0;
  std::vector<double> y;
  bool fresh = true;  // y is the initial state and was not requested yet
  std::vector<double> params, inputs;
  std::vector<double> held;  // the discrete state at the present state
  bool decided = false;      // a motion has reached the present state: its contacts and frictions are those in `held`
  std::vector<std::pair<std::uint32_t, double>> set_params, set_inputs;
  bool values_checked = true;  // the parameters are values that a text could have
  std::unique_ptr<api::Motion> motion;
  bool model_exchange = false;                            // the host makes its steps (exchange.h)
  const volatile std::sig_atomic_t* stop_flag = nullptr;  // of step() and run_until()

  // ---- equations for runs and queries; step() has its own
  std::unique_ptr<runtime::Equations> equations, check_equations;
  std::array<std::unique_ptr<runtime::FusedStep>, 2> fused;  // without and with projection
  bool running = false;                                      // run() is in progress and has called the host
  bool changed = false;                                      // parameters or inputs were set meanwhile
  std::size_t plain_size = 0;                                // size of rhs_function(), once it was called

  [[nodiscard]] const api::EquationVariant& variant() const { return *model.state()->variant; }
  [[nodiscard]] const api::Facts& facts() const { return variant().facts(); }
  [[nodiscard]] const SourceSet& sources() const { return variant().sources(); }

  // ---- equation variants
  // Switches to the variant that a block needs; returns an error if the model has none.
  Result<void> variant_for(const sema::Simulation& s, bool driven = false);
  // Returns an error if the block cannot be run with the settings that `--set` gives to all blocks.
  [[nodiscard]] Result<void> check_fit(const sema::Simulation& s) const;
  // Adds rows to a mass matrix that is singular at a state: those of representations first, then all.
  void complete_inertia(double t, const std::vector<double>& state);
  void take_gains();
  void adopt(std::shared_ptr<const api::EquationVariant> variant);

  // Returns the equations, ready to be evaluated at the present parameters and inputs.
  runtime::Equations& ready();
  runtime::Equations& ready_for_checks();
  runtime::FusedStep* fused_for(const runtime::SimulateOptions& run);
  // Returns an error if native code was demanded and is not available.
  Result<void> check_native();

  void update_params();
  void update_inputs();
  [[nodiscard]] Result<double> input(std::size_t index);
  Result<void> set_parameter(std::size_t index, double value);
  Result<void> set_input(std::size_t index, double value);
  // Returns the names of the inputs that a host sets; their signals have no effect.
  [[nodiscard]] std::vector<std::string> inputs_by_host() const;

  // ---- the state
  [[nodiscard]] std::vector<double> written_state() const;  // initial values as they are written
  [[nodiscard]] std::vector<double> initial_state();        // with soft values moved
  [[nodiscard]] InitialState initial(double t, bool assemble, const volatile std::sig_atomic_t* stop = nullptr);
  // Returns whether parameters that a host has set may draw the bodies of a tree in other places.
  [[nodiscard]] bool is_drawn_anew() const {
    return facts().bodies == settings::Representation::tree && !set_params.empty();
  }
  [[nodiscard]] sema::Simulation chosen_block() const;
  void begin_anew();
  const std::vector<double>& state();
  [[nodiscard]] std::vector<double> discrete_at_start() const;
  [[nodiscard]] problem::DiscreteState discrete_state(runtime::Equations& of) const;
  [[nodiscard]] std::optional<std::size_t> held_index(const std::string& name) const;
  void take_discrete_state(runtime::Equations& from);
  // Marks the active inequalities as unknown, so that they are determined anew at a given state.
  void forget_contacts(std::vector<double>& among) const;
  Result<void> check_state(double t, std::span<const double> state) const;
  Result<void> check_free() const;  // no run is in progress

  // ---- motion and queries
  // Returns an error for a time too many steps of the block away.
  [[nodiscard]] Result<void> check_reach(double h) const;
  [[nodiscard]] std::unique_ptr<api::Motion> make_motion();  // from the present state
  Result<void> move(const std::function<bool(api::Motion&)>& piece);
  // Returns the error of parameters that a host has set and no text could have, a mass of 0 for example.
  [[nodiscard]] Result<void> check_values();
  // Return the errors of a diagnostic and of a motion that has ended.
  [[nodiscard]] Error error_of(const Diagnostic& d) const;
  [[nodiscard]] Error error_of(const runtime::RunData& data) const;
  // Returns the equations, ready to be evaluated at that state, with the contacts and frictions that act there. At the
  // state that the motion has reached they are those of the motion; elsewhere they are found anew.
  Result<runtime::Equations*> equations_at(double t, std::span<const double> state);
  [[nodiscard]] bool has_contacts() const;
  api::DiscreteSearch discrete_search;
  // Returns the equations with the rows that the last query has certified; ready() takes all rows again.
  runtime::Equations& made();
  // Decides which rows act in the equations at that state.
  runtime::Verdict certify(runtime::Equations& equations, double t, std::span<const double> state);
  bool certified = false;            // the equations have decided rows, which ready() takes back
  std::vector<double> certified_at;  // all that equations_at() has decided them by; empty: something else has
  // Returns the outputs as a row of a run has them; nan where they are undefined.
  Result<std::vector<double>> outputs_at(double t, std::span<const double> state);
  Result<RowSet> rows(double t, std::span<const double> state);
  Result<std::vector<double>> columns();
  [[nodiscard]] Result<RhsFunction> rhs_function();
  Result<Evaluated> value(const std::string& expression, double t, std::span<const double> state);
  Result<Evaluated> value_of(const std::string& expression, double t, std::span<const double> state);
  // Like rows(), but keeps the last result, because many expressions are evaluated at one state.
  Result<const api::KeptRows*> rows_kept(double t, std::span<const double> state);
  api::KeptRows kept_rows;
  // If a test passes `checks`, the run evaluates the kernel with the values of tests.
  RunResult run(const RunOptions& options, const Observer& observer, runtime::CheckRun* checks = nullptr);
  RunResult run_twice(const RunOptions& options, const Observer& observer);  // RunOptions::global_error
  Result<TestResult> run_test(std::size_t index, const volatile std::sig_atomic_t* stop);
  [[nodiscard]] std::unique_ptr<Impl> copy() const;  // starts at its initial state
  // Returns a copy with the bodies in quaternions; null if they are, or if the text refers to coordinates or speeds
  // that they do not have then.
  [[nodiscard]] std::unique_ptr<Impl> in_quaternions() const;

  void transfer(Archive& archive);
};

// Returns the error of a model that is not ok().
[[nodiscard]] Error model_error(const Model& model);

}  // namespace mbc
