// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbc::graph {

using kernel::Arithmetic;
using kernel::Elementary;
using kernel::Piecewise;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kOverflow = 1e300;  // results beyond it count as overflow
constexpr double kHalfPi = 1.6, kPi = 3.2;

Range everything(bool defined = false) { return {-kInfinity, kInfinity, defined}; }

// 0 times infinity is 0, because an infinite bound is one of finite values.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Range hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.defined && b.defined};
}

Range sum(const Range& a, const Range& b) { return {a.low + b.low, a.high + b.high, a.defined && b.defined}; }

Range negative(const Range& a) { return {-a.high, -a.low, a.defined}; }

Range multiplied(const Range& a, const Range& b) {
  const double corners[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)};
  const auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
  return {*low, *high, a.defined && b.defined};
}

Range square(const Range& a) {
  const double low = a.holds_zero() ? 0 : std::min(a.low * a.low, a.high * a.high);
  return {low, std::max(a.low * a.low, a.high * a.high), a.defined};
}

Range divided(const Range& a, const Range& b) {
  if (b.holds_zero()) return everything();
  return multiplied(a, {1 / b.high, 1 / b.low, b.defined});
}

Range absolute(const Range& a) {
  const double high = std::max(std::fabs(a.low), std::fabs(a.high));
  return {a.holds_zero() ? 0 : std::min(std::fabs(a.low), std::fabs(a.high)), high, a.defined};
}

// Applies an increasing function that is defined from `from` on.
template <class F>
Range increasing(const Range& a, double from, F f) {
  return {f(std::max(a.low, from)), f(std::max(a.high, from)), a.defined && a.low >= from};
}

template <class F>
Range logarithm(const Range& a, F f) {
  Range r = increasing(a, 0, f);
  r.defined = r.defined && a.low > 0;
  return r;
}

Range within(double size, bool defined) { return {-size, size, defined}; }

// `b` is the second operand of functions of two; pow is in Ranges::power.
Range of_function(Elementary op, const Range& a, const Range& b) {
  switch (op) {
    case Elementary::sin:
    case Elementary::cos:
    case Elementary::tanh:
      return within(1, a.defined);
    case Elementary::tan:
      return within(1e17, a.defined);  // no double is nearer to a pole than this bound allows
    case Elementary::atan:
      return within(kHalfPi, a.defined);
    case Elementary::asin:
    case Elementary::acos:
      return within(kPi, a.defined && a.low >= -1 && a.high <= 1);
    case Elementary::atan2:
      return within(kPi, a.defined && b.defined);
    case Elementary::atanh:
      return everything(a.defined && a.low > -1 && a.high < 1);
    case Elementary::sqrt:
      return increasing(a, 0, [](double x) { return std::sqrt(x); });
    case Elementary::exp:
      return increasing(a, -kInfinity, [](double x) { return std::exp(x); });
    case Elementary::asinh:
      return increasing(a, -kInfinity, [](double x) { return std::asinh(x); });
    case Elementary::sinh:
      return increasing(a, -kInfinity, [](double x) { return std::sinh(x); });
    case Elementary::cosh:
      return increasing(absolute(a), 0, [](double x) { return std::cosh(x); });
    case Elementary::acosh:
      return increasing(a, 1, [](double x) { return std::acosh(x); });
    case Elementary::ln:
      return logarithm(a, [](double x) { return std::log(x); });
    case Elementary::log10:
      return logarithm(a, [](double x) { return std::log10(x); });
    case Elementary::pow:
    case Elementary::table:
      break;
  }
  return everything();
}

}  // namespace

bool Range::finite() const { return low >= -kOverflow && high <= kOverflow; }

const Range& Ranges::of(NodeId node) {
  while (ranges_.size() <= node.value) {
    const NodeId id{static_cast<std::uint32_t>(ranges_.size())};
    const auto known = assumed_.find(id.value);
    Range r = known == assumed_.end() ? made(graph_.node(id), id) : known->second;
    if (std::isnan(r.low) || std::isnan(r.high)) r = everything();
    r.defined = r.defined && r.finite();
    r.moves = moves(graph_.node(id));
    ranges_.push_back(r);
  }
  return ranges_[node.value];
}

bool Ranges::moves(const Node& n) const {
  if (n.op == Op::leaf) return n.leaf != LeafKind::param;
  const std::uint32_t count = arity(n.op);
  return (count > 0 && ranges_[n.a].moves) || (count > 1 && ranges_[n.b].moves) || (count > 2 && ranges_[n.c].moves);
}

Range Ranges::product(const Node& n) const {
  const Range &a = ranges_[n.a], &b = ranges_[n.b];
  return n.a == n.b ? square(a) : multiplied(a, b);
}

Range Ranges::power(const Node& n) const {
  const Range &a = ranges_[n.a], &b = ranges_[n.b];
  const double e = b.low;
  if (b.low != b.high || a.low < 0) return everything();
  if (e > 0) return increasing(a, 0, [e](double x) { return std::pow(x, e); });
  return a.low > 0 ? Range{std::pow(a.high, e), std::pow(a.low, e), a.defined} : everything();
}

Range Ranges::arithmetic(const Node& n, NodeId id) const {
  const auto operand = [&](std::uint32_t k) -> const Range& { return ranges_[k == 0 ? n.a : k == 1 ? n.b : n.c]; };
  switch (kernel::arithmetic(n.op)) {
    case Arithmetic::constant: {
      const double value = graph_.constant_value(id);
      return {value, value, std::isfinite(value)};
    }
    case Arithmetic::leaf:
      return within(kLargestLeaf, true);
    case Arithmetic::neg:
      return negative(operand(0));
    case Arithmetic::add:
      return sum(operand(0), operand(1));
    case Arithmetic::sub:
      return sum(operand(0), negative(operand(1)));
    case Arithmetic::mul:
      return product(n);
    case Arithmetic::fma:
      return sum(product(n), operand(2));
    case Arithmetic::div:
      return divided(operand(0), operand(1));
  }
  return everything();
}

Range Ranges::piecewise(const Node& n) const {
  const Range& a = ranges_[n.a];
  const auto b = [&]() -> const Range& { return ranges_[n.b]; };
  switch (kernel::piecewise(n.op)) {
    case Piecewise::abs:
      return absolute(a);
    case Piecewise::sign:
      return within(1, a.defined);
    case Piecewise::floor:
      return {a.low - 1, a.high, a.defined};
    case Piecewise::min:
      return {std::min(a.low, b().low), std::min(a.high, b().high), a.defined && b().defined};
    case Piecewise::max:
      return {std::max(a.low, b().low), std::max(a.high, b().high), a.defined && b().defined};
    case Piecewise::lt:
    case Piecewise::le:
    case Piecewise::eq:
    case Piecewise::ne:
    case Piecewise::logical_and:
    case Piecewise::logical_or:
      return {0, 1, a.defined && b().defined};
    case Piecewise::logical_not:
      return {0, 1, a.defined};
    case Piecewise::select: {
      Range r = hull(b(), ranges_[n.c]);
      r.defined = r.defined && a.defined;
      return r;
    }
  }
  return everything();
}

Range Ranges::made(const Node& n, NodeId id) const {
  if (kernel::is_arithmetic(n.op)) return arithmetic(n, id);
  if (kernel::is_piecewise(n.op)) return piecewise(n);
  if (n.op == Op::pow) return power(n);
  return of_function(kernel::elementary(n.op), ranges_[n.a], ranges_[arity(n.op) > 1 ? n.b : n.a]);
}

}  // namespace mbc::graph
