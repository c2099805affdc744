// SPDX-License-Identifier: Apache-2.0
#include "base/opened_library.h"

#include <dlfcn.h>

namespace mbc {

std::string is_of_another_version(const std::string& file) { return "`" + file + "` is of another version"; }

void* symbol_of_library(const std::string& file, const char* symbol, std::string& error) {
  void* opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    error = dlerror();
    return nullptr;
  }
  void* found = dlsym(opened, symbol);
  if (found == nullptr) error = is_of_another_version(file);
  return found;
}

}  // namespace mbc
