// SPDX-License-Identifier: Apache-2.0
#include "api/scene/arrows.h"

#include <algorithm>
#include <map>

#include "compiler/ad/motion.h"

namespace mbc::api {
namespace {

using graph::LeafKind;
using graph::NodeId;

constexpr std::size_t kMostRows = 2000;  // the limit for the multipliers of a run

// Returns whether a picture can evaluate these nodes: they contain no accelerations and no rates of states.
bool from_state(const graph::Graph& graph, const std::vector<NodeId>& value) {
  return !graph::holds(graph, value, {LeafKind::accel, LeafKind::state_rate, LeafKind::ideal});
}

// The part and axis of a speed that is a velocity component of a particle or body.
struct Component {
  std::uint32_t part = 0, axis = 0;
};

std::map<std::uint32_t, Component> components_of(const sema::Model& model) {
  std::map<std::uint32_t, Component> all;
  const auto add = [&](const std::vector<NodeId>& velocity, std::uint32_t part) {
    for (std::uint32_t k = 0; k < velocity.size(); ++k)
      if (const graph::Node& n = model.graph.node(velocity[k]); n.op == graph::Op::leaf && n.leaf == LeafKind::speed)
        all[n.a] = {part, k};
  };
  const auto particles = static_cast<std::uint32_t>(model.particles.size());
  for (std::uint32_t k = 0; k < particles; ++k)
    if (model.particles[k].first_coordinate) add(model.particles[k].velocity, k);
  for (std::uint32_t k = 0; k < model.bodies.size(); ++k)
    if (model.bodies[k].first_speed) add(model.bodies[k].velocity, particles + k);
  return all;
}

void reactions(sema::Model& model, const sema::Constraint& c, const std::map<std::uint32_t, Component>& components,
               std::vector<FoundArrow>& out) {
  graph::Graph& g = model.graph;
  std::map<std::uint32_t, std::vector<NodeId>> on;  // by part
  std::vector<NodeId> residuals;
  for (std::uint32_t row = c.first_row; row < c.first_row + c.row_count; ++row) {
    const sema::Equation& e = model.equations[row];
    residuals.push_back(e.residual);
    const NodeId residual = e.residual;
    const ad::Level level = e.level;
    for (const auto& [speed, a] : ad::differentiate(g, residual, level, model.motion()).jacobian) {
      const auto found = components.find(speed);
      if (found == components.end()) continue;
      std::vector<NodeId>& force = on.try_emplace(found->second.part, model.space, g.zero()).first->second;
      force[found->second.axis] = g.add(force[found->second.axis], g.mul(a, g.leaf(LeafKind::multiplier, row)));
    }
  }
  for (auto& [part, force] : on)
    if (from_state(g, force))
      out.push_back({SceneArrow::Kind::reaction, c.name.text(), std::move(force), residuals, part});
}

}  // namespace

std::vector<FoundArrow> arrows_of(sema::Model& model) {
  std::vector<FoundArrow> all;
  for (const sema::Force& f : model.forces)
    if (all.size() < kMostArrows && f.value.size() == model.space && from_state(model.graph, f.value))
      all.push_back({SceneArrow::Kind::force, f.name, f.value, f.position, std::nullopt});
  if (model.equations.size() > kMostRows) return all;
  const std::map<std::uint32_t, Component> components = components_of(model);
  const std::size_t count = model.constraints.size();
  for (std::size_t k = 0; k < count && all.size() < kMostArrows; ++k) {
    const sema::Constraint c = model.constraints[k];
    const bool own = c.row_count > 0 && !model.equations[c.first_row].of_body;
    if (own) reactions(model, c, components, all);
  }
  all.resize(std::min(all.size(), kMostArrows));
  return all;
}

bool holds_place(const sema::Model& model, const FoundArrow& arrow, const std::vector<NodeId>& place) {
  const std::vector<NodeId> inside = graph::reachable(model.graph, arrow.position);
  return std::any_of(place.begin(), place.end(), [&](NodeId component) {
    const graph::Node& n = model.graph.node(component);
    return n.op != graph::Op::constant && std::find(inside.begin(), inside.end(), component) != inside.end();
  });
}

}  // namespace mbc::api
