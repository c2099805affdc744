// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/solve/factorisation.h"

#include <algorithm>

namespace mbc::formulate {

Factorisation::Factorisation(Graph& g, std::uint32_t n, const SymmetricEntries& entries,
                             const std::vector<std::vector<std::uint32_t>>& blocks, const Keep& keep)
    : g_(g), columns_(n), lower_(n), inverse_(n), pivot_(n) {
  for (const auto& block : blocks) order_.insert(order_.end(), block.begin(), block.end());
  std::vector<std::uint32_t> place(n);
  for (std::uint32_t k = 0; k < n; ++k) place[order_[k]] = k;
  for (const auto& [ij, value] : entries) {
    const std::uint32_t a = place[ij.first], b = place[ij.second];
    columns_[std::min(a, b)][std::max(a, b)] = value;
  }
  std::uint32_t begin = 0;
  for (const auto& block : blocks) {
    const std::uint32_t end = begin + static_cast<std::uint32_t>(block.size());
    find_inverses(begin, end, keep);
    for (; begin < end; ++begin) eliminate(begin);
  }
}

NodeId Factorisation::current(std::uint32_t i, std::uint32_t j) const {
  const auto at = columns_[j].find(i);
  return at == columns_[j].end() ? g_.zero() : at->second;
}

// The block has the entries m, and e = 1 at first. d = m_00 is its first pivot times e. Then m_ij <- d m_ij - m_i0 m_j0
// is d times the remaining matrix, so e <- e d. A row that is left out counts as a row of the unit matrix.
void Factorisation::find_inverses(std::uint32_t begin, std::uint32_t end, const Keep& keep) {
  const std::uint32_t n = end - begin;
  std::vector<std::vector<NodeId>> m(n, std::vector<NodeId>(n));
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j <= i; ++j) m[i][j] = current(begin + i, begin + j);
  NodeId e = g_.one();
  for (std::uint32_t k = 0; k < n; ++k) {
    NodeId d = m[k][k];
    const NodeId kept = keep(order_[begin + k], d, e), inverse = g_.div(e, d);
    const auto if_kept = [&](NodeId value, NodeId otherwise) {
      return kept.valid() ? g_.select(kept, value, otherwise) : value;
    };
    inverse_[begin + k] = if_kept(inverse, g_.zero());
    if (k + 1 == n) break;
    d = if_kept(d, g_.one());
    std::vector<NodeId> column;
    for (std::uint32_t i = k + 1; i < n; ++i) column.push_back(if_kept(m[i][k], g_.zero()));
    for (std::uint32_t i = k + 1; i < n; ++i)
      for (std::uint32_t j = k + 1; j <= i; ++j)
        m[i][j] = g_.sub(g_.mul(d, m[i][j]), g_.mul(column[i - k - 1], column[j - k - 1]));
    e = g_.mul(e, d);
  }
}

void Factorisation::eliminate(std::uint32_t k) {
  pivot_[k] = current(k, k);
  for (const auto& [i, s] : columns_[k])
    if (i > k) lower_[k][i] = g_.mul(s, inverse_[k]);
  for (const auto& [j, l] : lower_[k])
    for (const auto& [i, s] : columns_[k])
      if (i >= j) {
        const auto [at, fresh] = columns_[j].try_emplace(i, g_.zero());
        at->second = g_.sub(at->second, g_.mul(l, s));
      }
}

SparseRow Factorisation::solve(const SparseRow& rhs) const {
  const auto n = static_cast<std::uint32_t>(order_.size());
  std::vector<NodeId> x(n, g_.zero());
  for (std::uint32_t k = 0; k < n; ++k)
    if (const auto it = rhs.find(order_[k]); it != rhs.end()) x[k] = it->second;
  for (std::uint32_t k = 0; k < n; ++k)
    if (!g_.is_zero(x[k]))
      for (const auto& [i, l] : lower_[k]) x[i] = g_.sub(x[i], g_.mul(l, x[k]));
  for (std::uint32_t k = 0; k < n; ++k) x[k] = g_.mul(x[k], inverse_[k]);
  for (std::uint32_t k = n; k-- > 0;)
    for (const auto& [i, l] : lower_[k])
      if (!g_.is_zero(x[i])) x[k] = g_.sub(x[k], g_.mul(l, x[i]));
  SparseRow result;
  for (std::uint32_t k = 0; k < n; ++k)
    if (!g_.is_zero(x[k])) result[order_[k]] = x[k];
  return result;
}

NodeId Factorisation::pivot_of(std::uint32_t original) const {
  return pivot_[static_cast<std::size_t>(std::find(order_.begin(), order_.end(), original) - order_.begin())];
}

}  // namespace mbc::formulate
