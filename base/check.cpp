// SPDX-License-Identifier: Apache-2.0
// The message of a failed check.
#include "base/check.h"

#include <string_view>

namespace mbc {

namespace {

// __FILE__ is the path that the compiler was given. The part from the repository's root is enough and does not depend
// on the machine.
std::string_view without_root(std::string_view file) {
  const std::string_view here = __FILE__;
  const std::string_view root = here.substr(0, here.size() - std::string_view("base/check.cpp").size());
  return file.starts_with(root) ? file.substr(root.size()) : file;
}

}  // namespace

void fail_check(const char* file, int line, const char* condition, const std::string& what) {
  throw InternalError(std::string(without_root(file)) + ":" + std::to_string(line) + ": " + what + " (" + condition +
                      ")");
}

}  // namespace mbc
