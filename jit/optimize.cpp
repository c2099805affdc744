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
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

#include "jit/merge_sincos.h"

namespace mbc::jit {
namespace {

// Shorter code loses more by packing values than it gains, and longer code takes long to pack.
constexpr unsigned kLeastToPack = 300, kMostToPack = 4000;

// Packing takes as long as all other passes together, several times as long if there are many results. It gains a tenth
// to a fifth, which pays for functions that are called at every stage and for whole steps, which are compiled for long
// runs.
bool worth_packing(const llvm::Function& function) {
  const llvm::StringRef name = function.getName().split('$').first;  // of a function in parts
  const auto is = [name](const char* end) { return name.ends_with(end); };
  if (!is("_rhs") && !is("_rhs_quasi") && !is("_stage") && !is("_step")) return false;
  const unsigned size = function.getInstructionCount();
  return size >= kLeastToPack && size <= kMostToPack;
}

// Kernels arrive in SSA form, simplified and without common subexpressions within a block. LLVM finds only what shows
// across blocks and instances: equal loads and library calls, stores that are read back, comparisons used as
// conditions.
llvm::FunctionPassManager passes() {
  llvm::FunctionPassManager list;
  list.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  list.addPass(llvm::InstCombinePass());
  list.addPass(llvm::GVNPass());
  list.addPass(llvm::SimplifyCFGPass());
  return list;
}

// Packs equal operations of equal parts into vectors of two or four; the roundings stay the same.
llvm::FunctionPassManager packing() {
  llvm::FunctionPassManager list;
  list.addPass(llvm::SLPVectorizerPass());
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

  llvm::FunctionPassManager list = passes(), pack = packing();
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    list.run(function, functions);
    if (worth_packing(function)) pack.run(function, functions);
  }
}

}  // namespace

void optimise_module(llvm::Module& module, llvm::TargetMachine& target, int level) {
  if (level > 0) run_passes(module, target);
  merge_sincos(module);
}

}  // namespace mbc::jit
