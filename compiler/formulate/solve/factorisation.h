// SPDX-License-Identifier: Apache-2.0
// L D L^T of a symmetric matrix of expressions, written out entry by entry in a given order; structural zeros cost
// nothing. The pivots of a block of rows come from a fraction-free elimination of the block (Bareiss), whose divisions
// do not wait for each other: in a chain of blocks of three rows, consecutive divisions are needed only for each block,
// not for each row. Everything else, L and the substitutions, is as with single pivots.
#pragma once
#include <functional>
#include <map>
#include <vector>

#include "compiler/formulate/blocks/names.h"

namespace mbc::formulate {

using SparseRow = std::map<std::uint32_t, graph::NodeId>;                                   // column -> value
using SymmetricEntries = std::map<std::pair<std::uint32_t, std::uint32_t>, graph::NodeId>;  // i >= j

class Factorisation {
 public:
  using NodeId = graph::NodeId;
  // Returns whether row k with the pivot d/e, e > 0, is used; rows that are not have 1/pivot = 0. An invalid id means
  // always.
  using Keep = std::function<NodeId(std::uint32_t row, NodeId d, NodeId e)>;

  Factorisation(Graph& g, std::uint32_t n, const SymmetricEntries& entries,
                const std::vector<std::vector<std::uint32_t>>& blocks, const Keep& keep);

  // Returns the solution for a sparse right-hand side, both in the original numbering.
  [[nodiscard]] SparseRow solve(const SparseRow& rhs) const;
  [[nodiscard]] NodeId pivot_of(std::uint32_t original) const;

 private:
  void eliminate(std::uint32_t k);
  void find_inverses(std::uint32_t begin, std::uint32_t end, const Keep& keep);
  [[nodiscard]] NodeId current(std::uint32_t i, std::uint32_t j) const;  // i >= j

  Graph& g_;
  std::vector<std::uint32_t> order_;
  std::vector<SparseRow> columns_;  // in order of elimination: the remaining matrix, then the eliminated columns
  std::vector<SparseRow> lower_;
  std::vector<NodeId> inverse_, pivot_;
};

}  // namespace mbc::formulate
