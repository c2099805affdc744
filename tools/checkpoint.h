// SPDX-License-Identifier: Apache-2.0
// Between two steps a run checks the limits that end it and writes checkpoints, files from which `mbc resume`
// continues. A checkpoint is replaced in one step; its rows are on the disk before it is.
#pragma once
#include <cstdint>
#include <string>

#include "api/output/result_file.h"
#include "base/archive.h"
#include "base/stopwatch.h"
#include "mbc/mbc.h"
#include "tools/options.h"
#include "tools/run_output.h"

namespace mbc::tools {

// The contents of the file.
struct Checkpoint {
  Options options;          // options of the run
  std::string folder;       // file names are relative to it
  std::uint64_t model = 0;  // text_digest()
  double time = 0, wall_seconds = 0;
  output::Mark rows, events;
  std::string run;                  // RunOptions::resume
  std::vector<double> event_times;  // for the description of the rows; only the first ones
  std::vector<std::string> event_names;
  void transfer(Archive& archive);
};

// Returns false and the reason if the file is not a checkpoint.
[[nodiscard]] bool read_checkpoint(const std::string& path, Checkpoint& out, std::string& error);

// Checks everything about `--checkpoint` that can be known before the run; returns kOk, or the exit status after a
// message.
[[nodiscard]] int check_checkpoint(const Options& options, const std::string& rows);

class RunWatch {
 public:
  // All arguments outlive the object. `from` is the checkpoint that the run continues, or null.
  RunWatch(const Options& options, const Model& model, RunOutput& rows, output::ResultFile& events,
           const Checkpoint* from);

  [[nodiscard]] bool wanted() const;
  // Implements RunOptions::pause.
  std::string pause(const Pause& pause);
  // Records that an event has fired.
  void event(double time, const std::string& name);
  [[nodiscard]] std::vector<output::Sidecar::Event> events() const;
  // Called at the end of the run: removes the checkpoint of a run that nobody continues. Returns whether all
  // checkpoints were written.
  [[nodiscard]] bool finish(Status status);
  // Returns "checkpoint of t = 3.2 in swing.checkpoint: `mbc resume swing.checkpoint` goes on"; "" if there is none.
  [[nodiscard]] std::string summary() const;

 private:
  [[nodiscard]] std::string limit(const Pause& pause) const;
  void write(const Pause& pause);

  const Options& options_;
  RunOutput& rows_;
  output::ResultFile& events_;
  Checkpoint checkpoint_;
  double earlier_seconds_ = 0;
  Clock::time_point begin_ = Clock::now(), written_ = begin_;
  bool any_ = false, failed_ = false;
};

}  // namespace mbc::tools
