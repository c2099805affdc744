// SPDX-License-Identifier: Apache-2.0
// Defines the scalars of the references: long double, dual numbers over any scalar (nested for second derivatives) and
// complex numbers for the complex step. Every rule is written only for the tests and is not shared with compiler/ad.
#pragma once
#include <cmath>
#include <complex>
#include <type_traits>

#include "kernel/op.h"

namespace mbc::test {

using Real = long double;
using Complex = std::complex<Real>;

// A Dual is a + b e with e^2 = 0.
template <class T>
struct Dual {
  T re, du;
  Dual() : re(0), du(0) {}
  Dual(Real value) : re(value), du(0) {}  // NOLINT: constants and duals mix in expressions
  Dual(T value, T derivative) : re(value), du(derivative) {}

  friend Dual operator-(Dual a) { return {-a.re, -a.du}; }
  friend Dual operator+(Dual a, Dual b) { return {a.re + b.re, a.du + b.du}; }
  friend Dual operator-(Dual a, Dual b) { return {a.re - b.re, a.du - b.du}; }
  friend Dual operator*(Dual a, Dual b) { return {a.re * b.re, a.re * b.du + a.du * b.re}; }
  friend Dual operator/(Dual a, Dual b) {
    const T quotient = a.re / b.re;
    return {quotient, (a.du - quotient * b.du) / b.re};
  }
};
using Dual1 = Dual<Real>;
// re.re is the value, re.du and du.re are first derivatives, and du.du is the mixed second derivative.
using Dual2 = Dual<Dual1>;

inline Real value(Real x) { return x; }
inline Real value(const Complex& x) { return x.real(); }
template <class T>
Real value(const Dual<T>& x) {
  return value(x.re);
}

inline bool moves(Real) { return false; }
inline bool moves(const Complex& x) { return x.imag() != 0; }
template <class T>
bool moves(const Dual<T>& x) {
  return moves(x.re) || moves(x.du) || value(x.du) != 0;
}

// The result and its derivatives are exact to rounding both near 0 and near 1.
template <class T>
T one_minus_square(const T& a) {
  const T one = 1;
  return std::fabs(value(a)) < 0.5L ? one - a * a : (one - a) * (one + a);
}

// name(a + b e) = name(a) + derivative(a) b e. The nested scalar then gives the second derivative.
#define MBC_CHAIN(name, derivative)                                                          \
  template <class T>                                                                         \
  Dual<T> name(const Dual<T>& x) {                                                           \
    using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::exp, std::log; \
    using std::log10, std::sinh, std::cosh, std::tanh, std::asinh, std::acosh, std::atanh;   \
    using std::sqrt;                                                                         \
    [[maybe_unused]] const T& a = x.re;                                                      \
    [[maybe_unused]] const T one = 1;                                                        \
    return {name(a), x.du * (derivative)};                                                   \
  }
MBC_CHAIN(sqrt, one / (sqrt(a) + sqrt(a)))
MBC_CHAIN(sin, cos(a))
MBC_CHAIN(cos, -sin(a))
MBC_CHAIN(tan, one / (cos(a) * cos(a)))
MBC_CHAIN(asin, one / sqrt(one_minus_square(a)))
MBC_CHAIN(acos, -(one / sqrt(one_minus_square(a))))
MBC_CHAIN(atan, one / (one + a * a))
MBC_CHAIN(exp, exp(a))
MBC_CHAIN(log, one / a)
MBC_CHAIN(log10, one / (a * T(2.302585092994045684017991454684364208L)))
MBC_CHAIN(sinh, cosh(a))
MBC_CHAIN(cosh, sinh(a))
MBC_CHAIN(tanh, one / (cosh(a) * cosh(a)))
MBC_CHAIN(asinh, one / sqrt(a * a + one))
MBC_CHAIN(acosh, one / sqrt((a - one) * (a + one)))
MBC_CHAIN(atanh, one / one_minus_square(a))
#undef MBC_CHAIN

template <class T>
T integer_power(T base, int exponent) {
  T result = 1;
  for (int k = exponent < 0 ? -exponent : exponent; k > 0; --k) result = result * base;
  return exponent < 0 ? T(1) / result : result;
}

// Computes a^b as exp(b ln a) if a > 0. A constant integer exponent allows any base.
inline Real power(Real a, Real b) { return std::pow(a, b); }
template <class T>
T power(const T& a, const T& b) {
  using std::exp, std::log;
  const Real e = value(b);
  if (!moves(b) && e == std::floor(e) && std::fabs(e) <= 64) return integer_power(a, static_cast<int>(e));
  if constexpr (std::is_same_v<T, Complex>) {
    return exp(b * log(a));
  } else {
    auto reduced = b;
    reduced.re = reduced.re - decltype(b.re)(1);
    return {power(a.re, b.re), b.re * power(a.re, reduced.re) * a.du + power(a.re, b.re) * log(a.re) * b.du};
  }
}

inline Real arc_tangent_2(Real y, Real x) { return std::atan2(y, x); }
template <class T>
Dual<T> arc_tangent_2(const Dual<T>& y, const Dual<T>& x) {
  return {arc_tangent_2(y.re, x.re), (x.re * y.du - y.re * x.du) / (x.re * x.re + y.re * y.re)};
}
// The smaller of the two quotients keeps the complex arc tangent away from its cuts. The branches differ by a real
// constant.
inline Complex arc_tangent_2(const Complex& y, const Complex& x) {
  const Complex angle = std::fabs(y.real()) < std::fabs(x.real()) ? std::atan(y / x) : -std::atan(x / y);
  return {std::atan2(y.real(), x.real()), angle.imag()};
}

// Applies the operations that select by the value.
template <class T>
T apply_piecewise(kernel::Op op, const T& a, const T& b, const T& c) {
  using kernel::Op;
  const Real x = value(a), y = value(b);
  const auto truth = [](bool holds) { return T(holds ? 1.0L : 0.0L); };
  if (op == Op::abs) return x < 0 ? -a : a;
  if (op == Op::sign) return T(x > 0 ? 1.0L : (x < 0 ? -1.0L : 0.0L));
  if (op == Op::floor) return T(std::floor(x));
  if (op == Op::min) return x < y ? a : b;
  if (op == Op::max) return x > y ? a : b;
  if (op == Op::lt) return truth(x < y);
  if (op == Op::le) return truth(x <= y);
  if (op == Op::eq) return truth(x == y);
  if (op == Op::ne) return truth(x != y);
  if (op == Op::logical_and) return truth(x != 0 && y != 0);
  if (op == Op::logical_or) return truth(x != 0 || y != 0);
  if (op == Op::logical_not) return truth(x == 0);
  if (op == Op::select) return x != 0 ? b : c;
  return T(0.0L);
}

// Applies an operation to any of the scalars.
template <class T>
T apply_op(kernel::Op op, const T& a, const T& b, const T& c) {
  using kernel::Op;
  using std::cosh, std::tanh, std::asinh, std::acosh, std::atanh, std::sqrt;
  using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::exp, std::log, std::log10, std::sinh;
  switch (op) {
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
      return a * b + c;
    case Op::pow:
      return power(a, b);
    case Op::sqrt:
      return sqrt(a);
    case Op::sin:
      return sin(a);
    case Op::cos:
      return cos(a);
    case Op::tan:
      return tan(a);
    case Op::asin:
      return asin(a);
    case Op::acos:
      return acos(a);
    case Op::atan:
      return atan(a);
    case Op::atan2:
      return arc_tangent_2(a, b);
    case Op::exp:
      return exp(a);
    case Op::ln:
      return log(a);
    case Op::log10:
      return log10(a);
    case Op::sinh:
      return sinh(a);
    case Op::cosh:
      return cosh(a);
    case Op::tanh:
      return tanh(a);
    case Op::asinh:
      return asinh(a);
    case Op::acosh:
      return acosh(a);
    case Op::atanh:
      return atanh(a);
    case Op::abs:
    case Op::sign:
    case Op::floor:
    case Op::min:
    case Op::max:
    case Op::lt:
    case Op::le:
    case Op::eq:
    case Op::ne:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
    case Op::select:
      return apply_piecewise(op, a, b, c);
    case Op::constant:
    case Op::leaf:
    case Op::table:  // The second operand of a table is not a scalar; compiler/graph/tables_test.cpp tests tables.
      break;
  }
  return T(0.0L);
}

}  // namespace mbc::test
