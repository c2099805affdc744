// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/tree/tree.h"

#include <algorithm>

#include "compiler/graph/planar_rotation.h"
#include "compiler/sema/free_bodies.h"
#include "compiler/sema/rotations.h"
#include "compiler/sema/tree/each_node.h"

namespace mbc::sema {

namespace {

constexpr std::uint32_t kGone = 0xffffffffu;  // a row

std::vector<NodeId> sum(graph::Graph& g, std::initializer_list<std::vector<NodeId>> terms) {
  std::vector<NodeId> out(terms.begin()->size(), g.zero());
  for (const std::vector<NodeId>& t : terms)
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = g.add(out[k], t[k]);
  return out;
}

std::vector<NodeId> times(graph::Graph& g, NodeId factor, std::vector<NodeId> v) {
  for (NodeId& x : v) x = g.mul(factor, x);
  return v;
}

std::vector<NodeId> transposed(const std::vector<NodeId>& R) {
  return {R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]};
}

}  // namespace

void Tree::decide(const std::vector<Placement>& placements, std::span<NodeId* const> more) {
  if (model_.placed.empty()) return;
  candidates_ = joint_candidates(model_, placements, sink_);
  if (model_.space == 2)
    for (JointCandidate& c : candidates_)
      if (NodeId angle; c.why_rows.empty() && !turn_in_plane(c.pose, angle))
        c.why_rows = "its place does not say an angle";
  forest_ = forest(model_, candidates_);
  tell();
  std::set<std::uint32_t> carried;
  for (const Branch& b : forest_) carried.insert(b.body);
  for (std::uint32_t i = 0; i < model_.bodies.size(); ++i)
    if (model_.bodies[i].representation == Representation::tree && !carried.contains(i)) free_body(i);
  for (const Branch& b : forest_) carry(b);
  drop_rows();
  substitute(more);
  start();
  finish_bodies();
}

// Notes for `mbc info` what each joint does.
void Tree::tell() {
  std::map<std::size_t, const Branch*> used;
  for (const Branch& b : forest_) used[b.candidate] = &b;
  const auto name_of = [this](const std::optional<std::uint32_t>& body) {
    return body ? model_.bodies[*body].name : "ground";
  };
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    const JointCandidate& c = candidates_[k];
    const Placement& p = *c.joint;
    const auto branch = used.find(k);
    JointOfTree told{p.joint.empty() ? "coordinates" : p.joint.substr(0, p.joint.size() - 1), {}, {}, c.why_rows};
    if (branch != used.end()) {
      told.body = name_of(branch->second->body);
      told.carrier = name_of(branch->second->carrier);
    } else if (told.why_rows.empty()) {
      told.why_rows = "it closes a loop";
    }
    model_.tree.push_back(std::move(told));
  }
}

std::vector<NodeId> Tree::rates(const std::vector<NodeId>& nodes) { return rates_of(model_, nodes); }

Tree::Motion Tree::ground() {
  const Pose unit = identity_pose(g_, model_.space);
  const std::vector<NodeId> none(model_.space == 2 ? 1 : 3, g_.zero());
  return {unit.r, unit.R, unit.r, none, unit.r, none, {}, g_.zero()};
}

// ---- bodies that nothing carries

