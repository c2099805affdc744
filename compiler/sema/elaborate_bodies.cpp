// SPDX-License-Identifier: Apache-2.0
// Bodies, points on them, and torques.
#include <algorithm>
#include <cmath>

#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "compiler/sema/elaborator.h"
#include "compiler/sema/rotations.h"

namespace mbc::sema {

using graph::LeafKind;
using graph::Op;

namespace {

const char* kAxes = "xyz";

}  // namespace

std::vector<NodeId> Elaborator::rates_of(const std::vector<NodeId>& nodes) {
  std::vector<NodeId> out;
  for (NodeId n : nodes) out.push_back(ad::time_derivative(model_.graph, n, model_.motion()));
  return out;
}

// R r, for a vector fixed in the body
std::vector<NodeId> Elaborator::turned(const std::vector<NodeId>& rotation, const std::vector<NodeId>& r) {
  graph::Graph& g = model_.graph;
  const std::size_t n = r.size();
  std::vector<NodeId> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(g.dot({rotation.data() + i * n, n}, r));
  return out;
}

void Elaborator::body(const ast::Entity& e, const ast::Stmt& s) {
  if (model_.space == 1) return refuse("`body` in `space 1`", s.span);
  Body b;
  b.name = item_name_;
  b.span = e.name.span;
  b.doc = s.doc;
  const ast::Expr* follows = modifier(e.modifiers, ast::ModifierKind::follows);
  const bool good = body_arguments(e, follows == nullptr, b);
  refuse_modifiers(
      e.modifiers,
      follows ? std::initializer_list<ast::ModifierKind>{ast::ModifierKind::follows}
              : std::initializer_list<ast::ModifierKind>{ast::ModifierKind::at, ast::ModifierKind::moving,
                                                         ast::ModifierKind::rotated, ast::ModifierKind::spinning},
      follows ? "a body that follows a frame" : "a body");
  graph::SpanScope span_scope(model_.graph, e.name.span);
  if (follows ? !following_body(*follows, b) : !free_body(e, b)) return;
  if (!good) return;
  mass_centre(b);
  representation_rows(b);
  Value v;
  v.type.shape = Shape::body;
  v.index = static_cast<std::uint32_t>(model_.bodies.size());
  model_.bodies.push_back(std::move(b));
  set_symbol(e.name, v);
}

// at, moving in space axes; rotated: body to space; spinning in body axes
bool Elaborator::free_body(const ast::Entity& e, Body& b) {
  graph::Graph& g = model_.graph;
  const std::uint32_t n = model_.space;
  const std::string whose = "of `" + printable(b.name) + "`";
  const ast::Expr* at = modifier(e.modifiers, ast::ModifierKind::at);
  const ast::Expr* rotated = modifier(e.modifiers, ast::ModifierKind::rotated);
  if (!at) {
    sink_.report(Kind::position_missing, e.name.span, printable(b.name)).hint("write `at (0, 0, 0)`");
    return false;
  }
  const auto constant_vector = [&](const ast::Expr* expr, const std::string& what, Dimension d,
                                   std::vector<NodeId>& out) {
    if (!expr) return true;
    const Value v = value(*expr);
    if (!evaluator_.expect_vector(v, what) || !evaluator_.expect_constant(v, what) ||
        !evaluator_.expect_dimension(v, d, what))
      return false;
    out = v.nodes;
    return true;
  };
  std::vector<NodeId> start(n, g.zero()), velocity(n, g.zero()), spin(n == 3 ? 3 : 1, g.zero());
  if (!constant_vector(at, "the position " + whose, length_dimension(), start) ||
      !constant_vector(modifier(e.modifiers, ast::ModifierKind::moving), "the velocity " + whose, velocity_dimension(),
                       velocity))
    return false;
  const Dimension rate = Dimension{} / time_dimension();
  if (const ast::Expr* spinning = modifier(e.modifiers, ast::ModifierKind::spinning)) {
    const std::string what = "the angular velocity " + whose;
    if (n == 3) {
      if (!constant_vector(spinning, what, rate, spin)) return false;
    } else {
      const Value v = value(*spinning);
      if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_constant(v, what) ||
          !evaluator_.expect_dimension(v, rate, what))
        return false;
      spin = v.nodes;
    }
  }
  std::vector<NodeId> R(n * n, g.zero());
  for (std::uint32_t k = 0; k < n; ++k) R[k * n + k] = g.one();
  if (rotated) {
    const Value v = value(*rotated);
    const std::string what = "the rotation " + whose;
    if (v.invalid()) return false;
    if (v.type.shape != Shape::matrix) {
      sink_.report(Kind::wrong_shape, v.span, what,
                   std::string(n == 3 ? "a rotation such as `rotz(30 [deg])`" : "a rotation such as `rot(30 [deg])`"),
                   describe_shape(v));
      return false;
    }
    if (!evaluator_.expect_constant(v, what)) return false;
    R = v.nodes;
    b.rotation_span = v.span;
    if (!check_rotation(R, v.span, what)) return false;
  }

