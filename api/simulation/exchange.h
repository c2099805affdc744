// SPDX-License-Identifier: Apache-2.0
// A simulation by steps that a host makes with an integrator of its own, as Model Exchange of FMI has it
// (runtime/run/model_exchange.h). Times and states are given with every call; a simulation that is moved like
// this is not moved by step() and run_until() until it is reset.
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

// From the time and state of the simulation on: looks at it, and makes what happens there.
Result<void> begin_exchange(Simulation& simulation);
// When the next instant is that is known.
double next_instant(Simulation& simulation);

// ---- at any time and state
// y' at the nearest state on the constraints.
Result<void> exchange_rate(Simulation& simulation, double t, std::span<const double> y, std::span<double> dy);
// Numbers that pass zero where events happen, as many as indicator_names() at least; those behind them are 1.
Result<void> exchange_indicators(Simulation& simulation, double t, std::span<const double> y, std::span<double> out);
// Values of Model::columns().
Result<std::vector<double>> exchange_columns(Simulation& simulation, double t, std::span<const double> y);

// ---- the end of a step; an instant
// How far the state is from the constraints, relative to the size of the model; 0 where `stabilise` moves nothing.
Result<double> complete_step(Simulation& simulation, double t, std::span<const double> y);
// The tolerance of `stabilise` for that.
double constraint_tolerance(Simulation& simulation);
struct Instant {
  bool moved = false;  // the state is another one, or goes on by another rate
  std::string ended;   // the motion has ended by itself, for that reason
  double next = std::numeric_limits<double>::infinity();
};
// Moves the state onto the constraints and makes what happens there; the state is then that of the simulation.
Result<Instant> make_instant(Simulation& simulation, double t, std::span<const double> y);

// ---- what it consists of
struct StateEntry {
  std::string name, unit;
  double nominal = 1;
};
// Of y, of a model as its simulations have it.
std::vector<StateEntry> state_entries(const Model& model, const std::string& block);
std::vector<std::string> indicator_names(const Model& model, const std::string& block);

// What a value is an expression of, as it is written; nothing: of anything. In models with constraints, whose values
// are those of another state, and of the rates of speeds, nothing is known.
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
