// SPDX-License-Identifier: Apache-2.0
// Names of functions in the code of an executable. They depend on the kernel, so that its code is found by that kernel
// only.
#pragma once
#include <string>

#include "kernel/kernel.h"

namespace mbc::jit {

// For a kernel of one function: the first part of its name in an object file, `m1b2f...`, and the full name.
[[nodiscard]] std::string program_prefix(const kernel::Kernel& kernel);
[[nodiscard]] inline std::string program_symbol(const kernel::Kernel& kernel) {
  return program_prefix(kernel) + "_" + kernel.functions.front().name;
}

}  // namespace mbc::jit
