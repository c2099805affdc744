// SPDX-License-Identifier: Apache-2.0
// Functions given by points in expressions: the operation `table` on an argument and a constant. The constant encodes
// one of the graph's tables and the order of its derivative (kernel/data_table.h).
#pragma once
#include <memory>

#include "compiler/graph/graph.h"

namespace mbc::graph {

NodeId table(Graph& g, NodeId x, const std::shared_ptr<const kernel::DataTable>& points);
// Returns the derivative of a node with this operation by so many further orders.
NodeId table_derivative(Graph& g, NodeId node, std::uint32_t orders);

const std::shared_ptr<const kernel::DataTable>& table_of(const Graph& g, const Node& n);
std::uint32_t table_order(const Graph& g, const Node& n);

// Evaluates any node on the values of its operands.
double apply(const Graph& g, const Node& n, double a, double b, double c);

}  // namespace mbc::graph
