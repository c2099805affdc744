// SPDX-License-Identifier: Apache-2.0
// A simulation whose steps a host makes with its own integrator, as in Model Exchange of FMI
// (runtime/run/model_exchange.h). Every call has the time and the state. A simulation in this mode cannot use step()
// and run_until() until it is reset.
#pragma once
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mbc/simulation.h"

namespace mbc::api {

// Starts at the time and state of the simulation: checks the state and executes the events that are due there.
Result<void> begin_exchange(Simulation& simulation);

// ---- at any time and state
// Computes y' at the nearest state that satisfies the constraints.
Result<void> exchange_rate(Simulation& simulation, double t, std::span<const double> y, std::span<double> dy);
// Event indicators: numbers that cross zero at events. `out` has at least as many entries as indicator_names(); the
// others are set to 1.
Result<void> exchange_indicators(Simulation& simulation, double t, std::span<const double> y, std::span<double> out);
// Computes the values of Model::columns().
Result<std::vector<double>> exchange_columns(Simulation& simulation, double t, std::span<const double> y);

// ---- the end of a step; an instant
// Returns the distance of the state from the constraints, relative to the size of the model; 0 if `stabilise` moves
// nothing.
Result<double> complete_step(Simulation& simulation, double t, std::span<const double> y);
// Returns the tolerance of `stabilise` for this distance.
double constraint_tolerance(Simulation& simulation);
struct Instant {
  bool moved = false;  // the state has changed, or its rate has
  std::string ended;   // reason for which the motion has ended, or ""
  double next = std::numeric_limits<double>::infinity();
};
// Moves the state onto the constraints and executes the events that are due; the simulation takes this state.
Result<Instant> make_instant(Simulation& simulation, double t, std::span<const double> y);

// ---- what it consists of
struct StateEntry {
  std::string name, unit;
  double nominal = 1;
};
// Returns the entries of y, for a model in the variant of its simulations.
std::vector<StateEntry> state_entries(const Model& model, const std::string& block);
std::vector<std::string> indicator_names(const Model& model, const std::string& block);

// The dependencies of a value that its expression shows; no value means that it may depend on everything. Nothing is
// known of the rates of speeds, or of models with constraints, where values belong to a projected state.
struct Knowns {
  bool time = false;
  std::vector<std::size_t> states, inputs;  // entries of y; inputs of the model
};
struct Dependencies {
  std::vector<std::optional<Knowns>> rates, indicators;
  std::map<std::string, Knowns> outputs;  // by name
};
Dependencies dependencies(const Model& model, const std::string& block);

}  // namespace mbc::api
