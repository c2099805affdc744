// SPDX-License-Identifier: Apache-2.0
// One comparison checks all entries: their sum is not finite if one of them is not. Only then does a loop look for the
// entry. It finds none if the sum of finite entries overflowed.
#include "jit/emit_return.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace mbc::jit {
namespace {

using kernel::Function;
using kernel::Space;
using llvm::Value;

constexpr std::uint32_t kWrittenOut = 64;  // up to here entries are added one by one, more of them in a loop
constexpr std::uint32_t kLanes = 8, kSums = 4, kMinima = 8;

class ReturnEmitter {
 public:
  ReturnEmitter(llvm::IRBuilderBase& builder, const Function& function, Value* work, Value* deriv, const Stored& stored)
      : b_(builder), function_(function), work_(work), deriv_(deriv), stored_(stored) {}

  void run() {
    if (function_.check_begin < function_.check_end) {
      Value* good = in_lanes() ? all_lanes_finite() : below_infinity(sum());
      llvm::BasicBlock* fine = new_block("finite");
      llvm::BasicBlock* search = new_block("search");
      b_.CreateCondBr(good, fine, search);
      b_.SetInsertPoint(search);
      find_entry();
      b_.CreateBr(fine);
      b_.SetInsertPoint(fine);
    }
    if (!guarded()) {
      b_.CreateRet(b_.getInt32(0));
      return;
    }
    Value* held = guards_in_lanes() ? all_lanes_held() : b_.CreateFCmpOGT(least_guard(), number(0.0));
    b_.CreateRet(b_.CreateSelect(held, b_.getInt32(0), status(kernel::kGaveUp)));
  }

 private:
  [[nodiscard]] bool guarded() const { return function_.guard_begin < function_.guard_end; }
  // Returns whether the entries are checked in lanes, because a block of lanes stored them last.
  [[nodiscard]] bool in_lanes() const {
    const std::uint32_t count = function_.check_end - function_.check_begin;
    return !function_.blocks.empty() && function_.blocks.back().lanes == kLanes && count % kLanes == 0 &&
           count <= kLanes * kWrittenOut;
  }
  [[nodiscard]] bool guards_in_lanes() const {
    return in_lanes() && function_.guard_end - function_.guard_begin == kLanes;
  }
  Value* lanes_at(Value* array, std::uint32_t index) {
    auto* lanes = llvm::FixedVectorType::get(b_.getDoubleTy(), kLanes);
    return b_.CreateAlignedLoad(lanes, place(array, index), llvm::Align(8));
  }

  Value* all_lanes_finite() {
    std::vector<Value*> values;
    for (std::uint32_t k = function_.check_begin; k < function_.check_end; k += kLanes)
      values.push_back(lanes_at(deriv_, k));
    return b_.CreateAndReduce(below_infinity(sum_of(std::move(values))));
  }
  // A NaN passes, as in least_guard().
  Value* all_lanes_held() {
    Value* guards = lanes_at(work_, function_.guard_begin);
    return b_.CreateNot(b_.CreateOrReduce(b_.CreateFCmpOLE(guards, llvm::Constant::getNullValue(guards->getType()))));
  }

