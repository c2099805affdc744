// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/joint_angles.h"

#include <algorithm>
#include <numbers>
#include <set>

#include "compiler/ad/motion.h"
#include "compiler/graph/replaced.h"
#include "compiler/sema/each_node.h"

namespace mbc::sema {

namespace {

constexpr double kHalfTurn = 0.01;  // rad: an angle so near to half a turn is drawn at it

// Returns whether an angle is that of half a turn, in either direction, up to rounding.
NodeId is_half_turn(graph::Graph& g, NodeId angle) {
  return g.binary(Op::lt, g.constant(std::numbers::pi - kHalfTurn), g.unary(Op::abs, angle));
}

NodeId nearest_half_turn(graph::Graph& g, NodeId angle) {
  const NodeId turns = g.div(angle, g.constant(std::numbers::pi));
  return g.mul(g.unary(Op::floor, g.add(turns, g.constant(0.5))), g.constant(std::numbers::pi));
}

NodeId counted_angle(Model& model, NodeId angle, const Name& name, Span span) {
  graph::Graph& g = model.graph;
  const std::uint32_t variable = model.add_held(problem::DiscreteVariable::Use::turns, Name(name, " turns"), {}, span);
  const NodeId n = model.discrete(variable), c = g.unary(Op::cos, n), s = g.unary(Op::sin, n);
  const NodeId y{g.node(angle).a}, x{g.node(angle).b};
  const NodeId beyond = g.binary(Op::atan2, g.sub(g.mul(y, c), g.mul(x, s)), g.add(g.mul(x, c), g.mul(y, s)));
  const NodeId out = g.add(n, beyond);
  const std::uint32_t value = model.add_value(out);
  model.add_value(ad::time_derivative(g, angle, model.motion()));
  model.joint_angles.push_back({{variable, value}, out, angle});
  return out;
}

// Returns the discrete variables that expressions hold as the turns of an angle.
std::set<std::uint32_t> turns_in(const Model& model, const std::vector<NodeId>& nodes) {
  std::set<std::uint32_t> out;
  for (const Node& n : graph::leaves(model.graph, nodes))
    if (model.is_discrete(n, problem::DiscreteVariable::Use::turns)) out.insert(*model.discrete_index(n));
  return out;
}

// Returns an expression of coordinates as bodies are drawn, if it depends on them and on parameters alone.
std::optional<NodeId> where_drawn(Model& model, NodeId e) {
  graph::Graph& g = model.graph;
  for (const Node& n : graph::leaves(g, e))
    if (n.leaf != LeafKind::coordinate && n.leaf != LeafKind::param) return {};
  return graph::copy_into(g, {&e, 1}, g, [&](const Node& n) {
    return n.leaf == LeafKind::coordinate ? model.coordinate(n.a).initial : g.leaf(n.leaf, n.a);
  })[0];
}

}  // namespace

NodeId with_turns(Model& model, NodeId measure, const Name& name, Span span) {
  graph::Graph& g = model.graph;
  const graph::SpanScope scope(g, g.origin(measure));
  graph::Images image;
  for (const NodeId id : graph::reachable(g, {&measure, 1}))
    if (g.node(id).op == Op::atan2) image[id.value] = counted_angle(model, id, name, span);
  const NodeId out = graph::replaced(g, measure, image);
  if (out != measure) model.measures[out.value] = measure;
  return out;
}

NodeId without_turns(const Model& model, NodeId e) {
  const auto known = model.measures.find(e.value);
  return known == model.measures.end() ? e : known->second;
}

NodeId as_drawn(graph::Graph& g, NodeId angle) {
  const NodeId below = g.binary(Op::lt, angle, g.constant(kHalfTurn - std::numbers::pi));
  return g.select(below, g.add(angle, g.constant(2 * std::numbers::pi)), angle);
}

void finish_joint_angles(Model& model) {
  if (model.joint_angles.empty()) return;
  graph::Graph& g = model.graph;
  std::set<std::uint32_t> own;
  for (const JointAngle& a : model.joint_angles) own.insert({a.angle.value, a.angle.value + 1});
  std::vector<NodeId> values, causes, all;
  for (std::uint32_t k = 0; k < model.event_values.size(); ++k)
    if (!own.contains(k)) values.push_back(model.event_values[k]);
  std::swap(values, model.event_values);
  each_cause(model, [&](NodeId& n) { causes.push_back(n); });
  std::swap(values, model.event_values);
  std::vector<JointAngle> angles = std::move(model.joint_angles);
  model.joint_angles.clear();
  each_result(model, [&](NodeId& n) { all.push_back(n); });
  const std::set<std::uint32_t> acting = turns_in(model, causes), recorded = turns_in(model, all);
  for (JointAngle a : angles) {
    a.angle.acts = acting.contains(a.angle.near);
    if (!a.angle.acts && !recorded.contains(a.angle.near)) continue;
    Held& held = model.held[a.angle.near];
    if (const std::optional<NodeId> drawn = where_drawn(model, a.measured))
      held.initial = g.select(is_half_turn(g, *drawn), g.constant(std::numbers::pi), g.zero());
    for (const InitialTarget& t : model.initial_targets)
      if (t.target == a.counted) held.initial = nearest_half_turn(g, t.value);
    model.joint_angles.push_back(a);
  }
  // Targets are met by poses, which know no turns. A coordinate of a tree counts them by itself.
  graph::Images image;
  for (const JointAngle& a : angles)
    if (g.node(a.counted).op != Op::leaf) image[a.counted.value] = a.measured;
  for (InitialTarget& t : model.initial_targets) t.target = graph::replaced(g, t.target, image);
}

}  // namespace mbc::sema
