// SPDX-License-Identifier: Apache-2.0
// Converts one operation of ops.def to LLVM instructions.
#pragma once
#include "jit/emit.h"
#include "kernel/op.h"

namespace llvm {
class IRBuilderBase;
class Type;
class Value;
}  // namespace llvm

namespace mbc::jit {

// A value of the kernel: a double, or the outcome of a comparison (NaN if undefined, else 1 or 0) kept as two bits, so
// that a select of a comparison does not convert it to a double. The double is made when it is first asked for.
struct Operand {
  llvm::Value* number = nullptr;
  llvm::Value* holds = nullptr;
  llvm::Value* undefined = nullptr;
};

llvm::Value* as_number(llvm::IRBuilderBase& builder, Operand& operand);

// Emits an operation on values of one type, double or a vector of doubles. Operands beyond its arity are ignored.
Operand emit_op(llvm::IRBuilderBase& builder, const EmitOptions& options, llvm::Type* type, kernel::Op op, Operand& a,
                Operand& b, Operand& c);

// Emits the derivative of the given order of a function given by points, at one argument or at those of all lanes.
llvm::Value* emit_look_up(llvm::IRBuilderBase& builder, llvm::Value* points, llvm::Value* at, std::uint32_t order);

}  // namespace mbc::jit
