// SPDX-License-Identifier: Apache-2.0
#include "base/cache_folder.h"

#include <sys/auxv.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>

namespace mbc {

namespace {

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0 ? value : nullptr;
}

}  // namespace

std::string cache_folder() {
  if (getauxval(AT_SECURE) != 0) return {};
  if (const char* own = std::getenv("MBC_CACHE")) return std::strcmp(own, "off") == 0 ? "" : own;
  // The base directory specification says that relative paths are ignored.
  if (const char* base = environment("XDG_CACHE_HOME"); base != nullptr && *base == '/')
    return std::string(base) + "/mbc";
  // A home that does not exist (that of system users) is not created.
  const char* home = environment("HOME");
  struct stat s {};
  if (home == nullptr || *home != '/' || stat(home, &s) != 0 || !S_ISDIR(s.st_mode)) return {};
  return std::string(home) + "/.cache/mbc";
}

}  // namespace mbc
