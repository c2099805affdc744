#include "jit/pair_calls.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <vector>

namespace mbc::jit {
namespace {

using llvm::CallInst;

std::vector<CallInst*> calls_of(llvm::Function* callee) {
  std::vector<CallInst*> calls;
  for (llvm::User* user : callee->users())
    if (auto* call = llvm::dyn_cast<CallInst>(user); call != nullptr && call->getCalledFunction() == callee)
      calls.push_back(call);
  return calls;
}

// mbc_sine_cosine mbc_sincos(double), two numbers in registers; as free of effects as mbc_sin.
llvm::Function* declare(llvm::Module& module, const llvm::Function* sine) {
  llvm::Type* number = llvm::Type::getDoubleTy(module.getContext());
  llvm::Type* both = llvm::StructType::get(number, number);
  auto* callee = llvm::Function::Create(llvm::FunctionType::get(both, {number}, false),
                                        llvm::GlobalValue::ExternalLinkage, "mbc_sincos", module);
  callee->setAttributes(sine->getAttributes());
  return callee;
}

}  // namespace

void pair_sines_and_cosines(llvm::Module& module) {
  llvm::Function *sine = module.getFunction("mbc_sin"), *cosine = module.getFunction("mbc_cos");
  if (sine == nullptr || cosine == nullptr) return;
  std::map<std::pair<llvm::BasicBlock*, llvm::Value*>, CallInst*> sines;
  for (CallInst* call : calls_of(sine)) sines.try_emplace({call->getParent(), call->getArgOperand(0)}, call);
  llvm::Function* pair = nullptr;
  for (CallInst* c : calls_of(cosine)) {
    const auto found = sines.find({c->getParent(), c->getArgOperand(0)});
    if (found == sines.end()) continue;
    CallInst* s = found->second;
    if (pair == nullptr) pair = declare(module, sine);
    llvm::IRBuilder<> builder(s->comesBefore(c) ? s : c);
    llvm::Value* both = builder.CreateCall(pair, {c->getArgOperand(0)});
    s->replaceAllUsesWith(builder.CreateExtractValue(both, 0));
    c->replaceAllUsesWith(builder.CreateExtractValue(both, 1));
    s->eraseFromParent();
    c->eraseFromParent();
    sines.erase(found);
  }
}

}  // namespace mbc::jit
