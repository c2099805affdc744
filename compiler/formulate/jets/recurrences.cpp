// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/jets/recurrences.h"

#include <cmath>

namespace mbc::formulate {

using kernel::Arithmetic;
using kernel::Elementary;
using kernel::Piecewise;

namespace {

constexpr double kMostFactors = 64;                    // factors of an integer power that is written out as products
constexpr double kPerDecade = 0.43429448190325182765;  // 1/ln 10

}  // namespace

Recurrences::Next Recurrences::sum(const Next& a, const Next& b) {
  if (a && b) return late(Op::add, *a, *b);
  return a ? a : b;
}

Recurrences::Next Recurrences::difference(const Next& a, const Next& b) {
  if (a && b) return late(Op::sub, *a, *b);
  if (b) return negative(*b);
  return a;
}

Recurrences::Next Recurrences::multiple(Value zero, const Next& a) {
  if (!a) return {};
  return product(held(zero), *a);
}

// ---- recurrences

// (a b)_k = a_0 b_k + b_0 a_k + P_k
Recurrences::Next Recurrences::times(const Stream& a, const Stream& b) {
  if (!a.next) return multiple(a.zero, b.next);
  if (!b.next) return multiple(b.zero, a.next);
  if (a.zero == b.zero && *a.next == *b.next) return fused(held(twice(a.zero)), *a.next, square(*a.next));
  return fused(held(a.zero), *b.next, fused(held(b.zero), *a.next, pair(*a.next, *b.next)));
}

Recurrences::Stream Recurrences::multiplied(const Stream& a, const Stream& b) {
  return {early(Op::mul, a.zero, b.zero), times(a, b)};
}

// q b = a: q_k = (a_k - q_0 b_k - P_k)/b_0, P of b and q
Recurrences::Next Recurrences::divided(const Stream& a, const Stream& b, Value zero) {
  if (!b.next) return multiple(inverse(b.zero), a.next);
  const auto [pair, total] = open_pair();
  const Value known = a.next ? late(Op::sub, *a.next, total) : negative(total);
  const Value minus = held(early(Op::neg, zero));
  const Value q = product(held(inverse(b.zero)), fused(minus, *b.next, known));
  close_pair(pair, *b.next, q);
  return q;
}

// r^2 = a: r_k = (a_k - P_k)/(2 r_0), P of r and r
Recurrences::Next Recurrences::root(const Next& radicand, Value zero) {
  if (!radicand) return {};
  const auto [pair, total] = open_square();
  const Value r = product(held(inverse(twice(zero))), late(Op::sub, *radicand, total));
  close_square(pair, r);
  return r;
}

// s' = c a', c' = -s a' (of the hyperbola s a'): s_k = c_0 a_k + P_k/k, P of j a_j and c, and so on
const Recurrences::Partners& Recurrences::turned(const Stream& a, bool hyperbolic) {
  const auto [at, fresh] = turned_.try_emplace({a.zero, hyperbolic});
  Partners& p = at->second;
  if (!fresh) return p;
  p.first.zero = early(hyperbolic ? Op::sinh : Op::sin, a.zero);
  p.second.zero = early(hyperbolic ? Op::cosh : Op::cos, a.zero);
  if (!a.next) return p;
  const Value rate = derivative(*a.next);
  const auto [of_second, first_total] = open_pair();
  const auto [of_first, second_total] = open_pair();
  p.first.next = fused(held(p.second.zero), *a.next, by_order(first_total));
  const Value second = fused(held(p.first.zero), *a.next, by_order(second_total));
  p.second.next = hyperbolic ? second : negative(second);
  close_pair(of_second, rate, *p.second.next);
  close_pair(of_first, rate, *p.first.next);
  return p;
}

// t' = w a', w = 1 + t^2 (of the hyperbola 1 - t^2)
Recurrences::Next Recurrences::tangent(const Stream& a, Value zero, bool hyperbolic) {
  if (!a.next) return {};
  const Value squared = early(Op::mul, zero, zero);
  const Value w0 = early(hyperbolic ? Op::sub : Op::add, constant(1).zero, squared);
  const auto [of_w, total] = open_pair();
  const Value t = fused(held(w0), *a.next, by_order(total));
  const Value grown = fused(held(twice(zero)), t, square(t));
  close_pair(of_w, derivative(*a.next), hyperbolic ? negative(grown) : grown);
  return t;
}

// e' = e a'
Recurrences::Next Recurrences::exponential(const Next& a, Value zero) {
  if (!a) return {};
  const auto [pair, total] = open_pair();
  const Value e = fused(held(zero), *a, by_order(total));
  close_pair(pair, derivative(*a), e);
  return e;
}

// l' a = a': l_k = (a_k - P_k/k)/a_0, P of j l_j and a
Recurrences::Next Recurrences::logarithm(const Stream& a) { return integral(a.next, a); }

Recurrences::Next Recurrences::integral(const Next& a, const Stream& w) {
  if (!a) return {};
  if (!w.next) return multiple(inverse(w.zero), a);
  const auto [pair, total] = open_pair();
  const Value r = product(held(inverse(w.zero)), late(Op::sub, *a, by_order(total)));
  close_pair(pair, derivative(r), *w.next);
  return r;
}

// Powers by squaring are valid also where a is 0.
Recurrences::Next Recurrences::whole_power(const Stream& a, unsigned exponent) {
  std::optional<Stream> result;
  Stream factor = a;
  for (;; exponent /= 2) {
    if (exponent % 2 != 0) result = result ? multiplied(*result, factor) : factor;
    if (exponent <= 1) return result->next;
    factor = multiplied(factor, factor);
  }
}

// p' a = b p a' for a constant b; otherwise p = exp(b ln a)
Recurrences::Next Recurrences::power(const Stream& a, const Stream& b, Value zero) {
  if (b.next) {
    Stream exponent{early(Op::ln, a.zero), logarithm(a)};
    return exponential(times(b, exponent), zero);
  }
  if (!a.next) return {};
  if (const std::optional<double> known = literal(b.zero)) {
    const double n = *known;
    if (n == 0) return {};
    if (n > 0 && n <= kMostFactors && n == std::floor(n)) return whole_power(a, static_cast<unsigned>(n));
  }
  const auto [of_power, power_total] = open_pair();  // of j a_j and p
  const auto [of_base, base_total] = open_pair();    // of j p_j and a
  const Value apart = late(Op::sub, product(held(b.zero), power_total), base_total);
  const Value scaled = held(early(Op::mul, b.zero, zero));
  const Value p = product(held(inverse(a.zero)), fused(scaled, *a.next, by_order(apart)));
  close_pair(of_power, derivative(*a.next), p);
  close_pair(of_base, derivative(p), *a.next);
  return p;
}

// r' w = a' with w = sqrt(1 - a^2), sqrt(a^2 + 1), sqrt(a^2 - 1), 1 + a^2, 1 - a^2
Recurrences::Next Recurrences::inverse_function(Elementary op, const Stream& a) {
  if (!a.next) return {};
  const bool minus = op == Elementary::asin || op == Elementary::acos || op == Elementary::atanh;
  Stream w = multiplied(a, a);
  const Value unit = constant(1).zero;
  if (minus)
    w = {early(Op::sub, unit, w.zero), negative(*w.next)};
  else
    w.zero = early(op == Elementary::acosh ? Op::sub : Op::add, w.zero, unit);
  if (op != Elementary::atan && op != Elementary::atanh) {
    const Value zero = early(Op::sqrt, w.zero);
    w = {zero, root(w.next, zero)};
  }
  const Next r = integral(a.next, w);
  return op == Elementary::acos ? Next(negative(*r)) : r;
}

// r' (x^2 + y^2) = x y' - y x'
Recurrences::Next Recurrences::direction(const Stream& y, const Stream& x) {
  if (!x.next && !y.next) return {};
  const Stream x2 = multiplied(x, x), y2 = multiplied(y, y);
  const Stream w{early(Op::add, x2.zero, y2.zero), sum(x2.next, y2.next)};
  Next right = difference(multiple(x.zero, y.next), multiple(y.zero, x.next));
  if (x.next && y.next) {
    const Value forward = pair(derivative(*y.next), *x.next), back = pair(derivative(*x.next), *y.next);
    right = sum(right, by_order(late(Op::sub, forward, back)));
  }
  return integral(right, w);
}

Recurrences::Next Recurrences::chosen(Value condition, const Next& yes, const Next& no) {
  if (!yes && !no) return {};
  const Value none = next.constant(0);
  return late(Op::select, held(condition), yes.value_or(none), no.value_or(none));
}

Recurrences::Next Recurrences::smaller_or_larger(Piecewise op, const Stream& a, const Stream& b) {
  if (!a.next && !b.next) return {};
  const bool first = op == Piecewise::min;
  return chosen(early(Op::lt, first ? a.zero : b.zero, first ? b.zero : a.zero), a.next, b.next);
}

Recurrences::Next Recurrences::of_arithmetic(Arithmetic op, const Stream& a, const Stream& b, const Stream& c,
                                             Value zero) {
  switch (op) {
    case Arithmetic::neg:
      return difference({}, a.next);
    case Arithmetic::add:
      return sum(a.next, b.next);
    case Arithmetic::sub:
      return difference(a.next, b.next);
    case Arithmetic::mul:
      return times(a, b);
    case Arithmetic::fma:
      return sum(times(a, b), c.next);
    case Arithmetic::div:
      return divided(a, b, zero);
    case Arithmetic::constant:
    case Arithmetic::leaf:
      break;
  }
  return {};
}

Recurrences::Next Recurrences::of_function(Elementary op, const Stream& a, const Stream& b, Value zero) {
  switch (op) {
    case Elementary::pow:
      return power(a, b, zero);
    case Elementary::sqrt:
      return root(a.next, zero);
    case Elementary::sin:
    case Elementary::sinh:
      return a.next ? turned(a, op == Elementary::sinh).first.next : Next();
    case Elementary::cos:
    case Elementary::cosh:
      return a.next ? turned(a, op == Elementary::cosh).second.next : Next();
    case Elementary::tan:
    case Elementary::tanh:
      return tangent(a, zero, op == Elementary::tanh);
    case Elementary::atan2:
      return direction(a, b);
    case Elementary::exp:
      return exponential(a.next, zero);
    case Elementary::ln:
      return logarithm(a);
    case Elementary::log10:
      return multiple(constant(kPerDecade).zero, logarithm(a));
    case Elementary::asin:
    case Elementary::acos:
    case Elementary::atan:
    case Elementary::asinh:
    case Elementary::acosh:
    case Elementary::atanh:
      return inverse_function(op, a);
    case Elementary::table:
      break;
  }
  return {};
}

// The coefficients are those of the chosen piece; a step function is constant between its jumps.
Recurrences::Next Recurrences::of_pieces(Piecewise op, const Stream& a, const Stream& b, const Stream& c) {
  switch (op) {
    case Piecewise::abs:
      return a.next ? chosen(early(Op::lt, a.zero, constant(0).zero), difference({}, a.next), a.next) : Next();
    case Piecewise::min:
    case Piecewise::max:
      return smaller_or_larger(op, a, b);
    case Piecewise::select:
      return chosen(a.zero, b.next, c.next);
    case Piecewise::sign:
    case Piecewise::floor:
    case Piecewise::lt:
    case Piecewise::le:
    case Piecewise::eq:
    case Piecewise::ne:
    case Piecewise::logical_and:
    case Piecewise::logical_or:
    case Piecewise::logical_not:
      break;
  }
  return {};
}

std::optional<Recurrences::Stream> Recurrences::apply(Op op, const Stream& a, const Stream& b, const Stream& c,
                                                      Span origin) {
  const std::uint32_t n = kernel::arity(op);
  develop(origin);
  Stream out{early(op, a.zero, n > 1 ? b.zero : 0, n > 2 ? c.zero : 0), {}};
  if (n == 0 || op == Op::table) {
    refused_ = "there is no series for this operation";
    return std::nullopt;
  }
  if (kernel::is_arithmetic(op)) out.next = of_arithmetic(kernel::arithmetic(op), a, b, c, out.zero);
  if (kernel::is_elementary(op)) out.next = of_function(kernel::elementary(op), a, b, out.zero);
  if (kernel::is_piecewise(op)) out.next = of_pieces(kernel::piecewise(op), a, b, c);
  return out;
}

}  // namespace mbc::formulate
