// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/watched/implicit_loads.h"

#include <algorithm>
#include <set>

#include "compiler/ad/forward.h"

namespace mbc::sema {

using graph::LeafKind;

namespace {

// The rows whose multipliers it holds.
std::set<std::uint32_t> rows_in(const graph::Graph& g, NodeId e) {
  std::set<std::uint32_t> rows;
  for (const NodeId id : graph::leaves(g, {&e, 1}))
    if (g.node(id).leaf == LeafKind::multiplier) rows.insert(g.node(id).a);
  return rows;
}

}  // namespace

void ImplicitLoads::take(Value& load, const std::string& name, bool nonideal, Span span) {
  if (nonideal) return;
  for (NodeId& component : load.nodes) {
    if (rows_in(model_.graph, component).empty()) continue;
    ImplicitLoad made;
    made.name = name;
    made.held = add_held(Held::Use::load, name + ".value", load.type.dimension, span);
    made.load = component;
    made.span = span;
    component = model_.graph.leaf(LeafKind::input, model_.held_at + made.held);
    model_.implicit_loads.push_back(std::move(made));
  }
}

void ImplicitLoads::finish() {
  if (model_.implicit_loads.empty()) return;
  for (ImplicitLoad& l : model_.implicit_loads) {
    l.value = add_value(l.load);
    l.slopes = slopes(l.load);
  }
  for (Friction& f : model_.frictions) f.limit_slopes = slopes(f.limit);
}

std::vector<Slope> ImplicitLoads::slopes(NodeId e) {
  std::vector<Slope> out;
  for (const std::uint32_t row : rows_in(model_.graph, e)) {
    const auto by_row = [&](const graph::Node& n) {
      return n.leaf == LeafKind::multiplier && n.a == row ? model_.graph.one() : NodeId{};
    };
    const NodeId slope = ad::derivative(model_.graph, {&e, 1}, by_row)[0];
    if (slope.valid()) out.push_back({row, add_value(slope)});
  }
  return out;
}

}  // namespace mbc::sema
