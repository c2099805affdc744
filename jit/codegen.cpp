// SPDX-License-Identifier: Apache-2.0
#include "jit/codegen.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace mbc::jit {

std::unique_ptr<llvm::Module> emit_for(const kernel::Kernel& kernel, const std::string& prefix,
                                       const CompileOptions& options, llvm::TargetMachine& target,
                                       llvm::LLVMContext& context, std::string& error,
                                       const std::vector<ExternalTable>* outside) {
  EmitOptions emit = emit_options(target, prefix);
  emit.outside = outside;
  std::unique_ptr<llvm::Module> module = emit_module(kernel, context, emit);
  module->setTargetTriple(target.getTargetTriple().str());
  module->setDataLayout(target.createDataLayout());
  if (!options.verify) return module;
  llvm::raw_string_ostream text(error);
  if (!llvm::verifyModule(*module, &text)) return module;
  error = "the emitted code is not well formed: " + error;
  return nullptr;
}

bool generate_code(llvm::Module& module, llvm::TargetMachine& target, CodeFormat format, std::string& code,
                   std::string& error) {
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  llvm::TargetLibraryInfoImpl no_library(target.getTargetTriple());
  no_library.disableAllFunctions();
  passes.add(new llvm::TargetLibraryInfoWrapperPass(no_library));
  const auto type =
      format == CodeFormat::assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (target.addPassesToEmitFile(passes, stream, nullptr, type)) {
    error = "the target cannot write this kind of file";
    return false;
  }
  passes.run(module);
  code.assign(buffer.begin(), buffer.end());
  return true;
}

}  // namespace mbc::jit
