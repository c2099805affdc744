// SPDX-License-Identifier: Apache-2.0
// A report on the rows, the inertia and the motion of a model: Simulation::doctor(), `mbc doctor`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mbc/diagnostics.h"
#include "mbc/export.h"
#include "mbc/quantities.h"
#include "mbc/run.h"
#include "mbc/settings.h"

namespace MBC_API mbc {

struct DoctorOptions {
  int samples = 20;  // random states on the constraints, near the initial one
  std::uint64_t seed = 1;
  bool motion = true;              // examine states along the motion of a `simulate` block as well
  std::string simulation;          // name of that block; "": the first one
  std::uint64_t max_steps = 4000;  // of that motion, at least 1
};

struct DoctorRow {
  std::string name;
  Level level{};
  bool independent = true;              // at the initial state
  bool off = false;                     // at the initial state: switched off, or an inequality with a gap; not examined
  bool touching = false;                // an inequality without a gap at the initial state; examined there only
  std::vector<std::string> depends_on;  // for a dependent row: the rows it is a combination of; empty: the row vanishes
  double distance = 1;                  // sine of its angle to the rows before it
  bool multiplier_unique = true;
  int times_dependent = 0;  // number of examined states where it is dependent
};

struct RankSample {
  enum class Kind : std::uint8_t { initial, random, motion } kind{};
  double time = 0;
  int rank = 0;
  double smallest = 0;  // smallest singular value that counts, of rows scaled to norm 1
};

// The state where the rows of position level lose their rank, or come nearest to it.
struct NearestSingular {
  double smallest = 1;              // smallest singular value, of rows scaled by their norm at the initial state
  std::string row;                  // the row that depends most on others at that state
  std::vector<InitialMove> places;  // coordinates: `given` at the initial state, `taken` at that state
  int starts = 0;                   // number of states that the search started from
  bool cut = false;                 // the search was cut short: the model is too large to search it whole
  [[nodiscard]] bool singular() const { return smallest < 1e-6; }
};

struct ConservedQuantity {
  std::string name;              // "energy", "linear momentum x"
  double value = 0, change = 0;  // value at the beginning, largest change found
  bool conserved = false;
};

struct DoctorReport {
  bool consistent = true;                    // the initial state satisfies the constraints
  std::optional<DiagnosticInfo> diagnostic;  // why it does not, or why the motion stopped
  std::string rendered;
  std::vector<InitialMove> moved;  // the soft initial values that were moved
  std::size_t coordinates = 0, speeds = 0, position_rows = 0, velocity_rows = 0, acceleration_rows = 0;
  int rank = 0;           // at the initial state
  int usual_rank = 0;     // generic rank: the largest rank of all states
  int freedoms = 0;       // speeds - usual_rank
  int position_rank = 0;  // of the rows of position level; speeds - position_rank directions are free
  std::vector<DoctorRow> rows;
  std::vector<std::string> changing;         // rows that are dependent in some states and independent in others
  std::vector<std::string> conflicting;      // a minimal set of rows that contradict each other
  std::vector<std::string> undetermined;     // coordinates or speeds with neither inertia nor row
  std::vector<std::string> without_inertia;  // speeds that no kinetic energy depends on
  std::vector<RankSample> samples;
  int failed_samples = 0;                // random states that could not be brought onto the constraints
  std::vector<RankChange> rank_changes;  // along the motion
  std::optional<NearestSingular> nearest;
  std::optional<TimeSpan> motion;  // the time span that was run, with its step
  std::vector<ConservedQuantity> conserved;
  double work_of_loads = 0, work_of_constraints = 0, balance_error = 0;

  // Returns whether nothing keeps the model from running.
  [[nodiscard]] bool sound() const {
    return consistent && conflicting.empty() && without_inertia.empty() && !diagnostic;
  }
};

}  // namespace mbc
