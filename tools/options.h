// SPDX-License-Identifier: Apache-2.0
// The command line, understood: argv to plain data, or to the text that answers it (help, version, what is wrong).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mbc/equations.h"
#include "tools/exit_codes.h"

namespace mbc::tools {

// These are the verbs of verbs.def, in its order.
enum class Command : std::uint8_t {
#define MBC_VERB(command, ...) command,
#include "tools/verbs.def"
};

struct Options {
  Command command = Command::repl;
  std::string file;                      // "-" is standard input; resume: the checkpoint
  std::string simulation;                // run, sweep: name of the block
  std::string output;                    // run, sweep, compile: "" when not given, "-" is standard output
  std::vector<std::string> set;          // "X=V" as written
  std::vector<std::string> expressions;  // repl: of `-e`
  std::string stdlib;                    // folder in place of the standard library built in
  bool force = false;                    // what writes: over a file that is no result of mbc
  std::string summary;                   // run: file for the summary as JSON
  std::string events;                    // run: file for the list of events as CSV
  std::string until_event;               // run: the event behind which it ends
  std::string report;                    // run, view: file for the page with the picture
  std::string checkpoint;                // run, resume: file from which the run can be gone on with
  std::string every = "60s";             // run, resume: between two checkpoints
  bool every_given = false;
  std::optional<std::uint64_t> max_steps;           // run, resume: limits that end it
  std::optional<std::string> max_time, max_output;  // "10min", "2GiB"
  std::uint32_t output_every = 1;
  std::vector<std::string> variables;  // run: patterns of the columns that are written; none: all
  bool interpret = false;
  bool native = false;    // compile before the first step
  bool no_cache = false;  // of compiled code
  bool assemble = false;
  bool quiet = false;
  std::string accuracy = "local";  // `global`: a second run tells the error of the whole
  bool strict = false;             // a run with warnings ends with kStopped
  bool time_passes = false;
  bool json = false;               // --diagnostics=json
  bool colour = false;             // decided: terminal, NO_COLOR, --colour
  std::string emit;                // compile: name of the stage
  std::string prefix;              // compile: of the functions in asm and obj; jupyter: the folder to install into
  std::string python = "python3";  // jupyter: the one with ipykernel
  std::string processor;           // compile: --cpu
  int fmi = 3;                     // compile: version of the standard
  std::string code;                // explain; examples, new, doc: the name
  bool list = false;
  std::vector<std::string> files;                 // test, fmt
  bool both = false;                              // test: by the interpreter and by native code
  bool json_tests = false;                        // test: --json
  bool only_check = false;                        // fmt: change nothing
  bool print_json = false;                        // check, doctor, compare, sweep, info: the answer as JSON
  std::uint32_t samples = 20;                     // doctor, compare: random states
  std::uint32_t seed = 1;                         // compare: of them
  std::vector<std::string> formulations, bodies;  // compare
  std::string csv;                                // compare: file for the numbers
  std::optional<double> tolerance;                // compare: differences above it are a failure
  bool no_run = false;                            // compare: accelerations only
  std::vector<std::string> vary, record;          // sweep
  std::string quantities, against;                // plot: names of columns; what goes to the right
  std::uint32_t width = 0, height = 0;            // plot: characters, or pixels with -o; 0: what fits
  bool stroboscopic = false;                      // plot: poses in place of curves
  std::uint32_t poses = 0;                        // how many; 0: the default
  std::string at, plane;                          // their times; "xz"
  EquationsRequest equations{};                   // equations
  std::uint32_t jobs = 0;                         // sweep: threads; 0: one for each core
  std::optional<std::uint32_t> motions;           // sweep: members whose motion the page holds; 50
};

struct CommandLine {
  std::optional<Options> options;  // nothing: print `text` and leave
  int exit_code = kOk;
  std::string text;    // to stdout with kOk, to stderr otherwise
  std::string hint{};  // while a wrong line is being described; then part of the text
};

[[nodiscard]] CommandLine parse_command_line(int argc, const char* const* argv);

// Of the executable of a model, which runs it: `name` is that of its file.
[[nodiscard]] CommandLine parse_program_line(int argc, const char* const* argv, const std::string& name);

}  // namespace mbc::tools
