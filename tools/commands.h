// SPDX-License-Identifier: Apache-2.0
// The subcommands; each returns the exit status of the program.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tools/options.h"

namespace mbc::tools {

[[nodiscard]] int execute(const Options& options);

[[nodiscard]] int run_model(const Options& options);
[[nodiscard]] int resume_run(const Options& options);
[[nodiscard]] int view_model(const Options& options);
[[nodiscard]] int plot_result(const Options& options);
[[nodiscard]] int plot_stroboscopic(const Options& options);
[[nodiscard]] int check_model(const Options& options);
[[nodiscard]] int compile_model(const Options& options);
[[nodiscard]] int explain_code(const Options& options);
[[nodiscard]] int show_examples(const Options& options);
[[nodiscard]] int begin_model(const Options& options);
[[nodiscard]] int document(const Options& options);
[[nodiscard]] int test_models(const Options& options);
[[nodiscard]] int format_models(const Options& options);
[[nodiscard]] int doctor_model(const Options& options);
[[nodiscard]] int compare_methods(const Options& options);
[[nodiscard]] int sweep_model(const Options& options);
[[nodiscard]] int info_model(const Options& options);
[[nodiscard]] int run_repl(const Options& options);
[[nodiscard]] int serve_editor(const Options& options);
[[nodiscard]] int jupyter(const Options& options);

// The models of examples/, which come with the program.
struct Shipped {
  std::string name, text;
};
[[nodiscard]] const std::vector<Shipped>& examples();

// The path of a page in a new temporary folder; "" if none can be made.
[[nodiscard]] std::string new_page(const std::string& model);
// Opens the page if there is a display.
void open_page(const std::string& page);
// Prints the path of the page and opens it if there is a display.
void show_page(const Options& options);

// The compile options that the command line asks for.
[[nodiscard]] CompileOptions compile_options(const Options& options);

// The model's text from standard input; after a failure, which is printed, it is empty.
[[nodiscard]] std::string piped_model();

// The model of options.file; "-" is read from standard input.
[[nodiscard]] Model load_model(const Options& options, bool interpret);

}  // namespace mbc::tools
