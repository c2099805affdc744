// SPDX-License-Identifier: Apache-2.0
// What the subcommands do. Each returns the exit status of the program.
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

// Models that come with the program: those of examples/, by name.
struct Shipped {
  std::string name, text;
};
[[nodiscard]] const std::vector<Shipped>& examples();

// A file for a page, in a new folder of our own; "" where none can be made.
[[nodiscard]] std::string new_page(const std::string& model);
// Opens it where there is a display.
void open_page(const std::string& page);
// Says where the page is, and opens it where there is a display.
void show_page(const Options& options);

// The model of options.file; "-" is read from standard input.
[[nodiscard]] Model load_model(const Options& options, bool interpret);

}  // namespace mbc::tools
