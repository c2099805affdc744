// SPDX-License-Identifier: Apache-2.0
// Each verb returns the exit status of the program.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tools/options.h"

namespace mbc::tools {

[[nodiscard]] int execute(const Options& options);

#define MBC_VERB(command, word, function, ...) [[nodiscard]] int function(const Options& options);
#include "tools/verbs.def"
[[nodiscard]] int plot_stroboscopic(const Options& options);

// The models of examples/, which come with the program.
struct Shipped {
  std::string name, text;
};
[[nodiscard]] const std::vector<Shipped>& examples();

// Returns the path of a page in a new temporary folder; "" if none can be made.
[[nodiscard]] std::string new_page(const std::string& model);
// Opens the page if there is a display.
void open_page(const std::string& page);
// Prints the path of the page and opens it if there is a display.
void show_page(const Options& options);

// Returns the compile options of the command line.
[[nodiscard]] CompileOptions compile_options(const Options& options);

// Returns the model's text from standard input; empty after a failure, which is printed.
[[nodiscard]] std::string piped_model();

// Returns the model of options.file; "-" is read from standard input.
[[nodiscard]] Model load_model(const Options& options, bool interpret);
// Compiles the model of the command line and passes the motion of its block to `answer`, which prints; returns the exit
// status. What cannot be compiled or begun is answered here.
[[nodiscard]] int at_a_state(const Options& options, const std::function<int(Simulation&)>& answer);

}  // namespace mbc::tools