  Value* number(double value) { return llvm::ConstantFP::get(b_.getDoubleTy(), value); }
  llvm::ConstantInt* status(std::int32_t value) { return b_.getInt32(static_cast<std::uint32_t>(value)); }
  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, b_.GetInsertBlock()->getParent());
  }

  Value* below_infinity(Value* value) {
    return b_.CreateFCmpOLT(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value),
                            llvm::ConstantFP::getInfinity(value->getType()));
  }

  Value* place(Value* array, std::uint32_t index) {
    return b_.CreateConstInBoundsGEP1_64(b_.getDoubleTy(), array, index);
  }

  Value* entry(Space space, std::uint32_t index) {
    if (const auto known = stored_.find({space, index}); known != stored_.end()) return known->second;
    return b_.CreateLoad(b_.getDoubleTy(), place(space == Space::work ? work_ : deriv_, index));
  }

  // Adds in pairs, pairs of pairs, ..., so that few operations wait for each other.
  Value* sum_of(std::vector<Value*> values) {
    if (values.empty()) return number(0.0);
    while (values.size() > 1) {
      std::vector<Value*> sums;
      for (std::size_t i = 0; i + 1 < values.size(); i += 2) sums.push_back(b_.CreateFAdd(values[i], values[i + 1]));
      if (values.size() % 2 != 0) sums.push_back(values.back());
      values = std::move(sums);
    }
    return values.front();
  }

  Value* sum() {
    const std::uint32_t count = function_.check_end - function_.check_begin;
    const std::uint32_t looped = count > kWrittenOut ? count / (kSums * kLanes) * kSums * kLanes : 0;
    std::vector<Value*> values;
    if (looped > 0) values = lane_sums(looped / (kSums * kLanes));
    for (std::uint32_t k = function_.check_begin + looped; k < function_.check_end; ++k) {
      Value* value = entry(Space::deriv, k);
      if (const auto* known = llvm::dyn_cast<llvm::ConstantFP>(value); known != nullptr && known->getValue().isFinite())
        continue;
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    return sum_of(std::move(values));
  }

  // Computes four sums of eight lanes, so that an addition does not wait for the one before.
  std::vector<Value*> lane_sums(std::uint32_t steps) {
    auto* lanes = llvm::FixedVectorType::get(b_.getDoubleTy(), kLanes);
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* body = new_block("sum");
    b_.CreateBr(body);
    b_.SetInsertPoint(body);
    llvm::PHINode* step = b_.CreatePHI(b_.getInt64Ty(), 2);
    step->addIncoming(b_.getInt64(0), before);
    std::vector<llvm::PHINode*> totals;
    for (std::uint32_t k = 0; k < kSums; ++k) {
      totals.push_back(b_.CreatePHI(lanes, 2));
      totals.back()->addIncoming(llvm::ConstantAggregateZero::get(lanes), before);
    }
    Value* first = b_.CreateAdd(b_.CreateMul(step, b_.getInt64(kSums * kLanes)), b_.getInt64(function_.check_begin));
    std::vector<Value*> added;
    for (std::uint32_t k = 0; k < kSums; ++k) {
      Value* at = b_.CreateInBoundsGEP(b_.getDoubleTy(), deriv_, b_.CreateAdd(first, b_.getInt64(k * kLanes)));
      added.push_back(b_.CreateFAdd(totals[k], b_.CreateAlignedLoad(lanes, at, llvm::Align(8))));
    }
    Value* next = b_.CreateNUWAdd(step, b_.getInt64(1));
    step->addIncoming(next, body);
    for (std::uint32_t k = 0; k < kSums; ++k) totals[k]->addIncoming(added[k], body);
    llvm::BasicBlock* after = new_block("summed");
    b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(steps)), body, after);
    b_.SetInsertPoint(after);
    Value* total = sum_of(added);
    std::vector<Value*> sums;
    for (std::uint32_t k = 0; k < kLanes; ++k) sums.push_back(b_.CreateExtractElement(total, std::uint64_t{k}));
    return sums;
  }

  // A NaN passes, as in the interpreter. Several minima side by side keep a comparison from waiting for the one before;
  // none of them is ever a NaN.
  Value* least_guard() {
    std::vector<Value*> least(kMinima, llvm::ConstantFP::getInfinity(b_.getDoubleTy()));
    const auto lesser = [&](Value* value, Value* other) {
      return b_.CreateSelect(b_.CreateFCmpOLT(value, other), value, other);
    };
    for (std::uint32_t k = function_.guard_begin; k < function_.guard_end; ++k) {
      Value*& of = least[(k - function_.guard_begin) % kMinima];
      of = lesser(entry(Space::work, k), of);
    }
    for (std::uint32_t step = kMinima / 2; step > 0; step /= 2)
      for (std::uint32_t k = 0; k < step; ++k) least[k] = lesser(least[k + step], least[k]);
    return least[0];
  }

  // Emits the search of the first entry whose magnitude is not below infinity (NaN included); the result counts from 1.
  void find_entry() {
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* body = new_block("look");
    b_.CreateBr(body);
    b_.SetInsertPoint(body);
    llvm::PHINode* index = b_.CreatePHI(b_.getInt64Ty(), 2);
    index->addIncoming(b_.getInt64(function_.check_begin), before);
    Value* next = b_.CreateNUWAdd(index, b_.getInt64(1));
    Value* value = b_.CreateLoad(b_.getDoubleTy(), b_.CreateInBoundsGEP(b_.getDoubleTy(), deriv_, index));
    llvm::BasicBlock* bad = new_block("not_finite");
    llvm::BasicBlock* good = new_block("next");
    b_.CreateCondBr(below_infinity(value), good, bad);
    b_.SetInsertPoint(bad);
    b_.CreateRet(guarded() ? status(kernel::kGaveUp) : b_.CreateTrunc(next, b_.getInt32Ty()));
    b_.SetInsertPoint(good);
    index->addIncoming(next, good);
    llvm::BasicBlock* none = new_block("none");
    b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(function_.check_end)), body, none);
    b_.SetInsertPoint(none);
  }

  llvm::IRBuilderBase& b_;
  const Function& function_;
  Value *work_, *deriv_;
  const Stored& stored_;
};

}  // namespace

void emit_return(llvm::IRBuilderBase& builder, const Function& function, Value* work, Value* deriv,
                 const Stored& stored) {
  ReturnEmitter(builder, function, work, deriv, stored).run();
}

}  // namespace mbc::jit
