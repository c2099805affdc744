// SPDX-License-Identifier: Apache-2.0
// Starts the built `mbc` with pipes or on its own terminal, and collects its output and exit status.
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace mbc::test {

// AddressSanitizer keeps freed memory, and programs that mbc links itself would need its runtime.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

struct Ran {
  int code = -1;  // exit status; -1 if a signal ended the process
  int signal = 0;
  std::string out;  // both streams on a terminal
  std::string err;
};

struct Start {
  std::string input = {};                                        // text of standard input
  std::string out_path = {};                                     // standard output goes to this file
  bool closed_output = false;                                    // standard output is closed
  std::vector<std::pair<std::string, std::string>> setenv = {};  // added to the environment
  std::function<void()> prepare = {};         // called in the child process before it starts, for example to set limits
  std::function<void(pid_t)> meanwhile = {};  // called when the process runs, before its output is read
};

[[nodiscard]] inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

[[nodiscard]] Ran run_mbc(const std::vector<std::string>& args, const Start& start = {});

// The terminal has 100 columns. Each step waits for a text (after the text that earlier steps matched) and then types.
struct Step {
  std::string wait_for;
  std::string type;
};
[[nodiscard]] Ran run_mbc_on_terminal(const std::vector<std::string>& args, const std::vector<Step>& steps);

void write_file(const std::string& path, const std::string& text);
// Polls for at most 20 s until `done` is true. Returns whether it became true.
[[nodiscard]] bool wait_until(const std::function<bool()>& done);

// A particle falls freely for the times 0 .. 1 with step 0.1.
inline constexpr const char* kFall =
    "mbd 1\n"
    "/// acceleration\n"
    "param g = 9.81\n"
    "particle p(1) at (0, 0, 1)\n"
    "gravity (0, 0, -g)\n"
    "simulate demo { time = 0 .. 1 step 0.1; integrator = rk4 }\n";

// This run takes minutes.
inline constexpr const char* kLong =
    "mbd 1\n"
    "particle p(1) at (0, 0, 1)\n"
    "simulate demo { time = 0 .. 100000 step 0.001; integrator = rk4 }\n";

}  // namespace mbc::test