  const auto q0 = static_cast<std::uint32_t>(model_.coordinates.size());
  const auto u0 = static_cast<std::uint32_t>(model_.speeds.size());
  b.first_coordinate = q0;
  b.first_speed = u0;
  const Dimension x = physical(model_, length_dimension()), v = physical(model_, velocity_dimension()),
                  w = physical(model_, rate);
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::string axis(1, kAxes[k]);
    model_.coordinates.push_back({b.name + "." + axis, x, start[k], g.leaf(LeafKind::speed, u0 + k), b.span, true});
    model_.speeds.push_back({b.name + ".v" + axis, b.name + ".a" + axis, v, velocity[k], q0 + k, b.span});
    model_.speeds.back().start.written = modifier(e.modifiers, ast::ModifierKind::moving) != nullptr;
    b.position.push_back(g.leaf(LeafKind::coordinate, q0 + k));
    b.velocity.push_back(g.leaf(LeafKind::speed, u0 + k));
    b.acceleration.push_back(g.leaf(LeafKind::accel, u0 + k));
  }
  if (n == 2) {
    const NodeId angle = g.leaf(LeafKind::coordinate, q0 + 2);
    model_.coordinates.push_back(
        {b.name + ".angle", {}, g.binary(Op::atan2, R[2], R[0]), g.leaf(LeafKind::speed, u0 + 2), b.span, true});
    model_.speeds.push_back({b.name + ".omega", b.name + ".alpha", w, spin[0], q0 + 2, b.span});
    model_.speeds.back().start.written = modifier(e.modifiers, ast::ModifierKind::spinning) != nullptr;
    const NodeId c = g.unary(Op::cos, angle), sn = g.unary(Op::sin, angle);
    b.rotation = {c, g.neg(sn), sn, c};
    b.omega = {g.leaf(LeafKind::speed, u0 + 2)};
    b.alpha = {g.leaf(LeafKind::accel, u0 + 2)};
    return true;
  }
  b.start_rotation = std::move(R);
  b.start_omega = std::move(spin);
  switch (b.representation) {
    case Representation::quaternion:
      quaternion_body(b, w);
      break;
    case Representation::euler_parameters:
      euler_parameter_body(b);
      break;
    case Representation::natural:
      natural_body(b);
      break;
  }
  for (std::size_t u = u0 + 3; u < model_.speeds.size(); ++u)
    model_.speeds[u].start.written = modifier(e.modifiers, ast::ModifierKind::spinning) != nullptr;
  return true;
}

