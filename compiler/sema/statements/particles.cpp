// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/particles.h"

#include "base/text.h"

namespace mbc::sema {

void Particles::particle(const ast::Entity& e, const ast::Stmt& s) {
  const ast::Expr* follows = modifier(e.modifiers, ast::ModifierKind::follows);
  if (follows)
    refuse_modifiers(e.modifiers, {ast::ModifierKind::follows}, "a particle that follows an expression");
  else
    refuse_modifiers(e.modifiers, {ast::ModifierKind::at, ast::ModifierKind::moving}, "a particle");
  const ast::Expr* mass_expr = mass_argument(e);
  Particle p;
  p.name = item_.name();
  p.span = e.name.span;
  p.mass_span = mass_expr ? mass_expr->span : e.name.span;
  p.doc = s.doc;
  const bool good = mass(e, mass_expr, p);
  if (follows ? !follow(*follows, p) || !good : !free(e, p, good)) return;
  model_.particles.push_back(std::move(p));
  set_entity(e.name, Shape::particle, model_.particles.size() - 1);
}

const ast::Expr* Particles::mass_argument(const ast::Entity& e) {
  const ast::Expr* found = nullptr;
  for (const ast::Argument& a : e.args) {
    if (!a.name.empty() && a.name != "mass")
      sink_.report(Kind::unknown_argument, a.name_span, "particle", printable(a.name)).hint("a particle has `mass`");
    else if (found)
      sink_.report(Kind::wrong_arity, a.value->span, "particle", "1 argument, the mass", std::to_string(e.args.size()));
    else
      found = a.value.get();
  }
  return found;
}

bool Particles::mass(const ast::Entity& e, const ast::Expr* given, Particle& p) {
  if (!given) {
    if (e.args.empty())
      sink_.report(Kind::mass_missing, e.name.span, printable(item_.name()))
          .hint("write `particle " + printable(item_.name()) + "(1) at ...`");
    return false;
  }
  const std::optional<NodeId> m =
      constant_scalar(*given, mass_dimension(), "the mass of " + quoted(item_.name()), kVaryingMass);
  if (m) p.mass = *m;
  return m.has_value();
}

// Gives the particle coordinates of its own. If `good` is false, the other arguments are still checked.
bool Particles::free(const ast::Entity& e, Particle& p, bool good) {
  const std::string whose = "of " + quoted(item_.name());
  const ast::Expr* at = modifier(e.modifiers, ast::ModifierKind::at);
  const ast::Expr* moving = modifier(e.modifiers, ast::ModifierKind::moving);
  std::optional<std::vector<NodeId>> start, velocity = std::vector<NodeId>(model_.space, model_.graph.zero());
  if (at)
    start = constant_vector(*at, length_dimension(), "the position " + whose, kLedAlong);
  else
    sink_.report(Kind::position_missing, e.name.span, printable(item_.name())).hint("write `at (0, 0, 0)`");
  if (moving) velocity = constant_vector(*moving, velocity_dimension(), "the velocity " + whose);
  if (!good || !start || !velocity) return false;
  const Name name = item_.name();
  p.first_coordinate = static_cast<std::uint32_t>(model_.coordinates.size());
  for (std::uint32_t k = 0; k < model_.space; ++k) {
    const std::string axis(1, kAxes[k]);
    graph::SpanScope span_scope(model_.graph, e.name.span);
    p.position.push_back(model_.graph.leaf(LeafKind::coordinate, *p.first_coordinate + k));
    const std::uint32_t u = model_.add_coordinate(
        {Name(name, "." + axis), physical(model_, length_dimension()), (*start)[k], {}, e.name.span, true},
        {Name(name, ".v" + axis),
         Name(name, ".a" + axis),
         physical(model_, velocity_dimension()),
         (*velocity)[k],
         {},
         e.name.span,
         {.written = moving != nullptr}});
    p.velocity.push_back(model_.graph.leaf(LeafKind::speed, u));
    p.acceleration.push_back(model_.graph.leaf(LeafKind::accel, u));
  }
  return true;
}

// The position of a prescribed body is an expression of coordinates and t; velocity and acceleration are its
// derivatives.
bool Particles::follow(const ast::Expr& place, Particle& p) {
  const Value v = value(place);
  const std::string what = "the position of " + quoted(item_.name());
  if (!evaluator_.expect_vector(v, what) || !evaluator_.expect_dimension(v, length_dimension(), what)) return false;
  if (!only_places(v)) return false;
  graph::SpanScope span_scope(model_.graph, v.span);
  p.position = std::vector<NodeId>(v.nodes);
  p.velocity = rates_of(model_, p.position);
  p.acceleration = rates_of(model_, p.velocity);
  return true;
}

// coord x = 0 [m] rate 2 [m/s]: a generalised coordinate with its speed x'.
void Particles::coord(const ast::Coord& c) {
  const std::string what = "the initial value of " + quoted(item_.name());
  refuse_modifiers(c.modifiers, {ast::ModifierKind::rate}, "a coordinate");
  if (!c.value)
    return void(sink_.report(Kind::coordinate_value, c.name.span, printable(item_.name()))
                    .hint("write `coord " + printable(c.name.name) + " = 0`"));
  const Value start = value(*c.value);
  if (!evaluator_.expect_scalar(start, what) || !evaluator_.expect_constant(start, what)) return;
  const Dimension dimension = start.type.dimension, rate_dimension = dimension / physical(model_, time_dimension());
  NodeId rate_start = model_.graph.zero();
  const ast::Expr* rate = modifier(c.modifiers, ast::ModifierKind::rate);
  if (rate) {
    const auto given = constant_scalar(*rate, rate_dimension, "the initial rate of " + quoted(item_.name()));
    if (!given) return;
    rate_start = *given;
  }
  const auto q = static_cast<std::uint32_t>(model_.coordinates.size());
  const Name name = item_.name();
  graph::SpanScope span_scope(model_.graph, c.name.span);
  model_.add_coordinate(
      {name, dimension, start.node(), {}, c.name.span},
      {Name(name, "'"), Name(name, "''"), rate_dimension, rate_start, {}, c.name.span, {.written = rate != nullptr}});
  set_symbol(c.name,
             evaluator_.scalar(model_.graph.leaf(LeafKind::coordinate, q), dimension, Level::position, c.name.span));
}

}  // namespace mbc::sema
