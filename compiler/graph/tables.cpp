// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/tables.h"

#include <algorithm>

#include "base/check.h"
#include "kernel/op_semantics.h"

namespace mbc::graph {

using kernel::TableKey;

void Graph::share_tables(const std::shared_ptr<kernel::DataTables>& tables) {
  if (!tables) return;
  CHECK(!tables_ || tables_ == tables, "expressions of one graph are of one model");
  tables_ = tables;
}

NodeId table(Graph& g, NodeId x, const std::shared_ptr<const kernel::DataTable>& points) {
  if (!g.tables()) g.share_tables(std::make_shared<kernel::DataTables>());
  kernel::DataTables& all = *g.tables();
  const auto known = std::find_if(all.begin(), all.end(), [&](const auto& t) { return t == points || *t == *points; });
  const auto index = static_cast<std::uint32_t>(known - all.begin());
  if (known == all.end()) all.push_back(points);
  return g.binary(Op::table, x, g.constant(TableKey{index, 0}.as_constant()));
}

NodeId table_derivative(Graph& g, NodeId node, std::uint32_t orders) {
  const Node n = g.node(node);
  const std::uint32_t order = table_order(g, n) + orders;
  if (order > table_of(g, n)->highest_order()) return g.zero();
  const std::uint32_t index = TableKey::of(g.constant_value({n.b})).table;
  return g.binary(Op::table, {n.a}, g.constant(TableKey{index, order}.as_constant()));
}

const std::shared_ptr<const kernel::DataTable>& table_of(const Graph& g, const Node& n) {
  CHECK(g.tables() && n.op == Op::table, "a graph has the list of its tables");
  return g.tables()->at(TableKey::of(g.constant_value({n.b})).table);
}

std::uint32_t table_order(const Graph& g, const Node& n) { return TableKey::of(g.constant_value({n.b})).order; }

double apply(const Graph& g, const Node& n, double a, double b, double c) {
  return n.op == Op::table ? table_of(g, n)->value(a, table_order(g, n)) : kernel::apply(n.op, a, b, c);
}

}  // namespace mbc::graph