// body b(..) follows frame(origin = r, rotation = R): place and rotation are expressions of coordinates and t
bool Elaborator::following_body(const ast::Expr& expr, Body& b) {
  const auto* call = std::get_if<ast::Call>(&expr.node);
  const auto* callee = call ? std::get_if<ast::Name>(&call->callee->node) : nullptr;
  const ast::Expr *origin = nullptr, *rotation = nullptr;
  if (callee && callee->text == "frame")
    for (std::size_t k = 0; k < call->args.size(); ++k) {
      const ast::Argument& a = call->args[k];
      if (a.name == "origin" || (a.name.empty() && k == 0))
        origin = a.value.get();
      else if (a.name == "rotation" || (a.name.empty() && k == 1))
        rotation = a.value.get();
      else
        sink_.report(Kind::unknown_argument, a.name.empty() ? a.value->span : a.name_span, std::string("frame"),
                     printable(a.name));
    }
  if (!origin || !rotation) {
    sink_.report(Kind::follows_frame, expr.span, printable(b.name))
        .hint("write `follows frame(origin = (x, 0, 0), rotation = rotz(phi))`");
    return false;
  }
  const std::string whose = "of `" + printable(b.name) + "`";
  const Value r = value(*origin), R = value(*rotation);
  if (!evaluator_.expect_vector(r, "the position " + whose) ||
      !evaluator_.expect_dimension(r, length_dimension(), "the position " + whose) || R.invalid())
    return false;
  if (R.type.shape != Shape::matrix) {
    sink_.report(Kind::wrong_shape, R.span, "the rotation " + whose, std::string("a rotation such as `rotz(phi)`"),
                 describe_shape(R));
    return false;
  }
  for (const Value* v : {&r, &R})
    for (NodeId id : graph::leaves(model_.graph, v->nodes)) {
      const LeafKind leaf = model_.graph.node(id).leaf;
      if (leaf == LeafKind::coordinate || leaf == LeafKind::time || leaf == LeafKind::param) continue;
      sink_.report(Kind::follows_motion, v->span, printable(b.name));
      return false;
    }
  graph::Graph& g = model_.graph;
  b.position = r.nodes;
  b.velocity = rates_of(b.position);
  b.acceleration = rates_of(b.velocity);
  b.rotation = R.nodes;
  b.rotation_span = R.span;
  b.omega = angular_velocity_of(
      g, R.nodes, [this](const std::vector<NodeId>& e) { return rates_of(e); }, model_.space);
  b.alpha = rates_of(b.omega);
  return true;
}

bool Elaborator::check_rotation(const std::vector<NodeId>& R, Span span, const std::string& what) {
  const std::string why = check_constant_rotation(model_, R, what, span);
  if (!why.empty()) sink_.report(Kind::not_a_rotation, span, what, why);
  return why.empty();
}

// point tip on link at (2, 0, 0): fixed in the body, or in the ground
void Elaborator::point(const ast::Entity& e) {
  refuse_modifiers(e.modifiers, {ast::ModifierKind::on, ast::ModifierKind::at}, "a point");
  const ast::Expr* on = modifier(e.modifiers, ast::ModifierKind::on);
  const ast::Expr* at = modifier(e.modifiers, ast::ModifierKind::at);
  if (!on || !at) {
    sink_.report(Kind::point_place, e.name.span, printable(item_name_), std::string(on ? "at" : "on"));
    return;
  }
  const Value carrier = value(*on), r = value(*at);
  if (carrier.invalid()) return;
  const std::string what = "the place of `" + printable(item_name_) + "`";
  if (carrier.type.shape != Shape::body && carrier.type.shape != Shape::ground && carrier.type.shape != Shape::frame) {
    sink_.report(Kind::wrong_shape, on->span, std::string("what a point is on"),
                 std::string("a body, a frame or `ground`"), describe_shape(carrier));
    return;
  }
  if (!evaluator_.expect_vector(r, what) || !evaluator_.expect_constant(r, what) ||
      !evaluator_.expect_dimension(r, length_dimension(), what))
    return;
  graph::SpanScope span_scope(model_.graph, e.name.span);
  Point p{item_name_, r.nodes, {}, {}, e.name.span, {}};
  const auto fixed_in = [&](const auto& b) {
    p.position = turned(b.rotation, r.nodes);
    for (std::size_t k = 0; k < p.position.size(); ++k) p.position[k] = model_.graph.add(b.position[k], p.position[k]);
  };
  if (carrier.type.shape == Shape::body) {
    fixed_in(model_.bodies[carrier.index]);
    p.body = carrier.index;
  } else if (carrier.type.shape == Shape::frame) {
    fixed_in(model_.frames[carrier.index]);
    p.body = model_.frames[carrier.index].body;
  }
  p.velocity = rates_of(p.position);
  p.acceleration = rates_of(p.velocity);
  Value v;
  v.type.shape = Shape::point;
  v.index = static_cast<std::uint32_t>(model_.points.size());
  model_.points.push_back(std::move(p));
  set_symbol(e.name, v);
}

