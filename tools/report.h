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

  // What the compiler had to say.
  void compiled(const Model& model) const;
  // Diagnostics as text, with their colours where those are wanted.
  void rendered(const std::string& text) const;
  // Why a run stopped, and its warnings.
  void ran(const RunResult& result) const;
  // What cannot be done as it was asked for; the exit status that says so.
  [[nodiscard]] int usage(const std::string& message, const std::string& hint) const;
  // Anything outside the model: a file that cannot be written, a back end that is missing.
  void failure(const std::string& kind, const std::string& message) const;
  // The time of each stage, for --time-passes; with `other` they add up to the time since the program began. Below it
  // what a thread of its own did meanwhile.
  void times(const std::vector<StageTime>& stages) const;

  [[nodiscard]] bool json() const { return json_; }

 private:
  bool json_;
  bool colour_;
};

// What is wrong with the command line, in two lines; or one of JSON.
[[nodiscard]] std::string usage_text(const std::string& message, const std::string& hint, bool json);

// One line.
[[nodiscard]] std::string to_json_line(const DiagnosticInfo& diagnostic);

}  // namespace mbc::tools
