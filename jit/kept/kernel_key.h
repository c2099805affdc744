// SPDX-License-Identifier: Apache-2.0
// The name of a kernel's object in the cache: a digest of everything its machine code depends on.
#pragma once
#include <string>

#include "jit/kept/sha256.h"
#include "kernel/kernel.h"

namespace mbc::jit {

// `environment`: what the code depends on besides the kernel (compiler, processor, options). Names and places in the
// text of the model are left out: they change no code.
[[nodiscard]] Digest kernel_key(const kernel::Kernel& kernel, const std::string& environment);

// Returns whether the code is kept; it is not if the key takes about as long as the code.
[[nodiscard]] bool worth_keeping(const kernel::Kernel& kernel);

}  // namespace mbc::jit
