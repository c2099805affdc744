// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/ad/generator.h"

namespace mbc::test {

namespace {
constexpr Op kUnary[] = {Op::neg,   Op::sqrt,  Op::sin,   Op::cos,   Op::tan,  Op::asin, Op::acos,
                         Op::atan,  Op::exp,   Op::ln,    Op::log10, Op::sinh, Op::cosh, Op::tanh,
                         Op::asinh, Op::acosh, Op::atanh, Op::abs,   Op::sign, Op::floor};
constexpr Op kBinary[] = {Op::add, Op::sub, Op::mul, Op::div, Op::atan2, Op::min, Op::max};
constexpr Real kKink = 1e-3L;  // distance of piecewise operations from their discontinuities

bool is_boolean(Op op) {
  return op == Op::lt || op == Op::le || op == Op::eq || op == Op::ne || op == Op::logical_and ||
         op == Op::logical_or || op == Op::logical_not;
}
}  // namespace

Point random_point(Rng& rng, const LeafCounts& counts) {
  const auto some = [&](std::uint32_t n) {
    std::vector<double> v;
    for (std::uint32_t i = 0; i < n; ++i) v.push_back(rng.sign() * rng.between(0.1, 2));
    return v;
  };
  return {rng.between(0.1, 2), some(counts.q), some(counts.u), some(counts.u), some(counts.s), some(counts.param)};
}

std::uint32_t Generator::push(const Term& term) {
  const std::uint32_t n = graph::arity(term.op);
  Real v = 0;
  if (term.op == Op::constant) {
    v = static_cast<Real>(term.number);
  } else if (term.op == Op::leaf) {
    v = point_.at(term.leaf, term.a);
  } else {
    v = apply_op<Real>(term.op, value_[term.a], n > 1 ? value_[term.b] : 0, n > 2 ? value_[term.c] : 0);
    used_[term.a] = true;
    if (n > 1) used_[term.b] = true;
    if (n > 2) used_[term.c] = true;
    ++uses_[static_cast<std::size_t>(term.op)];
  }
  tree_.push(term);
  value_.push_back(v);
  used_.push_back(false);
  return tree_.root();
}

std::uint32_t Generator::push(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return push({op, LeafKind::time, a, b, c, 0});
}

void Generator::add_leaves() {
  tree_.terms.clear();
  value_.clear();
  used_.clear();
  const auto add = [&](LeafKind kind, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i)
      if (rng_.chance(0.8)) {
        push({Op::leaf, kind, i, 0, 0, 0});
        used_.back() = true;  // A leaf need not appear.
      }
  };
  push({Op::leaf, LeafKind::time, 0, 0, 0, 0});
  used_.back() = true;
  add(LeafKind::coordinate, counts_.q);
  add(LeafKind::speed, counts_.u);
  add(LeafKind::state, counts_.s);
  add(LeafKind::param, counts_.param);
}

// Picks an earlier value. Recent values are more frequent, so that chains and shared operands both occur. Sometimes the
// result is a literal.
std::uint32_t Generator::pick() {
  if (rng_.chance(0.1)) {
    constexpr double kLiterals[] = {1, 2, 3, -1, 0.5, -2, 10};
    return push(
        {Op::constant, LeafKind::time, 0, 0, 0, rng_.chance(0.5) ? kLiterals[rng_.below(7u)] : rng_.between(-3, 3)});
  }
  for (;;) {
    const auto n = static_cast<std::uint32_t>(tree_.terms.size());
    const std::uint32_t id = rng_.chance(0.5) && n > 4 ? n - 1 - rng_.below(4u) : rng_.below(n);
    if (!is_boolean(tree_.terms[id].op)) return id;
  }
}

std::uint32_t Generator::scaled_below(std::uint32_t x, double bound) {
  const double size = static_cast<double>(std::fabs(value_[x]));
  if (size < bound) return x;
  const std::uint32_t factor = push({Op::constant, LeafKind::time, 0, 0, 0, rng_.between(0.05, 0.95) * bound / size});
  return push(Op::mul, factor, x);
}

std::uint32_t Generator::made_positive(std::uint32_t x) {
  if (value_[x] > 0.02L) return x;
  if (value_[x] < -0.02L) return push(Op::neg, x);
  return push(Op::exp, x);
}

// The last value must have a moderate size, so that no overflow is near and underflow does not remove everything.
bool Generator::keep_last() {
  const Real size = std::fabs(value_.back());
  return size < 1e5L && (size > 1e-5L || exact_result(tree_.terms.back().op));
}

