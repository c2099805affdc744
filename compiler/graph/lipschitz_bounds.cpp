// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/lipschitz_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbc::graph {

using kernel::Arithmetic;
using kernel::Piecewise;

namespace {

constexpr double kSteep = std::numeric_limits<double>::infinity();

// 0 times infinity is 0: a factor that does not change adds nothing, however large the other one is.
double as_factors(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

// Leaves of the other kinds have no bound.
double of_leaf(LeafKind kind) {
  if (kind == LeafKind::time || kind == LeafKind::coordinate) return 1;
  return kind == LeafKind::param || kind == LeafKind::slot_constant ? 0 : kSteep;
}

bool is_flat(Op op) { return kernel::traits(op).slope == kernel::OpTraits::Slope::flat; }

// x of a square x*x, or an invalid node.
NodeId squared(const Node& n) { return n.op == Op::mul && n.a == n.b ? NodeId{n.a} : NodeId{}; }

}  // namespace

double LipschitzBounds::of(NodeId node) {
  while (lipschitz_.size() <= node.value) {
    const double s = made(graph_.node({static_cast<std::uint32_t>(lipschitz_.size())}));
    lipschitz_.push_back(std::isnan(s) ? kSteep : s);
  }
  return lipschitz_[node.value];
}

double LipschitzBounds::made(const Node& n) {
  if (n.op == Op::constant) return 0;
  if (n.op == Op::leaf) return of_leaf(n.leaf);
  bool changes = false;
  for (std::uint32_t k = 0; k < arity(n.op); ++k)
    changes = changes || lipschitz_[k == 0 ? n.a : k == 1 ? n.b : n.c] != 0;
  if (!changes) return 0;
  if (is_flat(n.op)) return lipschitz_[n.a];
  if (kernel::is_arithmetic(n.op)) return arithmetic(n);
  if (kernel::is_piecewise(n.op)) return piecewise(n);
  return n.op == Op::sqrt ? root(n) : kSteep;
}

double LipschitzBounds::arithmetic(const Node& n) {
  switch (kernel::arithmetic(n.op)) {
    case Arithmetic::constant:
    case Arithmetic::leaf:
    case Arithmetic::neg:
      break;  // made() handles them
    case Arithmetic::add:
    case Arithmetic::sub:
      return lipschitz_[n.a] + lipschitz_[n.b];
    case Arithmetic::mul:
      return product(n);
    case Arithmetic::fma:
      return product(n) + lipschitz_[n.c];
    case Arithmetic::div:
      return quotient(n);
  }
  return kSteep;
}

double LipschitzBounds::piecewise(const Node& n) {
  switch (kernel::piecewise(n.op)) {
    case Piecewise::min:
    case Piecewise::max:
      return std::max(lipschitz_[n.a], lipschitz_[n.b]);
    case Piecewise::select:  // a bound only if the condition never changes
      return lipschitz_[n.a] == 0 ? std::max(lipschitz_[n.b], lipschitz_[n.c]) : kSteep;
    case Piecewise::abs:  // abs is flat: made() handles it
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
  return kSteep;
}

// Returns the largest size of a value.
double LipschitzBounds::size(std::uint32_t node) {
  const Range& r = ranges_.of({node});
  return std::max(std::fabs(r.low), std::fabs(r.high));
}

double LipschitzBounds::product(const Node& n) {
  return as_factors(lipschitz_[n.a], size(n.b)) + as_factors(lipschitz_[n.b], size(n.a));
}

// |d(a/b)| <= (|da| + |a| |db|/|b|)/|b|
double LipschitzBounds::quotient(const Node& n) {
  const Range& b = ranges_.of({n.b});
  if (b.holds_zero()) return kSteep;
  const double least = std::min(std::fabs(b.low), std::fabs(b.high));
  return (lipschitz_[n.a] + as_factors(lipschitz_[n.b], size(n.a)) / least) / least;
}

// | |v| - |w| | <= |v - w|, and the entries of v - w change by no more than those of v.
double LipschitzBounds::root(const Node& n) {
  double square = 0;
  std::vector<std::uint32_t> open{n.a};
  while (!open.empty()) {
    const Node& term = graph_.node({open.back()});
    open.pop_back();
    if (term.op == Op::add) {
      open.push_back(term.a);
      open.push_back(term.b);
    } else if (const NodeId x = squared(term); x.valid()) {
      square += lipschitz_[x.value] * lipschitz_[x.value];
    } else {
      const double low = ranges_.of({n.a}).low;
      return low > 0 ? 0.5 * lipschitz_[n.a] / std::sqrt(low) : kSteep;
    }
  }
  return std::sqrt(square);
}

}  // namespace mbc::graph