// Coordinates and speeds of its own take the places of what stood for them.
void Tree::free_body(std::uint32_t body) {
  Body& b = model_.bodies[body];
  const std::uint32_t q = *b.first_coordinate, u = *b.first_speed, n = model_.space, plain = n == 2 ? 3 : n;
  const std::uint32_t q0 = model_.next_coordinate(), u0 = model_.next_speed();
  for (std::uint32_t k = 0; k < plain; ++k) {
    real_[q + k] = q0 + k;
    model_.add_coordinate(Coordinate(model_.coordinate(q + k)), Speed(model_.speed(u + k)));
  }
  Body made;
  made.name = b.name;
  made.span = b.span;
  Motion m;
  for (std::uint32_t k = 0; k < n; ++k) {
    m.x.push_back(g_.leaf(LeafKind::coordinate, q0 + k));
    m.v.push_back(g_.leaf(LeafKind::speed, u0 + k));
    m.a.push_back(g_.leaf(LeafKind::accel, u0 + k));
  }
  if (n == 2) {
    m.angle = g_.leaf(LeafKind::coordinate, q0 + 2);
    m.omega = {g_.leaf(LeafKind::speed, u0 + 2)};
    m.alpha = {g_.leaf(LeafKind::accel, u0 + 2)};
    const NodeId c = g_.unary(Op::cos, m.angle), s = g_.unary(Op::sin, m.angle);
    m.R = {c, g_.neg(s), s, c};
  } else {
    made.start_quaternion = b.quaternion_given ? b.start_quaternion : quaternion_of(g_, b.start_rotation);
    turn_by_quaternion(model_, made, {model_.speed(u + 3), model_.speed(u + 4), model_.speed(u + 5)});
    defined_.is_rotation(made.rotation);
    defined_.is_rotation(made.negated_rotation);
    m.R = made.rotation;
    m.omega = made.omega;
    m.alpha = made.alpha;
    m.quaternion = made.quaternion;
    b.negated_rotation = made.negated_rotation;
  }
  stand_for(body, m);
  b.first_coordinate = q0;
  b.first_speed = u0;
  b.representation = Representation::quaternion;
}

// The leaves that stood for the body become its motion.
void Tree::stand_for(std::uint32_t body, const Motion& m) {
  const Body& b = model_.bodies[body];
  const auto put = [this](const std::vector<NodeId>& leaves, const std::vector<NodeId>& by) {
    for (std::size_t k = 0; k < leaves.size(); ++k) image_[leaves[k].value] = by[k];
  };
  put(b.position, m.x);
  put(b.velocity, m.v);
  put(b.acceleration, m.a);
  put(b.omega, m.omega);
  put(b.alpha, m.alpha);
  if (model_.space == 2)
    image_[g_.leaf(LeafKind::coordinate, *b.first_coordinate + 2).value] = m.angle;
  else
    put(b.rotation, m.R);
  if (!m.quaternion.empty()) put(b.quaternion, m.quaternion);
  motions_[body] = m;
}

// ---- bodies that joints carry

void Tree::add_joint_coordinates(const Branch& b) {
  const Placement& p = *candidates_[b.candidate].joint;
  for (std::size_t k = 0; k < p.coordinates.size(); ++k) {
    const std::uint32_t stood = p.coordinates[k], speed = g_.node(model_.coordinate(stood).rate).a;
    Coordinate q = model_.coordinate(stood);
    q.initial = at_start(p.measures[k]);
    q.of_joint = turns(p, stood) ? Coordinate::OfJoint::turns : Coordinate::OfJoint::slides;
    const std::uint32_t leaf = model_.next_coordinate();
    const std::uint32_t u = model_.add_coordinate(std::move(q), Speed(model_.speed(speed)));
    const NodeId value = g_.leaf(LeafKind::coordinate, leaf), rate = g_.leaf(LeafKind::speed, u);
    real_[stood] = leaf;
    image_[g_.leaf(LeafKind::coordinate, stood).value] = value;
    const NodeId measured = p.measures[k], changes = rates({measured})[0];
    image_[measured.value] = value;
    image_[changes.value] = rate;
    image_[rates({changes})[0].value] = g_.leaf(LeafKind::accel, u);
  }
}

// Returns whether a rotation is made of the coordinate: then it is an angle, and else a length.
bool Tree::turns(const Placement& p, std::uint32_t coordinate) const {
  return std::ranges::any_of(graph::leaves(g_, p.place.R),
                             [&](const Node& n) { return n.leaf == LeafKind::coordinate && n.a == coordinate; });
}

