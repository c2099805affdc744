// SPDX-License-Identifier: Apache-2.0
// `coordinates`: where a frame or a point is by the coordinates of a joint. Only read where the bodies of the model may
// form a tree.
#include <algorithm>

#include "base/text.h"
#include "compiler/sema/joint_angles.h"
#include "compiler/sema/statements/frames.h"

namespace mbc::sema {

bool place_frames(const std::vector<ast::StmtPtr>& statements) {
  return std::ranges::any_of(statements, [](const ast::StmtPtr& s) {
    if (std::holds_alternative<ast::Placement>(s->node)) return true;
    if (const auto* joint = std::get_if<ast::Component>(&s->node)) return place_frames(joint->body);
    if (const auto* loop = std::get_if<ast::For>(&s->node)) return place_frames(loop->body);
    const auto* choice = std::get_if<ast::IfBlock>(&s->node);
    return choice && (place_frames(choice->then_body) || place_frames(choice->else_body));
  });
}

void Frames::placement(const ast::Placement& p) {
  note_drawn(p);
  if (model_.bodies_default != Representation::tree) return;
  Placement made{path_of_item(), p.place->span, {}, {}, {}, {}, false, {}, {}};
  Scope inside(item_.scope);
  for (const ast::Declared& d : p.names)
    if (!name(d, made, inside)) return;
  const auto* member = std::get_if<ast::Member>(&p.frame->node);
  const bool point = member && member->name == "pos";
  if (point ? placed_point(*member->object, *p.place, inside, made) : placed_frame(*p.frame, *p.place, inside, made))
    placements_.push_back(std::move(made));
}

// Notes the coordinates of a joint, and what it places in what.
void Frames::note_drawn(const ast::Placement& p) {
  DrawnJoint made;
  made.name = path_of_item();
  made.span = p.place->span;
  for (const ast::Declared& d : p.names) {
    const Symbol* symbol = item_.scope->find(d.name).symbol;
    const Meaning measure = symbol ? evaluator_.names().value_of(*symbol) : Meaning{};
    if (measure.invalid() || !measure.scalar() || measure.level != Level::position) return;
    made.names.push_back(measure.node());
    made.measures.push_back(without_turns(model_, measure.node()));
    made.dimensions.push_back(measure.type.dimension);
  }
  made.holds = made.measures;
  const auto* member = std::get_if<ast::Member>(&p.frame->node);
  made.point = member && member->name == "pos";
  if (!add_place(made.point ? *member->object : *p.frame, made.holds)) return;
  const auto* at = std::get_if<ast::Member>(&p.place->node);
  if (p.names.empty() && !add_place(at && at->name == "pos" ? *at->object : *p.place, made.holds)) return;
  drawn_joints_.push_back(std::move(made));
}

// Adds the place of a body, or of a frame or point in a body or in the ground.
bool Frames::add_place(const ast::Expr& e, std::vector<NodeId>& places) {
  const bool named = std::holds_alternative<ast::Name>(e.node) || std::holds_alternative<ast::Member>(e.node);
  if (!named) return false;
  const Value v = evaluator_.evaluate(e, *item_.scope);
  if (v.invalid()) return false;
  const auto add = [&](const auto& of) { places.insert(places.end(), of.position.begin(), of.position.end()); };
  const Shape shape = v.type.shape;
  if (shape == Shape::body) {
    add(model_.bodies[v.index]);
    return true;
  }
  if (shape == Shape::frame) {
    add(model_.frames[v.index]);
    return model_.frames[v.index].body || model_.frames[v.index].ground;
  }
  if (shape != Shape::point) return shape == Shape::ground;
  const Point& point = model_.points[v.index];
  add(point);
  return point.body || graph::leaves(model_.graph, point.position).empty();
}

bool Frames::placed_frame(const ast::Expr& e, const ast::Expr& place, Scope& inside, Placement& made) {
  const std::optional<Frame> frame = frame_of(e, *item_.scope, "what `coordinates` places");
  std::optional<Pose> pose = this->place(place, inside);
  if (!frame || !pose) return false;
  made.body = frame->body;
  made.ground = frame->ground;
  made.frame = {frame->position, frame->rotation};
  made.place = std::move(*pose);
  return true;
}

// A point of a body or of the ground, or the origin of a frame. A particle is no part of a tree.
bool Frames::placed_point(const ast::Expr& e, const ast::Expr& place, Scope& inside, Placement& made) {
  const Value of = evaluator_.evaluate(e, *item_.scope), at = evaluator_.evaluate(place, inside);
  const Value point = evaluator_.types().converted(of, "point", "what `coordinates` places", {});
  const std::string what = "the place of a point";
  if (point.invalid() || !evaluator_.expect_vector(at, what) ||
      !evaluator_.expect_dimension(at, length_dimension(), what))
    return false;
  const std::optional<Value> position = evaluator_.members().position(point);
  if (!position) return false;
  if (point.type.shape == Shape::point) made.body = model_.points[point.index].body;
  if (point.type.shape == Shape::frame) made.body = model_.frames[point.index].body;
  made.ground = !made.body && std::ranges::all_of(graph::leaves(model_.graph, position->nodes),
                                                  [](const Node& n) { return n.leaf == LeafKind::param; });
  made.frame.r = position->nodes;
  made.place.r = at.nodes;
  return true;
}

// In the place a name stands for the coordinate, and everywhere else for what measures it.
bool Frames::name(const ast::Declared& d, Placement& made, Scope& inside) {
  const Symbol* symbol = item_.scope->find(d.name).symbol;
  const Meaning measure = symbol ? evaluator_.names().value_of(*symbol) : Meaning{};
  if (measure.invalid()) return false;
  if (!measure.scalar() || measure.level != Level::position)
    return mbc::refuse(sink_, Kind::placement_measure, d.span, printable(d.name));
  const Name full(made.joint + d.name);
  const std::uint32_t leaf = model_.next_coordinate(true);
  const Dimension rate = measure.type.dimension / physical(model_, time_dimension());
  model_.add_coordinate({full, measure.type.dimension, model_.graph.zero(), {}, d.span, true},
                        {Name(full, "'"), Name(full, "''"), rate, model_.graph.zero(), {}, d.span}, true);
  made.coordinates.push_back(leaf);
  made.measures.push_back(without_turns(model_, measure.node()));
  made.names.push_back(measure.node());
  Symbol stands;
  stands.span = d.span;
  stands.value =
      evaluator_.scalar(model_.graph.leaf(LeafKind::coordinate, leaf), measure.type.dimension, Level::position, d.span);
  inside.add(d.name, std::move(stands));
  return true;
}

// a.at(r, R) with r and R by the names, or a frame itself.
std::optional<Pose> Frames::place(const ast::Expr& e, const Scope& inside) {
  const auto* call = std::get_if<ast::Call>(&e.node);
  const auto* callee = call ? std::get_if<ast::Member>(&call->callee->node) : nullptr;
  if (callee && callee->name == "at") return at(*call, *callee, e.span, inside);
  const std::optional<Frame> frame = frame_of(e, inside, "the place of a frame");
  return frame ? std::optional<Pose>({frame->position, frame->rotation}) : std::nullopt;
}

std::optional<Pose> Frames::at(const ast::Call& c, const ast::Member& callee, Span span, const Scope& inside) {
  const std::optional<Frame> carrier = frame_of(*callee.object, inside, "what stands before `.at`");
  std::vector<Value> args;
  for (const ast::Argument& a : c.args) args.push_back(evaluator_.evaluate(*a.value, inside));
  const auto bad = [](const Value& v) { return v.invalid(); };
  if (!carrier || std::any_of(args.begin(), args.end(), bad)) return {};
  Pose relative = identity_pose(model_.graph, model_.space);
  if (args.size() == 2 && args[1].type.shape == Shape::matrix) {
    relative.R = args[1].nodes;
    args.pop_back();
  }
  const std::optional<std::vector<NodeId>> r = offset(args, span);
  if (!r) return {};
  relative.r = *r;
  return product(model_.graph, {carrier->position, carrier->rotation}, relative);
}

// A vector, or its components.
std::optional<std::vector<NodeId>> Frames::offset(const std::vector<Value>& args, Span span) {
  const std::string what = "the place in `.at`";
  std::vector<NodeId> r;
  for (const Value& v : args) {
    if (!evaluator_.expect_dimension(v, length_dimension(), what)) return {};
    r.insert(r.end(), v.nodes.begin(), v.nodes.end());
  }
  const bool numeric = std::all_of(args.begin(), args.end(), [](const Value& v) { return v.numeric(); });
  if (numeric && r.size() == model_.space) return r;
  return mbc::refuse(sink_, Kind::wrong_arity, span, "at",
                     "a place, as a vector or " + std::to_string(model_.space) + " numbers, and at most a rotation",
                     std::to_string(args.size()));
}

std::optional<Frame> Frames::frame_of(const ast::Expr& e, const Scope& scope, const char* what) {
  const Value v = evaluator_.evaluate(e, scope);
  if (v.invalid()) return {};
  const Value frame = evaluator_.types().converted(v, "frame", what, {});
  if (frame.invalid()) return {};
  return model_.frames[frame.index];
}

}  // namespace mbc::sema
