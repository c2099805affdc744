// SPDX-License-Identifier: Apache-2.0
// Diagnostics, failures and timings to stderr, as text or as JSON lines (--diagnostics=json).
#pragma once
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tools/options.h"

namespace mbc::tools {

class Report {
 public:
  explicit Report(const Options& options) : json_(options.json), colour_(options.colour) {}

  // The diagnostics of the compiler.
  void compiled(const Model& model) const;
  // Diagnostics as text, with colours if these are wanted.
  void rendered(const std::string& text) const;
  // The warnings of a run, and the reason why it stopped.
  void ran(const RunResult& result) const;
  // A request that cannot be fulfilled as given; returns the exit status.
  [[nodiscard]] int usage(const std::string& message, const std::string& hint) const;
  // A failure outside the model, such as a file that cannot be written. It returns the exit status: kUsage for the kind
  // `usage`, else kOutputFailed.
  int failure(const std::string& kind, const std::string& message) const;
  // The time of each stage, for --time-passes. Together with `other` they add up to the time since the program started;
  // the stages of background threads follow below.
  void times(const std::vector<StageTime>& stages) const;

  [[nodiscard]] bool json() const { return json_; }

 private:
  bool json_;
  bool colour_;
};

// An error in the command line, as two lines of text or one line of JSON.
[[nodiscard]] std::string usage_text(const std::string& message, const std::string& hint, bool json);

// A diagnostic as one line.
[[nodiscard]] std::string to_json_line(const DiagnosticInfo& diagnostic);

}  // namespace mbc::tools
