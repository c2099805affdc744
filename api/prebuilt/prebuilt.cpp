// SPDX-License-Identifier: Apache-2.0
// Replaces jit/load_engine.cpp and jit/ready_code.cpp.
#include "api/prebuilt/prebuilt.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "jit/engine.h"
#include "jit/engine_library.h"
#include "jit/kept/program_symbol.h"
#include "jit/ready_code.h"

namespace mbc {
namespace {

// Set once, before a second thread exists.
void* opened = nullptr;
std::string why_not = "this program holds no native code";

class Found final : public jit::CompiledKernel {
 public:
  Found(std::string name, kernel::KernelFunction code) : name_(std::move(name)), function_(code) {}
  [[nodiscard]] kernel::KernelFunction function(const std::string& name) const override {
    return name == name_ ? function_ : nullptr;
  }
  [[nodiscard]] const jit::CompileTimes& times() const override { return times_; }

 private:
  std::string name_;
  kernel::KernelFunction function_;
  jit::CompileTimes times_;
};

class PrebuiltEngine final : public jit::Engine {
 public:
  std::unique_ptr<jit::CompiledKernel> compile(const kernel::Kernel& k, const jit::CompileOptions&,
                                               std::string& error) override {
    void* found = k.functions.size() == 1 ? dlsym(opened, jit::program_symbol(k).c_str()) : nullptr;
    error = found != nullptr ? "" : "it is not among the functions that this program was compiled with";
    if (found == nullptr) return nullptr;
    return std::make_unique<Found>(k.functions.front().name, reinterpret_cast<kernel::KernelFunction>(found));
  }
  std::string emit(const kernel::Kernel&, jit::Artifact, const std::string&, const jit::CompileOptions&,
                   std::string& error) override {
    return refuse(error);
  }
  std::string archive(const std::string&, const std::string&, const std::string&, std::string& error) override {
    return refuse(error);
  }
  std::string link(const std::vector<std::string>&, const std::string&, const std::string&,
                   std::string& error) override {
    return refuse(error);
  }
  [[nodiscard]] bool knows_processor(const std::string& cpu) const override { return cpu.empty(); }
  [[nodiscard]] std::vector<std::string> features(const std::string&) const override { return {}; }
  [[nodiscard]] std::string version() const override { return "compiled before"; }

 private:
  static std::string refuse(std::string& error) {
    error = "this program has no compiler";
    return {};
  }
};

bool processor_has(const std::string& feature) {
#ifdef __x86_64__
#define MBC_FEATURE(name) \
  if (feature == name) return __builtin_cpu_supports(name) != 0;
#include "jit/features.def"
#undef MBC_FEATURE
#endif
  return false;
}

bool write_all(int fd, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

// Opens the code from memory; no file is needed.
void open(const std::string& shared_object) {
  const int fd = memfd_create("mbc", MFD_CLOEXEC);
  if (fd < 0 || !write_all(fd, shared_object)) {
    why_not = std::string("no memory for native code: ") + std::strerror(errno);
  } else {
    opened = dlopen(("/proc/self/fd/" + std::to_string(fd)).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) why_not = dlerror();
  }
  if (fd >= 0) close(fd);
}

}  // namespace

namespace prebuilt {

bool use(const std::string& shared_object, const std::vector<std::string>& features, std::string& error) {
  why_not.clear();
  for (const std::string& feature : features)
    if (!processor_has(feature))
      why_not = "it was compiled for processors with " + feature + ", which this one has not";
  if (why_not.empty()) open(shared_object);
  error = why_not;
  return error.empty();
}

}  // namespace prebuilt

namespace jit {

std::string engine_library() { return opened != nullptr ? "native code of this model" : ""; }

std::string support_library(std::string& error) {
  error = "this program has no compiler";
  return {};
}

std::unique_ptr<Engine> load_engine(std::string& error) {
  error = opened != nullptr ? "" : why_not;
  return opened != nullptr ? std::make_unique<PrebuiltEngine>() : nullptr;
}

// The executable contains its code; no cache is read.
ReadyCode ready_code(const kernel::Kernel&, const CompileOptions&) { return {}; }
bool code_is_kept(std::uint64_t, const CompileOptions&) { return false; }
void note_kept(std::uint64_t, bool, const CompileOptions&) {}

}  // namespace jit
}  // namespace mbc
