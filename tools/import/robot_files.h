// SPDX-License-Identifier: Apache-2.0
// Files that a robot file names: only those in folders that were given.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace mbc::tools {

// Returns the path of a file that lies in the folder or below, with links followed, or nothing. `file` is relative to
// the folder or absolute.
[[nodiscard]] std::optional<std::filesystem::path> path_inside(const std::filesystem::path& folder,
                                                               const std::filesystem::path& file);

}  // namespace mbc::tools
