// SPDX-License-Identifier: Apache-2.0
// The processor that code is made for.
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

// `cpu` is a name, "" or "native" for the host with all its features, or "baseline" for the oldest processor of the
// host's architecture. Returns null if LLVM does not know the processor; `error` says so.
std::unique_ptr<llvm::TargetMachine> create_target(const std::string& cpu, std::string& error);

// Returns the features of features.def that code for this processor may use.
std::vector<std::string> features_of(const llvm::TargetMachine& target);

// Sets the level, 0 or 2, of the code generation that follows.
void set_level(llvm::TargetMachine& target, int optimise);

EmitOptions emit_options(const llvm::TargetMachine& target, const std::string& prefix);

}  // namespace mbc::jit
