// SPDX-License-Identifier: Apache-2.0
// The meaning of every operation on doubles. The interpreter executes these functions, and the emitted code equals them
// bit for bit. The library functions are reached through one table (math_functions()) so that interpreter, JIT and
// object files call the same routines. This file and everything that includes it is compiled with -ffp-contract=off.
#pragma once
#include <cmath>
#include <limits>
#include <span>

#include "kernel/op.h"

namespace mbc::kernel {

struct MathFunction {
  Op op;
  const char*
      symbol;  // the name generated code calls: mbc_sin, ... (never libm's own, which LLVM would fold or rewrite)
  double (*unary)(double);
  double (*binary)(double, double);
};
// MBC_LIBRARY of ops.def, in its order.
std::span<const MathFunction> math_functions();

double apply_library(Op op, double a, double b);

inline double truth(bool value) { return value ? 1.0 : 0.0; }
inline bool unordered(double a, double b) { return a != a || b != b; }
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// a, b, c are the operands; unused ones are ignored. Leaves and tables have a meaning only where their data are. The
// function is inline because a call would take longer than most operations in the interpreter's loop.
[[gnu::always_inline]] inline double apply(Op op, double a, double b, double c) {
  switch (op) {
    case Op::constant:
    case Op::leaf:
    case Op::table:
      return kNaN;
    case Op::neg:
      return -a;
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::fma:
      return std::fma(a, b, c);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::abs:
      return std::fabs(a);
    case Op::sign:
      return a > 0 ? 1.0 : (a < 0 ? -1.0 : a);  // sign(0) = 0, sign(NaN) = NaN
    case Op::floor:
      return std::floor(a);
    case Op::min:
      return unordered(a, b) ? a + b : (a < b ? a : b);
    case Op::max:
      return unordered(a, b) ? a + b : (a > b ? a : b);
    case Op::lt:
      return unordered(a, b) ? kNaN : truth(a < b);
    case Op::le:
      return unordered(a, b) ? kNaN : truth(a <= b);
    case Op::eq:
      return unordered(a, b) ? kNaN : truth(a == b);
    case Op::ne:
      return unordered(a, b) ? kNaN : truth(a != b);
    case Op::logical_and:
      return a * b;  // on 0, 1 and NaN
    case Op::logical_or:
      return a + b - a * b;  // left to right: (a + b) - (a*b)
    case Op::logical_not:
      return 1.0 - a;
    case Op::select:
      return a != a ? a : (a != 0 ? b : c);
#define MBC_LIBRARY(name, ...) case Op::name:
#include "kernel/ops.def"
      return apply_library(op, a, b);
  }
  return kNaN;
}

}  // namespace mbc::kernel
