// SPDX-License-Identifier: Apache-2.0
// Functions given by points in expressions (kernel/data_table.h).
#include <algorithm>

#include "base/check.h"
#include "compiler/graph/graph.h"
#include "kernel/op_semantics.h"

namespace mbc::graph {

using kernel::TableKey;

NodeId Graph::table(NodeId x, const std::shared_ptr<const kernel::DataTable>& points) {
  if (!tables_) tables_ = std::make_shared<kernel::DataTables>();
  kernel::DataTables& all = *tables_;
  const auto known = std::find_if(all.begin(), all.end(), [&](const auto& t) { return t == points || *t == *points; });
  const auto index = static_cast<std::uint32_t>(known - all.begin());
  if (known == all.end()) all.push_back(points);
  return binary(Op::table, x, constant(TableKey{index, 0}.as_constant()));
}

NodeId Graph::table_derivative(NodeId node, std::uint32_t orders) {
  const Node n = this->node(node);
  const std::uint32_t order = table_order(n) + orders;
  if (order > table_of(n)->highest_order()) return zero_;
  const std::uint32_t index = TableKey::of(constant_value({n.b})).table;
  return binary(Op::table, {n.a}, constant(TableKey{index, order}.as_constant()));
}

void Graph::share_tables(const Graph& other) {
  if (!other.tables_) return;
  CHECK(!tables_ || tables_ == other.tables_, "expressions of one graph are of one model");
  tables_ = other.tables_;
}

const std::shared_ptr<const kernel::DataTable>& Graph::table_of(const Node& n) const {
  CHECK(tables_ && n.op == Op::table, "a graph has the list of its tables");
  return tables_->at(TableKey::of(constant_value({n.b})).table);
}

std::uint32_t Graph::table_order(const Node& n) const { return TableKey::of(constant_value({n.b})).order; }

double Graph::apply(const Node& n, double a, double b, double c) const {
  return n.op == Op::table ? table_of(n)->value(a, table_order(n)) : kernel::apply(n.op, a, b, c);
}

}  // namespace mbc::graph
