// SPDX-License-Identifier: Apache-2.0
// A kernel through the LLVM stages up to text or object code: shared by the JIT and the artifacts.
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

// The emitted module, checked by LLVM's verifier when the options say so; `outside`: its words that are no constants of
// it. Null on failure.
std::unique_ptr<llvm::Module> emit_for(const kernel::Kernel& kernel, const std::string& prefix,
                                       const CompileOptions& options, llvm::TargetMachine& target,
                                       llvm::LLVMContext& context, std::string& error,
                                       const std::vector<ExternalTable>* outside = nullptr);

enum class CodeFormat : std::uint8_t { assembly, object };

// The text or bytes in `code`. False when the target cannot write this format.
bool generate_code(llvm::Module& module, llvm::TargetMachine& target, CodeFormat format, std::string& code,
                   std::string& error);

}  // namespace mbc::jit
