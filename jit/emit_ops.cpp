// SPDX-License-Identifier: Apache-2.0
// One function per operation, in the order of ops.def, with the same expressions as kernel/op_semantics.h, comparison
// by comparison. An operation without an emitter does not compile; routines of the support library share one.
#include "jit/emit_ops.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "jit/merge_sincos.h"

namespace mbc::jit {
namespace {

using kernel::Op;
using llvm::Value;

// Declares a function that throws nothing and always returns, unless the module has it already.
llvm::Function* declared(const llvm::IRBuilderBase& b, const char* symbol, llvm::FunctionType* type) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  if (llvm::Function* known = module.getFunction(symbol)) return known;
  auto* callee = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, symbol, module);
  callee->setDoesNotThrow();
  callee->setWillReturn();
  callee->addFnAttr(llvm::Attribute::NoBuiltin);
  return callee;
}

// Returns call(arguments) for numbers, and for vectors the vector of call(arguments of each lane).
template <class Call>
Value* in_each_lane(llvm::IRBuilderBase& b, llvm::Type* type, llvm::ArrayRef<Value*> arguments, Call&& call) {
  auto* lanes = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (lanes == nullptr) return call(arguments);
  Value* all = llvm::PoisonValue::get(type);
  for (std::uint64_t k = 0; k < lanes->getNumElements(); ++k) {
    llvm::SmallVector<Value*, 3> own;
    for (Value* argument : arguments) own.push_back(b.CreateExtractElement(argument, k));
    all = b.CreateInsertElement(all, call(llvm::ArrayRef<Value*>(own)), k);
  }
  return all;
}

struct Emitter {
  llvm::IRBuilderBase& b;
  const EmitOptions& options;
  llvm::Type* type;  // double, or a vector of them

  Value* number(double value) const { return llvm::ConstantFP::get(type, value); }
  Value* nan() const { return llvm::ConstantFP::getNaN(type); }
  Value* choose(Value* condition, Value* yes, Value* no) const { return b.CreateSelect(condition, yes, no); }

  // The function accesses no memory, throws nothing and always returns, so that equal calls are merged.
  llvm::Function* function(const char* symbol, llvm::Type* number, std::size_t arguments) const {
    const llvm::SmallVector<llvm::Type*, 3> types(arguments, number);
    llvm::Function* callee = declared(b, symbol, llvm::FunctionType::get(number, types, false));
    callee->setDoesNotAccessMemory();
    return callee;
  }

  // Calls a function of the support library.
  Value* library(const char* symbol, llvm::ArrayRef<Value*> arguments) const {
    llvm::Function* callee = function(symbol, b.getDoubleTy(), arguments.size());
    return in_each_lane(b, type, arguments, [&](llvm::ArrayRef<Value*> own) { return b.CreateCall(callee, own); });
  }

  // Emits sine or cosine. For eight lanes it calls a name that jit/merge_sincos replaces.
  Value* sine(const char* symbol, const char* of_lanes, Value* x) const {
    auto* lanes = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (lanes == nullptr || lanes->getNumElements() != kSineLanes) return library(symbol, {x});
    return b.CreateCall(function(of_lanes, type, 1), {x});
  }

  Value* unary_intrinsic(llvm::Intrinsic::ID id, Value* x) const { return b.CreateUnaryIntrinsic(id, x); }

  // The comparison is undefined if either operand is NaN.
  Operand comparison(llvm::CmpInst::Predicate predicate, Value* x, Value* y) const {
    return {nullptr, b.CreateFCmp(predicate, x, y), b.CreateFCmpUNO(x, y)};
  }

  // Emits min or max; a NaN operand gives NaN.
  Value* extreme(llvm::CmpInst::Predicate predicate, Value* x, Value* y) const {
    Value* ordered = choose(b.CreateFCmp(predicate, x, y), x, y);
    return choose(b.CreateFCmpUNO(x, y), b.CreateFAdd(x, y), ordered);
  }
};

