// SPDX-License-Identifier: Apache-2.0
// Runs a program with limits and collects what it prints, so that a hang or a runaway allocation of the program under
// test is a failed test and not a stuck machine.
#pragma once
#include <string>
#include <vector>

namespace filetest {

struct ProcessResult {
  int exit_code = -1;  // -1 when it did not exit by itself
  int signal = 0;      // the signal that ended it
  bool timed_out = false;
  std::string out;
  std::string err;
  std::string problem;  // why it could not be run at all

  // "exit code 1", "killed by signal 11 (Segmentation fault)", "no answer in 60 s"
  [[nodiscard]] std::string describe() const;
};

#if defined(__SANITIZE_ADDRESS__)
inline constexpr double kTimeLimit = 600;
#else
inline constexpr double kTimeLimit = 60;  // s, wall clock: the slowest takes 3, on a machine of its own
#endif
inline constexpr unsigned long long kMemoryLimit = 4ULL << 30;  // bytes of address space
inline constexpr std::size_t kOutputLimit = 64U << 20;          // bytes kept of each stream

// args[0] is the program; `folder` its working directory; `input` the file it reads as standard input ("" = none).
ProcessResult run_process(const std::vector<std::string>& args, const std::string& folder, const std::string& input);

}  // namespace filetest
