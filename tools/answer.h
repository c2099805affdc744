// SPDX-License-Identifier: Apache-2.0
// Answers for programs: `--json`.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::tools {

// To standard output, over several lines; the exit status.
[[nodiscard]] int print_json(const nlohmann::ordered_json& answer);

// Whether a model is one, its size, and what the compiler said: of `mbc check`, and of every verb that got no further.
[[nodiscard]] nlohmann::ordered_json verdict_json(const Model& model, const std::string& file);

}  // namespace mbc::tools
