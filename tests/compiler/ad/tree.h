// SPDX-License-Identifier: Apache-2.0
// Defines the expressions of the tests: plain lists of operations that are independent of the graph. They are evaluated
// with any scalar of scalars.h and built into a graph only for differentiation.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "tests/compiler/ad/rng.h"
#include "tests/compiler/ad/scalars.h"

namespace mbc::test {

using graph::LeafKind;
using graph::Op;

struct Term {
  Op op = Op::constant;
  LeafKind leaf = LeafKind::time;
  std::uint32_t a = 0, b = 0, c = 0;  // earlier terms; for a leaf, its index is in a
  double number = 0;
};

struct Tree {
  std::vector<Term> terms;  // The last term is the value.

  [[nodiscard]] std::uint32_t root() const { return static_cast<std::uint32_t>(terms.size() - 1); }
  std::uint32_t push(const Term& term);
  std::uint32_t number(double value) { return push({Op::constant, LeafKind::time, 0, 0, 0, value}); }
  std::uint32_t leaf(LeafKind kind, std::uint32_t index) { return push({Op::leaf, kind, index, 0, 0, 0}); }
  std::uint32_t op(Op op, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0) {
    return push({op, LeafKind::time, a, b, c, 0});
  }
  std::uint32_t append(const Tree& other);  // returns the place of the root of `other`
};

// Leaves holds the values of the leaves, with or without derivatives.
template <class T>
struct Leaves {
  T t = T(0.0L);
  std::vector<T> q, u, a, s, param;

  const T& at(LeafKind kind, std::uint32_t index) const {
    switch (kind) {
      case LeafKind::coordinate:
        return q.at(index);
      case LeafKind::speed:
        return u.at(index);
      case LeafKind::accel:
        return a.at(index);
      case LeafKind::state:
        return s.at(index);
      case LeafKind::param:
        return param.at(index);
      default:
        return t;
    }
  }
};
using Point = Leaves<double>;

// Returns the same point in another scalar, without derivatives.
template <class T>
Leaves<T> lift(const Point& p) {
  const auto each = [](const std::vector<double>& v) {
    std::vector<T> result;
    for (double x : v) result.push_back(T(static_cast<Real>(x)));
    return result;
  };
  return {T(static_cast<Real>(p.t)), each(p.q), each(p.u), each(p.a), each(p.s), each(p.param)};
}

// Perturbs every operand of every operation by up to a relative `size`. The resulting change of a result bounds its
// rounding error in double, for any formulas. Booleans, constants and whole numbers stay exact.
struct SplitMix64 {
  Rng rng;
  Real size;
  void shake(Real& x) { x *= 1 + size * static_cast<Real>(rng.between(-1, 1)); }
  void shake(Complex&) {}
  template <class T>
  void shake(Dual<T>& x) {
    shake(x.re);
    shake(x.du);
  }
};

bool exact_result(Op op);

template <class T>
T evaluate(const Tree& tree, const Leaves<T>& leaves, SplitMix64* noise = nullptr) {
  std::vector<T> v(tree.terms.size());
  const auto operand = [&](std::uint32_t k) {
    T x = v[k];
    if (noise != nullptr && !exact_result(tree.terms[k].op)) noise->shake(x);
    return x;
  };
  for (std::size_t i = 0; i < v.size(); ++i) {
    const Term& term = tree.terms[i];
    const std::uint32_t n = graph::arity(term.op);
    if (term.op == Op::constant) {
      v[i] = T(static_cast<Real>(term.number));
    } else if (term.op == Op::leaf) {
      v[i] = leaves.at(term.leaf, term.a);
    } else {
      const T a = operand(term.a), b = n > 1 ? operand(term.b) : T(0.0L), c = n > 2 ? operand(term.c) : T(0.0L);
      v[i] = apply_op<T>(term.op, a, b, c);
    }
  }
  return v.back();
}

graph::NodeId build(graph::Graph& g, const Tree& tree);

// Evaluates the graph in double with the run-time meaning of the operations, as compiled code does.
std::vector<double> evaluate_graph(const graph::Graph& g, std::span<const graph::NodeId> roots, const Point& point);

}  // namespace mbc::test
