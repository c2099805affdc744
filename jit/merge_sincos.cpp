// SPDX-License-Identifier: Apache-2.0
#include "jit/merge_sincos.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <vector>

namespace mbc::jit {
namespace {

using llvm::CallInst;

std::vector<CallInst*> calls_of(llvm::Function* callee) {
  std::vector<CallInst*> calls;
  if (callee == nullptr) return calls;
  for (llvm::User* user : callee->users())
    if (auto* call = llvm::dyn_cast<CallInst>(user); call != nullptr && call->getCalledFunction() == callee)
      calls.push_back(call);
  return calls;
}

// Declares mbc_sine_cosine mbc_sincos(double). It returns two numbers in registers and has no side effects, as mbc_sin.
llvm::Function* declare(llvm::Module& module, const llvm::Function* sine) {
  llvm::Type* number = llvm::Type::getDoubleTy(module.getContext());
  llvm::Type* both = llvm::StructType::get(number, number);
  auto* callee = llvm::Function::Create(llvm::FunctionType::get(both, {number}, false),
                                        llvm::GlobalValue::ExternalLinkage, "mbc_sincos", module);
  callee->setAttributes(sine->getAttributes());
  return callee;
}

// Sine and cosine of one argument in one block; one of them may be missing. Code that has not been optimised may call
// one of them twice.
struct Pair {
  CallInst *sine = nullptr, *cosine = nullptr;

  [[nodiscard]] CallInst* first() const {
    if (sine == nullptr || cosine == nullptr) return sine != nullptr ? sine : cosine;
    return sine->comesBefore(cosine) ? sine : cosine;
  }
  static void replace(CallInst* call, llvm::Value* by) {
    if (call == nullptr) return;
    call->replaceAllUsesWith(by);
    call->eraseFromParent();
  }
};

// Returns the pairs in the order of the code, so that the same kernel gives the same text.
std::vector<Pair> pairs_of(llvm::Function* sine, llvm::Function* cosine) {
  std::map<std::pair<llvm::BasicBlock*, llvm::Value*>, std::size_t> known;
  std::vector<Pair> pairs;
  for (llvm::Function* callee : {sine, cosine})
    for (CallInst* call : calls_of(callee)) {
      const auto own = callee == sine ? &Pair::sine : &Pair::cosine;
      std::size_t& at = known.try_emplace({call->getParent(), call->getArgOperand(0)}, pairs.size()).first->second;
      if (at < pairs.size() && pairs[at].*own != nullptr) at = pairs.size();
      if (at == pairs.size()) pairs.emplace_back();
      pairs[at].*own = call;
    }
  return pairs;
}

void pair_numbers(llvm::Module& module) {
  llvm::Function *sine = module.getFunction("mbc_sin"), *cosine = module.getFunction("mbc_cos");
  if (sine == nullptr || cosine == nullptr) return;
  llvm::Function* callee = nullptr;
  for (const Pair& pair : pairs_of(sine, cosine)) {
    if (pair.sine == nullptr || pair.cosine == nullptr) continue;
    if (callee == nullptr) callee = declare(module, sine);
    llvm::IRBuilder<> builder(pair.first());
    llvm::Value* both = builder.CreateCall(callee, {pair.sine->getArgOperand(0)});
    llvm::Value *s = builder.CreateExtractValue(both, 0), *c = builder.CreateExtractValue(both, 1);
    Pair::replace(pair.sine, s);
    Pair::replace(pair.cosine, c);
  }
}

// The place on the stack for the argument and results of calls; all calls of a function share it.
class LanesInMemory {
 public:
  LanesInMemory(llvm::Function& function, llvm::Type* type) : type_(type) {
    llvm::IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().begin());
    for (llvm::Value*& place : places_) place = builder.CreateAlloca(type);
  }

  void call(llvm::Function* callee, const Pair& pair) {
    llvm::IRBuilder<> builder(pair.first());
    builder.CreateStore(pair.first()->getArgOperand(0), places_[0]);
    builder.CreateCall(callee, {places_[0], places_[1], places_[2]});
    llvm::Value* sine = pair.sine != nullptr ? builder.CreateLoad(type_, places_[1]) : nullptr;
    llvm::Value* cosine = pair.cosine != nullptr ? builder.CreateLoad(type_, places_[2]) : nullptr;
    Pair::replace(pair.sine, sine);
    Pair::replace(pair.cosine, cosine);
  }

 private:
  llvm::Type* type_;
  llvm::Value* places_[3] = {};
};

void call_for_lanes(llvm::Module& module) {
  llvm::Function *sine = module.getFunction(kSineOfLanes), *cosine = module.getFunction(kCosineOfLanes);
  std::map<llvm::Function*, LanesInMemory> memory;
  llvm::Type* address = llvm::PointerType::get(module.getContext(), 0);
  llvm::Type* nothing = llvm::Type::getVoidTy(module.getContext());
  llvm::Function* callee = nullptr;
  for (const Pair& pair : pairs_of(sine, cosine)) {
    if (callee == nullptr) {
      callee = llvm::Function::Create(llvm::FunctionType::get(nothing, {address, address, address}, false),
                                      llvm::GlobalValue::ExternalLinkage, "mbc_sincos_lanes", module);
      callee->setDoesNotThrow();
    }
    llvm::Function* user = pair.first()->getFunction();
    memory.try_emplace(user, *user, pair.first()->getType()).first->second.call(callee, pair);
  }
  for (llvm::Function* name : {sine, cosine})
    if (name != nullptr) name->eraseFromParent();
}

}  // namespace

void merge_sincos(llvm::Module& module) {
  pair_numbers(module);
  call_for_lanes(module);
}

}  // namespace mbc::jit