// An operand as the emitters below see it; it converts to a double wherever one is needed.
class Arg {
 public:
  Arg(const Emitter& e, Operand& operand) : e_(e), operand_(operand) {}
  operator Value*() const { return as_number(e_.b, operand_); }
  [[nodiscard]] bool is_truth() const { return operand_.holds != nullptr; }
  [[nodiscard]] Value* holds() const { return operand_.holds; }
  [[nodiscard]] Value* undefined() const { return operand_.undefined; }

 private:
  const Emitter& e_;
  Operand& operand_;
};

Operand plain(Value* value) { return {value, nullptr, nullptr}; }

Operand emit_constant(const Emitter& e, Arg, Arg, Arg) { return plain(e.nan()); }
Operand emit_leaf(const Emitter& e, Arg, Arg, Arg) { return plain(e.nan()); }
Operand emit_neg(const Emitter& e, Arg x, Arg, Arg) { return plain(e.b.CreateFNeg(x)); }
Operand emit_add(const Emitter& e, Arg x, Arg y, Arg) { return plain(e.b.CreateFAdd(x, y)); }
Operand emit_sub(const Emitter& e, Arg x, Arg y, Arg) { return plain(e.b.CreateFSub(x, y)); }
Operand emit_mul(const Emitter& e, Arg x, Arg y, Arg) { return plain(e.b.CreateFMul(x, y)); }
Operand emit_div(const Emitter& e, Arg x, Arg y, Arg) { return plain(e.b.CreateFDiv(x, y)); }
Operand emit_fma(const Emitter& e, Arg x, Arg y, Arg z) {
  if (!e.options.hardware_fma) return plain(e.library("mbc_fma", {x, y, z}));
  return plain(e.b.CreateIntrinsic(llvm::Intrinsic::fma, {e.type}, {x, y, z}));
}
Operand emit_sqrt(const Emitter& e, Arg x, Arg, Arg) { return plain(e.unary_intrinsic(llvm::Intrinsic::sqrt, x)); }

// Emits a call of a routine of the support library.
Operand emit_library(const Emitter& e, Op op, const char* symbol, Arg x, Arg y) {
  if (op == Op::sin) return plain(e.sine(symbol, kSineOfLanes, x));
  if (op == Op::cos) return plain(e.sine(symbol, kCosineOfLanes, x));
  if (kernel::arity(op) == 1) return plain(e.library(symbol, {x}));
  return plain(e.library(symbol, {x, y}));
}

