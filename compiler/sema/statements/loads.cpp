// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/loads.h"

#include <algorithm>

#include "base/text.h"
#include "compiler/sema/free_bodies.h"
#include "compiler/sema/joint_angles.h"
#include "compiler/sema/rotations.h"
#include "compiler/sema/watched/reaction_dependent_forces.h"

namespace mbc::sema {

namespace {

constexpr const char* kLoadOfCoordinate = "a force or torque of a coordinate q is a load: `load NAME on q: EXPRESSION`";

}  // namespace

void Loads::gravity(const ast::Gravity& g, const ast::Stmt& s) {
  if (gravity_span_.known())
    return void(sink_.report(Kind::repeated_statement, s.span, "gravity").label(gravity_span_, "first given here"));
  gravity_span_ = s.span;
  constexpr const char* kVaryingField = "a field that varies is a `force` on each part";
  if (const auto v = constant_vector(*g.value, acceleration_dimension(), "gravity", kVaryingField)) model_.gravity = *v;
}

Loads::LoadName Loads::name_load(const ast::Load& f, const ast::Stmt& s, const char* word) {
  if (f.name.name.empty()) return {"in this line", path_of_item() + word + " " + line_of(s.span)};
  Value named;
  named.type.shape = Shape::load;
  named.text = &names_.emplace_back(item_.name());
  set_symbol(f.name, named);
  return {quoted(item_.name()), item_.name()};
}

void Loads::load(const ast::Load& f, const ast::Stmt& s) {
  switch (f.kind) {
    case ast::Load::Kind::force:
      return force(f, s);
    case ast::Load::Kind::load:
      return generalised_load(f, s);
    case ast::Load::Kind::torque:
      return torque(f, s);
    case ast::Load::Kind::friction:  // it is a statement of its own
      return;
    case ast::Load::Kind::potential:
    case ast::Load::Kind::dissipation:
    case ast::Load::Kind::kinetic:
      return energy_term(f, s);
  }
}

void Loads::ideal_without_loads(std::vector<Query>* queries) {
  if (model_.any_nonideal()) return;
  std::vector<NodeId> values;  // together: those of a tree share their expressions
  for (const Output& o : model_.outputs) values.push_back(o.value);
  without_ideal(values);
  for (std::size_t k = 0; k < values.size(); ++k) model_.outputs[k].value = values[k];
  without_ideal(model_.probes);
  if (queries)
    for (Query& q : *queries) without_ideal(q.answer.nodes);
}

void Loads::ideal_without_loads(std::span<NodeId> nodes) {
  if (!model_.any_nonideal()) without_ideal(nodes);
}

void Loads::without_ideal(std::span<NodeId> nodes) {
  graph::Graph& g = model_.graph;
  if (!graph::holds(g, nodes, {LeafKind::ideal})) return;
  std::ranges::copy(graph::copy_into(g, nodes, g,
                                     [&](const Node& n) {
                                       return g.leaf(n.leaf == LeafKind::ideal ? LeafKind::multiplier : n.leaf, n.a);
                                     }),
                    nodes.begin());
}

std::optional<Loads::Head> Loads::head(const ast::Load& f, const ast::Stmt& s, const std::string& word,
                                       const std::string& help) {
  if (word == "load")
    refuse_modifiers(f.modifiers, {ast::ModifierKind::on}, "a load");
  else
    refuse_modifiers(f.modifiers, {ast::ModifierKind::on, ast::ModifierKind::from}, "a " + word);
  const auto [shown, name] = name_load(f, s, word.c_str());
  const ast::Expr* on = modifier(f.modifiers, ast::ModifierKind::on);
  const std::string what = "the " + word + " " + shown;
  if (on) return Head{name, what, on, modifier(f.modifiers, ast::ModifierKind::from), shared_.nonideal.contains(&s)};
  return mbc::refuse(sink_, Kind::force_target_missing, f.name.name.empty() ? s.span : f.name.span, what).hint(help);
}

bool Loads::may_act(Value& v, const Head& head, Span span) {
  if (refuse_results(v, head.what, head.nonideal, true)) return false;
  if (!head.nonideal) hold_multiplier_loads(model_, v, head.name, span);
  return true;
}

// load f on phi: -c*phi'   a generalised force, paired with the rate of a coordinate
void Loads::generalised_load(const ast::Load& f, const ast::Stmt& s) {
  const std::optional<Head> load = head(f, s, "load", "name the coordinate: `load f on x: ...`");
  if (!load) return;
  const Value target = value(*load->on);
  Value v = value(*f.value);
  if (target.invalid() || v.invalid()) return;
  const std::optional<NodeId> rate = rate_of_coordinate(model_, target);
  if (!rate) {
    Diagnostic& d = sink_.report(Kind::load_target, load->on->span, describe_shape(target));
    if (target.type.shape == Shape::particle)
      d.hint("name one of its coordinates, such as `.x`; on all of them acts `force f on p: (...)`");
    else
      Evaluator::hint_parts(d, target);
    return;
  }
  if (evaluator_.expect_scalar(v, load->what) &&
      evaluator_.expect_dimension(v, energy_dimension() / target.type.dimension, load->what) &&
      may_act(v, *load, f.value->span))
    model_.loads.push_back({load->name, v.node(), *rate, f.value->span, load->nonideal});
}

// `potential` V, `dissipation` R (Rayleigh) and `kinetic` T are differentiated into generalised forces and inertia.
void Loads::energy_term(const ast::Load& f, const ast::Stmt& s) {
  const char* word = f.kind == ast::Load::Kind::potential ? "potential"
                     : f.kind == ast::Load::Kind::kinetic ? "kinetic"
                                                          : "dissipation";
  refuse_modifiers(f.modifiers, {}, "a `" + std::string(word) + "`");
  const auto [shown, name] = name_load(f, s, word);
  const Value v = value(*f.value);
  const std::string what = "the " + std::string(word) + (f.kind == ast::Load::Kind::kinetic ? " energy " : " ") + shown;
  const Dimension wanted =
      f.kind == ast::Load::Kind::dissipation ? energy_dimension() / time_dimension() : energy_dimension();
  if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_dimension(v, wanted, what) || refuse_results(v, what))
    return;
  const bool speeds = graph::holds(model_.graph, v.nodes, {LeafKind::speed});
  if (speeds && f.kind == ast::Load::Kind::potential)
    return void(
        sink_.report(Kind::energy_level, v.span, what, "depends on a velocity; its force would not have a potential")
            .hint("write the force itself with `force` or `load`"));
  if (!speeds && f.kind != ast::Load::Kind::potential)
    return void(sink_.report(Kind::energy_level, v.span, what, "does not depend on any velocity"));
  const auto kind = f.kind == ast::Load::Kind::potential ? EnergyTerm::Kind::potential
                    : f.kind == ast::Load::Kind::kinetic ? EnergyTerm::Kind::kinetic
                                                         : EnergyTerm::Kind::dissipation;
  model_.energies.push_back({kind, name, v.node(), f.value->span});
}

