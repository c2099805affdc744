// SPDX-License-Identifier: Apache-2.0
// Takes a kernel through the LLVM stages to text or object code, for the JIT and for artifacts.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "jit/engine.h"
#include "jit/external_tables.h"
#include "jit/target.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
}  // namespace llvm

namespace mbc::jit {

// Returns the emitted module, checked by LLVM's verifier if the options say so; null on failure. `outside` lists the
// words that are no constants of the module.
std::unique_ptr<llvm::Module> emit_for(const kernel::Kernel& kernel, const std::string& prefix,
                                       const CompileOptions& options, llvm::TargetMachine& target,
                                       llvm::LLVMContext& context, std::string& error,
                                       const std::vector<ExternalTable>* outside = nullptr);

enum class CodeFormat : std::uint8_t { assembly, object };

// Puts the text or the bytes into `code`. Returns false if the target cannot write this format.
bool generate_code(llvm::Module& module, llvm::TargetMachine& target, CodeFormat format, std::string& code,
                   std::string& error);

}  // namespace mbc::jit
