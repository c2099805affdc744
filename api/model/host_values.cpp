// SPDX-License-Identifier: Apache-2.0
#include "api/model/host_values.h"

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/graph/evaluate.h"
#include "compiler/sema/check_values.h"

namespace mbc::api {

using graph::NodeId;

HostValues::HostValues(const sema::Model& model) {
  std::set<std::vector<std::uint32_t>> known;
  // Many particles share a mass: the first one is named.
  const auto is_new = [&](const std::vector<NodeId>& nodes) {
    std::vector<std::uint32_t> key;
    for (const NodeId n : nodes) key.push_back(n.value);
    const bool varies = std::any_of(nodes.begin(), nodes.end(), [&](NodeId n) { return !model.graph.is_constant(n); });
    return varies && known.insert(std::move(key)).second;
  };
  for (const sema::Param& p : model.params) checked_.params.push_back(p);
  for (const sema::Particle& p : model.particles) {
    if (!is_new({p.mass})) continue;
    sema::Particle& made = checked_.particles.emplace_back();
    made.name = p.name, made.mass = p.mass, made.mass_span = p.mass_span;
  }
  for (const sema::Body& b : model.bodies) {
    std::vector<NodeId> nodes = b.inertia;
    nodes.push_back(b.mass);
    if (!is_new(nodes)) continue;
    sema::Body& made = checked_.bodies.emplace_back();
    made.name = b.name, made.mass = b.mass, made.inertia = b.inertia;
    made.mass_span = b.mass_span, made.inertia_span = b.inertia_span, made.inertia_moved = b.inertia_moved;
  }
  for (const sema::PlacedShape& s : model.shapes)
    if (is_new(s.size)) checked_.shapes.push_back(s);
  checked_.requirements = model.requirements;

  std::vector<NodeId*> places;
  for (sema::Param& p : checked_.params) places.push_back(&p.value);
  for (sema::Particle& p : checked_.particles) places.push_back(&p.mass);
  for (sema::Body& b : checked_.bodies) {
    places.push_back(&b.mass);
    for (NodeId& n : b.inertia) places.push_back(&n);
  }
  for (sema::PlacedShape& s : checked_.shapes)
    for (NodeId& n : s.size) places.push_back(&n);
  for (sema::Requirement& r : checked_.requirements) places.push_back(&r.condition);
  std::vector<NodeId> nodes;
  for (const NodeId* place : places) nodes.push_back(*place);
  nodes = graph::copied_as_they_are(model.graph, nodes, checked_.graph);
  for (std::size_t k = 0; k < places.size(); ++k) *places[k] = nodes[k];
  checked_.graph.settle();
  graph::forget_marks();  // the model is large, the copy is not
}

std::optional<Diagnostic> HostValues::refused(const std::vector<double>& params) const {
  Sink sink;
  sema::check_masses(checked_, params, sink);
  if (!sink.has_errors()) return {};
  return sink.sorted().front();
}

}  // namespace mbc::api