void Loads::force(const ast::Load& f, const ast::Stmt& s) {
  const std::optional<Head> force = head(f, s, "force", "name the particle: `force f on p: ...`");
  if (!force) return;
  const ast::Expr *on = force->on, *from = force->from;
  const Value target = part(*on, false);
  const Value reaction_on = from ? part(*from, false) : Value{};
  Value v = value(*f.value);
  if (target.invalid() || v.invalid() || (from && reaction_on.invalid())) return;
  if (stands_still(target)) return void(sink_.report(Kind::not_an_entity, on->span, "`on`", "a frame of the ground"));
  const std::optional<Carrier> carrier = carrier_of(model_, target);
  if (!carrier) {
    Diagnostic& d = sink_.report(Kind::not_an_entity, on->span, "`on`", describe_shape(target));
    if (target.scalar()) d.hint(kLoadOfCoordinate);
    return;
  }
  const std::optional<Carrier> other = from ? carrier_of(model_, reaction_on) : std::nullopt;
  if (from && !other && reaction_on.type.shape != Shape::ground)
    return void(sink_.report(Kind::not_an_entity, from->span, "`from`", describe_shape(reaction_on)));
  if (other && reaction_on.type.shape == target.type.shape && reaction_on.index == target.index)
    return void(sink_.report(Kind::own_reaction, from->span, force->what, printable(carrier->name)));
  if (!evaluator_.expect_vector(v, force->what) || !evaluator_.expect_dimension(v, force_dimension(), force->what) ||
      !may_act(v, *force, f.value->span))
    return;
  const auto add_to = [&](const Carrier& c) {
    model_.forces.push_back({force->name, v.nodes, c.position, c.velocity, f.value->span, force->nonideal});
  };
  add_to(*carrier);
  if (!other) return;
  for (NodeId& n : v.nodes) n = model_.graph.neg(n);
  add_to(*other);
}

