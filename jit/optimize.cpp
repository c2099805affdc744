// SPDX-License-Identifier: Apache-2.0
#include "jit/optimize.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "jit/merge_sincos.h"

namespace mbc::jit {
namespace {

// Kernels arrive in SSA form, simplified and without common subexpressions within a block. LLVM finds only what shows
// across blocks and instances: equal loads and library calls, stores that are read back, comparisons used as
// conditions. Equal operations are not packed into vectors: LLVM 19's SLPVectorizer mixes up lanes, so that a mass
// matrix of three bodies came out wrong by a sixth.
llvm::FunctionPassManager passes() {
  llvm::FunctionPassManager list;
  list.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  list.addPass(llvm::InstCombinePass());
  list.addPass(llvm::GVNPass());
  list.addPass(llvm::SimplifyCFGPass());
  return list;
}

void run_passes(llvm::Module& module, llvm::TargetMachine& target) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;

  // Kernels contain no call of a C library function, and LLVM must not introduce one.
  llvm::TargetLibraryInfoImpl no_library(target.getTargetTriple());
  no_library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(no_library); });

  llvm::PassBuilder builder(&target);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::FunctionPassManager list = passes();
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) list.run(function, functions);
}

}  // namespace

void optimise_module(llvm::Module& module, llvm::TargetMachine& target, int level) {
  if (level > 0) run_passes(module, target);
  merge_sincos(module);
}

}  // namespace mbc::jit
