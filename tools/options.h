// SPDX-License-Identifier: Apache-2.0
// The parsed command line: argv becomes plain data, or a text in answer (help, version, an error).
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
  std::string output;                    // run, sweep, compile: "" if not given, "-" is standard output
  std::vector<std::string> set;          // "X=V" as written
  std::vector<std::string> expressions;  // repl: expressions of `-e`
  std::string stdlib;                    // folder that replaces the built-in standard library
  bool force = false;                    // commands that write: overwrite a file that is not a result of mbc
  std::string summary;                   // run: file for the summary as JSON
  std::string events;                    // run: file for the list of events as CSV
  std::string until_event;               // run: the event that ends it
  std::string report;                    // run, view: file for the page with the picture
  std::string checkpoint;                // run, resume: file from which the run can be resumed
  std::string every = "60s";             // run, resume: time between two checkpoints
  bool every_given = false;
  std::optional<std::uint64_t> max_steps;           // run, resume: limits that end it
  std::optional<std::string> max_time, max_output;  // "10min", "2GiB"
  std::uint32_t output_every = 1;
  std::vector<std::string> variables;  // run: patterns of the columns that are written; none: all
  bool interpret = false;
  bool native = false;    // compile before the first step
  bool no_cache = false;  // do not use the cache of compiled code
  bool assemble = false;
  bool quiet = false;
  std::string accuracy = "local";  // `global`: a second run estimates the error of the whole run
  bool strict = false;             // a run with warnings ends with kStopped
  bool time_passes = false;
  bool json = false;    // --diagnostics=json
  bool colour = false;  // result of terminal, NO_COLOR, --colour
  std::string emit;     // compile: name of the stage
  std::string prefix;   // compile: prefix of the functions in asm and obj; jupyter: the folder to install into
  std::string python = "python3";  // jupyter: the Python with ipykernel
  std::string processor;           // compile: --cpu
  int fmi = 3;                     // compile: version of the standard
  std::string code;                // explain; examples, new, doc: the name
  std::string row;                 // explain: a row of the model `file`
  bool list = false;
  std::vector<std::string> files;                         // test, fmt
  bool both = false;                                      // test: run by the interpreter and by native code
  bool json_tests = false;                                // test: --json
  bool only_check = false;                                // fmt: change nothing
  bool print_json = false;                                // check, doctor, compare, sweep, info: the answer as JSON
  std::uint32_t samples = 20;                             // doctor, compare: random states
  std::uint32_t seed = 1;                                 // compare: seed of these states
  std::vector<std::string> formulations, bodies;          // compare
  std::string csv;                                        // compare: file for the numbers
  std::optional<double> tolerance;                        // compare: differences above it are a failure
  bool no_run = false;                                    // compare: accelerations only
  bool free_base = false, repair = false, names = false;  // import
  std::string keyframe;                                   // import: where the motion begins
  std::vector<std::string> models;                        // import: folders of models that a file includes
  std::optional<double> at_time;                          // linearize: time of the run
  bool at_equilibrium = false;                            // linearize: at the equilibrium nearby
  bool matrices = false;                                  // linearize: [A B; C D] as CSV
  std::uint32_t starts = 0;                               // equilibrium: drawn initial positions
  std::vector<std::string> vary, record;                  // sweep
  std::string quantities, against;                        // plot: names of columns; quantity of the horizontal axis
  std::vector<std::string> results, labels;               // plot: further results; names of curves
  std::optional<std::string> title;                       // plot: above the axes
  std::string log, x_limits, y_limits;                    // plot: "x", "y", "xy"; "0..2"
  bool equal = false, points = false, steps = false;      // plot: scales of both axes; how curves are drawn
  std::string by, bars, at_event;                         // plot: columns that group rows; the event of its rows
  std::uint32_t across = 1;                               // plot: axes side by side
  std::uint32_t width = 0, height = 0;                    // plot: characters, or pixels with -o; 0: automatic
  bool stroboscopic = false;                              // plot: poses in place of curves
  std::uint32_t poses = 0;                                // how many; 0: the default
  std::string at, plane;                                  // their times; "xz"
  bool animation = false;                                 // plot: a film in place of curves
  std::optional<double> seconds;                          // how long it is; nothing: as the motion
  EquationsRequest equations{};                           // equations
  std::uint32_t jobs = 0;                                 // sweep: threads; 0: one for each core
  std::uint64_t first = 1, last = 0;                      // sweep: members that are run; last 0: to the end
  std::vector<std::string> join;                          // sweep: results that are parts of one
  std::optional<std::string> imported;                    // the model that a robot file was made to
  std::optional<std::uint32_t> motions;  // sweep: number of members whose motion the page has; default 50
};

struct CommandLine {
  std::optional<Options> options;  // nothing: print `text` and exit
  int exit_code = kOk;
  std::string text;    // to stdout with kOk, to stderr otherwise
  std::string hint{};  // used while an error is described; then part of the text
};

// Returns whether a file is URDF, SDF or MJCF by its ending.
[[nodiscard]] bool is_robot_file(const std::string& file);

[[nodiscard]] CommandLine parse_command_line(int argc, const char* const* argv);

// Parses the command line of the executable of a model; `name` is its file name.
[[nodiscard]] CommandLine parse_program_line(int argc, const char* const* argv, const std::string& name);

}  // namespace mbc::tools
