// SPDX-License-Identifier: Apache-2.0
// Native code for kernels. The implementation lives in the library libmbc-jit, the only one linked to LLVM, which
// load_engine() opens on first use; without it the interpreter runs.
//
// An Engine owns one LLJIT (JITLink). Its own JITDylib resolves only the whitelist of kernel::math_functions() and the
// support routines. Every kernel has a JITDylib that is removed when its CompiledKernel dies. One thread at a time may
// compile; compiled functions may run on any number of threads. An Engine must be destroyed before main returns, after
// its CompiledKernels.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jit/kept/sha256.h"
#include "kernel/kernel.h"

namespace mbc::jit {

struct HostSymbol {
  const char* name;
  void* address;
};

struct CompileOptions {
  int optimise = 2;             // 0 or 2
  std::string cpu;              // "" = the host for running, the baseline of the architecture for files
  bool verify = true;           // LLVM's module verifier
  std::string cache{};          // folder of compiled objects (kept/object_cache.h); "" = none
  std::optional<Digest> key{};  // of the kernel's object there, if it is known already (ready_code.h)
};

struct CompileTimes {  // seconds
  double look_up = 0, emit = 0, optimise = 0, codegen = 0, link = 0;
  bool cached = false;  // the object came from the cache: nothing was emitted, optimised or generated
};

enum class Artifact : std::uint8_t { llvm_ir, optimised_ir, bitcode, assembly, object };

class CompiledKernel {
 public:
  virtual ~CompiledKernel() = default;
  // Returns nullptr if the kernel has no such function.
  [[nodiscard]] virtual kernel::KernelFunction function(const std::string& name) const = 0;
  [[nodiscard]] virtual const CompileTimes& times() const = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Returns nullptr on failure; `error` says why.
  virtual std::unique_ptr<CompiledKernel> compile(const kernel::Kernel& k, const CompileOptions& options,
                                                  std::string& error) = 0;
  // Returns text or object code, or "" on failure. Symbols are `<prefix>_<function>`.
  virtual std::string emit(const kernel::Kernel& k, Artifact what, const std::string& prefix,
                           const CompileOptions& options, std::string& error) = 0;
  // Makes an archive for linkers of the object and the members of the archive `support` (a file). Returns "" on
  // failure.
  virtual std::string archive(const std::string& object, const std::string& name, const std::string& support,
                              std::string& error) = 0;
  // Makes a shared object of these objects and the members of `support` that they need. It needs the C library and its
  // mathematics, which are those of this process. `name` is its own (SONAME). Returns "" on failure.
  virtual std::string link(const std::vector<std::string>& objects, const std::string& support, const std::string& name,
                           std::string& error) = 0;
  // Returns whether code can be made for this processor (CompileOptions::cpu).
  [[nodiscard]] virtual bool knows_processor(const std::string& cpu) const = 0;
  // Returns the features of features.def that code for this processor may use.
  [[nodiscard]] virtual std::vector<std::string> features(const std::string& cpu) const = 0;
  [[nodiscard]] virtual std::string version() const = 0;  // "LLVM 19.1.7, x86_64, skylake-avx512"
};

// Returns nullptr if the library is missing or does not fit. `error` then gives the reason and the places searched:
// beside the library or program this is linked into (the same folder, ../lib), then the folder in MBC_LIBRARY_PATH.
std::unique_ptr<Engine> load_engine(std::string& error);

}  // namespace mbc::jit
