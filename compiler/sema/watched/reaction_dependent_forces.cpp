// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/watched/reaction_dependent_forces.h"

#include <set>

#include "compiler/ad/forward.h"

namespace mbc::sema {

namespace {

// Returns the rows whose multipliers it holds.
std::set<std::uint32_t> rows_in(const graph::Graph& g, NodeId e) {
  std::set<std::uint32_t> rows;
  for (const Node& n : graph::leaves(g, e))
    if (n.leaf == LeafKind::multiplier) rows.insert(n.a);
  return rows;
}

std::vector<problem::Slope> slopes(Model& model, NodeId e) {
  std::vector<problem::Slope> out;
  for (const std::uint32_t row : rows_in(model.graph, e)) {
    const auto by_row = [&](const Node& n) {
      return n.leaf == LeafKind::multiplier && n.a == row ? model.graph.one() : NodeId{};
    };
    const NodeId slope = ad::derivative(model.graph, {&e, 1}, by_row)[0];
    if (slope.valid()) out.push_back({row, model.add_value(slope)});
  }
  return out;
}

}  // namespace

void hold_multiplier_loads(Model& model, Value& load, const std::string& name, Span span) {
  for (NodeId& component : load.nodes) {
    if (rows_in(model.graph, component).empty()) continue;
    ReactionDependentForce made;
    made.force.name = name;
    made.force.held = model.add_held(problem::DiscreteVariable::Use::load, name + ".value", load.type.dimension, span);
    made.load = component;
    made.force.span = span;
    component = model.discrete(made.force.held);
    model.reaction_dependent.push_back(std::move(made));
  }
}

void finish_multiplier_loads(Model& model) {
  if (model.reaction_dependent.empty()) return;
  for (ReactionDependentForce& l : model.reaction_dependent) {
    l.force.value = model.add_value(l.load);
    l.force.slopes = slopes(model, l.load);
  }
  for (Friction& f : model.frictions) f.contact.limit_slopes = slopes(model, f.limit);
}

}  // namespace mbc::sema
