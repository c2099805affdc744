// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/frames.h"

#include "base/text.h"
#include "compiler/sema/rotations.h"

namespace mbc::sema {

// Returns the arguments of `frame(origin = .., rotation = ..)`; null for a missing one.
Frames::Followed Frames::followed(const ast::Expr& expr) {
  Followed out;
  const auto* call = std::get_if<ast::Call>(&expr.node);
  const auto* callee = call ? std::get_if<ast::Name>(&call->callee->node) : nullptr;
  if (callee && callee->text == "frame")
    for (std::size_t k = 0; k < call->args.size(); ++k) {
      const ast::Argument& a = call->args[k];
      if (a.name == "origin" || (a.name.empty() && k == 0))
        out.origin = a.value.get();
      else if (a.name == "rotation" || (a.name.empty() && k == 1))
        out.rotation = a.value.get();
      else
        sink_.report(Kind::unknown_argument, a.name.empty() ? a.value->span : a.name_span, "frame", printable(a.name));
    }
  return out;
}

// body b(..) follows frame(origin = r, rotation = R): place and rotation are expressions of coordinates and t
bool Frames::follow(const ast::Expr& expr, Body& b) {
  const auto [origin, rotation] = followed(expr);
  if (!origin || !rotation)
    return mbc::refuse(sink_, Kind::follows_frame, expr.span, printable(b.name))
        .hint("write `follows frame(origin = (x, 0, 0), rotation = rotz(phi))`");
  const std::string whose = "of `" + printable(b.name) + "`";
  const Value r = value(*origin), R = value(*rotation);
  if (!evaluator_.expect_vector(r, "the position " + whose) ||
      !evaluator_.expect_dimension(r, length_dimension(), "the position " + whose) || R.invalid())
    return false;
  if (R.type.shape != Shape::matrix)
    return mbc::refuse(sink_, Kind::wrong_shape, R.span, "the rotation " + whose, "a rotation such as `rotz(phi)`",
                       describe_shape(R));
  if (!only_places(r) || !only_places(R)) return false;
  graph::Graph& g = model_.graph;
  b.position = r.nodes;
  b.velocity = rates_of(model_, b.position);
  b.acceleration = rates_of(model_, b.velocity);
  b.rotation = R.nodes;
  b.rotation_span = R.span;
  model_.moving_rotations.push_back({R.nodes, "the rotation " + whose, R.span});
  b.omega = angular_velocity_of(
      g, R.nodes, [this](const std::vector<NodeId>& e) { return rates_of(model_, e); }, model_.space);
  b.alpha = rates_of(model_, b.omega);
  return true;
}

void Frames::point(const ast::Entity& e) {
  refuse_modifiers(e.modifiers, {ast::ModifierKind::on, ast::ModifierKind::at}, "a point");
  const ast::Expr* on = modifier(e.modifiers, ast::ModifierKind::on);
  const ast::Expr* at = modifier(e.modifiers, ast::ModifierKind::at);
  if (!on || !at) return void(sink_.report(Kind::point_place, e.name.span, printable(item_.name()), on ? "at" : "on"));
  const Value carrier = part(*on), r = value(*at);
  if (carrier.invalid()) return;
  const std::string what = "the place of `" + printable(item_.name()) + "`";
  if (carrier.type.shape != Shape::body && carrier.type.shape != Shape::ground && carrier.type.shape != Shape::frame)
    return void(sink_.report(Kind::wrong_shape, on->span, "what a point is on", "a body, a frame or `ground`",
                             describe_shape(carrier)));
  if (!evaluator_.expect_vector(r, what) || !evaluator_.expect_constant(r, what) ||
      !evaluator_.expect_dimension(r, length_dimension(), what))
    return;
  graph::SpanScope span_scope(model_.graph, e.name.span);
  Point p{item_.name(), r.nodes, {}, {}, e.name.span, {}};
  const auto fixed_in = [&](const auto& b) {
    p.position = turned(model_.graph, b.rotation, r.nodes);
    for (std::size_t k = 0; k < p.position.size(); ++k) p.position[k] = model_.graph.add(b.position[k], p.position[k]);
  };
  if (carrier.type.shape == Shape::body) {
    fixed_in(model_.bodies[carrier.index]);
    p.body = carrier.index;
  } else if (carrier.type.shape == Shape::frame) {
    fixed_in(model_.frames[carrier.index]);
    p.body = model_.frames[carrier.index].body;
  }
  p.velocity = rates_of(model_, p.position);
  p.acceleration = rates_of(model_, p.velocity);
  model_.points.push_back(std::move(p));
  set_entity(e.name, Shape::point, model_.points.size() - 1);
}

void Frames::frame(const ast::Entity& e) {
  if (model_.space == 1) return refuse("`frame` in `space 1`", e.name.span);
  const ast::Expr* follows = modifier(e.modifiers, ast::ModifierKind::follows);
  refuse_modifiers(e.modifiers,
                   follows ? std::initializer_list<ast::ModifierKind>{ast::ModifierKind::follows}
                           : std::initializer_list<ast::ModifierKind>{ast::ModifierKind::on, ast::ModifierKind::at,
                                                                      ast::ModifierKind::rotated},
                   follows ? "a frame that follows expressions" : "a frame");
  if (e.has_args)
    return void(
        sink_.report(Kind::frame_place, e.name.span, printable(e.name.name))
            .hint("write `frame F on b at (1, 0, 0)` or `frame F follows frame(origin = ..., rotation = ...)`"));
  graph::SpanScope span_scope(model_.graph, e.name.span);
  if (follows)
    following_frame(e, *follows);
  else
    fixed_frame(e);
}

void Frames::following_frame(const ast::Entity& e, const ast::Expr& follows) {
  Body b;
  b.name = item_.name();
  b.span = e.name.span;
  if (!follow(follows, b)) return;
  model_.frames.push_back(
      {b.name, b.position, b.velocity, b.acceleration, b.rotation, b.omega, b.alpha, b.span, {}, false, true});
  set_entity(e.name, Shape::frame, model_.frames.size() - 1);
}

void Frames::fixed_frame(const ast::Entity& e) {
  const ast::Expr* on = modifier(e.modifiers, ast::ModifierKind::on);
  const ast::Expr* at = modifier(e.modifiers, ast::ModifierKind::at);
  const ast::Expr* rotated = modifier(e.modifiers, ast::ModifierKind::rotated);
  if (!on)
    return void(sink_.report(Kind::frame_place, e.name.span, printable(e.name.name))
                    .hint("write `frame " + printable(e.name.name) +
                          " on b at (1, 0, 0)`, with a body, a frame or `ground` for b"));
  const Value carrier = part(*on);
  const Value r = at ? value(*at) : Value{}, R = rotated ? value(*rotated) : Value{};
  if (carrier.invalid() || (at && r.invalid()) || (rotated && R.invalid())) return;
  const Shape s = carrier.type.shape;
  const bool of_shape = item_.scope->owner() && item_.scope->owner()->shape;
  if (s != Shape::body && s != Shape::frame && s != Shape::ground && !(of_shape && s == Shape::particle))
    return void(sink_.report(Kind::wrong_shape, carrier.span, of_shape ? "what a shape is on" : "what a frame is on",
                             "a body, a frame or `ground`", describe_shape(s)));
  const std::string whose = "of " + quoted(e.name.name);
  if (at &&
      (!evaluator_.expect_vector(r, "the place " + whose) || !evaluator_.expect_constant(r, "the place " + whose) ||
       !evaluator_.expect_dimension(r, length_dimension(), "the place " + whose)))
    return;
  if (rotated && !evaluator_.expect_rotation(R, "the rotation " + whose)) return;
  set_symbol(e.name, evaluator_.types().frame_on(carrier, r.nodes, R.nodes, item_.name(), e.name.span));
}

}  // namespace mbc::sema
