// SPDX-License-Identifier: Apache-2.0
// The processor code is made for.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "jit/emit.h"
#include "jit/engine.h"

namespace llvm {
class TargetMachine;
}

namespace mbc::jit {

// cpu "" or "native" is the host with all its features, "baseline" the oldest processor of the host's architecture.
// Null when LLVM does not know the processor; `error` says so.
std::unique_ptr<llvm::TargetMachine> create_target(const std::string& cpu, std::string& error);

// What of features.def code for such a processor may use.
std::vector<std::string> features_of(const llvm::TargetMachine& target);

// Level 0 or 2, for the code generation that follows.
void set_level(llvm::TargetMachine& target, int optimise);

EmitOptions emit_options(const llvm::TargetMachine& target, const std::string& prefix);

}  // namespace mbc::jit
