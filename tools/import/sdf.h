// SPDX-License-Identifier: Apache-2.0
// Reads SDF 1.5 to 1.9, the files of Gazebo (http://sdformat.org/spec).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/import/robot.h"

namespace mbc::tools {

struct SdfOptions {
  std::string folder;                // of the file; "" for none
  std::vector<std::string> folders;  // in which models that the file includes are searched
};

// Returns nothing, with the first problem, for a text that is no SDF. Elements and attributes that have no counterpart
// are remarks.
[[nodiscard]] std::optional<Robot> read_sdf(const std::string& text, const SdfOptions& options, Remark& problem);

}  // namespace mbc::tools
