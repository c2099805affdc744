// SPDX-License-Identifier: Apache-2.0
// Which processor this is, without LLVM.
#pragma once
#include <string>

namespace mbc::jit {

// All that code may depend on: maker, model, features, those that the system has switched on among them. Another
// processor has another text, and so may the same one in another virtual machine. "" on architectures where it is not
// known how to ask.
[[nodiscard]] std::string processor_identity();

}  // namespace mbc::jit
