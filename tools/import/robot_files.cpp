// SPDX-License-Identifier: Apache-2.0
#include "tools/import/robot_files.h"

#include <algorithm>

namespace mbc::tools {

std::optional<std::filesystem::path> path_inside(const std::filesystem::path& folder,
                                                 const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::error_code bad;
  const fs::path top = fs::weakly_canonical(folder, bad);
  if (bad || file.empty()) return {};
  fs::path path = fs::weakly_canonical(top / file, bad);
  const auto apart = std::mismatch(top.begin(), top.end(), path.begin(), path.end());
  if (bad || apart.first != top.end()) return {};
  return path;
}

}  // namespace mbc::tools
