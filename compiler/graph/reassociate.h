// SPDX-License-Identifier: Apache-2.0
// Sums of more than two terms in another order: what is known last is added last, so that the rest is added meanwhile.
// Partial sums that are used elsewhere stay as they are. Part of contract_fma_cheapest.
#pragma once
#include <cstdint>
#include <span>

#include "compiler/graph/contract_fma.h"

namespace mbc::graph {

// Cycles from the operands of an operation to its result, about.
std::uint32_t latency(Op op);

// What a graph costs: operations without negations, a division as many as are done meanwhile; and the cycles of its
// longest chain.
inline constexpr std::uint64_t kDivision = 6;
struct Work {
  std::uint64_t operations = 0, path = 0;
};
Work work_of(const Graph& graph, std::span<const NodeId> roots);

RootedGraph reassociate(const Graph& graph, std::span<const NodeId> roots);

}  // namespace mbc::graph
