// SPDX-License-Identifier: Apache-2.0
// The blocks `simulate`, `test` and `sweep` of a model, as plain data.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/distribution.h"
#include "base/sample_points.h"
#include "base/settings.h"
#include "compiler/sema/names.h"
#include "compiler/sema/units.h"
#include "kernel/problem/check.h"
#include "kernel/problem/problem.h"

namespace mbc::sema {

using settings::Representation;

// The arguments of a method.
struct Arguments {
  std::vector<std::pair<settings::Argument, double>> given;  // a word has the value 1
  Span span;
  bool written = false;  // else the method is the default

  [[nodiscard]] std::optional<double> find(settings::Argument argument) const {
    for (const auto& [name, value] : given)
      if (name == argument) return value;
    return {};
  }
};

template <class Method>
struct Choice : Arguments {  // rk4 | project(tol = 1e-12)
  Method method{};
  [[nodiscard]] const char* name() const { return settings::to_text(method); }
  // Returns the given value, else the default of the method.
  [[nodiscard]] double value(settings::Argument argument) const {
    return find(argument).value_or(settings::default_value(method, argument));
  }
};

// The inputs that have a signal of their own, and the `simulate` block that gives it.
struct InputSignals {
  std::string block;
  std::vector<std::string> inputs;  // "" and none: all are set from outside
  friend bool operator==(const InputSignals&, const InputSignals&) = default;
};

struct PlottedColumn {  // of the results
  std::string name;
  std::string unit;  // for drawing; "": that of the column
};
struct Plot {
  std::vector<PlottedColumn> curves;
  std::optional<PlottedColumn> over;  // else over time
};

struct Simulation {
  std::string name;
  std::vector<std::string> inputs;  // inputs with a signal from the block or the command line
  double begin = 0, end = 0, step = 0;
  std::vector<double> row_times;  // if `rows` lists them, with the beginning and the end; step: their mean distance
  Choice<settings::Integrator> integrator;
  Choice<settings::Formulation> formulation;
  Choice<settings::Stabilisation> stabilise;
  Choice<Representation> bodies;
  Choice<settings::AtSingular> at_singular;
  Choice<settings::Kinks> kinks;
  Choice<settings::Rows> rows;
  Choice<settings::Impact> impact;
  Choice<settings::Contact> contact;
  Choice<settings::Reactions> reactions;
  std::string save;  // place of the rows: as written, in the folder of the model; a path from `--set` is kept as it is
  Span save_span;    // of that text in the model
  bool assemble = false;
  Span span, time_span;
  std::vector<Plot> plots{};
  std::vector<std::uint32_t> params;  // parameters in its numbers, which are known before a run begins
  // The reason why it cannot be run with a part of `time` that `--set` gives to all blocks; other blocks may run.
  std::optional<Diagnostic> unfit{};
};

using problem::RunValue;  // probe: index into Model::probes

struct Check {
  problem::Check check;  // event: index into Model::events; the rest: indices into Model::probes
  Dimension dimension;   // of the sides
};

struct Test {
  std::string title;
  std::uint32_t simulation = 0;
  std::vector<Check> checks;
  Span span;
};

// A varied quantity of a sweep: a parameter, an input or a quantity that shapes the model, over evenly spaced values, a
// list or draws from a distribution.
struct Varied {
  // A part of a correlated normal quantity: the standard normal draws of one of them, and their weight.
  struct Part {
    std::string name;
    std::uint32_t dimension_of_sample = 0;
    double weight = 0;
  };
  std::string name;
  Dimension dimension;
  bool input = false;
  bool shapes = false;      // the model: each of its values is another compilation
  bool fixed = false;       // this compilation is the one for its value
  bool set = false;         // has a value from `--set` too, so that the sweep cannot be run
  std::uint32_t index = 0;  // into Model::params or Model::inputs
  std::string unit;         // of `in [deg]`, in which the values are written; "": SI
  double factor = 1;        // from that unit to SI
  double begin = 0, end = 0;
  std::uint64_t count = 0;
  std::vector<double> list;           // not empty: these, in place of begin .. end
  std::optional<Distribution> drawn;  // these draws, in place of both
  std::string drawn_text;             // as written
  std::uint32_t dimension_of_sample = 0;
  Sample sample;
  std::vector<Part> parts;              // not empty: correlated with the others of these, whose squares have the sum 1
  std::optional<std::uint32_t> joined;  // draws with this earlier quantity of the sweep, and is not combined with it
  Span span;

  // Return value k < count in SI, and in `unit`.
  [[nodiscard]] double value(std::uint64_t k) const;
  [[nodiscard]] double written(std::uint64_t k) const;
  // Returns the number of values that are combined with those of the other quantities.
  [[nodiscard]] std::uint64_t combined() const { return joined ? 1 : count; }
};

struct SweepRecord {
  std::string name;  // as written; a component of a vector has its axis behind it
  Dimension dimension;
  std::uint32_t probe = 0;  // index into Sweep::probes
  std::string unit;         // of `in [deg]`, in which it is recorded; "": SI
};

struct Sweep {
  std::string name;  // "" when it comes from the command line alone
  std::uint32_t simulation = 0;
  std::vector<Varied> varied;  // all combinations, the last fastest
  std::vector<SweepRecord> records;
  std::vector<NodeId> probes;  // as Model::probes and Model::run_values, for the runs of this sweep
  std::vector<RunValue> run_values;
  Span span;

  [[nodiscard]] std::uint64_t members() const;
  // Returns for each varied quantity the index of its value in a member; both from 0.
  [[nodiscard]] std::vector<std::uint64_t> indices(std::uint64_t member) const;
};

}  // namespace mbc::sema
