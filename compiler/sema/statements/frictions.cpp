// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/frictions.h"

#include "base/text.h"
#include "compiler/sema/watched/at_no_slip.h"

namespace mbc::sema {

namespace {

constexpr double kStillOfRest = 0.01;  // of a slip that counts as zero: below it the force keeps the stored direction

}  // namespace

void Frictions::friction(const ast::Load& f, const ast::Stmt& s) {
  refuse_modifiers(f.modifiers, {ast::ModifierKind::on}, "a friction");
  const bool named = !f.name.name.empty();
  const std::string name = named ? item_.name() : path_of_item() + "friction " + line_of(s.span);
  const std::string shown = named ? quoted(item_.name()) : line_of(s.span);
  const ast::Expr* on = modifier(f.modifiers, ast::ModifierKind::on);
  if (!on)
    return void(sink_.report(Kind::force_target_missing, named ? f.name.span : s.span, "the friction " + shown)
                    .hint("name the velocity it acts against: `friction f on p.vx: ...`"));
  const Value slip = value(*on);
  if (slip.invalid()) return;
  if (!is_slip(slip, on->span)) return;
  const Dimension wanted = energy_dimension() / time_dimension() / slip.type.dimension;
  const std::optional<NodeId> moving = limit(*f.value, wanted, "the limit of the friction " + shown);
  if (!moving) return;
  const std::optional<NodeId> still = f.still ? limit(*f.still, wanted, "the static limit of the friction " + shown)
                                              : at_no_slip(model_.graph, *moving, slip.nodes);
  if (!still) return;
  const bool knows_impulses = graph::holds(model_.graph, *moving, {LeafKind::multiplier});
  if (f.restitution && !knows_impulses)
    return void(sink_.report(Kind::friction_restitution, f.restitution->span, shown)
                    .hint("let the limit hold the multiplier of what presses, as in `mu*deck.lambda`"));
  const std::optional<NodeId> bounce = f.restitution ? rows_.restitution(*f.restitution) : std::nullopt;
  if (f.restitution && !bounce) return;
  const std::optional<Constraint> rows = rows_of(f, s, slip, name, shown);
  if (!rows) return;
  Friction made;
  made.constraint = static_cast<std::uint32_t>(model_.constraints.size());
  made.slip = slip.nodes;
  made.limit = *moving;
  made.still = *still;
  made.restitution = bounce;
  made.force = physical(model_, wanted);
  made.span = s.span;
  made.contact.name = name;
  made.contact.row = rows->first_row;
  made.contact.count = rows->row_count;
  model_.constraints.push_back(*rows);
  if (f.still && made.still != made.limit) hold_more(made, *rows);
  hold(made, *rows);
  slide(made, name, f.value->span);
  model_.frictions.push_back(made);
  if (named) set_entity(f.name, Shape::constraint, made.constraint);
}

// Returns whether a slip is one velocity with both signs, or two.
bool Frictions::is_slip(const Value& slip, Span span) {
  const bool fits = slip.scalar() || (slip.vector() && slip.nodes.size() <= 2);
  if (!fits || slip.level != Level::velocity)
    return mbc::refuse(sink_, Kind::friction_slip, span,
                       !fits ? describe_shape(slip)
                             : std::string(slip.level == Level::acceleration ? "accelerations" : "no velocity"));
  const graph::Range range = slip.scalar() ? ranges_.of(slip.node()) : graph::Range{-1, 1, true, true};
  if (range.low >= 0 && range.high > 0)
    return mbc::refuse(sink_, Kind::friction_speed, span, printable(sources_.text(span), 60))
        .hint("write the velocity itself: one number, or in a plane two, `(p.vx, p.vy)`");
  return true;
}

// Returns "-0.3 times the force of `deck`, ..." for `-0.3*deck.lambda` with a unilateral `deck`; "" for anything else.
std::string Frictions::negative_share(NodeId limit) const {
  const graph::Graph& g = model_.graph;
  const Node& n = g.node(limit);
  double factor = -1;
  NodeId force{n.a};
  if (n.op == Op::mul) {
    const bool first = g.is_constant(force);
    if (!first && !g.is_constant(NodeId{n.b})) return "";
    factor = g.constant_value(first ? force : NodeId{n.b});
    if (first) force = NodeId{n.b};
  } else if (n.op != Op::neg) {
    return "";
  }
  if (!(factor < 0) || g.node(force).op != Op::leaf || g.node(force).leaf != LeafKind::multiplier) return "";
  for (const Unilateral& u : model_.unilaterals)
    if (const Constraint& c = model_.constraints[u.constraint]; c.first_row == g.node(force).a)
      return sema::shown(factor) + " times the force of " + quoted(c.name.text()) + ", which only pushes";
  return "";
}

// Evaluates a limit; it may depend on the multipliers of constraints.
std::optional<NodeId> Frictions::limit(const ast::Expr& e, const Dimension& wanted, const std::string& what) {
  const Value v = value(e);
  if (v.invalid() || !evaluator_.expect_scalar(v, what) || !evaluator_.expect_dimension(v, wanted, what)) return {};
  if (graph::holds(model_.graph, v.node(), {LeafKind::accel}))
    return mbc::refuse(sink_, Kind::force_acceleration, v.span, what, "an acceleration");
  if (graph::holds(model_.graph, v.node(), {LeafKind::ideal}))
    return mbc::refuse(sink_, Kind::ideal_outside, v.span, what);
  if (const std::string negative = negative_share(v.node()); !negative.empty()) {
    Diagnostic& d = sink_.report(Kind::friction_negative, v.span, what, negative);
    const Scope::Instance *inner = item_.scope->owner(), *outer = inner;
    while (outer && outer->inside->owner()) outer = outer->inside->owner();
    if (outer != inner) {  // in a pair of shapes: the place that gives the coefficient
      const Label made = outer->made_here();
      d.label(made.span, made.text);
    }
    return {};
  }
  const std::optional<double> known = evaluator_.known_value(v.node());
  if (!known || *known >= 0) return v.node();
  return mbc::refuse(sink_, Kind::friction_negative, v.span, what, sema::shown(*known));
}

std::optional<Constraint> Frictions::rows_of(const ast::Load& f, const ast::Stmt& s, const Value& slip,
                                             const std::string& name, const std::string& shown) {
  Constraint made{name, !f.name.name.empty(), static_cast<std::uint32_t>(model_.equations.size()), 0, s.span, s.doc,
                  {}};
  for (std::size_t k = 0; k < slip.nodes.size(); ++k) {
    const std::string part = slip.nodes.size() == 1 ? "" : "[" + std::to_string(k + 1) + "]";
    if (!rows_.add(part.empty() ? made.name : Name(made.name, part), shown, slip.nodes[k], slip, false, slip.span))
      return {};
  }
  made.row_count = static_cast<std::uint32_t>(model_.equations.size()) - made.first_row;
  return made;
}

// Gives the friction the static limit while other forces hold the slip at zero.
void Frictions::hold_more(Friction& made, const Constraint& c) {
  made.contact.stays = model_.add_held(problem::DiscreteVariable::Use::friction, Name(c.name, ".stays"), {}, c.span);
  made.limit = model_.graph.select(held(*made.contact.stays), made.still, made.limit);
}

// Adds the discrete variables and events that a run changes.
void Frictions::hold(Friction& made, const Constraint& c) {
  using Use = problem::DiscreteVariable::Use;
  const Name& name = c.name;
  made.contact.sticks = model_.add_held(Use::friction, Name(name, ".sticks"), {}, c.span);
  const bool several = made.slip.size() > 1;
  for (std::size_t k = 0; k < made.slip.size(); ++k) {
    const std::string component = several ? "[" + std::to_string(k + 1) + "]" : "";
    made.contact.direction.push_back(model_.add_held(Use::friction, Name(name, ".direction" + component), {}, c.span));
  }
  made.contact.rest = model_.add_held(Use::friction, Name(name, ".rest"), {}, c.span);
  if (graph::holds(model_.graph, made.limit, {LeafKind::multiplier}))
    made.contact.size = model_.add_held(Use::friction, Name(name, ".size"), made.force, c.span);
  made.contact.slips = add_event(Event::Kind::slips, name + ".slips", c.span);
  made.contact.rests = add_event(Event::Kind::rests, name + ".rests", c.span);
}

// The force while it slides, against the slip s. With one number it acts along the stored direction d. With two it acts
// along s/|s|, continued through zero in a straight line so that a step may end beyond: its sign is that of the stored
// direction. Where |s| is below a fraction of r, the slip that counts as zero, the direction is d; above r it is s/|s|.
// In between it blends from one to the other, because a jump there would stop every method.
void Frictions::slide(Friction& made, const std::string& name, Span span) {
  graph::Graph& g = model_.graph;
  const graph::SpanScope at(g, span);
  const NodeId size = made.contact.size ? held(*made.contact.size) : made.limit;
  std::vector<NodeId> along;
  for (const std::uint32_t k : made.contact.direction) along.push_back(held(k));
  NodeId slides = along[0];
  if (made.slip.size() > 1) {
    slides = g.dot(along, along);
    const NodeId speed = g.sqrt(g.dot(made.slip, made.slip)), ahead = g.dot(along, made.slip);
    const NodeId rest = held(made.contact.rest), still = g.mul(g.constant(kStillOfRest), rest);
    const NodeId moves = g.binary(Op::lt, rest, speed), begins = g.binary(Op::lt, still, speed);
    const NodeId way = g.select(g.binary(Op::lt, ahead, g.zero()), g.neg(speed), speed);
    const NodeId part = g.div(g.sub(speed, still), g.sub(rest, still)), kept = g.sub(g.one(), part);
    std::vector<NodeId> between;
    for (std::size_t k = 0; k < along.size(); ++k)
      between.push_back(g.add(g.mul(part, g.div(made.slip[k], way)), g.mul(kept, along[k])));
    const NodeId norm = g.sqrt(g.dot(between, between));
    for (std::size_t k = 0; k < along.size(); ++k)
      along[k] = g.select(moves, g.div(made.slip[k], way), g.select(begins, g.div(between[k], norm), along[k]));
  }
  std::vector<NodeId> force;
  for (const NodeId d : along) force.push_back(g.select(slides, g.neg(g.mul(size, d)), g.zero()));
  made.load = static_cast<std::uint32_t>(model_.torques.size());
  model_.torques.push_back({name, force, made.slip, span, false, true});
}

void Frictions::finish(const Events& events) {
  graph::Graph& g = model_.graph;
  for (Friction& f : model_.frictions) {
    const Constraint& c = model_.constraints[f.constraint];
    f.contact.enabled = events.switch_if_any(f.constraint);
    std::vector<NodeId> along, pulls;
    for (std::size_t k = 0; k < f.slip.size(); ++k) {
      along.push_back(held(f.contact.direction[k]));
      pulls.push_back(g.leaf(LeafKind::multiplier, c.first_row + static_cast<std::uint32_t>(k)));
      const std::uint32_t value = model_.add_value(f.slip[k]);
      if (k == 0) f.contact.slip = value;
    }
    f.contact.limit = model_.add_value(f.limit);
    f.contact.still = model_.add_value(f.still);
    if (f.restitution) f.contact.restitution = model_.add_value(*f.restitution);
    const NodeId pull = pulls.size() == 1 ? g.unary(Op::abs, pulls[0]) : g.sqrt(g.dot(pulls, pulls));
    model_.events[f.contact.slips].value = model_.add_value(g.sub(f.still, pull));
    model_.events[f.contact.slips].of_rates = true;
    model_.events[f.contact.rests].value = model_.add_value(g.dot(along, f.slip));
    for (std::uint32_t row = c.first_row; row < c.first_row + c.row_count; ++row) {
      model_.equations[row].residual = switched_by(g, held(f.contact.sticks), model_.equations[row].residual);
      model_.switched_rows.push_back({row, f.contact.sticks});
    }
  }
}

}  // namespace mbc::sema
