// SPDX-License-Identifier: Apache-2.0
#include "jit/artifact.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "jit/codegen.h"
#include "jit/optimize.h"

namespace mbc::jit {
namespace {

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

std::string bitcode_of(const llvm::Module& module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return bytes;
}

}  // namespace

std::string emit_artifact(const kernel::Kernel& kernel, Artifact what, const std::string& prefix,
                          const CompileOptions& options, std::string& error) {
  error.clear();
  std::unique_ptr<llvm::TargetMachine> target = create_target(options.cpu.empty() ? "baseline" : options.cpu, error);
  if (target == nullptr) return {};
  set_level(*target, options.optimise);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = emit_for(kernel, prefix + "_", options, *target, context, error);
  if (module == nullptr) return {};
  if (what == Artifact::llvm_ir) return text_of(*module);
  optimise_module(*module, *target, options.optimise);
  if (what == Artifact::optimised_ir) return text_of(*module);
  if (what == Artifact::bitcode) return bitcode_of(*module);
  std::string code;
  const CodeFormat format = what == Artifact::assembly ? CodeFormat::assembly : CodeFormat::object;
  return generate_code(*module, *target, format, code, error) ? code : std::string();
}

}  // namespace mbc::jit
