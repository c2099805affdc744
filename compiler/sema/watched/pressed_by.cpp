// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/watched/pressed_by.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/sema/names.h"

namespace mbc::sema {

namespace {

using kernel::Arithmetic;
using kernel::Piecewise;

bool vanishes(Arithmetic op, bool a, bool b) {
  switch (op) {
    case Arithmetic::mul:
      return a || b;
    case Arithmetic::neg:
    case Arithmetic::div:
      return a;
    case Arithmetic::add:
    case Arithmetic::sub:
      return a && b;
    case Arithmetic::constant:
    case Arithmetic::leaf:
    case Arithmetic::fma:
      return false;
  }
  return false;
}

bool vanishes(Piecewise op, bool a, bool b, bool c) {
  switch (op) {
    case Piecewise::abs:
      return a;
    case Piecewise::min:
    case Piecewise::max:
      return a && b;
    case Piecewise::select:
      return b && c;
    case Piecewise::sign:
    case Piecewise::floor:
    case Piecewise::lt:
    case Piecewise::le:
    case Piecewise::eq:
    case Piecewise::ne:
    case Piecewise::logical_and:
    case Piecewise::logical_or:
    case Piecewise::logical_not:
      return false;
  }
  return false;
}

// Returns whether a value is zero if all multipliers are, from its operation and those of its operands that are zero.
bool vanishes(const Node& n, bool a, bool b, bool c) {
  if (kernel::is_arithmetic(n.op)) return vanishes(kernel::arithmetic(n.op), a, b);
  if (kernel::is_piecewise(n.op)) return vanishes(kernel::piecewise(n.op), a, b, c);
  return a && (n.op == Op::sqrt || n.op == Op::sin || n.op == Op::tanh);
}

// Returns whether a row is a unilateral constraint. These are in the order of their rows.
bool only_pushes(const Model& model, std::uint32_t row) {
  const auto found = std::lower_bound(model.unilaterals.begin(), model.unilaterals.end(), row,
                                      [](const Unilateral& u, std::uint32_t r) { return u.contact.row < r; });
  return found != model.unilaterals.end() && found->contact.row == row;
}

}  // namespace

std::vector<std::uint32_t> pressed_by(const Model& model, const Friction& friction) {
  const graph::Graph& g = model.graph;
  const NodeId limits[] = {friction.limit, friction.still};
  std::vector<std::uint32_t> rows;
  std::unordered_map<std::uint32_t, bool> zero;  // by node
  for (const NodeId id : graph::reachable(g, limits)) {
    const Node& n = g.node(id);
    if (n.op == Op::leaf) {
      zero[id.value] = n.leaf == LeafKind::multiplier;
      if (n.leaf == LeafKind::multiplier) rows.push_back(n.a);
    } else if (n.op == Op::constant) {
      zero[id.value] = g.is_zero(id);
    } else {
      const std::uint32_t count = graph::arity(n.op);
      zero[id.value] = vanishes(n, zero[n.a], count > 1 && zero[n.b], count > 2 && zero[n.c]);
    }
  }
  const bool needs = zero[friction.limit.value] && zero[friction.still.value];
  return needs && std::all_of(rows.begin(), rows.end(), [&](std::uint32_t row) { return only_pushes(model, row); })
             ? rows
             : std::vector<std::uint32_t>{};
}

bool limits_vary(const Model& model, const Friction& friction) {
  const NodeId limits[] = {friction.limit, friction.still};
  return std::ranges::any_of(graph::leaves(model.graph, limits), [&](const Node& n) {
    const bool chooses = friction.contact.stays && model.discrete_index(n) == friction.contact.stays;
    return n.leaf != LeafKind::param && !chooses && !(n.leaf == LeafKind::multiplier && only_pushes(model, n.a));
  });
}

}  // namespace mbc::sema
