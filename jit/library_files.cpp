// SPDX-License-Identifier: Apache-2.0
#include "jit/library_files.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace mbc::jit {
namespace {

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string program_directory() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? directory_of(std::string(path.data(), static_cast<std::size_t>(length))) : ".";
}

// Returns the folder of the shared library that contains this code, or of the program if it is linked into that. A
// program found by PATH is named without a folder here, and the working directory is not searched.
std::string own_directory() {
  static const char anchor = 0;
  Dl_info info{};
  if (dladdr(&anchor, &info) == 0 || info.dli_fname == nullptr || std::strchr(info.dli_fname, '/') == nullptr)
    return program_directory();
  std::array<char, PATH_MAX> path{};
  return directory_of(realpath(info.dli_fname, path.data()) != nullptr ? path.data() : info.dli_fname);
}

// The places are, in order, those beside the library or program that contains this code (the same folder, ../lib), then
// the folder in MBC_LIBRARY_PATH. A tree that is moved as a whole keeps working, and so does a program beside its
// library.
std::vector<std::string> candidates() {
  std::vector<std::string> folders;
  for (const std::string& base : {own_directory(), program_directory()})
    for (const std::string& folder : {base, base + "/../lib"})
      if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
  if (const char* named = std::getenv("MBC_LIBRARY_PATH"); named != nullptr && *named != 0) folders.emplace_back(named);
  return folders;
}

}  // namespace

std::vector<std::string> files_named(const char* name, std::string& error) {
  std::vector<std::string> found;
  const std::vector<std::string> folders = candidates();
  error = std::string(name) + " was not found in ";
  for (std::size_t k = 0; k < folders.size(); ++k) {
    error += (k ? ", " : "") + folders[k];
    if (std::string path = folders[k] + "/" + name; access(path.c_str(), R_OK) == 0) found.push_back(std::move(path));
  }
  return found;
}

}  // namespace mbc::jit
