// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/confined_path.h"

#include <algorithm>
#include <filesystem>

namespace mbc::sema {

namespace fs = std::filesystem;

namespace {

// Returns whether `path` lies in `root`, with links resolved.
bool inside(const fs::path& path, const fs::path& root) {
  std::error_code error;
  const fs::path base = fs::weakly_canonical(fs::absolute(root.empty() ? fs::path(".") : root, error), error);
  if (error) return false;
  const fs::path full = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error || fs::is_symlink(full, error)) return false;  // a link to a missing file may lead anywhere
  const auto [end, rest] = std::mismatch(base.begin(), base.end(), full.begin(), full.end());
  return end == base.end();
}

}  // namespace

std::optional<std::string> confined_path(const std::string& written, const std::string& folder,
                                         const std::string& root) {
  if (fs::path(written).is_absolute()) return {};
  std::string path = (fs::path(folder) / written).lexically_normal().string();
  if (!inside(path, root)) return {};
  return path;
}

std::optional<std::string> path_below(const std::string& written, const std::string& folder) {
  const fs::path path = (fs::path(folder) / written).lexically_normal();
  if (fs::path(written).is_absolute() || *path.begin() == "..") return {};
  return path.string();
}

}  // namespace mbc::sema