// Returns an expression of standing coordinates where the bodies are drawn.
NodeId Tree::at_start(NodeId e) {
  return graph::copy_into(g_, {&e, 1}, g_, [this](const Node& n) {
    return n.leaf == LeafKind::coordinate ? model_.coordinate(n.a).initial
           : n.leaf == LeafKind::time     ? g_.zero()
                                          : g_.leaf(n.leaf, n.a);
  })[0];
}

// The pose of the carried body in the axes of its carrier, by coordinates of the model.
Pose Tree::relative(const Branch& b) {
  Pose p = candidates_[b.candidate].pose;
  for (std::vector<NodeId>* nodes : {&p.r, &p.R})
    for (NodeId& x : *nodes) x = image(x);
  return b.inverted ? inverse(g_, p) : p;
}

void Tree::carry(const Branch& b) {
  const graph::SpanScope scope(g_, candidates_[b.candidate].joint->span);
  add_joint_coordinates(b);
  stand_for(b.body, carried(b.carrier ? motions_.at(*b.carrier) : ground(), relative(b)));
  Body& body = model_.bodies[b.body];
  body.first_coordinate.reset();
  body.first_speed.reset();
}

// The angle of a rotation in the plane that is written as turns one after the other.
bool Tree::turn_in_plane(const Pose& p, NodeId& angle) {
  std::vector<NodeId> R = p.R;
  angle = g_.zero();
  while (const std::optional<graph::PlanarRotation> turn = graph::outer_rotation(g_, R, 2)) {
    angle = turn->j == 1 ? g_.add(angle, turn->angle) : g_.sub(angle, turn->angle);
    R = turn->inside;
  }
  const Pose unit = identity_pose(g_, 2);
  if (R == unit.R) return true;
  if (!graph::leaves(g_, R).empty()) return false;
  angle = g_.add(angle, g_.binary(Op::atan2, R[2], R[0]));
  return true;
}

Tree::Motion Tree::carried(const Motion& carrier, const Pose& p) {
  Motion m;
  if (model_.space == 3) {
    carried_in_space(carrier, p, m);
    return m;
  }
  NodeId turned_by;
  turn_in_plane(p, turned_by);
  const std::vector<NodeId> turn_rate = rates({turned_by}), turn_acceleration = rates(turn_rate);
  m.angle = g_.add(carrier.angle, turned_by);
  const NodeId c = g_.unary(Op::cos, m.angle), s = g_.unary(Op::sin, m.angle);
  m.R = {c, g_.neg(s), s, c};
  m.omega = sum(g_, {carrier.omega, turn_rate});
  m.alpha = sum(g_, {carrier.alpha, turn_acceleration});
  // e is a quarter turn: omega x r = omega e r
  const auto quarter = [this](const std::vector<NodeId>& v) { return std::vector<NodeId>{g_.neg(v[1]), v[0]}; };
  const std::vector<NodeId> r1 = rates(p.r), r2 = rates(r1), &R = carrier.R;
  const NodeId w = carrier.omega[0];
  const std::vector<NodeId> moved = times(g_, w, quarter(p.r));
  m.x = sum(g_, {carrier.x, turned(g_, R, p.r)});
  m.v = sum(g_, {carrier.v, turned(g_, R, sum(g_, {moved, r1}))});
  m.a = sum(g_, {carrier.a, turned(g_, R,
                                   sum(g_, {times(g_, carrier.alpha[0], quarter(p.r)), times(g_, w, quarter(moved)),
                                            times(g_, g_.mul(g_.constant(2), w), quarter(r1)), r2}))});
  return m;
}

