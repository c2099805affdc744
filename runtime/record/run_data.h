// SPDX-License-Identifier: Apache-2.0
// The results of a run besides its rows. Plain data; energies in J, times in s.
#pragma once
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

namespace mbc::runtime {

enum class RunStatus : std::uint8_t { complete, inconsistent, stopped, output_failed, interrupted };

struct LevelMaxima {  // largest |residual| over the recorded rows; unused levels stay at 0
  double position = 0, velocity = 0, acceleration = 0;
  void transfer(Archive& archive) { archive(position, velocity, acceleration); }
};

// Energies and works between the first recorded row and the last one.
struct EnergyBalance {
  double begin = 0, end = 0;  // kinetic and potential energy
  double work_of_loads = 0, work_of_constraints = 0;
  double work_of_events = 0;
  double error = 0;           // largest |energy - begin - the works|
  std::vector<double> works;  // works that are reported separately (lower::System::works)
  double rounded = 0;         // bound of the error that rounding of balanced forces may have added
  double exchanged = 0;       // largest of the kinetic energy, the change of the potential energy and the works

  void transfer(Archive& archive) {
    archive(begin, end, work_of_loads, work_of_constraints, work_of_events, error, works, rounded, exchanged);
  }
};

// Errors of the steps as the method estimates them, in the norm of the tolerance. A method that chooses its steps
// checks each one. The end of the run tells the error of the motion (companion_steps.h).
struct Accuracy {
  std::uint64_t looked_at = 0;  // steps
  double sum = 0;               // sum of their errors; with fixed steps the error of the worst entry
  double largest = 0, when = 0;
  std::optional<double> global;                       // the error of the whole run, if known
  std::vector<std::pair<std::string, double>> sizes;  // the sizes that errors are relative to: "lengths" 1.5

  void add(double error, double t) {
    ++looked_at;
    sum += error;
    if (error <= largest) return;
    largest = error;
    when = t;
  }
  void transfer(Archive& archive) { archive(looked_at, sum, largest, when); }
};

// The smallest correction of the initial state, if one was accepted.
struct AssemblyMade {
  bool made = false;
  double moved[2] = {0, 0};   // mass-weighted, positions and velocities
  std::vector<double> state;  // y after it
  void transfer(Archive& archive) { archive(made, moved[0], moved[1], state); }
};

// A change of `auto` to the method for stiff problems or back to the explicit one.
struct MethodChange {
  double time = 0, rate = 0;  // of the fastest decay or vibration, 1/s
  bool to_stiff = false;
  bool vibrates = false;  // the fast motion is a vibration, not a decay
  void transfer(Archive& archive) { archive(time, rate, to_stiff, vibrates); }
};

// A time at which a run was continued from a saved one.
struct Resumed {
  double time = 0;
  bool anew = false;  // the method began again there, within its tolerance
  void transfer(Archive& archive) { archive(time, anew); }
};

// The end of an accumulation of impacts of one unilateral constraint.
struct Accumulation {
  std::string row;
  double time = 0;
  void transfer(Archive& archive) { archive(row, time); }
};

// A change of the rank of the constraints.
struct RankEvent {
  double t = 0;
  int rank_before = 0, rank_after = 0;
  std::vector<std::string> rows;  // those that became dependent (or independent again)
  void transfer(Archive& archive) { archive(t, rank_before, rank_after, rows); }
};

// Singular positions that a motion went through.
struct PositionsPassed {
  static constexpr std::size_t kKept = 1000;
  std::uint64_t count = 0;
  std::vector<double> times;      // of the first of them
  double smallest = 1, when = 0;  // least singular value of the rows, scaled by their usual norm, at a state; its time
  void transfer(Archive& archive) {
    archive(count, times, smallest, when);
    archive.expect(times.size() <= kKept && times.size() <= count);
  }
};

// Loads that time stepping has taken by the backward rule (time_stepping.h).
struct BackwardLoads {
  std::vector<std::string> loads;
  std::uint64_t steps = 0;
  double stiffest = 0;  // largest h^2 k/m or h c/m
  double lost = 0;      // energy
  double error = 0;     // of the speeds, relative to those of the model
  void transfer(Archive& archive) { archive(loads, steps, stiffest, lost, error); }
};

struct RunData {
  RunStatus status = RunStatus::complete;
  std::optional<Diagnostic> diagnostic;
  std::vector<Diagnostic> warnings;
  std::uint64_t steps = 0, rejected = 0, rows = 0, evaluations = 0;
  double smallest_step = 0, largest_step = 0;  // for a method that chooses them
  std::vector<MethodChange> method_changes;
  double reached = 0;  // time
  std::vector<Resumed> resumed;
  bool cut_short = false;  // interrupted in the middle of a step or an instant: the state is incomplete
  bool unread = false;     // the saved run could not be read, and nothing was done
  RankReport start;        // of the initial state
  std::vector<RankEvent> rank_events;
  PositionsPassed passed;
  double smallest_distance = 1, nearest = 0;  // smallest sine of the angle between a row and the others, and its time
  std::vector<LevelMaxima> residuals;         // by row
  std::vector<bool> not_unique;               // by output: it depends on the choice of multipliers
  double met = 0;              // largest |e|/|G| of the rows that `stabilise` holds, relative to the size of the model
  LevelMaxima violation;       // largest Euclidean norm of all residuals of a level, over the recorded rows
  std::uint64_t renewals = 0;  // of the coordinate partitioning
  std::uint64_t speed_renewals = 0;  // of the independent speeds
  SpeedChoice first_choice;          // of formulations in independent speeds, at the start
  EnergyBalance energy_balance;
  double position_size = 1, speed_size = 1;  // of the model, mass-weighted: what tolerances are relative to
  double largest_correction = 0;             // of the positions in a step, mass-weighted
  Accuracy accuracy;
  AssemblyMade assembly;
  std::uint64_t events = 0;                        // number of events that have fired
  std::uint64_t kinks = 0;                         // number of discontinuities at which a step has ended
  double work_of_events = 0;                       // energy that events have changed
  std::vector<Accumulation> accumulations;         // of impacts, in the order of time
  std::uint64_t lowered_restitutions = 0;          // number of impacts whose restitution would have added energy
  double penetration_before = 0, penetration = 0;  // of time stepping: largest after a step, after its correction
  double contact_error = 0;                        // of time stepping: error of the impulses, relative to the speeds
  BackwardLoads backward;                          // of time stepping
  std::optional<std::string> ended_by;             // the text of the `stop` that ended it
  // Frictions, loads and impacts that have moved the model by minimum-norm multipliers (`reactions = smallest`).
  std::vector<std::string> shares_taken;

  // Ends the run and returns false for the caller to hand on.
  bool end(RunStatus how, Diagnostic why) {
    status = how;
    diagnostic = std::move(why);
    return false;
  }

  // Frictions and loads with one known motion that may not be the only one.
  std::vector<std::string> undecided;
};

// Receives the values of a row in the order of problem::Problem::columns. Returning false ends the run.
using Recorder = std::function<bool(double t, std::span<const double> values)>;

}  // namespace mbc::runtime