// torque m on b [from c]: in space axes; the reaction on the other body
void Elaborator::torque(const ast::Load& f, const ast::Stmt& s) {
  refuse_modifiers(f.modifiers, {ast::ModifierKind::on, ast::ModifierKind::from}, "a torque");
  const auto [shown, name] = name_load(f, s, "torque");
  const ast::Expr* on = modifier(f.modifiers, ast::ModifierKind::on);
  const ast::Expr* from = modifier(f.modifiers, ast::ModifierKind::from);
  if (!on) {
    sink_.report(Kind::force_target_missing, f.name.name.empty() ? s.span : f.name.span, "the torque " + shown);
    return;
  }
  const Value target = value(*on), other = from ? value(*from) : Value{}, v = value(*f.value);
  if (target.invalid() || v.invalid() || (from && other.invalid())) return;
  const auto body_or_ground = [&](const Value& x, const ast::Expr& e) {
    if (&x == &target && stands_still(x)) {
      sink_.report(Kind::wrong_shape, e.span, std::string("what a torque acts on"),
                   std::string("a body or a frame of one"), std::string("a frame of the ground"));
      return false;
    }
    if (x.type.shape == Shape::body || x.type.shape == Shape::frame || (&x == &other && x.type.shape == Shape::ground))
      return true;
    sink_.report(Kind::wrong_shape, e.span, std::string("what a torque acts on"), std::string("a body or a frame"),
                 describe_shape(x));
    return false;
  };
  if (!body_or_ground(target, *on) || (from && !body_or_ground(other, *from))) return;
  if (from && other.type.shape == Shape::body && other.index == target.index) {
    sink_.report(Kind::own_reaction, from->span, "the torque " + shown, printable(model_.bodies[target.index].name));
    return;
  }
  const std::string what = "the torque " + shown;
  const bool fits = model_.space == 2 ? evaluator_.expect_scalar(v, what) : evaluator_.expect_vector(v, what);
  const bool nonideal = nonideal_.contains(&s);
  if (!fits || !evaluator_.expect_dimension(v, energy_dimension(), what) || refuse_results(v, what, nonideal)) return;
  graph::SpanScope span_scope(model_.graph, f.value->span);
  const auto add_to = [&](const auto& b, bool opposite) {
    std::vector<NodeId> moment = v.nodes;
    for (NodeId& n : moment) n = opposite ? model_.graph.neg(n) : n;
    if (model_.space == 3) {  // R^T tau: in body axes, as omega
      std::vector<NodeId> transposed(9);
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) transposed[3 * i + j] = b.rotation[3 * j + i];
      moment = turned(transposed, moment);
    }
    model_.torques.push_back({name, moment, b.omega, f.value->span, nonideal});
  };
  const auto add = [&](const Value& x, bool opposite) {
    if (x.type.shape == Shape::body) add_to(model_.bodies[x.index], opposite);
    if (x.type.shape == Shape::frame && !model_.frames[x.index].ground) add_to(model_.frames[x.index], opposite);
  };
  add(target, false);
  if (from) add(other, true);
}

}  // namespace mbc::sema
