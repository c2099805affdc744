// SPDX-License-Identifier: Apache-2.0
#include "compiler/reading/solve.h"

#include "base/check.h"
#include "base/disjoint_sets.h"

namespace mbc::reading {

using graph::Graph;
using graph::NodeId;

namespace {

// A square matrix by rows; expansion by the first row.
NodeId determinant(Graph& graph, const std::vector<std::vector<NodeId>>& m) {
  if (m.size() == 1) return m[0][0];
  NodeId all = graph.zero();
  for (std::size_t column = 0; column < m.size(); ++column) {
    std::vector<std::vector<NodeId>> minor;
    for (std::size_t row = 1; row < m.size(); ++row) {
      minor.push_back(m[row]);
      minor.back().erase(minor.back().begin() + static_cast<std::ptrdiff_t>(column));
    }
    const NodeId term = graph.mul(m[0][column], determinant(graph, minor));
    all = column % 2 == 0 ? graph.add(all, term) : graph.sub(all, term);
  }
  return all;
}

}  // namespace

Solution solve(Graph& graph, std::span<const NodeId> matrix, std::span<const NodeId> right_side) {
  const auto n = static_cast<std::uint32_t>(right_side.size());
  CHECK(matrix.size() == n * n, "the matrix is square");
  DisjointSets sets(n);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < n; ++k)
      if (!graph.is_zero(matrix[i * n + k])) sets.join(i, k);
  std::vector<std::vector<std::uint32_t>> blocks(n);
  for (std::uint32_t i = 0; i < n; ++i) blocks[sets.root(i)].push_back(i);

  Solution solution{std::vector<NodeId>(n), std::vector<NodeId>(n)};
  for (const auto& block : blocks) {
    if (block.size() > kMostSolved) return {};
    std::vector<std::vector<NodeId>> m;
    for (const std::uint32_t i : block) {
      m.emplace_back();
      for (const std::uint32_t k : block) m.back().push_back(matrix[i * n + k]);
    }
    const NodeId shared = block.empty() ? NodeId{} : determinant(graph, m);
    for (std::size_t column = 0; column < block.size(); ++column) {
      auto replaced = m;
      for (std::size_t row = 0; row < block.size(); ++row) replaced[row][column] = right_side[block[row]];
      solution.numerators[block[column]] = determinant(graph, replaced);
      solution.determinants[block[column]] = shared;
    }
  }
  return solution;
}

}  // namespace mbc::reading
