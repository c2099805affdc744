// SPDX-License-Identifier: Apache-2.0
// Runs over ranges of parameters and inputs, on several threads: `mbc sweep`.
#pragma once
#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mbc/diagnostics.h"
#include "mbc/export.h"
#include "mbc/info.h"
#include "mbc/model.h"
#include "mbc/quantities.h"
#include "mbc/run.h"

namespace MBC_API mbc {

struct SweepMember {
  std::uint64_t number = 0;              // from 1; the last of the varied names changes fastest
  std::vector<double> varied, recorded;  // recorded: empty if the run did not reach its end
  Status status = Status::complete;      // of its run; model_error: the model refuses its values (a mass of 0)
  std::string reason;                    // why it failed, in one line; "" if it succeeded
  std::optional<DiagnosticInfo> diagnostic;
};

struct SweepOptions {
  CompileOptions compile;
  // Name of the `sweep` block, or, with `vary`, of a `simulate` block; "": the only one.
  std::string name;
  std::vector<std::string> vary;  // "k = 1 .. 2 step 0.1": replaces the block's values of k, or adds to what it varies
  std::vector<std::string> record;    // "max_over(bead.z)": recorded in addition to the block's expressions
  std::uint64_t first = 1, last = 0;  // the members that are run, by number; last = 0: to the end of the list
  unsigned jobs = 0;                  // threads; 0: one for each core. Results do not depend on it
  bool assemble = false;              // as in RunOptions, for every member
  const volatile std::sig_atomic_t* stop = nullptr;  // ends the sweep; members that are complete are kept
  // The thread that called sweep() calls these and the observer. begin: once, before the first member.
  std::function<void(const SweepInfo&)> begin;
  std::function<void(double part)> progress;  // 0 to 1
};
// Called for every member in the order of their numbers; a return value of false ends the sweep with
// Status::output_failed.
using SweepObserver = std::function<bool(const SweepMember&)>;

struct RecordStatistics {  // of what the members of a sample that succeeded recorded
  Quantity quantity;
  std::uint64_t members = 0;
  double mean = 0, deviation = 0;        // deviation: nan of one member
  double mean_error = 0;                 // standard error of the mean; nan if the points are not random
  double low = 0, median = 0, high = 0;  // quantiles at 0.05, 0.5 and 0.95; nan beyond 1,000,000 members
  double least = 0, greatest = 0;
  std::uint64_t least_member = 0, greatest_member = 0;  // their numbers, the first of equal ones
};

struct SweepFailure {  // members that failed with the same diagnostic code
  std::string reason;  // reason of the first of them
  std::uint64_t members = 0, first = 0;
};

struct SweepResult {
  // model_error, no_native_code, no_threads (not one thread was available): nothing was run; interrupted; output_failed
  Status status = Status::complete;
  std::vector<DiagnosticInfo> diagnostics;  // errors, or the warnings of the model
  std::string rendered;                     // the same as text
  SweepInfo sweep;
  std::string integrator, formulation, stabilise, engine;
  TimeSpan time;
  std::vector<ParameterInfo> parameters;  // of the model; the members have the values of those that are varied
  std::string source_text;
  unsigned jobs = 0;
  std::uint64_t first = 1, last = 0;         // numbers of the members that were wanted
  std::uint64_t members = 0, failed = 0;     // members that were run; those of them that failed
  std::vector<SweepFailure> failures;        // one entry for each code, in the order of the first member of each
  std::vector<RecordStatistics> statistics;  // of each record, if all that varies is drawn
  // Steps of members that were stepped eight at a time: those made together, and those that members made alone.
  std::uint64_t steps_together = 0, steps_alone = 0;
  std::uint64_t compilations = 1;  // more if a varied quantity changes the structure of the model (VariedInfo::shapes)
  double compile_seconds = 0, wall_seconds = 0;
  std::vector<StageTime> stages;  // stages of the compiler
  std::vector<SweepMember> rows;  // all members, if there is no observer
};

// Compiles once, or once for each value that changes the structure of the model, and runs the members on several
// threads. If no expressions are recorded, the final values of the outputs are; without outputs, those of all columns
// of the run.
[[nodiscard]] SweepResult sweep(const std::string& path, const SweepOptions& options = {},
                                const SweepObserver& observer = {});
[[nodiscard]] SweepResult sweep_text(const std::string& text, const std::string& name, const SweepOptions& options = {},
                                     const SweepObserver& observer = {});
std::string summary_text(const SweepResult& result);

}  // namespace mbc
