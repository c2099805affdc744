// SPDX-License-Identifier: Apache-2.0
// Emits the end of a kernel function: the checks of its results and guards, and its return value (kernel/kernel.h).
#pragma once
#include <map>
#include <utility>

#include "kernel/kernel.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace mbc::jit {

// Values known to lie in a place of work or deriv at the end of the function, so that they are not read back.
using Stored = std::map<std::pair<kernel::Space, std::uint32_t>, llvm::Value*>;

void emit_return(llvm::IRBuilderBase& builder, const kernel::Function& function, llvm::Value* work, llvm::Value* deriv,
                 const Stored& stored);

}  // namespace mbc::jit
