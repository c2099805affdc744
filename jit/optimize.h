// SPDX-License-Identifier: Apache-2.0
// The optimiser: one short, explicit list of passes over a kernel's module.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace mbc::jit {

// Level 0 only merges pairs of calls. The list deliberately leaves out the loop vectoriser and every pass that would
// turn code into calls of the C library.
void optimise_module(llvm::Module& module, llvm::TargetMachine& target, int level);

}  // namespace mbc::jit