void Tree::carried_in_space(const Motion& carrier, const Pose& p, Motion& m) {
  const auto rates_of_list = [this](const std::vector<NodeId>& e) { return rates(e); };
  const std::vector<NodeId> omega_joint = angular_velocity_of(g_, p.R, rates_of_list, 3),
                            alpha_joint = rates(omega_joint);
  const std::vector<NodeId> r1 = rates(p.r), r2 = rates(r1), back = transposed(p.R), &R = carrier.R, &w = carrier.omega;
  const std::vector<NodeId> brought = turned(g_, back, w), moved = cross(g_, w, p.r);
  m.x = sum(g_, {carrier.x, turned(g_, R, p.r)});
  m.R = matrix_product(g_, R, p.R, 3);
  m.omega = sum(g_, {brought, omega_joint});
  m.v = sum(g_, {carrier.v, turned(g_, R, sum(g_, {moved, r1}))});
  m.alpha = sum(g_, {turned(g_, back, carrier.alpha), cross(g_, brought, omega_joint), alpha_joint});
  m.a = sum(g_, {carrier.a, turned(g_, R,
                                   sum(g_, {cross(g_, carrier.alpha, p.r), cross(g_, w, moved),
                                            times(g_, g_.constant(2), cross(g_, w, r1)), r2}))});
}

// ---- all expressions of the model

NodeId Tree::image(NodeId root) {
  graph::each_below(
      g_, root, [this](NodeId id) { return image_.contains(id.value); },
      [this](NodeId id) {
        const Node n = g_.node(id);
        const graph::SpanScope scope(g_, g_.origin(id));
        const bool row = n.op == Op::leaf && (n.leaf == LeafKind::multiplier || n.leaf == LeafKind::ideal);
        image_[id.value] = row ? g_.leaf(n.leaf, n.a < row_.size() ? row_[n.a] : n.a)
                           : n.op == Op::leaf || n.op == Op::constant
                               ? id
                               : g_.remake(n, [this](std::uint32_t of) { return image_.at(of); });
      });
  return image_.at(root.value);
}

void Tree::substitute(std::span<NodeId* const> more) {
  each_node(model_, [this](NodeId& n) { n = image(n); });
  for (NodeId* n : more) *n = image(*n);
  for (GeneralisedLoad& f : model_.loads)
    if (f.coordinate >= kPlaced) f.coordinate = real_.at(f.coordinate);
  for (Event& e : model_.events)
    for (EventAction& a : e.actions) {
      if (a.kind == EventAction::Kind::coordinate && a.index >= kPlaced) a.index = real_.at(a.index);
      if (a.kind == EventAction::Kind::speed && a.index >= kPlaced)
        a.index = g_.node(image(g_.leaf(LeafKind::speed, a.index))).a;
    }
}

bool Tree::holds_gone_row(const graph::Graph& g, std::span<const NodeId> nodes) {
  return std::ranges::any_of(graph::leaves(g, nodes), [](const Node& n) {
    return (n.leaf == LeafKind::multiplier || n.leaf == LeafKind::ideal) && n.a == kGone;
  });
}

// ---- rows

// Rows that the tree fulfils in every state: those of the joints that carry, and others that depend on them.
std::set<std::uint32_t> Tree::fulfilled() {
  std::set<std::uint32_t> rows, kept;
  for (const Branch& b : forest_)
    rows.insert(candidates_[b.candidate].rows.begin(), candidates_[b.candidate].rows.end());
  for (const problem::SwitchedRow& s : model_.switched_rows) kept.insert(s.row);
  std::vector<NodeId> roots;
  each_node(model_, [&](const NodeId& n) { roots.push_back(n); });
  for (const Node& n : graph::leaves(g_, roots))
    if (n.leaf == LeafKind::multiplier || n.leaf == LeafKind::ideal) kept.insert(n.a);
  for (std::uint32_t k = 0; k < model_.equations.size(); ++k)
    if (const Equation& e = model_.equations[k]; e.level == Level::position && !e.of_body && !kept.contains(k))
      if (vanishes(model_, image(e.residual))) rows.insert(k);
  return rows;
}

