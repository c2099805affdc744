// SPDX-License-Identifier: Apache-2.0
// Every expression of a model, for passes that rewrite all of them.
#pragma once
#include <set>
#include <vector>

#include "compiler/sema/model.h"

namespace mbc::sema {

// Adds the rows whose multipliers of some kinds an expression holds.
inline void note_rows(const graph::Graph& g, NodeId e, std::set<std::uint32_t>& rows,
                      const std::set<LeafKind>& kinds = {LeafKind::multiplier, LeafKind::ideal}) {
  for (const Node& n : graph::leaves(g, e))
    if (kinds.contains(n.leaf)) rows.insert(n.a);
}

// Calls visit(NodeId&) for every expression that is recorded or observed, and on which the motion does not depend.
template <class Visit>
void each_result(Model& m, Visit&& visit) {
  for (Output& o : m.outputs) visit(o.value);
  for (JointAngle& a : m.joint_angles) {
    visit(a.counted);
    visit(a.measured);
  }
  for (NodeId& n : m.probes) visit(n);
  for (Sweep& s : m.sweeps)
    for (NodeId& n : s.probes) visit(n);
}

// Calls visit(NodeId&) for every expression on which the motion or its beginning depends. What stands for bodies
// (Model::placed) is left out.
template <class Visit>
void each_cause(Model& m, Visit&& visit) {
  const auto all = [&](std::vector<NodeId>& nodes) {
    for (NodeId& n : nodes) visit(n);
  };
  const auto parts = [&](auto& list, auto... members) {
    for (auto& x : list) (visit(x.*members), ...);
  };
  const auto lists = [&](auto& list, auto... members) {
    for (auto& x : list) (all(x.*members), ...);
  };
  const auto components = [&](Components& c) {
    std::vector<NodeId> nodes = c;
    all(nodes);
    c = Components(nodes);
  };
  parts(m.states, &State::rate);
  parts(m.coordinates, &Coordinate::rate);
  for (Particle& p : m.particles)
    for (Components* c : {&p.position, &p.velocity, &p.acceleration}) components(*c);
  lists(m.bodies, &Body::position, &Body::velocity, &Body::acceleration, &Body::centre, &Body::centre_velocity,
        &Body::rotation, &Body::omega, &Body::alpha, &Body::quaternion);
  lists(m.links, &Link::point, &Link::r, &Link::R, &Link::omega);
  lists(m.points, &Point::position, &Point::velocity, &Point::acceleration);
  lists(m.frames, &Frame::position, &Frame::velocity, &Frame::acceleration, &Frame::rotation, &Frame::omega,
        &Frame::alpha);
  lists(m.moving_rotations, &ConstantRotation::matrix);
  lists(m.forces, &Force::value, &Force::position, &Force::velocity);
  lists(m.torques, &Torque::value, &Torque::omega);
  parts(m.loads, &GeneralisedLoad::value, &GeneralisedLoad::rate);
  parts(m.energies, &EnergyTerm::value);
  parts(m.quasi_velocities, &QuasiVelocity::value);
  parts(m.equations, &Equation::residual);
  parts(m.initial_targets, &InitialTarget::target);
  parts(m.unilaterals, &Unilateral::residual, &Unilateral::restitution);
  parts(m.reaction_dependent, &ReactionDependentForce::load);
  for (Friction& f : m.frictions) {
    all(f.slip);
    visit(f.limit);
    visit(f.still);
    if (f.restitution) visit(*f.restitution);
  }
  all(m.event_values);
}

template <class Visit>
void each_node(Model& m, Visit&& visit) {
  each_cause(m, visit);
  each_result(m, visit);
}

}  // namespace mbc::sema
