// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/tree/tree.h"

#include <algorithm>

#include "base/text.h"
#include "compiler/sema/drawn_joints.h"
#include "compiler/sema/each_node.h"
#include "compiler/sema/free_bodies.h"
#include "compiler/sema/joint_angles.h"
#include "compiler/sema/rotations.h"
#include "compiler/sema/tree/folding.h"

namespace mbc::sema {

namespace {

constexpr std::uint32_t kGone = 0xffffffffu;  // a row

bool of_row(const Node& leaf) { return leaf.leaf == LeafKind::multiplier || leaf.leaf == LeafKind::ideal; }

}  // namespace

void Tree::decide(const std::vector<Placement>& placements, std::span<NodeId* const> names) {
  declined_ = optional_ && model_.bodies_default == Representation::tree && model_.placed.empty();
  if (model_.placed.empty()) return;
  candidates_ = joint_candidates(model_, placements, sink_);
  if (model_.space == 2)
    for (JointCandidate& c : candidates_)
      if (NodeId angle; c.why_rows.empty() && !c.joint->point() && !kinematics_.turn_in_plane(c.pose, angle))
        c.why_rows = "its place does not say an angle";
  forest_ = forest(model_, candidates_);
  declined_ = optional_ && !pays(model_, candidates_, forest_);
  if (declined_) return;
  tell();
  note_drawn_rows();
  inverse_pass(names);
  for (const Body& b : model_.bodies)
    if (b.representation == Representation::tree) weigh(b);
  std::set<std::uint32_t> carried;
  for (const Branch& b : forest_) carried.insert(b.body);
  for (std::uint32_t i = 0; i < model_.bodies.size(); ++i)
    if (model_.bodies[i].representation == Representation::tree && !carried.contains(i)) free_body(i);
  for (const Branch& b : forest_) carry(b);
  drop_rows();
  images_of_multipliers();
  for (std::uint32_t k = 0; k < model_.joint_reactions.size(); ++k) joint_reaction(k);
  substitute(names);
  start();
  finish_bodies();
  fold_torques(model_);
  fold_nodes(model_);
  drop_what_holds();
  std::vector<NodeId> placed;
  for (const Link& l : model_.links)
    for (const std::vector<NodeId>* part : {&l.r, &l.R, &l.omega, &l.point})
      placed.insert(placed.end(), part->begin(), part->end());
  if (graph::holds(g_, placed, {LeafKind::time, LeafKind::state, LeafKind::input})) model_.links.clear();
  fold_axes(model_);
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

// ---- bodies that nothing carries

// Coordinates and speeds of its own take the places of what stood for them.
void Tree::free_body(std::uint32_t body) {
  const std::uint32_t q = *model_.bodies[body].first_coordinate, u = *model_.bodies[body].first_speed;
  const std::uint32_t q0 = model_.next_coordinate(), u0 = model_.next_speed();
  BodyMotion m;
  for (std::uint32_t k = 0; k < model_.space; ++k) {
    own_coordinate(q + k, u + k);
    m.x.push_back(g_.leaf(LeafKind::coordinate, q0 + k));
    m.v.push_back(g_.leaf(LeafKind::speed, u0 + k));
    m.a.push_back(g_.leaf(LeafKind::accel, u0 + k));
  }
  turn_by_itself(body, m);
  stand_for(body, m);
  link_alone(body, {}, m.x, std::vector<NodeId>(model_.space, g_.zero()), m);
  Body& b = model_.bodies[body];
  b.first_coordinate = q0;
  b.first_speed = u0;
  b.representation = Representation::quaternion;
}

// Adds a coordinate, with its speed, that stood for one of the model.
void Tree::own_coordinate(std::uint32_t stood, std::uint32_t speed) {
  real_[stood] = model_.next_coordinate();
  own_speeds_.insert(speed);
  model_.add_coordinate(Coordinate(model_.coordinate(stood)), Speed(model_.speed(speed)));
}

// Sets the rotation of a body by coordinates and speeds of its own.
void Tree::turn_by_itself(std::uint32_t body, BodyMotion& m) {
  Body& b = model_.bodies[body];
  const std::uint32_t n = model_.space, q = *b.first_coordinate + n, u = *b.first_speed + n;
  if (n == 2) {
    const std::uint32_t q0 = model_.next_coordinate(), u0 = model_.next_speed();
    own_coordinate(q, u);
    m.angle = g_.leaf(LeafKind::coordinate, q0);
    m.omega = {g_.leaf(LeafKind::speed, u0)};
    m.alpha = {g_.leaf(LeafKind::accel, u0)};
    const NodeId c = g_.unary(Op::cos, m.angle), s = g_.unary(Op::sin, m.angle);
    m.R = {c, g_.neg(s), s, c};
    return;
  }
  Body made;
  made.name = b.name;
  made.span = b.span;
  made.start_quaternion = b.quaternion_given ? b.start_quaternion : quaternion_of(g_, b.start_rotation);
  own_speeds_.insert({u, u + 1, u + 2});
  turn_by_quaternion(model_, made, {model_.speed(u), model_.speed(u + 1), model_.speed(u + 2)});
  defined_.is_rotation(made.rotation);
  defined_.is_rotation(made.negated_rotation);
  m.R = made.rotation;
  m.omega = made.omega;
  m.alpha = made.alpha;
  m.quaternion = made.quaternion;
  b.negated_rotation = made.negated_rotation;
}

// The leaves that stood for the body become its motion.
void Tree::stand_for(std::uint32_t body, const BodyMotion& m) {
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
  if (!m.quaternion.empty()) {
    put(rates(b.quaternion), rates(m.quaternion));
    put(b.quaternion, m.quaternion);
  }
  motions_[body] = m;
}

// ---- bodies that joints carry

void Tree::add_joint_coordinates(const Branch& b) {
  const Placement& p = *candidates_[b.candidate].joint;
  for (std::size_t k = 0; k < p.coordinates.size(); ++k) {
    const std::uint32_t stood = p.coordinates[k], speed = g_.node(model_.coordinate(stood).rate).a;
    Coordinate q = model_.coordinate(stood);
    q.initial = as_bodies_are_drawn(model_, p.measures[k]);
    if (p.names[k] != p.measures[k]) q.initial = as_drawn(g_, q.initial);
    q.of_joint = turns(p, stood) ? Coordinate::OfJoint::turns : Coordinate::OfJoint::slides;
    const std::uint32_t leaf = model_.next_coordinate();
    own_speeds_.insert(speed);
    Speed begins = model_.speed(speed);
    if (model_.bodies[b.body].start_moves || (b.carrier && model_.bodies[*b.carrier].start_moves)) {
      begins.initial = as_bodies_are_drawn(model_, rates({p.measures[k]})[0]);
      begins.start.written = begins.start.declared = true;
    }
    const std::uint32_t u = model_.add_coordinate(std::move(q), std::move(begins));
    const NodeId value = g_.leaf(LeafKind::coordinate, leaf), rate = g_.leaf(LeafKind::speed, u);
    real_[stood] = leaf;
    image_[g_.leaf(LeafKind::coordinate, stood).value] = value;
    const NodeId changes = rates({p.measures[k]})[0];
    image_[p.names[k].value] = value;
    image_[changes.value] = rate;
    image_[rates({changes})[0].value] = g_.leaf(LeafKind::accel, u);
  }
}

// Returns whether a rotation is made of the coordinate: then it is an angle, and else a length.
bool Tree::turns(const Placement& p, std::uint32_t coordinate) const {
  return std::ranges::any_of(graph::leaves(g_, p.place.R),
                             [&](const Node& n) { return n.leaf == LeafKind::coordinate && n.a == coordinate; });
}

// The pose of the carried body in the axes of its carrier, by coordinates of the model.
Pose Tree::relative(const Branch& b) {
  const Pose& seen = candidates_[b.candidate].pose;
  const Pose p{images(seen.r), images(seen.R)};
  return b.inverted ? inverse(g_, p) : p;
}

std::vector<NodeId> Tree::images(std::vector<NodeId> nodes) {
  for (NodeId& x : nodes) x = image(x);
  return nodes;
}

void Tree::carry(const Branch& b) {
  const JointCandidate& c = candidates_[b.candidate];
  const graph::SpanScope scope(g_, c.joint->span);
  add_joint_coordinates(b);
  const BodyMotion carrier = b.carrier ? motions_.at(*b.carrier) : kinematics_.ground();
  if (c.joint->point()) {
    BodyMotion m;
    turn_by_itself(b.body, m);
    std::vector<NodeId> r = images(c.pose.r), own = images(c.own);
    if (b.inverted) std::swap(r, own);
    kinematics_.hang(carrier, r, own, m);
    stand_for(b.body, m);
    link_alone(b.body, b.carrier, std::move(r), std::move(own), m);
  } else {
    const Pose p = relative(b);
    BodyMotion m = kinematics_.carried(carrier, p);
    if (model_.space == 2) m.angle = g_.add(m.angle, whole_turns(b.body, m.angle));
    stand_for(b.body, m);
    link(b, p);
  }
  Body& body = model_.bodies[b.body];
  body.first_coordinate.reset();
  body.first_speed.reset();
}

// ---- what each body does seen from its carrier

void Tree::link(const Branch& b, const Pose& p) {
  const JointCandidate& c = candidates_[b.candidate];
  model_.links.push_back({b.body, b.carrier, images(b.inverted ? c.on_carrier : c.own),
                          images(b.inverted ? c.own : c.on_carrier), p.R, kinematics_.turning(p)});
}

void Tree::link_alone(std::uint32_t body, std::optional<std::uint32_t> carrier, std::vector<NodeId> r,
                      std::vector<NodeId> point, const BodyMotion& m) {
  std::vector<NodeId> R = m.R;
  if (carrier) R = product(g_, inverse(g_, {r, motions_.at(*carrier).R}), {r, R}).R;
  model_.links.push_back({body, carrier, std::move(point), std::move(r), std::move(R), m.omega, true});
}

// ---- all expressions of the model

NodeId Tree::image(NodeId root) {
  graph::each_below(
      g_, root, [this](NodeId id) { return image_.contains(id.value); },
      [this](NodeId id) {
        const Node n = g_.node(id);
        const graph::SpanScope scope(g_, g_.origin(id));
        const bool row = n.op == Op::leaf && of_row(n);
        image_[id.value] = row ? g_.leaf(n.leaf, n.a < row_.size() ? row_[n.a] : n.a)
                           : n.op == Op::leaf || n.op == Op::constant
                               ? id
                               : g_.remake(n, [this](std::uint32_t of) { return image_.at(of); });
      });
  return image_.at(root.value);
}

void Tree::substitute(std::span<NodeId* const> names) {
  each_node(model_, [this](NodeId& n) { n = image(n); });
  for (NodeId* n : names) *n = image(*n);
  for (Event& e : model_.events)
    for (EventAction& a : e.actions) {
      if (a.kind == EventAction::Kind::coordinate && a.index >= kPlaced) a.index = real_.at(a.index);
      if (a.kind == EventAction::Kind::speed && a.index >= kPlaced)
        a.index = g_.node(image(g_.leaf(LeafKind::speed, a.index))).a;
    }
}

bool Tree::holds_gone_row(const graph::Graph& g, std::span<const NodeId> nodes) {
  return std::ranges::any_of(graph::leaves(g, nodes), [](const Node& n) { return of_row(n) && n.a == kGone; });
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
    if (of_row(n)) kept.insert(n.a);
  std::vector<std::uint32_t> open;
  std::vector<NodeId> residuals;
  for (std::uint32_t k = 0; k < model_.equations.size(); ++k)
    if (const Equation& e = model_.equations[k];
        e.level == Level::position && !e.of_body && !kept.contains(k) && !rows.contains(k)) {
      open.push_back(k);
      residuals.push_back(image(e.residual));
    }
  const std::vector<char> gone = vanishing(model_, residuals);
  for (std::size_t k = 0; k < open.size(); ++k)
    if (gone[k] != 0) rows.insert(open[k]);
  return rows;
}

// Finds the multipliers of rows that carrying joints replace, where something asks for them.
void Tree::inverse_pass(std::span<NodeId* const> names) {
  std::set<std::uint32_t> asked;
  each_result(model_, [&](const NodeId& n) { note_rows(g_, n, asked); });
  for (const NodeId* n : names) note_rows(g_, *n, asked);
  multipliers_ = joint_multipliers(model_, candidates_, forest_, asked);
  std::set<std::uint32_t> known;
  for (const RowMultiplier& m : multipliers_) known.insert(m.row);
  for (std::uint32_t k = 0; k < model_.constraints.size(); ++k) {
    const Constraint& c = model_.constraints[k];
    TreeMultipliers made;
    for (std::uint32_t row = c.first_row; row < c.first_row + c.row_count; ++row)
      made.values.push_back(g_.leaf(LeafKind::multiplier, row));
    const auto is_known = [&](NodeId leaf) { return known.contains(g_.node(leaf).a); };
    if (!std::ranges::any_of(made.values, is_known)) continue;
    made.dimension = multiplier_dimension(model_, model_.equations[c.first_row]);
    model_.tree_multipliers[k] = std::move(made);
  }
}

// Other rows that are gone depend on those of the joints: these hold the bodies alone.
void Tree::images_of_multipliers() {
  std::set<std::uint32_t> known;
  std::vector<NodeId> alone;
  for (const RowMultiplier& m : multipliers_) known.insert(m.row);
  for (std::uint32_t row = 0; row < row_.size(); ++row)
    if (row_[row] == kGone && !known.contains(row)) alone.push_back(g_.leaf(LeafKind::multiplier, row));
  for (const NodeId leaf : alone) image_[leaf.value] = g_.zero();
  for (const RowMultiplier& m : multipliers_) {
    const NodeId value = image(m.value);
    image_[g_.leaf(LeafKind::multiplier, m.row).value] = value;
    // Without `nonideal` loads both are one; with them no joint carries whose ideal multipliers are asked for.
    if (!model_.any_nonideal()) image_[g_.leaf(LeafKind::ideal, m.row).value] = value;
  }
  for (const NodeId leaf : alone) image_.erase(leaf.value);
  for (auto& [constraint, known_ones] : model_.tree_multipliers) known_ones.values = images(known_ones.values);
  std::erase_if(model_.tree_multipliers, [this](const auto& m) { return holds_gone_row(g_, m.second.values); });
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

// The generalised force of the rows that are left of a constraint on the coordinate of a joint. Rows that are gone have
// the power zero along all coordinates.
void Tree::joint_reaction(std::uint32_t k) {
  const JointReaction asked = model_.joint_reactions[k];
  const Constraint& c = model_.constraints[asked.constraint];
  const Node rate = g_.node(image(rates({asked.measure})[0]));
  NodeId Q = g_.zero();
  if (rate.op != Op::leaf || rate.leaf != LeafKind::speed)
    sink_.report(Kind::no_reaction, asked.span, quoted(c.name), "this coordinate",
                 "its joint stays rows, so that it is no coordinate of the model");
  for (std::uint32_t row = c.first_row; row < c.first_row + c.row_count; ++row) {
    const Equation& e = model_.equations[row];
    for (const auto& [speed, A] : ad::differentiate(g_, image(e.residual), e.level, model_.motion()).jacobian)
      if (speed == rate.a) Q = g_.add(Q, g_.mul(A, g_.leaf(asked.part, row)));
  }
  image_[g_.leaf(asked.part, kPlaced + k).value] = Q;
}

// ---- the beginning, and what is recorded

// The columns of carried bodies have the names that those of free ones have.
void Tree::finish_bodies() {
  for (const auto& [body, motion] : motions_)
    if (Body& b = model_.bodies[body]; b.first_coordinate)
      record_body(model_, b, model_.outputs);
    else
      record_carried(b, motion);
}

// Returns the coordinate, speed or acceleration of the model that has the name of a column.
std::optional<problem::Recorded> Tree::stored_as(const std::string& column, NodeId node) const {
  using Column = problem::Recorded::Kind;
  const Node n = g_.node(node);
  if (n.op != Op::leaf) return {};
  if (n.leaf == LeafKind::coordinate && model_.coordinates[n.a].name == column) return {{Column::coordinate, n.a}};
  if (n.leaf == LeafKind::speed && model_.speeds[n.a].name == column) return {{Column::speed, n.a}};
  if (n.leaf == LeafKind::accel && model_.speeds[n.a].acceleration == column) return {{Column::acceleration, n.a}};
  return {};
}

void Tree::record_carried(Body& b, const BodyMotion& m) {
  const Dimension rate = Dimension{} / time_dimension(), x = length_dimension(), v = velocity_dimension();
  const auto record = [&](const std::vector<NodeId>& nodes, const std::string& name, std::string_view parts,
                          const Dimension& d) {
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const std::string column = b.name + "." + name + (parts.empty() ? "" : std::string(1, parts[k]));
      if (const std::optional<problem::Recorded> own = stored_as(column, nodes[k])) {
        b.columns.push_back(*own);
        continue;
      }
      b.columns.push_back({problem::Recorded::Kind::output, static_cast<std::uint32_t>(model_.outputs.size())});
      model_.outputs.push_back({column, nodes[k], physical(model_, d), b.span, true});
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
