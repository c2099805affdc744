// SPDX-License-Identifier: Apache-2.0
// load_engine() finds libmbc-jit, opens it and passes it the routines that generated code may call. This file needs no
// LLVM: a program linked to it maps LLVM only when it compiles something.
#include <dlfcn.h>

#include <vector>

#include "jit/engine_library.h"
#include "jit/factory.h"
#include "jit/host_symbols.h"
#include "jit/library_files.h"

namespace mbc::jit {
namespace {

// The library stays mapped for the life of the process, because LLVM does not support unloading.
void* open_library(std::string& error) {
  for (const std::string& path : files_named(kLibrary, error)) {
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    error = dlerror();
  }
  return nullptr;
}

}  // namespace

std::string engine_library() {
  std::string error;
  const std::vector<std::string> found = files_named(kLibrary, error);
  return found.empty() ? "" : "LLVM " MBC_LLVM_VERSION ", " + found.front();
}

std::string support_library(std::string& error) {
  const std::vector<std::string> found = files_named("libmbc_support.a", error);
  if (!found.empty()) error.clear();
  return found.empty() ? "" : found.front();
}

std::unique_ptr<Engine> load_engine(std::string& error) {
  void* library = open_library(error);
  if (library == nullptr) return nullptr;
  const auto create = reinterpret_cast<Factory>(dlsym(library, kFactorySymbol));
  if (create == nullptr) {
    error = std::string(kLibrary) + " has no " + kFactorySymbol;
    return nullptr;
  }
  const std::vector<HostSymbol> symbols = host_symbols();
  std::unique_ptr<Engine> engine(create(kEngineVersion, symbols.data(), symbols.size()));
  error = engine != nullptr ? "" : std::string(kLibrary) + " is of another version, or does not know this processor";
  return engine;
}

}  // namespace mbc::jit
