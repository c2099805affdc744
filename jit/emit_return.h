// SPDX-License-Identifier: Apache-2.0
// The end of a kernel function: are its results finite, do its guards hold, and what does it return (kernel/kernel.h).
#pragma once
#include <map>
#include <utility>

#include "kernel/kernel.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace mbc::jit {

// Values known to lie in a place of work or deriv at the end of the function, so that they need not be read back.
using Stored = std::map<std::pair<kernel::Space, std::uint32_t>, llvm::Value*>;

void emit_return(llvm::IRBuilderBase& builder, const kernel::Function& function, llvm::Value* work, llvm::Value* deriv,
                 const Stored& stored);

}  // namespace mbc::jit
