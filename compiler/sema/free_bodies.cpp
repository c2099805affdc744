// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/free_bodies.h"

#include "compiler/sema/rotations.h"

namespace mbc::sema {

std::vector<NodeId> rates_of(Model& model, const std::vector<NodeId>& nodes) {
  std::vector<NodeId> out;
  for (NodeId n : nodes) out.push_back(ad::time_derivative(model.graph, n, model.motion()));
  return out;
}

std::vector<NodeId> turned(graph::Graph& g, const std::vector<NodeId>& rotation, const std::vector<NodeId>& r) {
  return matrix_product(g, rotation, r, r.size());
}

// Euler parameters with body angular velocity as speeds
void turn_by_quaternion(Model& model, Body& b, const std::array<Speed, 3>& omega) {
  graph::Graph& g = model.graph;
  const std::uint32_t q0 = model.next_coordinate(), u0 = model.next_speed();
  for (std::uint32_t k = 0; k < 3; ++k) {
    model.speeds.push_back(omega[k]);
    b.omega.push_back(g.leaf(LeafKind::speed, u0 + k));
    b.alpha.push_back(g.leaf(LeafKind::accel, u0 + k));
  }
  for (std::uint32_t k = 0; k < 4; ++k) b.quaternion.push_back(g.leaf(LeafKind::coordinate, q0 + k));
  const std::vector<NodeId> rates = quaternion_rate(g, b.quaternion, b.omega);
  for (std::uint32_t k = 0; k < 4; ++k)
    model.coordinates.push_back({b.name + ".p" + std::to_string(k), {}, b.start_quaternion[k], rates[k], b.span, true});
  model.quaternions.push_back(q0);
  b.rotation = rotation_of(g, b.quaternion);
  for (NodeId entry : b.rotation) b.negated_rotation.push_back(g.neg(entry));
}

void record_body(const Model& model, Body& b, std::vector<Output>& outputs) {
  if (!b.first_coordinate || *b.first_coordinate >= kPlaced) return;
  using Column = problem::Recorded::Kind;
  const std::uint32_t q0 = *b.first_coordinate, u0 = *b.first_speed, n = model.space;
  const auto stored = [&](Column kind, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k) b.columns.push_back({kind, first + k});
  };
  const auto derived = [&](const std::string& name, NodeId value, Dimension d) {
    b.columns.push_back({Column::output, static_cast<std::uint32_t>(outputs.size())});
    outputs.push_back({b.name + "." + name, value, physical(model, d), b.span, true});
  };
  const bool own = n == 2 || b.representation == Representation::quaternion;  // the speeds are what is recorded
  const std::uint32_t turns = n == 2 ? 1 : 3;
  const Dimension rate = Dimension{} / time_dimension();
  if (b.representation == Representation::natural) {
    stored(Column::coordinate, q0, n);
    for (std::size_t k = 0; k < 4; ++k) derived("p" + std::to_string(k), b.quaternion[k], {});
  } else {
    stored(Column::coordinate, q0, n == 2 ? 3 : 7);
  }
  stored(Column::speed, u0, own ? n + turns : n);
  for (std::size_t k = 0; k < 3 && !own; ++k) derived("omega" + std::string(1, kAxes[k]), b.omega[k], rate);
  stored(Column::acceleration, u0, own ? n + turns : n);
  for (std::size_t k = 0; k < 3 && !own; ++k) derived("alpha" + std::string(1, kAxes[k]), b.alpha[k], rate * rate);
}

}  // namespace mbc::sema
