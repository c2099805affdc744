// SPDX-License-Identifier: Apache-2.0
#include "tools/link/beside.h"

#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <filesystem>

namespace mbc::tools {
namespace {

namespace fs = std::filesystem;

// Returns the folder of the program; "" if the system does not tell.
fs::path own_folder() {
  std::array<char, PATH_MAX> own{};
  const ssize_t length = readlink("/proc/self/exe", own.data(), own.size());
  return length > 0 ? fs::path(std::string(own.data(), static_cast<std::size_t>(length))).parent_path() : fs::path();
}

}  // namespace

std::string library_beside(const std::string& name) {
  std::vector<fs::path> folders;
  if (const fs::path folder = own_folder(); !folder.empty()) folders = {folder, folder / "../lib"};
  if (const char* named = std::getenv("MBC_LIBRARY_PATH"); named != nullptr && *named != 0) folders.emplace_back(named);
  std::error_code ignored;
  for (const fs::path& folder : folders)
    if (const fs::path file = folder / name; fs::is_regular_file(file, ignored)) return file.string();
  return "";
}

std::vector<std::string> documents_beside(const std::string& name) {
  const fs::path folder = own_folder();
  if (folder.empty()) return {};
  return {(folder / "../share/doc/mbc" / name).string(), (folder / "../../.." / name).string()};
}

}  // namespace mbc::tools
