// SPDX-License-Identifier: Apache-2.0
// Runs a program with limits and collects its output, so that a hang or a runaway allocation of the tested program
// fails a test instead of blocking the machine.
#pragma once
#include <string>
#include <vector>

namespace filetest {

struct ProcessResult {
  int exit_code = -1;  // -1 if the process did not exit by itself
  int signal = 0;      // the signal that ended it
  bool timed_out = false;
  std::string out;
  std::string err;
  std::string problem;  // the reason why the program could not be run

  // Returns for example "exit code 1", "killed by signal 11 (Segmentation fault)" or "no answer in 60 s".
  [[nodiscard]] std::string describe() const;
};

#if defined(__SANITIZE_ADDRESS__)
inline constexpr double kTimeLimit = 600;
#else
inline constexpr double kTimeLimit = 60;  // s of wall-clock time; the slowest case takes 3 s on an idle machine
#endif
inline constexpr unsigned long long kMemoryLimit = 4ULL << 30;  // bytes of address space
inline constexpr std::size_t kOutputLimit = 64U << 20;          // bytes that are kept of each stream

// args[0] is the program, `folder` its working directory, and `input` the file for its standard input ("" for none).
ProcessResult run_process(const std::vector<std::string>& args, const std::string& folder, const std::string& input);

}  // namespace filetest
