// SPDX-License-Identifier: Apache-2.0
// Functions given by points in expressions: the operation `table` on an argument and a constant that says which of the
// graph's tables is meant, and which derivative of it (kernel/data_table.h).
#pragma once
#include <memory>

#include "compiler/graph/graph.h"

namespace mbc::graph {

NodeId table(Graph& g, NodeId x, const std::shared_ptr<const kernel::DataTable>& points);
// The derivative of so many orders more, of a node with this operation.
NodeId table_derivative(Graph& g, NodeId node, std::uint32_t orders);

const std::shared_ptr<const kernel::DataTable>& table_of(const Graph& g, const Node& n);
std::uint32_t table_order(const Graph& g, const Node& n);

// The meaning of any node on the values of its operands.
double apply(const Graph& g, const Node& n, double a, double b, double c);

}  // namespace mbc::graph
