// SPDX-License-Identifier: Apache-2.0
// Starts the built `mbc` with pipes or on a terminal of its own, and collects what it does.
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace mbc::test {

// AddressSanitizer keeps memory that is free, and what mbc links by itself would call it.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

struct Ran {
  int code = -1;  // exit status; -1 when a signal ended it
  int signal = 0;
  std::string out;  // on a terminal: both streams
  std::string err;
};

struct Start {
  std::string input = {};                                        // what it reads from standard input
  std::string out_path = {};                                     // standard output goes to this file
  bool closed_output = false;                                    // there is no standard output
  std::vector<std::pair<std::string, std::string>> setenv = {};  // added to the environment
  std::function<void()> prepare = {};                            // called in its process before it starts: limits
  std::function<void(pid_t)> meanwhile = {};                     // called once it runs, before its output is read
};

[[nodiscard]] Ran run_mbc(const std::vector<std::string>& args, const Start& start = {});

// A terminal of 100 columns. Each step waits for a text to appear (after what earlier steps matched), then types.
struct Step {
  std::string wait_for;
  std::string type;
};
[[nodiscard]] Ran run_mbc_on_terminal(const std::vector<std::string>& args, const std::vector<Step>& steps);

void write_file(const std::string& path, const std::string& text);
// Polls until `done`, 20 s at most; whether it came true.
[[nodiscard]] bool wait_until(const std::function<bool()>& done);

// A particle in free fall, 0 .. 1 step 0.1.
inline constexpr const char* kFall =
    "mbd 1\n"
    "/// acceleration\n"
    "param g = 9.81\n"
    "particle p(1) at (0, 0, 1)\n"
    "gravity (0, 0, -g)\n"
    "simulate demo { time = 0 .. 1 step 0.1; integrator = rk4 }\n";

// The same, for minutes.
inline constexpr const char* kLong =
    "mbd 1\n"
    "particle p(1) at (0, 0, 1)\n"
    "simulate demo { time = 0 .. 100000 step 0.001; integrator = rk4 }\n";

}  // namespace mbc::test
