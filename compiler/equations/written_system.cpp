// SPDX-License-Identifier: Apache-2.0
#include "compiler/equations/written_system.h"

#include <cmath>
#include <string_view>
#include <utility>

#include "compiler/ad/motion.h"
#include "compiler/graph/evaluate.h"
#include "compiler/sema/expressions/definedness.h"
#include "compiler/sema/overrides.h"

namespace mbc::equations {

using graph::Node;

WrittenSystem::WrittenSystem(const sema::Model& model, const lower::System& system, const Numbers& numbers)
    : model_(model), system_(system), numbers_(numbers) {}

NodeId WrittenSystem::leaf(LeafKind kind, std::uint32_t index) {
  using Use = problem::DiscreteVariable::Use;
  if (kind == LeafKind::param)
    if (const auto it = numbers_.find(index); it != numbers_.end()) return graph_.constant(it->second);
  const NodeId made = graph_.leaf(kind, index);
  if (const auto discrete = model_.discrete_index(graph_.node(made))) {
    const Use use = model_.held[*discrete].variable.use;
    if (use == Use::mode) return graph_.zero();  // the piecewise function itself
    if (use == Use::active) return graph_.one();
    for (const sema::ReactionDependentForce& f : model_.reaction_dependent)
      if (use == Use::load && f.force.held == *discrete) return written(f.load);
  }
  return made;
}

std::vector<Term> WrittenSystem::terms_of(const lower::System& system) {
  std::vector<Term> out;
  for (const lower::Part& part : system.parts) {
    const lower::Family& family = part.family;
    std::vector<NodeId> roots;
    for (const lower::Contribution& c : part.contributions)
      if (c.target != Target::output) roots.push_back(c.value);
    if (roots.empty()) continue;
    for (std::uint32_t k = 0; k < family.count; ++k) {
      std::vector<NodeId> values = graph::copy_into(family.shape.graph, roots, graph_, [&](const Node& n) {
        if (n.leaf == LeafKind::time) return leaf(LeafKind::time, 0);
        const std::uint32_t index = family.index(k, n.a);
        return n.leaf == LeafKind::slot_constant ? graph_.constant(family.constants[index]) : leaf(n.leaf, index);
      });
      leave_tests_out(values);
      std::size_t next = 0;
      for (const lower::Contribution& c : part.contributions) {
        if (c.target == Target::output) continue;
        Term term{c.target, &part, family.items[k], 0, 0, values[next++]};
        using Index = lower::TargetColumns::Index;
        const Index index = lower::columns_of(c.target).index;
        if (index == Index::speed || index == Index::entry || index == Index::pair) term.i = family.index(k, c.i);
        if (index == Index::pair) {
          term.j = family.index(k, c.j);
          if (term.j > term.i) std::swap(term.i, term.j);
        }
        out.push_back(term);
      }
    }
  }
  return out;
}

NodeId WrittenSystem::written(NodeId of_model) {
  std::vector<NodeId> made =
      graph::copy_into(model_.graph, {&of_model, 1}, graph_, [&](const Node& n) { return leaf(n.leaf, n.a); });
  leave_tests_out(made);
  return made[0];
}

// A run has to see where an expression is undefined (sema/expressions/definedness.h); on paper these tests are zero.
void WrittenSystem::leave_tests_out(std::vector<NodeId>& nodes) {
  bool any = false;
  for (const NodeId id : graph::reachable(graph_, nodes)) {
    if (!sema::tested_by(graph_, id)) continue;
    without_tests_.set(id, graph_.zero());
    any = true;
  }
  if (!any) return;
  for (NodeId& node : nodes) node = without_tests_.of(node);
}

lower::System of_gravity(const lower::System& system) {
  lower::System out;
  out.n_speeds = system.n_speeds;
  for (const lower::Part& part : system.parts) {
    const std::string_view what = part.what;
    if (what != "particle" && what != "body") continue;
    lower::Part made{part.family, {}, part.what};
    Graph& g = made.family.shape.graph;
    for (const lower::Contribution& c : part.contributions)
      if (c.target == Target::potential_energy)
        for (const auto& [i, slope] : ad::coordinate_slopes(g, c.value, made.family.shape.motion_with_held_states()))
          if (!g.is_zero(slope)) made.contributions.push_back({Target::force, i, 0, g.neg(slope)});
    if (!made.contributions.empty()) out.parts.push_back(std::move(made));
  }
  return out;
}

StartValues::StartValues(const sema::Model& model, std::vector<double> y)
    : model_(model), parameters_(sema::parameter_values(model)), y_(std::move(y)) {}

double StartValues::of(const Node& leaf) const {
  constexpr double kUnknown = 0.5;
  const auto of_model = [&](NodeId node) {
    if (!node.valid()) return kUnknown;
    const auto parameter = [&](const Node& n) { return n.leaf == LeafKind::param ? parameters_[n.a] : kUnknown; };
    const double value = graph::evaluate(model_.graph, {&node, 1}, parameter)[0];
    return std::isfinite(value) ? value : kUnknown;
  };
  switch (leaf.leaf) {
    case LeafKind::param:
      return parameters_[leaf.a];
    case LeafKind::coordinate:
      return y_.empty() ? of_model(model_.coordinates[leaf.a].initial) : y_.at(leaf.a);
    case LeafKind::speed:
      return y_.empty() ? of_model(model_.speeds[leaf.a].initial) : y_.at(model_.coordinates.size() + leaf.a);
    case LeafKind::state:
      return y_.empty() ? of_model(model_.states[leaf.a].initial)
                        : y_.at(model_.coordinates.size() + model_.speeds.size() + leaf.a);
    case LeafKind::input:
      if (leaf.a < model_.held_at) return of_model(model_.inputs[leaf.a].value);
      return leaf.a < model_.first_run_value() ? of_model(model_.held[leaf.a - model_.held_at].initial) : kUnknown;
    case LeafKind::time:
      return 0;
    case LeafKind::accel:
    case LeafKind::state_rate:
    case LeafKind::slot_constant:
    case LeafKind::multiplier:
    case LeafKind::ideal:
    case LeafKind::mask:
      break;
  }
  return kUnknown;
}

std::string unit_text(const sema::Model& model, const sema::Dimension& d) {
  return model.has_units && !d.dimensionless() ? sema::to_text(d) : "";
}

reading::SymbolName name_of_leaf(const sema::Model& model, LeafKind kind, std::uint32_t index) {
  if (kind == LeafKind::multiplier) return {"lambda", {model.equations[index].name.text()}};
  if (kind == LeafKind::ideal) return {"lambda", {"ideal", model.equations[index].name.text()}};
  return {sema::leaf_name(model, kind, index)};
}

std::uint32_t SymbolList::add(NodeId node, reading::SymbolName name) {
  const std::uint32_t symbol = symbols_.add(node, reading::typeset(name, reading::Language::ascii));
  names_.push_back(std::move(name));
  return symbol;
}

std::uint32_t SymbolList::add(reading::SymbolName name) {
  const std::uint32_t symbol = symbols_.add(reading::typeset(name, reading::Language::ascii));
  names_.push_back(std::move(name));
  return symbol;
}

void SymbolList::add_leaves(const Graph& graph, const std::vector<NodeId>& nodes, const sema::Model& model) {
  for (const NodeId id : graph::reachable(graph, nodes)) {
    const Node& n = graph.node(id);
    if (n.op == graph::Op::leaf && !symbols_.of(id)) add(id, name_of_leaf(model, n.leaf, n.a));
  }
}

void SymbolList::name_new_symbols() {
  while (names_.size() < symbols_.size()) names_.push_back({symbols_.name(static_cast<std::uint32_t>(names_.size()))});
}

}  // namespace mbc::equations