bool Generator::grow_unary(Op op) {
  std::uint32_t x = pick();
  switch (op) {
    case Op::sqrt:
    case Op::ln:
    case Op::log10:
      x = made_positive(x);
      break;
    case Op::sin:
    case Op::cos:
      x = scaled_below(x, 30);
      break;
    case Op::tan:
      x = scaled_below(x, 10);
      if (std::fabs(std::cos(value_[x])) < 0.05L) return false;
      break;
    case Op::asin:
    case Op::acos:
    case Op::atanh:
      x = scaled_below(x, 0.98);
      break;
    case Op::exp:
    case Op::sinh:
    case Op::cosh:
      x = scaled_below(x, 5);
      break;
    case Op::tanh:
      x = scaled_below(x, 12);
      break;
    case Op::acosh:
      if (value_[x] < 1.02L) x = push(Op::cosh, scaled_below(x, 3));
      if (value_[x] < 1.02L) return false;
      break;
    case Op::abs:
    case Op::sign:
      if (std::fabs(value_[x]) < kKink) return false;
      break;
    case Op::floor:
      if (std::fabs(value_[x] - std::round(value_[x])) < kKink || std::fabs(value_[x]) > 1e3L) return false;
      break;
    default:
      break;
  }
  push(op, x);
  return keep_last();
}

bool Generator::grow_binary(Op op) {
  const std::uint32_t a = pick();
  const std::uint32_t b = pick();
  const Real x = value_[a], y = value_[b];
  if (op == Op::div && std::fabs(y) < 1e-2L) return false;
  if (op == Op::atan2 && x * x + y * y < 1e-2L) return false;
  if (op == Op::atan2 && std::fabs(x) < kKink && y < 0) return false;  // This is the cut of atan2.
  if ((op == Op::min || op == Op::max) && std::fabs(x - y) < kKink) return false;
  push(op, a, b);
  return keep_last();
}

// Makes powers of three kinds: integer exponents of any base, real literals, and an expression as exponent.
bool Generator::grow_power() {
  std::uint32_t a = pick();
  if (std::fabs(value_[a]) < 0.02L) return false;
  const std::uint32_t kind = rng_.below(3u);
  std::uint32_t b = 0;
  if (kind == 0) {
    const double exponents[] = {-17, -3, -2, -1, 1, 2, 3, 4, 5, 8, 17};
    b = push({Op::constant, LeafKind::time, 0, 0, 0, exponents[rng_.below(11u)]});
  } else {
    a = made_positive(a);
    b = kind == 1 ? push({Op::constant, LeafKind::time, 0, 0, 0, rng_.chance(0.3) ? 0.5 : rng_.between(-4, 4)})
                  : scaled_below(pick(), 4);
  }
  push(Op::pow, a, b);
  return keep_last();
}

// Makes a condition that is clearly true or clearly false.
std::uint32_t Generator::condition() {
  constexpr Op kCompare[] = {Op::lt, Op::le, Op::eq, Op::ne};
  const Op op = kCompare[rng_.below(4u)];
  std::uint32_t a = pick(), b = pick();
  for (int tries = 0; tries < 20 && std::fabs(value_[a] - value_[b]) < kKink; ++tries) b = pick();
  if (std::fabs(value_[a] - value_[b]) < kKink) b = push({Op::constant, LeafKind::time, 0, 0, 0, 1e6});
  if ((op == Op::eq || op == Op::ne) && std::fabs(value_[a]) > kKink && std::fabs(value_[b]) > kKink) {
    a = push(Op::sign, a);
    b = push(Op::sign, b);
  }
  const std::uint32_t plain = push(op, a, b);
  if (rng_.chance(0.2)) return push(Op::logical_not, plain);
  if (rng_.chance(0.3)) return push(rng_.chance(0.5) ? Op::logical_and : Op::logical_or, plain, condition());
  return plain;
}

bool Generator::grow_select() {
  const std::uint32_t c = condition();
  const std::uint32_t a = pick(), b = pick();
  push(Op::select, c, a, b);
  return keep_last();
}

bool Generator::grow() {
  const Tree saved = tree_;
  const auto values = value_;
  const auto used = used_;
  const auto uses = uses_;
  const std::uint32_t dice = rng_.below(20u);
  bool good = false;
  if (dice < 9) {
    good = grow_unary(kUnary[rng_.below(std::size(kUnary))]);
  } else if (dice < 17) {
    good = grow_binary(kBinary[rng_.below(std::size(kBinary))]);
  } else {
    good = dice < 19 ? grow_power() : grow_select();
  }
  if (good) return true;
  tree_ = saved;
  value_ = values;
  used_ = used;
  uses_ = uses;
  return false;
}

// Joins all unused values, so that everything takes part in the result.
void Generator::join_unused() {
  for (;;) {
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < tree_.terms.size(); ++i)
      if (!used_[i] && tree_.terms[i].op != Op::constant) open.push_back(i);
    if (open.size() < 2 && !used_.back() && tree_.terms.back().op != Op::constant) return;
    if (open.empty()) open.push_back(0);
    const std::uint32_t a = open[0], b = open.size() > 1 ? open[1] : 0;
    const Op ops[] = {Op::add, Op::sub, Op::mul};
    push(ops[rng_.below(3u)], a, b);
  }
}

Tree Generator::make(std::uint32_t operations) {
  add_leaves();
  for (std::uint32_t done = 0; done < operations;) done += grow() ? 1 : 0;
  join_unused();
  return tree_;
}

}  // namespace mbc::test
