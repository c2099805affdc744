// SPDX-License-Identifier: Apache-2.0
// Answers for programs: `--json`.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tools/options.h"

namespace mbc::tools {

// Returns the name of a model for messages: standard input has none.
[[nodiscard]] inline std::string shown_name(const std::string& file) { return file == "-" ? "<stdin>" : file; }

// Prints an answer to standard output, over several lines; returns the exit status.
[[nodiscard]] int print_json(const nlohmann::ordered_json& answer);

// Returns the answer of `mbc check`, and of every verb whose model has errors: whether it is ok, its size, its
// diagnostics.
[[nodiscard]] nlohmann::ordered_json verdict_json(const Model& model, const std::string& file);

// Prints the same for a model that is ok if the command line names something that it does not have, or if nothing could
// be made of it.
int print_refusal(const std::string& file, const std::vector<DiagnosticInfo>& why);

// Returns whether the model has the `simulate` block that the command line names, if it names one; prints the refusal
// of a run otherwise.
[[nodiscard]] bool has_block(const Options& options, const Model& model);
// Returns whether the settings that `--set` gives to a single block are those of the block that runs; reports others.
[[nodiscard]] bool sets_its_block(const Options& options, const Model& model);
// Does the same for a model that is not compiled yet, where the block `runs` does; `piped` is its text if it is piped.
[[nodiscard]] bool sets_its_block(const Options& options, const std::string& runs, const std::string& piped);

// Ends a verb whose question has no answer: prints the reason, with `--json` also as its answer, and returns the exit
// status.
[[nodiscard]] int without_answer(const Options& options, const Error& why);

// Returns diagnostics as a list of JSON objects.
[[nodiscard]] nlohmann::ordered_json diagnostics_json(const std::vector<DiagnosticInfo>& list);

// Ends a verb whose model has errors: prints its answer with `--json` and returns the exit status. The compiler's
// messages have been printed before.
[[nodiscard]] int without_model(const Options& options, const Model& model);

}  // namespace mbc::tools
