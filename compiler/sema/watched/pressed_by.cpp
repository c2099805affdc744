// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/watched/pressed_by.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/graph/graph.h"

namespace mbc::sema {

namespace {

using graph::LeafKind;
using graph::Node;
using graph::Op;

// Whether a value is zero where all multipliers are, by its operation and its operands.
bool vanishes(const Node& n, bool a, bool b, bool c) {
  switch (n.op) {
    case Op::mul:
      return a || b;
    case Op::neg:
    case Op::abs:
    case Op::sqrt:
    case Op::sin:
    case Op::tanh:
    case Op::div:
      return a;
    case Op::add:
    case Op::sub:
    case Op::min:
    case Op::max:
      return a && b;
    case Op::select:
      return b && c;
    default:
      return false;
  }
}

// Unilateral constraints stand in the order of their rows.
bool only_pushes(const Model& model, std::uint32_t row) {
  const auto found = std::lower_bound(model.unilaterals.begin(), model.unilaterals.end(), row,
                                      [](const Unilateral& u, std::uint32_t r) { return u.contact.row < r; });
  return found != model.unilaterals.end() && found->contact.row == row;
}

}  // namespace

std::vector<std::uint32_t> pressed_by(const Model& model, const Friction& friction) {
  const graph::Graph& g = model.graph;
  const graph::NodeId limits[] = {friction.limit, friction.still};
  std::vector<std::uint32_t> rows;
  std::unordered_map<std::uint32_t, bool> zero;  // by node
  for (const graph::NodeId id : graph::reachable(g, limits)) {
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
  const graph::NodeId limits[] = {friction.limit, friction.still};
  const std::vector<graph::NodeId> leaves = graph::leaves(model.graph, limits);
  return std::any_of(leaves.begin(), leaves.end(), [&](graph::NodeId id) {
    const Node& n = model.graph.node(id);
    const bool chooses = friction.contact.stays && model.discrete_index(n) == friction.contact.stays;
    return n.leaf != LeafKind::param && !chooses && !(n.leaf == LeafKind::multiplier && only_pushes(model, n.a));
  });
}

}  // namespace mbc::sema
