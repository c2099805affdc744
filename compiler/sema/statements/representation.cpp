// SPDX-License-Identifier: Apache-2.0
// Free bodies in `space 3` by their representation: coordinates and speeds of the rotation, the quantities of the body
// (rotation, angular velocity, quaternion) as expressions of them, the rows between them, and their initial values.
// Formulas: C. M. Pappalardo, D. Guida, Machines 6 (2018) 20, "004" below; docs/numerics.md, "Free bodies".
#include <algorithm>

#include "compiler/sema/rotations.h"
#include "compiler/sema/statements/bodies.h"

namespace mbc::sema {

// Adds coordinates with u = q' behind the place of the body; returns the index of the first.
std::uint32_t Bodies::add_turning(Body& b, const std::vector<std::string>& names) {
  const auto q0 = static_cast<std::uint32_t>(model_.coordinates.size());
  const Dimension rate = physical(model_, Dimension{} / time_dimension());
  for (const std::string& name : names) {
    const std::string full = b.name + "." + name;
    model_.add_coordinate({full, {}, model_.graph.zero(), {}, b.span, true},
                          {full + "'", full + "''", rate, model_.graph.zero(), {}, b.span});
  }
  return q0;
}

// The leaves that stand for a body under `bodies = tree` until its motion is decided: the entries of its rotation, with
// R' = R skew(omega), and its angular velocity in body axes.
void Bodies::standing_body(Body& b, Dimension rate) {
  graph::Graph& g = model_.graph;
  const std::uint32_t q0 = model_.next_coordinate(true), u0 = model_.next_speed(true);
  for (std::uint32_t k = 0; k < 3; ++k) {
    b.omega.push_back(g.leaf(LeafKind::speed, u0 + k));
    b.alpha.push_back(g.leaf(LeafKind::accel, u0 + k));
  }
  for (const Speed& u : turning_speeds(b, rate)) model_.placed_speeds.push_back(u);
  b.rotation.resize(9);
  for (std::uint32_t k = 0; k < 9; ++k) b.rotation[3 * (k % 3) + k / 3] = g.leaf(LeafKind::coordinate, q0 + k);
  for (std::uint32_t c = 0; c < 3; ++c) {
    std::vector<NodeId> e(3, g.zero());
    e[c] = g.one();
    const std::vector<NodeId> rates = turned(g, b.rotation, cross(g, b.omega, e));
    for (std::uint32_t k = 0; k < 3; ++k)
      model_.placed.push_back({b.name + ".R" + std::to_string(k + 1) + std::to_string(c + 1),
                               {},
                               b.start_rotation[3 * k + c],
                               rates[k],
                               b.span,
                               true});
  }
  evaluator_.defined().is_rotation(b.rotation);
  b.quaternion = quaternion_of(g, b.rotation);
  b.start_quaternion = quaternion_of(g, b.start_rotation);
}

std::array<Speed, 3> Bodies::turning_speeds(const Body& b, const Dimension& rate) {
  const auto made = [&](std::size_t k) {
    const std::string axis(1, kAxes[k]);
    return Speed{b.name + ".omega" + axis, b.name + ".alpha" + axis, rate, b.start_omega[k], std::nullopt, b.span};
  };
  return {made(0), made(1), made(2)};
}

void Bodies::quaternion_body(Body& b, Dimension rate) {
  b.start_quaternion = quaternion_of(model_.graph, b.start_rotation);
  turn_by_quaternion(model_, b, turning_speeds(b, rate));
  evaluator_.defined().is_rotation(b.rotation);
  evaluator_.defined().is_rotation(b.negated_rotation);
}

// 004 eq. 1-6
void Bodies::euler_parameter_body(Body& b) {
  graph::Graph& g = model_.graph;
  const std::uint32_t q0 = add_turning(b, {"p0", "p1", "p2", "p3"});
  std::vector<NodeId> rate;
  for (std::uint32_t k = 0; k < 4; ++k) {
    b.quaternion.push_back(g.leaf(LeafKind::coordinate, q0 + k));
    rate.push_back(model_.coordinates[q0 + k].rate);
  }
  b.start_quaternion = quaternion_of(g, b.start_rotation);
  b.rotation = rotation_of_unit(g, b.quaternion);
  b.omega = angular_velocity(g, b.quaternion, rate);
  b.alpha = rates_of(model_, b.omega);
}

// 004 eq. 13-19; omega from the antisymmetric part of A^T A', so that a torque acts as (tau x a, tau x b, tau x c)/2
void Bodies::natural_body(Body& b) {
  graph::Graph& g = model_.graph;
  const std::uint32_t q0 = add_turning(b, {"a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"});
  std::vector<NodeId> axis[3], rate[3];
  b.rotation.resize(9);
  for (std::uint32_t k = 0; k < 9; ++k) {
    axis[k / 3].push_back(g.leaf(LeafKind::coordinate, q0 + k));
    rate[k / 3].push_back(model_.coordinates[q0 + k].rate);
    b.rotation[3 * (k % 3) + k / 3] = axis[k / 3].back();
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    b.omega.push_back(g.mul(g.constant(0.5), g.sub(g.dot(axis[k], rate[j]), g.dot(axis[j], rate[k]))));
  }
  b.alpha = rates_of(model_, b.omega);
  b.quaternion = quaternion_of(g, b.rotation);
  b.start_quaternion = quaternion_of(g, b.start_rotation);
}

// The rows are p.p = 1 (004 eq. 4), or the six products of the axes (eq. 17). Their weights are the mean inertia of the
// directions they hold.
void Bodies::representation_rows(Body& b) {
  const bool rows = b.representation == Representation::euler_parameters || b.representation == Representation::natural;
  if (!b.first_coordinate || model_.space != 3 || !rows) return;
  graph::Graph& g = model_.graph;
  const NodeId trace = g.add(b.inertia[0], g.add(b.inertia[1], b.inertia[2]));
  const auto weight = [&](double divisor) {
    return g.select(g.binary(Op::lt, g.zero(), trace), g.div(trace, g.constant(divisor)), b.mass);
  };
  const auto row = [&](const std::string& name, NodeId e, NodeId w) {
    model_.equations.push_back(
        {b.name + "." + name, Equation::kNoConstraint, e, Level::position, {}, b.span, b.representation, w});
  };
  if (b.representation == Representation::euler_parameters) {
    row("norm", g.sub(g.dot(b.quaternion, b.quaternion), g.one()), weight(3));
    return;
  }
  const auto axis = [&](std::size_t c) {
    return std::vector<NodeId>{b.rotation[c], b.rotation[3 + c], b.rotation[6 + c]};
  };
  for (const auto& [i, j] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}) {
    const NodeId product = g.dot(axis(i), axis(j));
    row(std::string{"abc"[i], "abc"[j]}, i == j ? g.sub(product, g.one()) : product, weight(i == j ? 24 : 12));
  }
}

