// SPDX-License-Identifier: Apache-2.0
// load_engine(): finds libmbc-jit, opens it and hands it the routines generated code may call. No LLVM here: a program
// linked to this maps LLVM only when it compiles something.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "jit/engine_library.h"
#include "jit/factory.h"
#include "kernel/op_semantics.h"
#include "kernel/support/mbc_support.h"

namespace mbc::jit {
namespace {

constexpr const char* kLibrary = "libmbc-jit.so";

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string program_directory() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? directory_of(std::string(path.data(), static_cast<std::size_t>(length))) : ".";
}

// Of the shared library this code was linked into; of the program where it is part of that. A program found by PATH is
// named without a folder here, and the folder one works in is no place to look in.
std::string own_directory() {
  static const char anchor = 0;
  Dl_info info{};
  if (dladdr(&anchor, &info) == 0 || info.dli_fname == nullptr || std::strchr(info.dli_fname, '/') == nullptr)
    return program_directory();
  std::array<char, PATH_MAX> path{};
  return directory_of(realpath(info.dli_fname, path.data()) != nullptr ? path.data() : info.dli_fname);
}

// The rule: beside the library or program this code was linked into (the same folder, ../lib), then the folder
// MBC_LIBRARY_PATH names. A tree that is moved as a whole keeps working, and so does a program beside its library.
std::vector<std::string> candidates() {
  std::vector<std::string> folders;
  for (const std::string& base : {own_directory(), program_directory()})
    for (const std::string& folder : {base, base + "/../lib"})
      if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
  if (const char* named = std::getenv("MBC_LIBRARY_PATH"); named != nullptr && *named != 0) folders.emplace_back(named);
  return folders;
}

template <typename Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

std::vector<HostSymbol> host_symbols() {
  std::vector<HostSymbol> symbols{{"mbc_dense_solve", address(mbc_dense_solve)},
                                  {"mbc_sparse_solve", address(mbc_sparse_solve)},
                                  {"mbc_augmented_solve", address(mbc_augmented_solve)},
                                  {"mbc_quasi_solve", address(mbc_quasi_solve)},
                                  {"mbc_add_rows", address(mbc_add_rows)},
                                  {"mbc_sincos", address(mbc_sincos)},
                                  {"mbc_sincos_lanes", address(mbc_sincos_lanes)},
                                  {"mbc_fma", address(mbc_fma)},
                                  {"mbc_table", address(mbc_table)},
                                  {"mbc_floor", address(mbc_floor)}};
  for (const kernel::MathFunction& f : kernel::math_functions())
    symbols.push_back({f.symbol, f.unary != nullptr ? address(f.unary) : address(f.binary)});
  return symbols;
}

// Files of that name that are there; with none `error` names the folders looked in.
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

// The library stays mapped for the life of the process: LLVM is not made to be unloaded.
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
