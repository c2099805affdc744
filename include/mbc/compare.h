// SPDX-License-Identifier: Apache-2.0
// Comparison of formulations and representations of bodies on one model: `mbc compare`. Every method compiles the model
// anew; the calling thread evaluates all of them.
#pragma once
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mbc/diagnostics.h"
#include "mbc/export.h"
#include "mbc/model.h"
#include "mbc/quantities.h"
#include "mbc/run.h"

namespace MBC_API mbc {

struct CompareOptions {
  CompileOptions compile;  // a formulation or representation that `set` fixes is the only one
  std::string simulation;  // name of the `simulate` block; "" when there is one
  // Written as in a `simulate` block, arguments included: "udwadia_kalaba(literal)". Empty: all available formulations.
  std::vector<std::string> formulations;
  std::vector<std::string> bodies;  // representations of free bodies; empty: that of the block
  int samples = 100;                // random states on the constraints, near the initial one
  std::uint64_t seed = 1;
  bool run = true;             // compare runs as well, and measure their time
  double seconds_to_time = 1;  // a run is repeated (4 times at most) while all its runs took less than this
  const volatile std::sig_atomic_t* stop = nullptr;  // as in RunOptions
  // part: the finished part of the whole, 0 to 1; method: the method at work
  std::function<void(double part, const std::string& method)> progress;
};

struct Difference {        // the largest one found
  double relative = 0;     // relative to the size of the compared values; absolute if that is 0
  double absolute = 0;     // in `unit`
  std::string name, unit;  // name and unit of the column
  double time = 0;         // for trajectories; for accelerations the time of the state
};

// One formulation with one representation of bodies.
struct ComparedMethod {
  std::string formulation, bodies;           // bodies: "" in a model without free bodies in space
  bool applied = false;                      // it has accelerations at the initial state
  Status status = Status::model_error;       // status of its run, or of the attempt
  std::optional<DiagnosticInfo> diagnostic;  // why it could not be applied, or why its run stopped
  std::string reason;                        // the same in one line; "" if there is none
  std::string engine;
  std::size_t equations = 0, unknowns = 0, states = 0;  // as in RunResult; 0: not known
  // Differences from the reference. Accelerations are compared at random states: those of particles, bodies (in their
  // axes) and coordinates, relative to the largest acceleration of the reference at the same state, or to its largest
  // speed over the length of the block if that is more. Trajectories are compared by positions and velocities of the
  // same, and states of the model, relative to the largest value of the same kind and unit in the reference's run (of
  // any unit if that is round-off).
  std::optional<Difference> acceleration, trajectory;
  int states_compared = 0, states_failed = 0;  // failed: the reference has accelerations there, this one has none
  // Errors along the run. Energy: |E - E0 - work of loads and constraints|, relative to the larger of |E0| and the
  // largest kinetic energy (absolute if both are 0). Momentum: change of the conserved momenta p = c.(dT/du) that
  // ModelInfo::momenta lists, at 1000 rows at most, relative to the largest p that the kinetic energy allows, sqrt(2 T
  // c.Mc); nothing if there are none. Constraints: Euclidean norms of the residuals of all rows.
  std::optional<double> energy_error, momentum_error;
  std::optional<double> position_error, velocity_error, acceleration_error;
  std::optional<double> rhs_seconds, run_seconds;  // the best of several
};

struct Comparison {
  Status status = Status::complete;         // model_error: nothing could be compiled, the errors are below; interrupted
  std::vector<DiagnosticInfo> diagnostics;  // errors, or the warnings of the model
  std::string rendered;                     // the same as text
  std::string file, simulation, integrator, stabilise, time_unit;
  TimeSpan time;
  std::vector<std::string> files;  // as model_files()
  int samples = 0;                 // random states that were found
  int samples_wanted = 0;          // random states that were requested
  // Smallest distance of these states from a singular position: the smallest singular value that counts, of rows scaled
  // to norm 1. There no method knows the accelerations better than rounding divided by this value.
  double nearest_singular = 1;
  bool ran = false;                      // runs were requested
  std::optional<std::size_t> reference;  // the first method that could be applied
  std::vector<ComparedMethod> methods;   // all formulations for each representation

  // Returns the number of methods that have results to compare, the reference among them.
  [[nodiscard]] std::size_t applied() const;
  // Returns whether no difference from the reference, in accelerations or trajectories, is above the tolerance
  // (relative), and no state or run is missing.
  [[nodiscard]] bool agree(double tolerance) const;
};

[[nodiscard]] Comparison compare(const std::string& path, const CompareOptions& options = {});
[[nodiscard]] Comparison compare_text(const std::string& text, const std::string& name,
                                      const CompareOptions& options = {});
// Return tables for people; one line for each method with all digits; the same as JSON.
std::string comparison_text(const Comparison& comparison);
std::string comparison_csv(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);

}  // namespace mbc
