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
  std::uint64_t number = 0;              // from 1; the last of the names varied changes fastest
  std::vector<double> varied, recorded;  // recorded: empty when the run did not reach its end
  Status status = Status::complete;      // of its run; model_error: its values are none of the model (a mass of 0)
  std::string reason;                    // "" when it succeeded; otherwise in one line
  std::optional<DiagnosticInfo> diagnostic;
};

struct SweepOptions {
  CompileOptions compile;
  // Of the `sweep` block, or, with `vary`, of a `simulate` block; "": the only one.
  std::string name;
  std::vector<std::string> vary;    // "k = 1 .. 2 step 0.1": in place of the block's values of k, or besides them
  std::vector<std::string> record;  // "max_over(bead.z)": besides what the block records
  unsigned jobs = 0;                // threads; 0: one for each core. Results do not depend on it
  bool assemble = false;            // as in RunOptions, for every member
  const volatile std::sig_atomic_t* stop = nullptr;  // ends the sweep; members that are complete are kept
  // These and the observer are called by the thread that called sweep(). begin: once, before the first member.
  std::function<void(const SweepInfo&)> begin;
  std::function<void(double part)> progress;  // 0 to 1
};
// Called for every member in the order of their numbers; returning false ends the sweep with Status::output_failed.
using SweepObserver = std::function<bool(const SweepMember&)>;

struct SweepFailure {  // members that failed for one reason
  std::string reason;  // of the first of them
  std::uint64_t members = 0, first = 0;
};

struct SweepResult {
  // model_error, no_native_code, no_threads (of which not one could be had): nothing was run; interrupted;
  // output_failed
  Status status = Status::complete;
  std::vector<DiagnosticInfo> diagnostics;  // errors, or the warnings of the model
  std::string rendered;                     // the same as text
  SweepInfo sweep;
  std::string integrator, formulation, stabilise, engine;
  TimeSpan time;
  std::vector<ParameterInfo> parameters;  // of the model; those that are varied have their values in the members
  std::string source_text;
  unsigned jobs = 0;
  std::uint64_t members = 0, failed = 0;  // that have been run; of them, with a reason
  std::vector<SweepFailure> failures;     // by kind, in the order of the first of each
  // Of members that were stepped eight at a time: steps made so, and steps each had to make by itself.
  std::uint64_t steps_together = 0, steps_alone = 0;
  std::uint64_t compilations = 1;  // more where something varied shapes the model (VariedInfo::shapes)
  double compile_seconds = 0, wall_seconds = 0;
  std::vector<StageTime> stages;  // of the compiler
  std::vector<SweepMember> rows;  // all members, when there is no observer
};

// Compiles once, or once for each value of what shapes the model, and runs the members on several threads. Without
// recorded expressions the final values of the outputs are recorded, without outputs those of all columns of the run.
[[nodiscard]] SweepResult sweep(const std::string& path, const SweepOptions& options = {},
                                const SweepObserver& observer = {});
[[nodiscard]] SweepResult sweep_text(const std::string& text, const std::string& name, const SweepOptions& options = {},
                                     const SweepObserver& observer = {});
std::string summary_text(const SweepResult& result);

}  // namespace mbc
