// SPDX-License-Identifier: Apache-2.0
// Reorders sums of more than two terms so that the term known last is added last and the others are added meanwhile.
// Partial sums that are used elsewhere stay as they are. This is a part of contract_fma_cheapest.
#pragma once
#include <cstdint>
#include <span>

#include "compiler/graph/contract_fma.h"

namespace mbc::graph {

// Returns the cycles from the operands of an operation to its result, roughly.
std::uint32_t latency(Op op);

// The cost of a graph: the number of its operations, and the cycles of its longest chain. Negations are free, and a
// division counts as the operations that run during it.
inline constexpr std::uint64_t kDivision = 6;
struct Work {
  std::uint64_t operations = 0, path = 0;
};
Work work_of(const Graph& graph, std::span<const NodeId> roots);

RootedGraph reassociate(const Graph& graph, std::span<const NodeId> roots);

}  // namespace mbc::graph
