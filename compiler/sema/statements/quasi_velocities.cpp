// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/quasi_velocities.h"

#include <algorithm>

#include "base/text.h"
#include "compiler/ad/linear.h"

namespace mbc::sema {

void QuasiVelocities::quasi_velocity(const ast::Speed& s, const ast::Stmt& statement) {
  const Value v = value(*s.value);
  if (v.invalid()) return;
  if (!v.numeric())
    return void(
        Evaluator::hint_parts(sink_.report(Kind::wrong_shape, v.span, "the quasi-velocity " + quoted(item_.name()),
                                           "a number or a vector", describe_shape(v)),
                              v));
  for (const Node& n : graph::leaves(model_.graph, v.nodes)) {
    if (n.leaf != LeafKind::accel && n.leaf != LeafKind::multiplier && n.leaf != LeafKind::ideal) continue;
    sink_.report(Kind::speed_level, v.span, quoted(item_.name()),
                 n.leaf == LeafKind::accel ? "an acceleration" : "the multiplier of a constraint");
    return;
  }
  set_symbol(s.name, v);
  // a component that is 0 belongs to a vector, as the z of a planar motion; alone it is a mistake
  const bool moves = std::any_of(v.nodes.begin(), v.nodes.end(), [this](NodeId n) { return !model_.graph.is_zero(n); });
  for (std::size_t k = 0; k < v.nodes.size(); ++k)
    if (!moves || !model_.graph.is_zero(v.nodes[k]))
      model_.quasi_velocities.push_back({v.vector() ? item_.name() + component_text(k, v.nodes.size()) : item_.name(),
                                         v.nodes[k], v.type.dimension, v.span, statement.doc});
}

// Runs when all is declared and the values hold the rates of states.
void QuasiVelocities::check() {
  graph::Graph& g = model_.graph;
  for (const QuasiVelocity& y : model_.quasi_velocities) {
    std::optional<std::uint32_t> input;
    for (const Node& n : graph::leaves(g, y.value))
      if (n.leaf == LeafKind::input && !model_.is_discrete(n, problem::DiscreteVariable::Use::turns)) input = n.a;
    if (graph::holds(g, y.value, {LeafKind::state_rate})) continue;  // it is the leaf of a state whose rate was refused
    if (!graph::holds(g, y.value, {LeafKind::speed})) {
      sink_.report(Kind::speed_without_rate, y.span, quoted(y.name));
      continue;
    }
    if (input) {
      sink_
          .report(Kind::input_jumps, y.span, "the quasi-velocity " + quoted(y.name),
                  printable(model_.input_name(*input)), "it is differentiated, and an input jumps")
          .hint("let a state follow it, for example `state x = 0 where x' = (u - x)/T`");
      continue;
    }
    const ad::Row row = ad::differentiate(g, y.value, Level::velocity, model_.motion());
    if (const auto term = ad::nonlinear_term(g, y.value, row))
      sink_.report(
          Kind::speed_not_linear, y.span, quoted(y.name), printable(model_.speed(term->speed).name),
          term->holds ? "has a factor that depends on " + quoted(model_.speed(*term->holds).name) : "makes it jump");
  }
}

}  // namespace mbc::sema
