// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/tree/drawn_values.h"

#include <algorithm>
#include <cmath>

namespace mbc::sema {

namespace {

// Returns the place of each node in the list, which is ascending.
std::vector<std::size_t> places(const std::vector<NodeId>& order) {
  std::vector<std::size_t> at(order.empty() ? 0 : order.back().value + 1);
  for (std::size_t k = 0; k < order.size(); ++k) at[order[k].value] = k;
  return at;
}

}  // namespace

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

std::vector<char> with_pieces(const graph::Graph& g, const std::vector<NodeId>& order, Pieces which) {
  const std::vector<std::size_t> at = places(order);
  std::vector<char> moves(order.size(), 0), pieces(order.size(), 0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Node& n = g.node(order[k]);
    if (n.op == Op::leaf && (n.leaf != LeafKind::param || which == Pieces::all)) moves[k] = 1;
    for (const NodeId x : graph::Operands(n)) {
      if (moves[at[x.value]] != 0) moves[k] = 1;
      if (pieces[at[x.value]] != 0) pieces[k] = 1;
    }
    if (moves[k] != 0 && kernel::is_piecewise(n.op)) pieces[k] = 1;
  }
  return pieces;
}

}  // namespace mbc::sema
