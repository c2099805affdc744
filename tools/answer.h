// SPDX-License-Identifier: Apache-2.0
// Answers for programs: `--json`.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tools/options.h"

namespace mbc::tools {

// The name of a model as it is shown: standard input has none.
[[nodiscard]] inline std::string shown_name(const std::string& file) { return file == "-" ? "<stdin>" : file; }

// To standard output, over several lines; the exit status.
[[nodiscard]] int print_json(const nlohmann::ordered_json& answer);

// Whether a model is one, its size, and what the compiler said: of `mbc check`, and of every verb that got no further.
[[nodiscard]] nlohmann::ordered_json verdict_json(const Model& model, const std::string& file);

// Prints the same of a model that is one, where a name on the command line is none of its; or of what was not made of
// it.
int print_refusal(const std::string& file, const std::vector<DiagnosticInfo>& why);

// A list of diagnostics.
[[nodiscard]] nlohmann::ordered_json diagnostics_json(const std::vector<DiagnosticInfo>& list);

// The end of a verb where there is no model to go on with: its answer with `--json`, and the exit status. The
// compiler's messages have been said.
[[nodiscard]] int without_model(const Options& options, const Model& model);

}  // namespace mbc::tools
