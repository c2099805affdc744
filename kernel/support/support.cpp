// SPDX-License-Identifier: Apache-2.0
// The elementary functions of generated code that are the C library's (sincos.cpp has the others). The file is compiled
// with -fno-builtin: every call below really reaches the C library, the one implementation that the interpreter, the
// JIT and object files share.
#include <cmath>

#include "kernel/support/mbc_support.h"

extern "C" {
double mbc_pow(double a, double b) noexcept { return std::pow(a, b); }
double mbc_tan(double a) noexcept { return std::tan(a); }
double mbc_asin(double a) noexcept { return std::asin(a); }
double mbc_acos(double a) noexcept { return std::acos(a); }
double mbc_atan(double a) noexcept { return std::atan(a); }
double mbc_atan2(double a, double b) noexcept { return std::atan2(a, b); }
double mbc_exp(double a) noexcept { return std::exp(a); }
double mbc_ln(double a) noexcept { return std::log(a); }
double mbc_log10(double a) noexcept { return std::log10(a); }
double mbc_sinh(double a) noexcept { return std::sinh(a); }
double mbc_cosh(double a) noexcept { return std::cosh(a); }
double mbc_tanh(double a) noexcept { return std::tanh(a); }
double mbc_asinh(double a) noexcept { return std::asinh(a); }
double mbc_acosh(double a) noexcept { return std::acosh(a); }
double mbc_atanh(double a) noexcept { return std::atanh(a); }
double mbc_fma(double a, double b, double c) noexcept { return std::fma(a, b, c); }
double mbc_floor(double a) noexcept { return std::floor(a); }
}
