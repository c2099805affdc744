// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/tree/drawn_values.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/drawn_numbers.h"

namespace mbc::sema {

namespace {

constexpr double kDrawnTo = 8;

// Returns whether drawn numbers tell what an operation is anywhere: what rotations and lengths are made of.
bool is_told_by_draws(Op op) {
  return kernel::is_arithmetic(op) || op == Op::sqrt || op == Op::sin || op == Op::cos || op == Op::atan2;
}

}  // namespace

std::vector<std::size_t> places(const std::vector<NodeId>& order) {
  std::vector<std::size_t> at(order.empty() ? 0 : order.back().value + 1);
  for (std::size_t k = 0; k < order.size(); ++k) at[order[k].value] = k;
  return at;
}

double drawn_leaf(const Node& leaf, int state) {
  return kDrawnTo * graph::drawn_number(1000 * static_cast<std::uint32_t>(leaf.leaf) + leaf.a, state);
}

std::vector<double> sizes_of_last_sums(const graph::Graph& g, const std::vector<NodeId>& order,
                                       const std::vector<double>& values) {
  const std::vector<std::size_t> at = places(order);
  std::vector<double> size(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Node& n = g.node(order[k]);
    const auto value = [&](std::uint32_t of) { return std::fabs(values[at[of]]); };
    size[k] = std::fabs(values[k]);
    if (n.op == Op::add || n.op == Op::sub)
      size[k] = value(n.a) + value(n.b);
    else if (n.op == Op::mul)
      size[k] = std::max(size[at[n.a]] * value(n.b), value(n.a) * size[at[n.b]]);
    else if (n.op == Op::div)
      size[k] = size[at[n.a]] / value(n.b);
    else
      for (const NodeId x : graph::Operands(n)) size[k] = std::max(size[k], size[at[x.value]]);
  }
  return size;
}

std::vector<char> beyond_draws(const graph::Graph& g, const std::vector<NodeId>& order, Beyond which) {
  const std::vector<std::size_t> at = places(order);
  std::vector<char> moves(order.size(), 0), beyond(order.size(), 0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Node& n = g.node(order[k]);
    if (n.op == Op::leaf && (n.leaf != LeafKind::param || which == Beyond::all)) moves[k] = 1;
    for (const NodeId x : graph::Operands(n)) {
      if (moves[at[x.value]] != 0) moves[k] = 1;
      if (beyond[at[x.value]] != 0) beyond[k] = 1;
    }
    if (moves[k] != 0 && !is_told_by_draws(n.op)) beyond[k] = 1;
  }
  return beyond;
}

}  // namespace mbc::sema
