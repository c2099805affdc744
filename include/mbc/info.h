// SPDX-License-Identifier: Apache-2.0
// The contents of a model as plain data: Model::info(), `mbc info`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mbc/diagnostics.h"
#include "mbc/export.h"
#include "mbc/quantities.h"
#include "mbc/settings.h"

namespace MBC_API mbc {

struct ParameterInfo {
  Quantity quantity;
  double value = 0;
  bool from_outside = false;  // set by CompileOptions::set
  bool follows = false;       // its declaration contains other parameters; it follows them until it is set
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
  std::string name;
  Level level{};
  std::string description;
  std::size_t rows = 0;
  bool pushes = false;  // an inequality
};

struct PlottedColumn {
  std::string name;  // name of a column of the results, or "time"
  std::string unit;  // unit it is drawn in; "": the unit of the column
};

struct PlotInfo {  // a `plot` entry of a `simulate` block
  std::vector<PlottedColumn> curves;
  std::optional<PlottedColumn> over;  // nothing: drawn over time
};

struct SimulationInfo {
  std::string name;
  TimeSpan time;
  std::vector<std::pair<std::string, std::string>> choices;  // integrator, formulation, ...; defaults included
  std::vector<std::string> defaults;                         // the choices that were not written
  std::string save;
  bool assemble = false;
};

struct ConservedMomentum {                             // c.(dT/du), c a constant direction of the speeds
  std::string name, kind;                              // "phi", "coordinate"; "translation x of p, q", "direction"
  std::string unit;                                    // as of a Quantity
  std::vector<std::pair<std::string, double>> speeds;  // speeds with their coefficients c
};

struct UnconservedMomentum {  // belongs to a coordinate that the energies do not depend on
  std::string name, reason;
};

struct VariedInfo {  // a parameter, an input or an argument of an instance that a sweep varies
  Quantity quantity;
  std::uint64_t count = 0;     // number of values
  double first = 0, last = 0;  // in the unit of `quantity`, as SweepMember::varied
  bool list = false;           // the values are a list and need not be evenly spaced
  std::string drawn;           // "normal(2, 0.1) [kg]": `count` draws; "\"parts.csv\"": of a file; "": neither
  bool shapes = false;         // it changes the structure of the model, which is compiled anew for each value
  double factor = 1;           // from the unit of `quantity` to SI; other than 1 only if the sweep says `in [deg]`
};

struct SweepInfo {
  std::string name, simulation;  // name: "" when it comes from SweepOptions::vary alone
  std::vector<VariedInfo> varied;
  std::vector<Quantity> records;
  std::uint64_t members = 0;       // what is drawn is drawn together, once for all of it
  std::string draws;               // "1000 draws, points = sobol, seed = 7"; "": nothing is drawn
  std::vector<std::string> files;  // as model_files()
};

struct ModelInfo {
  std::string description;  // the /// lines at the top of the file
  unsigned space = 3;
  bool has_units = false;
  std::vector<ParameterInfo> parameters, inputs;
  std::vector<ParameterInfo> held;  // discrete states of the model, with their initial values
  std::vector<EntityInfo> entities, loads, events;
  std::vector<CoordinateInfo> coordinates, speeds, states;  // states: those declared with `state`
  std::vector<ConstraintInfo> constraints;
  std::vector<Quantity> outputs;
  std::vector<SimulationInfo> simulations;
  std::vector<SweepInfo> sweeps;
  std::vector<ConservedMomentum> momenta;
  std::vector<UnconservedMomentum> rejected_momenta;
  bool momenta_limited = false;  // the model is too large: there may be more
};

struct TestInfo {
  std::string title;
  std::string simulation;  // the block it runs
  Place place;
  std::size_t checks = 0;  // each part of a conjunction counts
};

}  // namespace mbc