void Tree::drop_rows() {
  const std::set<std::uint32_t> gone = fulfilled();
  row_.assign(model_.equations.size(), kGone);
  std::vector<Equation> kept;
  for (std::uint32_t k = 0; k < model_.equations.size(); ++k) {
    if (gone.contains(k)) continue;
    row_[k] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(model_.equations[k]));
  }
  for (Constraint& c : model_.constraints) {
    std::uint32_t first = kGone, count = 0;
    for (std::uint32_t k = c.first_row; k < c.first_row + c.row_count; ++k)
      if (row_[k] != kGone) {
        if (first == kGone) first = row_[k];
        ++count;
      }
    c.first_row = count > 0 ? first : 0;
    c.row_count = count;
  }
  model_.equations = std::move(kept);
  for (problem::SwitchedRow& s : model_.switched_rows) s.row = row_[s.row];
  for (Unilateral& u : model_.unilaterals) u.contact.row = row_[u.contact.row];
  for (Friction& f : model_.frictions) {
    f.contact.row = row_[f.contact.row];
    for (std::uint32_t& row : f.contact.limit_rows) row = row_[row];
    for (problem::Slope& slope : f.contact.limit_slopes) slope.row = row_[slope.row];
  }
  for (ReactionDependentForce& l : model_.reaction_dependent)
    for (auto& slope : l.force.slopes) slope.row = row_[slope.row];
}

// ---- the beginning, and what is recorded

// `init` of a place or a velocity of a carried body is a condition on what carries it; of a joint's measure, the start
// of its coordinate.
void Tree::start() {
  for (std::uint32_t k = 0; k < model_.placed.size(); ++k) {
    const Coordinate& q = model_.placed[k];
    if (q.start.written && !real_.contains(kPlaced + k))
      model_.initial_targets.push_back({q.name, image(g_.leaf(LeafKind::coordinate, kPlaced + k)), q.initial,
                                        Level::position, q.dimension, q.start, q.span});
  }
  for (std::uint32_t k = 0; k < model_.placed_speeds.size(); ++k) {
    const Speed& u = model_.placed_speeds[k];
    const NodeId now = image(g_.leaf(LeafKind::speed, kPlaced + k));
    if (u.start.written && g_.node(now).op != Op::leaf)
      model_.initial_targets.push_back({u.name, now, u.initial, Level::velocity, u.dimension, u.start, u.span});
  }
  std::erase_if(model_.initial_targets, [this](const InitialTarget& t) {
    const Node n = g_.node(t.target);
    const bool coordinate = n.op == Op::leaf && n.leaf == LeafKind::coordinate;
    if (!coordinate || model_.coordinates[n.a].start.written) return false;
    model_.coordinates[n.a].initial = t.value;
    model_.coordinates[n.a].start = t.start;
    return true;
  });
}

// The columns of carried bodies have the names that those of free ones have.
void Tree::finish_bodies() {
  for (const auto& [body, motion] : motions_)
    if (Body& b = model_.bodies[body]; b.first_coordinate)
      record_body(model_, b, model_.outputs);
    else
      record_carried(b, motion);
}

void Tree::record_carried(Body& b, const Motion& m) {
  const Dimension rate = Dimension{} / time_dimension(), x = length_dimension(), v = velocity_dimension();
  const auto record = [&](const std::vector<NodeId>& nodes, const std::string& name, std::string_view parts,
                          const Dimension& d) {
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      b.columns.push_back({problem::Recorded::Kind::output, static_cast<std::uint32_t>(model_.outputs.size())});
      model_.outputs.push_back({b.name + "." + name + (parts.empty() ? "" : std::string(1, parts[k])), nodes[k],
                                physical(model_, d), b.span, true});
    }
  };
  const bool plane = model_.space == 2;
  const std::string_view axes = "xyz", turns = plane ? "" : axes;
  record(m.x, "", axes, x);
  if (plane)
    record({m.angle}, "angle", "", {});
  else
    record(b.quaternion, "p", "0123", {});
  record(m.v, "v", axes, v);
  record(m.omega, "omega", turns, rate);
  record(m.a, "a", axes, acceleration_dimension());
  record(m.alpha, "alpha", turns, rate * rate);
}

}  // namespace mbc::sema
