// SPDX-License-Identifier: Apache-2.0
#include "jit/code_environment.h"

#include <sys/stat.h>

#include "jit/factory.h"
#include "mbc_version.h"

namespace mbc::jit {

std::string code_environment(const std::string& processor, const std::string& library, int optimise) {
  struct stat s {};
  if (library.empty() || stat(library.c_str(), &s) != 0) return {};
  return "LLVM " MBC_LLVM_VERSION "|" + processor + "|" + std::to_string(optimise) + "|" + kKeptPrefix + "|" +
         std::to_string(kEngineVersion) + "|" MBC_VERSION "|" + std::to_string(s.st_size) + " " +
         std::to_string(s.st_mtim.tv_sec) + "." + std::to_string(s.st_mtim.tv_nsec);
}

}  // namespace mbc::jit
