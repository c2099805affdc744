// SPDX-License-Identifier: Apache-2.0
// Kernels as text or object code.
#pragma once
#include <string>

#include "jit/engine.h"

namespace mbc::jit {

// Symbols are `<prefix>_<function>`. Returns "" on failure; `error` says why.
std::string emit_artifact(const kernel::Kernel& kernel, Artifact what, const std::string& prefix,
                          const CompileOptions& options, std::string& error);

}  // namespace mbc::jit
