// SPDX-License-Identifier: Apache-2.0
// Emits a kernel as an LLVM module. Floating point is strict: no fast-math flag, one instruction per operation, library
// operations as calls of the support library, so that results equal the interpreter's bit for bit.
#pragma once
#include <memory>
#include <string>

#include "jit/external_tables.h"
#include "kernel/kernel.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace mbc::jit {

struct EmitOptions {
  std::string prefix;         // put before each function's name
  bool hardware_fma = false;  // else fma and floor are calls of the support library, with the same (exact) result
  bool hardware_floor = false;
  const std::vector<ExternalTable>* outside = nullptr;  // words that are no constants of the module; null: none
};

std::unique_ptr<llvm::Module> emit_module(const kernel::Kernel& kernel, llvm::LLVMContext& context,
                                          const EmitOptions& options);

}  // namespace mbc::jit
