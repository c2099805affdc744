// SPDX-License-Identifier: Apache-2.0
// The table that ties the library operations to the routines of the support library (declared in op_semantics.h).
#include <array>

#include "kernel/op_semantics.h"
#include "kernel/support/mbc_support.h"

namespace mbc::kernel {
namespace {

constexpr MathFunction kMathFunctions[] = {
    {Op::pow, "mbc_pow", nullptr, mbc_pow},       {Op::sin, "mbc_sin", mbc_sin, nullptr},
    {Op::cos, "mbc_cos", mbc_cos, nullptr},       {Op::tan, "mbc_tan", mbc_tan, nullptr},
    {Op::asin, "mbc_asin", mbc_asin, nullptr},    {Op::acos, "mbc_acos", mbc_acos, nullptr},
    {Op::atan, "mbc_atan", mbc_atan, nullptr},    {Op::atan2, "mbc_atan2", nullptr, mbc_atan2},
    {Op::exp, "mbc_exp", mbc_exp, nullptr},       {Op::ln, "mbc_ln", mbc_ln, nullptr},
    {Op::log10, "mbc_log10", mbc_log10, nullptr}, {Op::sinh, "mbc_sinh", mbc_sinh, nullptr},
    {Op::cosh, "mbc_cosh", mbc_cosh, nullptr},    {Op::tanh, "mbc_tanh", mbc_tanh, nullptr},
    {Op::asinh, "mbc_asinh", mbc_asinh, nullptr}, {Op::acosh, "mbc_acosh", mbc_acosh, nullptr},
    {Op::atanh, "mbc_atanh", mbc_atanh, nullptr},
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