std::optional<StartValue> body_start(Model& model, NodeId node) {
  for (Body& b : model.bodies) {
    if (!b.first_coordinate || model.space != 3 || b.representation == Representation::quaternion) continue;
    for (std::size_t k = 0; k < 3 && b.representation != Representation::tree; ++k)
      if (node == b.omega[k]) return StartValue{&b.start_omega[k], nullptr, b.name + ".omega" + kAxes[k]};
    for (std::size_t k = 0; k < 4; ++k)
      if (node == b.quaternion[k])
        return StartValue{&b.start_quaternion[k], &b.quaternion_given, b.name + ".p" + std::to_string(k)};
  }
  return {};
}

bool describes_rotation(const Model& model, const Node& leaf) {
  if (model.space != 3) return false;
  const auto behind_place = [](std::uint32_t k, std::uint32_t first, std::uint32_t count) {
    return k >= first + 3 && k < first + 3 + count;
  };
  return std::any_of(model.bodies.begin(), model.bodies.end(), [&](const Body& b) {
    if (!b.first_coordinate || b.representation == Representation::quaternion) return false;
    const std::uint32_t count = b.representation == Representation::euler_parameters ? 4 : 9;
    return (leaf.leaf == LeafKind::coordinate && behind_place(leaf.a, *b.first_coordinate, count)) ||
           (leaf.leaf == LeafKind::speed && b.representation != Representation::tree &&
            behind_place(leaf.a, *b.first_speed, count));
  });
}

// Computes the initial coordinates and speeds of the rotation from the quaternion or rotation and the angular velocity
// at the start: p' = p o (0, omega)/2, A' = A skew(omega).
void start_bodies(Model& model) {
  graph::Graph& g = model.graph;
  for (Body& b : model.bodies) {
    const bool own =
        b.representation == Representation::euler_parameters || b.representation == Representation::natural;
    if (!b.first_coordinate || model.space != 3 || !own) continue;
    const graph::SpanScope scope(g, b.span);
    const std::uint32_t q0 = *b.first_coordinate + 3, u0 = *b.first_speed + 3;
    std::vector<NodeId> p = b.start_quaternion;
    if (b.quaternion_given) {
      const NodeId norm = g.sqrt(g.dot(p, p));
      for (NodeId& x : p) x = g.div(x, norm);
    }
    if (b.representation == Representation::euler_parameters) {
      const std::vector<NodeId> rates = quaternion_rate(g, p, b.start_omega);
      for (std::uint32_t k = 0; k < 4; ++k) {
        model.coordinates[q0 + k].initial = p[k];
        model.speeds[u0 + k].initial = rates[k];
      }
      continue;
    }
    const std::vector<NodeId> R = b.quaternion_given ? rotation_of(g, b.start_quaternion) : b.start_rotation;
    for (std::uint32_t c = 0; c < 3; ++c) {
      std::vector<NodeId> e(3, g.zero());
      e[c] = g.one();
      const std::vector<NodeId> rate = turned(g, R, cross(g, b.start_omega, e));
      for (std::uint32_t k = 0; k < 3; ++k) {
        model.coordinates[q0 + 3 * c + k].initial = R[3 * k + c];
        model.speeds[u0 + 3 * c + k].initial = rate[k];
      }
    }
  }
}

}  // namespace mbc::sema
