// SPDX-License-Identifier: Apache-2.0
// The table that ties the library operations to the routines of the support library (declared in op_semantics.h).
#include <array>

#include "kernel/op_semantics.h"
#include "kernel/support/mbc_support.h"

namespace mbc::kernel {
namespace {

constexpr MathFunction routine(Op op, const char* symbol, double (*f)(double)) { return {op, symbol, f, nullptr}; }
constexpr MathFunction routine(Op op, const char* symbol, double (*f)(double, double)) {
  return {op, symbol, nullptr, f};
}

constexpr MathFunction kMathFunctions[] = {
#define MBC_LIBRARY(name, ...) routine(Op::name, "mbc_" #name, mbc_##name),
#include "kernel/ops.def"
};

// The same, indexed by operation; entries without functions are not library operations.
constexpr auto kByOp = [] {
  std::array<MathFunction, kOpCount> table{};
  for (const MathFunction& f : kMathFunctions) table[static_cast<std::size_t>(f.op)] = f;
  return table;
}();

}  // namespace

std::span<const MathFunction> math_functions() { return kMathFunctions; }

double apply_library(Op op, double a, double b) {
  const MathFunction& f = kByOp[static_cast<std::size_t>(op)];
  if (f.unary != nullptr) return f.unary(a);
  return f.binary != nullptr ? f.binary(a, b) : kNaN;
}

}  // namespace mbc::kernel
