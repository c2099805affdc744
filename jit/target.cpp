// SPDX-License-Identifier: Apache-2.0
#include "jit/target.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/TargetParser/Triple.h>

#include <mutex>

namespace mbc::jit {
namespace {

std::string host_features() {
  llvm::SubtargetFeatures features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) features.AddFeature(feature.first(), feature.second);
  return features.getString();
}

// Contraction is off: fused multiply-adds come only from the kernel's own fma operations.
llvm::TargetOptions strict_options() {
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.EmulatedTLS = false;
  return options;
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> create_target(const std::string& cpu, std::string& error) {
  static std::once_flag once;  // the registry belongs to LLVM, and there is one for the process
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  const std::string triple = llvm::sys::getProcessTriple();
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return nullptr;
  const bool host = cpu.empty() || cpu == "native";
  const bool x86_64 = llvm::Triple(triple).getArch() == llvm::Triple::x86_64;
  const std::string name =
      host ? llvm::sys::getHostCPUName().str() : (cpu == "baseline" ? (x86_64 ? "x86-64" : "generic") : cpu);
  std::unique_ptr<llvm::MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
  if (known == nullptr || !known->isCPUStringValid(name)) {
    error = "unknown processor `" + name + "`";
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, name, host ? host_features() : "", strict_options(), llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

std::vector<std::string> features_of(const llvm::TargetMachine& target) {
  std::vector<std::string> out;
  if (!target.getTargetTriple().isX86()) return out;
  const llvm::MCSubtargetInfo& features = *target.getMCSubtargetInfo();
#define MBC_FEATURE(name) \
  if (features.checkFeatures("+" name)) out.emplace_back(name);
#include "jit/features.def"
#undef MBC_FEATURE
  return out;
}

void set_level(llvm::TargetMachine& target, int optimise) {
  target.setOptLevel(optimise == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default);
  target.setFastISel(optimise == 0);
}

EmitOptions emit_options(const llvm::TargetMachine& target, const std::string& prefix) {
  const llvm::MCSubtargetInfo& features = *target.getMCSubtargetInfo();
  const bool x86 = target.getTargetTriple().isX86();
  return {prefix, !x86 || features.checkFeatures("+fma"), !x86 || features.checkFeatures("+sse4.1"), nullptr};
}

}  // namespace mbc::jit
