// SPDX-License-Identifier: Apache-2.0
#include "api/scene/program.h"

#include <unordered_map>

#include "compiler/graph/tables.h"
#include "kernel/op_semantics.h"

namespace mbc::api {

using graph::NodeId;
using graph::Op;

Program::Program(const sema::Model& model, const std::vector<NodeId>& roots) : places_(model) {
  std::unordered_map<std::uint32_t, std::uint32_t> place;
  for (const NodeId id : graph::reachable(model.graph, roots)) {
    const graph::Node& n = model.graph.node(id);
    Operation o{n.op, n.leaf, n.a, n.b, n.c, 0, nullptr, 0};
    if (n.op == Op::constant) {
      o.constant = model.graph.constant_value(id);
    } else if (n.op != Op::leaf) {
      const std::uint32_t operands = graph::arity(n.op);
      o.a = place.at(n.a);
      o.b = operands > 1 ? place.at(n.b) : o.a;
      o.c = operands > 2 ? place.at(n.c) : o.a;
      if (n.op == Op::table) {
        o.points = graph::table_of(model.graph, n);
        o.order = graph::table_order(model.graph, n);
      }
    }
    place[id.value] = static_cast<std::uint32_t>(operations_.size());
    operations_.push_back(o);
  }
  for (const NodeId root : roots) roots_.push_back(place.at(root.value));
  values_.resize(operations_.size());
  results_.resize(roots_.size());
}

const std::vector<double>& Program::run(const LeafSpans& given) {
  for (std::size_t k = 0; k < operations_.size(); ++k) {
    const Operation& o = operations_[k];
    if (o.op == Op::constant)
      values_[k] = o.constant;
    else if (o.op == Op::leaf)
      values_[k] = leaf_value(o.leaf, o.a, given, places_);
    else if (o.points)
      values_[k] = o.points->value(values_[o.a], o.order);
    else
      values_[k] = kernel::apply(o.op, values_[o.a], values_[o.b], values_[o.c]);
  }
  for (std::size_t k = 0; k < roots_.size(); ++k) results_[k] = values_[roots_[k]];
  return results_;
}

}  // namespace mbc::api
