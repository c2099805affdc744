// SPDX-License-Identifier: Apache-2.0
// Identifies this processor without LLVM.
#pragma once
#include <string>

namespace mbc::jit {

// Returns everything about the processor that code may depend on: maker, model, features, and those that the system has
// switched on. Another processor has another text, and the same one may have another text in another virtual machine.
// Returns "" on architectures where the question is not known.
[[nodiscard]] std::string processor_identity();

}  // namespace mbc::jit
