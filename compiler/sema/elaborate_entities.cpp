// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics/render.h"
#include "compiler/sema/elaborator.h"

namespace mbc::sema {

using graph::LeafKind;

namespace {
const char* kAxes = "xyz";
}

void Elaborator::particle(const ast::Entity& e, const ast::Stmt& s) {
  const Name name = item_name_;
  const std::string whose = "of `" + printable(item_name_) + "`";
  const ast::Expr* follows = modifier(e.modifiers, ast::ModifierKind::follows);
  if (follows)
    refuse_modifiers(e.modifiers, {ast::ModifierKind::follows}, "a particle that follows an expression");
  else
    refuse_modifiers(e.modifiers, {ast::ModifierKind::at, ast::ModifierKind::moving}, "a particle");
  const ast::Expr* mass_expr = nullptr;
  for (const ast::Argument& a : e.args) {
    if (!a.name.empty() && a.name != "mass")
      sink_.report(Kind::unknown_argument, a.name_span, std::string("particle"), printable(a.name))
          .hint("a particle has `mass`");
    else if (mass_expr)
      sink_.report(Kind::wrong_arity, a.value->span, std::string("particle"), std::string("1 argument, the mass"),
                   std::to_string(e.args.size()));
    else
      mass_expr = a.value.get();
  }
  Particle p;
  p.name = name;
  p.span = e.name.span;
  p.mass_span = mass_expr ? mass_expr->span : e.name.span;
  p.doc = s.doc;
  bool good = true;
  if (!mass_expr) {
    if (e.args.empty())
      sink_.report(Kind::mass_missing, e.name.span, printable(item_name_))
          .hint("write `particle " + printable(item_name_) + "(1) at ...`");
    good = false;
  } else {
    const Value m = value(*mass_expr);
    const std::string what = "the mass " + whose;
    good = evaluator_.expect_scalar(m, what) && evaluator_.expect_constant(m, what) &&
           evaluator_.expect_dimension(m, mass_dimension(), what);
    if (good) p.mass = m.node();
  }
  if (follows) {
    if (follower(e, p) && good) add_particle(e, std::move(p));
    return;
  }
  const ast::Expr* at = modifier(e.modifiers, ast::ModifierKind::at);
  const ast::Expr* moving = modifier(e.modifiers, ast::ModifierKind::moving);
  std::vector<NodeId> start(model_.space, model_.graph.zero()), velocity = start;
  const auto initial = [&](const ast::Expr& expr, const std::string& what, Dimension d, std::vector<NodeId>& out) {
    const Value v = value(expr);
    if (!evaluator_.expect_vector(v, what) || !evaluator_.expect_constant(v, what) ||
        !evaluator_.expect_dimension(v, d, what))
      return false;
    out = v.nodes;
    return true;
  };
  if (!at) {
    sink_.report(Kind::position_missing, e.name.span, printable(item_name_)).hint("write `at (0, 0, 0)`");
    good = false;
  } else {
    good &= initial(*at, "the position " + whose, length_dimension(), start);
  }
  if (moving) good &= initial(*moving, "the velocity " + whose, velocity_dimension(), velocity);
  if (!good) return;
  p.first_coordinate = static_cast<std::uint32_t>(model_.coordinates.size());
  for (std::uint32_t k = 0; k < model_.space; ++k) {
    const auto q = static_cast<std::uint32_t>(model_.coordinates.size());
    const auto u = static_cast<std::uint32_t>(model_.speeds.size());
    const std::string axis(1, kAxes[k]);
    graph::SpanScope span_scope(model_.graph, e.name.span);
    const NodeId position = model_.graph.leaf(LeafKind::coordinate, q), rate = model_.graph.leaf(LeafKind::speed, u);
    model_.coordinates.push_back(
        {Name(name, "." + axis), physical(model_, length_dimension()), start[k], rate, e.name.span, true});
    model_.speeds.push_back({Name(name, ".v" + axis), Name(name, ".a" + axis), physical(model_, velocity_dimension()),
                             velocity[k], q, e.name.span});
    model_.speeds.back().start.written = moving != nullptr;
    p.position.push_back(position);
    p.velocity.push_back(rate);
    p.acceleration.push_back(model_.graph.leaf(LeafKind::accel, u));
  }
  add_particle(e, std::move(p));
}

void Elaborator::add_particle(const ast::Entity& e, Particle p) {
  Value v;
  v.type.shape = Shape::particle;
  v.index = static_cast<std::uint32_t>(model_.particles.size());
  model_.particles.push_back(std::move(p));
  set_symbol(e.name, v);
}

// The position of a follower is an expression of coordinates and t; velocity and acceleration are its derivatives.
bool Elaborator::follower(const ast::Entity& e, Particle& p) {
  const Value v = value(*modifier(e.modifiers, ast::ModifierKind::follows));
  const std::string what = "the position of " + quoted(item_name_);
  if (!evaluator_.expect_vector(v, what) || !evaluator_.expect_dimension(v, length_dimension(), what)) return false;
  for (NodeId id : graph::leaves(model_.graph, v.nodes)) {
    const LeafKind leaf = model_.graph.node(id).leaf;
    if (leaf == LeafKind::coordinate || leaf == LeafKind::time || leaf == LeafKind::param) continue;
    sink_.report(Kind::follows_motion, v.span, printable(item_name_));
    return false;
  }
  graph::SpanScope span_scope(model_.graph, v.span);
  p.position = v.nodes;
  for (NodeId x : p.position) p.velocity.push_back(ad::time_derivative(model_.graph, x, model_.motion()));
  for (NodeId x : p.velocity) p.acceleration.push_back(ad::time_derivative(model_.graph, x, model_.motion()));
  return true;
}

// coord x = 0 [m] rate 2 [m/s]: a generalised coordinate with its speed x'.
void Elaborator::coord(const ast::Coord& c) {
  const std::string what = "the initial value of " + quoted(item_name_);
  refuse_modifiers(c.modifiers, {ast::ModifierKind::rate}, "a coordinate");
  if (!c.value) {
    sink_.report(Kind::coordinate_value, c.name.span, printable(item_name_))
        .hint("write `coord " + printable(c.name.name) + " = 0`");
    return;
  }
  const Value start = value(*c.value);
  if (!evaluator_.expect_scalar(start, what) || !evaluator_.expect_constant(start, what)) return;
  const Dimension dimension = start.type.dimension, rate_dimension = dimension / physical(model_, time_dimension());
  NodeId rate_start = model_.graph.zero();
  if (const ast::Expr* rate = modifier(c.modifiers, ast::ModifierKind::rate)) {
    const Value v = value(*rate);
    const std::string whose = "the initial rate of " + quoted(item_name_);
    if (!evaluator_.expect_scalar(v, whose) || !evaluator_.expect_constant(v, whose) ||
        !evaluator_.expect_dimension(v, rate_dimension, whose))
      return;
    rate_start = v.node();
  }
  const auto q = static_cast<std::uint32_t>(model_.coordinates.size());
  const auto u = static_cast<std::uint32_t>(model_.speeds.size());
  const Name name = item_name_;
  graph::SpanScope span_scope(model_.graph, c.name.span);
  model_.coordinates.push_back(
      {name, dimension, start.node(), model_.graph.leaf(LeafKind::speed, u), c.name.span, false});
  model_.speeds.push_back({Name(name, "'"), Name(name, "''"), rate_dimension, rate_start, q, c.name.span});
  model_.speeds.back().start.written = modifier(c.modifiers, ast::ModifierKind::rate) != nullptr;
  set_symbol(c.name,
             evaluator_.scalar(model_.graph.leaf(LeafKind::coordinate, q), dimension, Level::position, c.name.span));
}

// Followers have no coordinates of their own: what is recorded of a free particle becomes outputs.
void Elaborator::record_followers() {
  std::vector<Output> recorded;
  const auto record = [&](const auto& p) {
    if (p.first_coordinate) return;
    const auto add = [&](std::span<const NodeId> nodes, const char* prefix, Dimension d) {
      for (std::size_t k = 0; k < nodes.size(); ++k)
        recorded.push_back(
            {p.name + "." + prefix + std::string(1, kAxes[k]), nodes[k], physical(model_, d), p.span, true});
    };
    add(p.position, "", length_dimension());
    add(p.velocity, "v", velocity_dimension());
    add(p.acceleration, "a", acceleration_dimension());
  };
  for (const Particle& p : model_.particles) record(p);
  for (Body& b : model_.bodies) {
    record(b);
    record_body(b, recorded);
  }
  model_.outputs.insert(model_.outputs.begin(), recorded.begin(), recorded.end());
}

}  // namespace mbc::sema