// Returns whether a load acts on the ground. In a component the frame may be a parameter with the ground as its
// argument; then only the reaction acts.
bool Loads::stands_still(const Value& v) const {
  return !item_.scope->owner() && v.type.shape == Shape::frame && model_.frames[v.index].ground;
}

std::optional<Carrier> carrier_of(const Model& model, const Value& v) {
  const auto made = [](const auto& x) { return Carrier{x.name, x.position, x.velocity}; };
  switch (v.type.shape) {
    case Shape::particle:
      return made(model.particles[v.index]);
    case Shape::body:
      return Carrier{model.bodies[v.index].name, model.bodies[v.index].centre, model.bodies[v.index].centre_velocity};
    case Shape::point:
      return made(model.points[v.index]);
    case Shape::frame:
      return made(model.frames[v.index]);
    case Shape::invalid:  // no other shape has a place
    case Shape::scalar:
    case Shape::vector:
    case Shape::boolean:
    case Shape::text:
    case Shape::matrix:
    case Shape::constraint:
    case Shape::load:
    case Shape::instance:
    case Shape::array:
    case Shape::event:
    case Shape::ground:
    case Shape::energy:
    case Shape::momentum:
      break;
  }
  return {};
}

std::optional<NodeId> rate_of_coordinate(Model& model, const Value& v) {
  if (!v.scalar()) return {};
  const Node n = model.graph.node(v.node());
  if (n.op == Op::leaf && n.leaf == LeafKind::coordinate) return model.coordinate(n.a).rate;
  return model.is_joint_coordinate(v.declared) ? std::optional(rates_of(model, {without_turns(model, v.node())})[0])
                                               : std::nullopt;
}

// torque m on b [from c]: in space axes; the reaction on the other body
void Loads::torque(const ast::Load& f, const ast::Stmt& s) {
  const std::optional<Head> torque = head(f, s, "torque");
  if (!torque) return;
  const ast::Expr *on = torque->on, *from = torque->from;
  const Value target = part(*on), other = from ? part(*from) : Value{};
  Value v = value(*f.value);
  if (target.invalid() || v.invalid() || (from && other.invalid())) return;
  if (!takes_torque(target, *on, false) || (from && !takes_torque(other, *from, true))) return;
  if (from && other.type.shape == Shape::body && other.index == target.index)
    return void(
        sink_.report(Kind::own_reaction, from->span, torque->what, printable(model_.bodies[target.index].name)));
  const std::string& what = torque->what;
  const bool fits = model_.space == 2 ? evaluator_.expect_scalar(v, what) : evaluator_.expect_vector(v, what);
  if (!fits || !evaluator_.expect_dimension(v, energy_dimension(), what) || !may_act(v, *torque, f.value->span)) return;
  graph::SpanScope span_scope(model_.graph, f.value->span);
  add_torque(torque->name, target, v.nodes, f.value->span, torque->nonideal);
  if (!from || other.type.shape == Shape::ground) return;
  if (other.type.shape == Shape::frame && model_.frames[other.index].ground) return;
  for (NodeId& n : v.nodes) n = model_.graph.neg(n);
  add_torque(torque->name, other, v.nodes, f.value->span, torque->nonideal);
}

// The reaction may act on the ground, where it has no effect.
bool Loads::takes_torque(const Value& v, const ast::Expr& e, bool reaction) {
  if (!reaction && stands_still(v))
    return mbc::refuse(sink_, Kind::wrong_shape, e.span, "what a torque acts on", "a body or a frame of one",
                       "a frame of the ground");
  if (v.type.shape == Shape::body || v.type.shape == Shape::frame || (reaction && v.type.shape == Shape::ground))
    return true;
  Diagnostic& d =
      sink_.report(Kind::wrong_shape, e.span, "what a torque acts on", "a body or a frame", describe_shape(v));
  if (v.scalar()) d.hint(kLoadOfCoordinate);
  return false;
}

void Loads::add_torque(const std::string& name, const Value& on, std::vector<NodeId> moment, Span span, bool nonideal) {
  const auto add_to = [&](const auto& b) {
    if (model_.space == 3) moment = matrix_product(model_.graph, moment, b.rotation, 3);  // R^T tau: in body axes
    model_.torques.push_back({name, moment, b.omega, span, nonideal});
  };
  if (on.type.shape == Shape::body) add_to(model_.bodies[on.index]);
  if (on.type.shape == Shape::frame && !model_.frames[on.index].ground) add_to(model_.frames[on.index]);
}

}  // namespace mbc::sema
