// SPDX-License-Identifier: Apache-2.0
// The engine: one LLJIT whose main JITDylib knows only the whitelisted host symbols, and for every kernel a JITDylib
// that sees its own functions and those symbols. Kernels are compiled to an object in memory by the same steps as an
// object file, or found in the cache of objects. JITLink then links the object.
#include "jit/engine.h"

#include <dlfcn.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "jit/artifact.h"
#include "jit/code_environment.h"
#include "jit/codegen.h"
#include "jit/external_tables.h"
#include "jit/factory.h"
#include "jit/kept/kernel_key.h"
#include "jit/kept/object_cache.h"
#include "jit/kept/processor.h"
#include "jit/link.h"
#include "jit/optimize.h"
#include "jit/target.h"

namespace mbc::jit {
namespace {

using Clock = std::chrono::steady_clock;

// Returns the seconds since the last lap.
double lap(Clock::time_point& last) {
  const Clock::time_point before = std::exchange(last, Clock::now());
  return std::chrono::duration<double>(last - before).count();
}

// Returns the file of the library that contains this code.
std::string own_file() {
  static const char anchor = 0;
  Dl_info info{};
  return dladdr(&anchor, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

// Returns what an object depends on besides its kernel. For this processor it is the text that ready_code() looks for.
std::string environment_of(const llvm::TargetMachine& machine, const CompileOptions& options) {
  const std::string here = options.cpu.empty() ? processor_identity() : "";
  const std::string named = machine.getTargetTriple().str() + "|" + machine.getTargetCPU().str() + "|" +
                            machine.getTargetFeatureString().str();
  return code_environment(here.empty() ? named : here, own_file(), options.optimise);
}

std::optional<Digest> key_of(const kernel::Kernel& k, const llvm::TargetMachine& machine,
                             const CompileOptions& options) {
  if (options.cache.empty() || options.key) return options.key;
  const std::string environment = worth_keeping(k) ? environment_of(machine, options) : "";
  if (environment.empty()) return {};
  return kernel_key(k, environment);
}

class OrcKernel final : public CompiledKernel {
 public:
  OrcKernel(llvm::orc::ExecutionSession& session, llvm::orc::JITDylib& library,
            std::map<std::string, kernel::KernelFunction> functions, const CompileTimes& times,
            std::vector<ExternalTable> outside)
      : session_(session),
        library_(library),
        functions_(std::move(functions)),
        times_(times),
        outside_(std::move(outside)) {}
  OrcKernel(const OrcKernel&) = delete;
  OrcKernel& operator=(const OrcKernel&) = delete;
  ~OrcKernel() override { llvm::consumeError(session_.removeJITDylib(library_)); }

  [[nodiscard]] kernel::KernelFunction function(const std::string& name) const override {
    const auto found = functions_.find(name);
    return found != functions_.end() ? found->second : nullptr;
  }
  [[nodiscard]] const CompileTimes& times() const override { return times_; }

 private:
  llvm::orc::ExecutionSession& session_;
  llvm::orc::JITDylib& library_;
  std::map<std::string, kernel::KernelFunction> functions_;
  CompileTimes times_;
  std::vector<ExternalTable> outside_;  // read by the code
};

class OrcEngine final : public Engine {
 public:
  // Returns "", or why the engine cannot be used.
  std::string start(const HostSymbol* symbols, std::size_t count);

  std::unique_ptr<CompiledKernel> compile(const kernel::Kernel& k, const CompileOptions& options,
                                          std::string& error) override;
  std::string emit(const kernel::Kernel& k, Artifact what, const std::string& prefix, const CompileOptions& options,
                   std::string& error) override {
    return emit_artifact(k, what, prefix, options, error);
  }
  std::string archive(const std::string& object, const std::string& name, const std::string& support,
                      std::string& error) override {
    return archive_of(object, name, support, error);
  }
  std::string link(const std::vector<std::string>& objects, const std::string& support, const std::string& name,
                   std::string& error) override {
    return shared_object(objects, support, name, error);
  }
  [[nodiscard]] bool knows_processor(const std::string& cpu) const override {
    std::string error;
    return create_target(cpu, error) != nullptr;
  }
  [[nodiscard]] std::vector<std::string> features(const std::string& cpu) const override {
    std::string error;
    const auto machine = create_target(cpu.empty() ? "baseline" : cpu, error);
    return machine ? features_of(*machine) : std::vector<std::string>();
  }
  [[nodiscard]] std::string version() const override;

 private:
  llvm::TargetMachine* target(const std::string& cpu, std::string& error);
  std::string define(const HostSymbol* symbols, std::size_t count);
  std::string define(const std::vector<ExternalTable>& outside, llvm::orc::JITDylib& library);
  static std::string define(llvm::orc::SymbolMap symbols, llvm::orc::JITDylib& library);  // "" or why not
  // Returns the kernel's object; "" on failure.
  std::string generate(const kernel::Kernel& k, const CompileOptions& options, llvm::TargetMachine& machine,
                       CompileTimes& times, std::string& error);
  std::unique_ptr<CompiledKernel> link(const kernel::Kernel& k, const std::string& object, CompileTimes times,
                                       std::string& error);
  // Finds the addresses of the kernel's functions, which links its object.
  bool look_up(const kernel::Kernel& k, llvm::orc::JITDylib& library,
               std::map<std::string, kernel::KernelFunction>& functions, std::string& error);

  std::unique_ptr<llvm::TargetMachine> host_;   // of this process
  std::unique_ptr<llvm::TargetMachine> other_;  // of the processor last asked for by name
  std::string other_cpu_;
  std::string reported_;  // messages of ORC since the last compile; outlives jit_
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::uint64_t generation_ = 0;
};

std::string OrcEngine::start(const HostSymbol* symbols, std::size_t count) {
  std::string error;
  host_ = create_target("", error);
  if (host_ == nullptr) return error;
  // The conveniences of LLJIT are off: no process symbols, no initialisers, no exception frames.
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(llvm::orc::JITTargetMachineBuilder(host_->getTargetTriple()))
                 .setDataLayout(host_->createDataLayout())
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .setObjectLinkingLayerCreator([](llvm::orc::ExecutionSession& session, const llvm::Triple&) {
                   return std::make_unique<llvm::orc::ObjectLinkingLayer>(session);
                 })
                 .create();
  if (!jit) return llvm::toString(jit.takeError());
  jit_ = std::move(*jit);
  jit_->getExecutionSession().setErrorReporter([this](llvm::Error reported) {
    reported_ += (reported_.empty() ? "" : "; ") + llvm::toString(std::move(reported));
  });
  return define(symbols, count);
}

std::string OrcEngine::define(const HostSymbol* symbols, std::size_t count) {
  llvm::orc::SymbolMap whitelist;
  const auto allow = [&](const char* name, const void* address) {
    whitelist[jit_->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                              llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  for (std::size_t i = 0; i < count; ++i) allow(symbols[i].name, symbols[i].address);
  // The code generator may call these to copy or clear memory.
  allow("memcpy", reinterpret_cast<const void*>(&std::memcpy));
  allow("memset", reinterpret_cast<const void*>(&std::memset));
  return define(std::move(whitelist), jit_->getMainJITDylib());
}

std::string OrcEngine::define(const std::vector<ExternalTable>& outside, llvm::orc::JITDylib& library) {
  if (outside.empty()) return {};
  llvm::orc::SymbolMap addresses;
  for (const ExternalTable& o : outside)
    addresses[jit_->mangleAndIntern(o.symbol)] = {llvm::orc::ExecutorAddr::fromPtr(o.storage->data()),
                                                  llvm::JITSymbolFlags::Exported};
  return define(std::move(addresses), library);
}

std::string OrcEngine::define(llvm::orc::SymbolMap symbols, llvm::orc::JITDylib& library) {
  llvm::Error failed = library.define(llvm::orc::absoluteSymbols(std::move(symbols)));
  return failed ? llvm::toString(std::move(failed)) : "";
}

llvm::TargetMachine* OrcEngine::target(const std::string& cpu, std::string& error) {
  if (cpu.empty() || cpu == "native") return host_.get();
  if (other_ == nullptr || other_cpu_ != cpu) {
    other_ = create_target(cpu, error);
    other_cpu_ = cpu;
  }
  return other_.get();
}

bool OrcEngine::look_up(const kernel::Kernel& k, llvm::orc::JITDylib& library,
                        std::map<std::string, kernel::KernelFunction>& functions, std::string& error) {
  llvm::orc::SymbolLookupSet names;
  for (const kernel::Function& f : k.functions) names.add(jit_->mangleAndIntern(kKeptPrefix + f.name));
  if (k.functions.empty()) return true;
  auto found = jit_->getExecutionSession().lookup(llvm::orc::makeJITDylibSearchOrder(&library), names);
  if (!found) {
    error = llvm::toString(found.takeError());
    if (!reported_.empty()) error = reported_ + "; " + error;
    return false;
  }
  for (const kernel::Function& f : k.functions)
    functions[f.name] =
        (*found)[jit_->mangleAndIntern(kKeptPrefix + f.name)].getAddress().toPtr<kernel::KernelFunction>();
  return true;
}

std::unique_ptr<CompiledKernel> OrcEngine::link(const kernel::Kernel& k, const std::string& object, CompileTimes times,
                                                std::string& error) {
  Clock::time_point watch = Clock::now();
  llvm::orc::ExecutionSession& session = jit_->getExecutionSession();
  const std::string name = "kernel" + std::to_string(generation_++);
  llvm::orc::JITDylib& library = session.createBareJITDylib(name);
  library.addToLinkOrder(jit_->getMainJITDylib());
  std::map<std::string, kernel::KernelFunction> functions;
  std::vector<ExternalTable> outside = external_tables(k, kKeptPrefix);
  error = define(outside, library);
  bool linked = error.empty();
  if (llvm::Error failed = jit_->addObjectFile(library, llvm::MemoryBuffer::getMemBufferCopy(object, name))) {
    error = llvm::toString(std::move(failed));
    linked = false;
  }
  linked = linked && look_up(k, library, functions, error);
  times.link = lap(watch);
  if (linked) return std::make_unique<OrcKernel>(session, library, std::move(functions), times, std::move(outside));
  llvm::consumeError(session.removeJITDylib(library));
  return nullptr;
}

std::string OrcEngine::generate(const kernel::Kernel& k, const CompileOptions& options, llvm::TargetMachine& machine,
                                CompileTimes& times, std::string& error) {
  Clock::time_point watch = Clock::now();
  llvm::LLVMContext context;
  set_level(machine, options.optimise);
  const std::vector<ExternalTable> outside = external_tables(k, kKeptPrefix);
  std::unique_ptr<llvm::Module> module = emit_for(k, kKeptPrefix, options, machine, context, error, &outside);
  if (module == nullptr) return {};
  times.emit = lap(watch);
  optimise_module(*module, machine, options.optimise);
  times.optimise = lap(watch);
  std::string code;
  if (!generate_code(*module, machine, CodeFormat::object, code, error)) return {};
  times.codegen = lap(watch);
  return code;
}

std::unique_ptr<CompiledKernel> OrcEngine::compile(const kernel::Kernel& k, const CompileOptions& options,
                                                   std::string& error) {
  error.clear();
  reported_.clear();
  CompileTimes times;
  llvm::TargetMachine* machine = target(options.cpu, error);
  if (machine == nullptr) return nullptr;
  Clock::time_point watch = Clock::now();
  const std::optional<Digest> key = key_of(k, *machine, options);
  const ObjectCache cache(key ? options.cache : "");
  if (key) {
    // An object from the cache is the one that was stored, since load() compares key and checksum. The key covers
    // everything the code depends on, with the sizes of its arrays (kept/kernel_key.cpp). Linking finds all functions
    // of the kernel, and no foreign symbol.
    const std::optional<std::string> object = cache.load(*key);
    times.look_up = lap(watch);
    times.cached = true;
    std::string ignored;  // an object that cannot be linked is made anew
    if (std::unique_ptr<CompiledKernel> made = object ? link(k, *object, times, ignored) : nullptr) return made;
    times.cached = false;
    reported_.clear();
  }
  const std::string object = generate(k, options, *machine, times, error);
  if (object.empty()) return nullptr;
  std::unique_ptr<CompiledKernel> made = link(k, object, times, error);
  if (made && key) cache.store(*key, object);
  return made;
}

std::string OrcEngine::version() const {
  return "LLVM " LLVM_VERSION_STRING ", " + host_->getTargetTriple().getArchName().str() + ", " +
         host_->getTargetCPU().str();
}

}  // namespace
}  // namespace mbc::jit

extern "C" __attribute__((visibility("default"))) mbc::jit::Engine* mbc_jit_create(std::uint32_t version,
                                                                                   const mbc::jit::HostSymbol* symbols,
                                                                                   std::size_t count);

extern "C" mbc::jit::Engine* mbc_jit_create(std::uint32_t version, const mbc::jit::HostSymbol* symbols,
                                            std::size_t count) {
  if (version != mbc::jit::kEngineVersion) return nullptr;
  auto engine = std::make_unique<mbc::jit::OrcEngine>();
  return engine->start(symbols, count).empty() ? engine.release() : nullptr;
}
