// SPDX-License-Identifier: Apache-2.0
// What the subcommands do. Each returns the exit status of the program.
#pragma once
#include <optional>

#include "mbc/mbc.h"
#include "tools/options.h"

namespace mbc::tools {

[[nodiscard]] int execute(const Options& options);

[[nodiscard]] int run_model(const Options& options);
[[nodiscard]] int check_model(const Options& options);
[[nodiscard]] int compile_model(const Options& options);
[[nodiscard]] int explain_code(const Options& options);
[[nodiscard]] int test_models(const Options& options);
[[nodiscard]] int format_models(const Options& options);
[[nodiscard]] int diagnose_model(const Options& options);
[[nodiscard]] int compare_methods(const Options& options);
[[nodiscard]] int sweep_model(const Options& options);
[[nodiscard]] int describe_model(const Options& options);
[[nodiscard]] int run_repl(const Options& options);

// The program of options.file; "-" is read from standard input.
[[nodiscard]] Program load_program(const Options& options, bool interpret);

}  // namespace mbc::tools