Operand emit_abs(const Emitter& e, Arg x, Arg, Arg) { return plain(e.unary_intrinsic(llvm::Intrinsic::fabs, x)); }
Operand emit_sign(const Emitter& e, Arg x, Arg, Arg) {
  Value* zero = e.number(0.0);
  Value* not_positive = e.choose(e.b.CreateFCmpOLT(x, zero), e.number(-1.0), x);
  return plain(e.choose(e.b.CreateFCmpOGT(x, zero), e.number(1.0), not_positive));
}
Operand emit_floor(const Emitter& e, Arg x, Arg, Arg) {
  if (!e.options.hardware_floor) return plain(e.library("mbc_floor", {x}));
  return plain(e.unary_intrinsic(llvm::Intrinsic::floor, x));
}
Operand emit_min(const Emitter& e, Arg x, Arg y, Arg) { return plain(e.extreme(llvm::CmpInst::FCMP_OLT, x, y)); }
Operand emit_max(const Emitter& e, Arg x, Arg y, Arg) { return plain(e.extreme(llvm::CmpInst::FCMP_OGT, x, y)); }
Operand emit_lt(const Emitter& e, Arg x, Arg y, Arg) { return e.comparison(llvm::CmpInst::FCMP_OLT, x, y); }
Operand emit_le(const Emitter& e, Arg x, Arg y, Arg) { return e.comparison(llvm::CmpInst::FCMP_OLE, x, y); }
Operand emit_eq(const Emitter& e, Arg x, Arg y, Arg) { return e.comparison(llvm::CmpInst::FCMP_OEQ, x, y); }
Operand emit_ne(const Emitter& e, Arg x, Arg y, Arg) { return e.comparison(llvm::CmpInst::FCMP_UNE, x, y); }
Operand emit_logical_and(const Emitter& e, Arg x, Arg y, Arg) {
  if (x.is_truth() && y.is_truth())
    return {nullptr, e.b.CreateAnd(x.holds(), y.holds()), e.b.CreateOr(x.undefined(), y.undefined())};
  return plain(e.b.CreateFMul(x, y));
}
Operand emit_logical_or(const Emitter& e, Arg x, Arg y, Arg) {
  if (x.is_truth() && y.is_truth())
    return {nullptr, e.b.CreateOr(x.holds(), y.holds()), e.b.CreateOr(x.undefined(), y.undefined())};
  return plain(e.b.CreateFSub(e.b.CreateFAdd(x, y), e.b.CreateFMul(x, y)));
}
Operand emit_logical_not(const Emitter& e, Arg x, Arg, Arg) {
  if (x.is_truth()) return {nullptr, e.b.CreateNot(x.holds()), x.undefined()};
  return plain(e.b.CreateFSub(e.number(1.0), x));
}
Operand emit_select(const Emitter& e, Arg condition, Arg yes, Arg no) {
  if (condition.is_truth())
    return plain(e.choose(condition.undefined(), e.nan(), e.choose(condition.holds(), yes, no)));
  Value* chosen = e.choose(e.b.CreateFCmpUNE(condition, e.number(0.0)), yes, no);
  return plain(e.choose(e.b.CreateFCmpUNO(condition, condition), condition, chosen));
}
Operand emit_table(const Emitter& e, Arg, Arg, Arg) { return plain(e.nan()); }  // an instruction of its own, below

// The function reads the points and no other memory.
llvm::Function* table_function(llvm::IRBuilderBase& b) {
  llvm::Type* types[] = {b.getPtrTy(), b.getDoubleTy(), b.getInt32Ty()};
  llvm::Function* callee = declared(b, "mbc_table", llvm::FunctionType::get(b.getDoubleTy(), types, false));
  callee->setOnlyReadsMemory();
  callee->setOnlyAccessesArgMemory();
  return callee;
}

}  // namespace

llvm::Value* emit_look_up(llvm::IRBuilderBase& builder, llvm::Value* points, llvm::Value* at, std::uint32_t order) {
  llvm::Function* callee = table_function(builder);
  return in_each_lane(builder, at->getType(), {at}, [&](llvm::ArrayRef<Value*> x) {
    return builder.CreateCall(callee, {points, x[0], builder.getInt32(order)});
  });
}

llvm::Value* as_number(llvm::IRBuilderBase& builder, Operand& operand) {
  if (operand.number == nullptr) {
    llvm::Type* type = builder.getDoubleTy();
    if (auto* lanes = llvm::dyn_cast<llvm::FixedVectorType>(operand.holds->getType()))
      type = llvm::FixedVectorType::get(type, lanes->getNumElements());
    llvm::Value* truth =
        builder.CreateSelect(operand.holds, llvm::ConstantFP::get(type, 1.0), llvm::ConstantFP::get(type, 0.0));
    operand.number = builder.CreateSelect(operand.undefined, llvm::ConstantFP::getNaN(type), truth);
  }
  return operand.number;
}

Operand emit_op(llvm::IRBuilderBase& builder, const EmitOptions& options, llvm::Type* type, kernel::Op op, Operand& a,
                Operand& b, Operand& c) {
  const Emitter e{builder, options, type};
  const Arg x(e, a), y(e, b), z(e, c);
  switch (op) {
#define MBC_OP(name, ...) \
  case Op::name:          \
    return emit_##name(e, x, y, z);
#define MBC_LIBRARY(name, ...) \
  case Op::name:               \
    return emit_library(e, op, "mbc_" #name, x, y);
#include "kernel/ops.def"
  }
  return plain(e.nan());
}

}  // namespace mbc::jit
