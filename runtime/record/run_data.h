// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind besides its rows. Plain data; energies in J, times in s.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/diagnostics/diagnostic.h"
#include "runtime/equations/independent_speeds.h"
#include "runtime/rows/rank.h"
#include "runtime/singular/positions_passed.h"
#include "runtime/singular/rank_event.h"

namespace mbc::runtime {

enum class RunStatus : std::uint8_t { complete, inconsistent, stopped, output_failed, interrupted };

struct LevelMaxima {  // largest |residual| over the recorded rows; unused levels stay at 0
  double position = 0, velocity = 0, acceleration = 0;
  void transfer(Archive& archive) { archive(position, velocity, acceleration); }
};

// Between the first recorded row and the last one.
struct EnergyBalance {
  double begin = 0, end = 0;  // kinetic and potential energy
  double work_of_loads = 0, work_of_constraints = 0;
  double work_of_events = 0;
  double error = 0;           // largest |energy - begin - the works|
  std::vector<double> works;  // of those reported separately (lower::System::works)
  double rounded = 0;         // what rounding of forces that balance may have added to it
  double exchanged = 0;       // kinetic energy at most, change of the potential one, work: the largest of them

  void transfer(Archive& archive) {
    archive(begin, end, work_of_loads, work_of_constraints, work_of_events, error, works, rounded, exchanged);
  }
};

// Errors of the steps as the method estimates them, relative to the tolerance's norm: a method that chooses its steps
// looks at each, one with fixed steps at a sample, of which the end of the run tells (step_sample.h).
struct Accuracy {
  std::uint64_t looked_at = 0;  // steps
  double sum = 0;               // of their errors; with fixed steps that of the worst entry
  double largest = 0, when = 0;
  std::vector<std::pair<std::string, double>> sizes;  // what errors are relative to: "lengths" 1.5

  void add(double error, double t) {
    ++looked_at;
    sum += error;
    if (error <= largest) return;
    largest = error;
    when = t;
  }
  void transfer(Archive& archive) { archive(looked_at, sum, largest, when); }
};

// The smallest correction of the initial state, where that was accepted.
struct AssemblyMade {
  bool made = false;
  double moved[2] = {0, 0};   // mass-weighted, positions and velocities
  std::vector<double> state;  // y after it
  void transfer(Archive& archive) { archive(made, moved[0], moved[1], state); }
};

// `auto` has gone on with the method for stiff problems, or with the explicit one again.
struct MethodChange {
  double time = 0, rate = 0;  // of the fastest decay or vibration, 1/s
  bool to_stiff = false;
  bool vibrates = false;  // what is fast comes back and does not decay
  void transfer(Archive& archive) { archive(time, rate, to_stiff, vibrates); }
};

// Where a run has gone on from what an earlier one saved.
struct Resumed {
  double time = 0;
  bool anew = false;  // the method has begun anew there, within its tolerance
  void transfer(Archive& archive) { archive(time, anew); }
};

// Impacts of a unilateral row that follow each other ever faster come to an end.
struct Accumulation {
  std::string row;
  double time = 0;
  void transfer(Archive& archive) { archive(row, time); }
};

struct RunData {
  RunStatus status = RunStatus::complete;
  std::optional<Diagnostic> diagnostic;
  std::vector<Diagnostic> warnings;
  std::uint64_t steps = 0, rejected = 0, rows = 0, evaluations = 0;
  double smallest_step = 0, largest_step = 0;  // of a method that chooses them
  std::vector<MethodChange> method_changes;
  double reached = 0;  // time
  std::vector<Resumed> resumed;
  bool cut_short = false;  // it was interrupted in the middle of a step or an instant: the state is none of its own
  bool unread = false;     // what it was to go on from is none of its own: nothing has been done
  RankReport start;        // of the initial state
  std::vector<RankEvent> rank_events;
  PositionsPassed passed;
  double smallest_distance = 1, nearest = 0;  // of a row to the others, sine of the angle, and when
  std::vector<LevelMaxima> residuals;         // by row
  std::vector<bool> not_unique;               // by output: it depends on which of several multipliers is taken
  double met = 0;              // largest |e|/|G|, relative to the size of the model, of rows that `stabilise` holds
  LevelMaxima violation;       // largest Euclidean norm of all residuals of a level, over the recorded rows
  std::uint64_t renewals = 0;  // of the coordinate partitioning
  std::uint64_t speed_renewals = 0;  // of the independent speeds
  SpeedChoice first_choice;          // of formulations in independent speeds, at the start
  EnergyBalance energy_balance;
  double position_size = 1, speed_size = 1;  // of the model, mass-weighted: what tolerances are relative to
  double largest_correction = 0;             // of the positions in a step, mass-weighted
  Accuracy accuracy;
  AssemblyMade assembly;
  std::uint64_t events = 0;                        // that have fired
  std::uint64_t kinks = 0;                         // of piecewise functions at which a step has ended
  double work_of_events = 0;                       // by which they have changed the energy
  std::vector<Accumulation> accumulations;         // of impacts, in the order of time
  std::uint64_t lowered_restitutions = 0;          // impacts at which they would have added energy
  double penetration_before = 0, penetration = 0;  // of time stepping: the largest behind a step, and when moved back
  double contact_error = 0;                        // of it: what conditions of impulses were missed by, of the speeds
  std::optional<std::string> ended_by;             // the text of the `stop` that ended it
  // What has moved the model by the smallest of many multipliers: frictions, loads, impacts (`reactions = smallest`).
  std::vector<std::string> shares_taken;

  // The run ends here: false, for the caller to hand on.
  bool end(RunStatus how, Diagnostic why) {
    status = how;
    diagnostic = std::move(why);
    return false;
  }

  // These frictions and loads leave one motion, and it is not known whether there are others.
  std::vector<std::string> undecided;

  // Adds the name to one of the lists of names above, once.
  static void note(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
};

// values: as problem::Problem::columns. Returning false ends the run.
using Recorder = std::function<bool(double t, std::span<const double> values)>;

}  // namespace mbc::runtime
