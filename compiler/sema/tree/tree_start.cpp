// SPDX-License-Identifier: Apache-2.0
// The beginning of the bodies and joints of a tree.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "compiler/graph/graph.h"
#include "compiler/sema/drawn_joints.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/tree/tree.h"

namespace mbc::sema {

namespace {

constexpr double kHolds = 1e-12;  // of the larger of two constants: they are equal

}  // namespace

// Other values of the parameters may draw the bodies of a joint apart, or let them begin with velocities that it does
// not allow.
void Tree::note_drawn_rows() {
  if (model_.params.empty()) return;
  for (const Branch& b : forest_)
    for (const std::uint32_t row : candidates_[b.candidate].rows) {
      const Equation& e = model_.equations[row];
      for (const NodeId residual : {e.residual, rates({e.residual})[0]})
        if (const NodeId drawn = as_bodies_are_drawn(model_, residual); graph::holds(g_, drawn, {LeafKind::param}))
          model_.drawn_rows.push_back({e.name, e.span, drawn});
    }
}

// The angle of a body in the plane begins where it is drawn; that of its joints may be whole turns away.
NodeId Tree::whole_turns(std::uint32_t body, NodeId angle) {
  const NodeId turn = g_.constant(2 * std::numbers::pi), half = g_.constant(0.5);
  const NodeId drawn = model_.coordinate(*model_.bodies[body].first_coordinate + 2).initial;
  return g_.mul(turn,
                g_.unary(Op::floor, g_.add(g_.div(g_.sub(drawn, as_bodies_are_drawn(model_, angle)), turn), half)));
}

// A wish for a coordinate or a speed of a carried body weighs as one of a free body: with its mass or its inertia.
void Tree::weigh(const Body& b) {
  const std::uint32_t n = model_.space, q = *b.first_coordinate, u = *b.first_speed;
  for (std::uint32_t k = 0; k < n; ++k) weights_[q + k].first = weights_[u + k].second = b.mass;
  NodeId square = g_.zero();
  for (const NodeId c : b.com) square = g_.add(square, g_.mul(c, c));
  for (std::uint32_t k = 0; k < (n == 2 ? 1u : 3u); ++k) {
    NodeId arm = square;
    if (n == 3 && !b.com.empty()) arm = g_.sub(square, g_.mul(b.com[k], b.com[k]));
    const NodeId inertia = g_.add(b.inertia[k], g_.mul(b.mass, arm));
    weights_[u + n + k].second = inertia;
    if (n == 2) weights_[q + n].first = inertia;
  }
}

// `init` of a place or a velocity of a carried body is a condition on what carries it; of a joint's measure, the start
// of its coordinate.
void Tree::start() {
  for (std::uint32_t k = 0; k < model_.placed.size(); ++k) {
    const Coordinate& q = model_.placed[k];
    if (q.start.written && !real_.contains(kPlaced + k))
      model_.initial_targets.push_back({q.name, image(g_.leaf(LeafKind::coordinate, kPlaced + k)), q.initial,
                                        Level::position, q.dimension, q.start, q.span, weights_[kPlaced + k].first});
  }
  for (std::uint32_t k = 0; k < model_.placed_speeds.size(); ++k) {
    const Speed& u = model_.placed_speeds[k];
    if (u.start.written && !u.start.declared && !own_speeds_.contains(kPlaced + k))
      model_.initial_targets.push_back({u.name, image(g_.leaf(LeafKind::speed, kPlaced + k)), u.initial,
                                        Level::velocity, u.dimension, u.start, u.span, weights_[kPlaced + k].second});
  }
  std::erase_if(model_.initial_targets, [this](const InitialTarget& t) {
    const Node n = g_.node(t.target);
    const bool coordinate = n.op == Op::leaf && n.leaf == LeafKind::coordinate;
    if (!coordinate || (t.start.soft && t.weight.valid()) || model_.coordinates[n.a].start.written) return false;
    model_.coordinates[n.a].initial = t.value;
    model_.coordinates[n.a].start = t.start;
    return true;
  });
}

// Components of a vector that no coordinate moves hold by themselves: the x and z of `hinge.omega = (0, 2, 0)`.
void Tree::drop_what_holds() {
  std::erase_if(model_.initial_targets, [this](const InitialTarget& t) {
    const std::vector<NodeId> both{t.target, t.value};
    if (!graph::leaves(g_, both).empty()) return false;
    const std::vector<double> value = constant_values(model_, both, {});
    return std::fabs(value[0] - value[1]) <= kHolds * std::max(std::fabs(value[0]), std::fabs(value[1]));
  });
}

}  // namespace mbc::sema
