// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/diagnostics/render.h"
#include "compiler/sema/elaborator.h"

namespace mbc::sema {

using graph::LeafKind;

void Elaborator::gravity(const ast::Gravity& g, const ast::Stmt& s) {
  if (gravity_span_.known()) {
    sink_.report(Kind::repeated_statement, s.span, std::string("gravity")).label(gravity_span_, "first given here");
    return;
  }
  gravity_span_ = s.span;
  const Value v = value(*g.value);
  if (evaluator_.expect_vector(v, "gravity") && evaluator_.expect_constant(v, "gravity") &&
      evaluator_.expect_dimension(v, acceleration_dimension(), "gravity"))
    model_.gravity = v.nodes;
}

Elaborator::LoadName Elaborator::name_load(const ast::Load& f, const ast::Stmt& s, const char* word) {
  if (f.name.name.empty())
    return {"in this line",
            path_of_item() + word + " in line " + std::to_string(sources_[s.span.file].position(s.span.begin).line)};
  Value named;
  named.type.shape = Shape::load;
  set_symbol(f.name, named);
  return {quoted(item_name_), item_name_};
}

// Loads are what accelerations are computed from, so they cannot depend on them. The loads of `nonideal` blocks may
// depend on what the constraints would do without them.
bool Elaborator::refuse_results(const Value& v, const std::string& what, bool nonideal) {
  for (NodeId id : graph::leaves(model_.graph, v.nodes)) {
    const LeafKind leaf = model_.graph.node(id).leaf;
    if (leaf == LeafKind::ideal && nonideal) continue;
    if (leaf == LeafKind::ideal) {
      sink_.report(Kind::ideal_outside, v.span, what);
      return true;
    }
    if (leaf != LeafKind::accel && leaf != LeafKind::multiplier) continue;
    const std::string on = leaf == LeafKind::accel ? "an acceleration" : "the multiplier of a constraint";
    Diagnostic& d = sink_.report(nonideal ? Kind::nonideal_implicit : Kind::force_acceleration, v.span, what, on);
    if (nonideal)
      d.hint(leaf == LeafKind::accel
                 ? "`.ideal` of a constraint is known before the accelerations"
                 : "`.ideal` is the reaction as it would be without the loads of `nonideal` blocks");
    return true;
  }
  return false;
}

// Without loads in `nonideal` blocks the ideal multipliers are the multipliers themselves.
void Elaborator::ideal_without_loads(std::vector<Query>* queries) {
  const auto any = [](const auto& list) {
    return std::any_of(list.begin(), list.end(), [](const auto& load) { return load.nonideal; });
  };
  if (any(model_.forces) || any(model_.torques) || any(model_.loads)) return;
  graph::Graph& g = model_.graph;
  const auto replace = [&g](std::vector<NodeId>& nodes) {
    for (NodeId& e : nodes) {
      const std::vector<NodeId> held = graph::leaves(g, {&e, 1});
      if (std::none_of(held.begin(), held.end(), [&](NodeId id) { return g.node(id).leaf == LeafKind::ideal; }))
        continue;
      e = graph::copy_into(g, {&e, 1}, g, [&](const graph::Node& n) {
        return g.leaf(n.leaf == LeafKind::ideal ? LeafKind::multiplier : n.leaf, n.a);
      })[0];
    }
  };
  for (Output& o : model_.outputs) {
    std::vector<NodeId> value{o.value};
    replace(value);
    o.value = value[0];
  }
  replace(model_.watched);
  if (queries)
    for (Query& q : *queries) replace(q.answer.nodes);
}

// load f on phi: -c*phi'   a generalised force, paired with the coordinate's rate
void Elaborator::generalised_load(const ast::Load& f, const ast::Stmt& s) {
  refuse_modifiers(f.modifiers, {ast::ModifierKind::on}, "a load");
  const auto [shown, name] = name_load(f, s, "load");
  const ast::Expr* on = modifier(f.modifiers, ast::ModifierKind::on);
  if (!on) {
    sink_.report(Kind::force_target_missing, f.name.name.empty() ? s.span : f.name.span, "the load " + shown)
        .hint("name the coordinate: `load f on x: ...`");
    return;
  }
  const Value target = value(*on), v = value(*f.value);
  if (target.invalid() || v.invalid()) return;
  const graph::Node* leaf = target.scalar() ? &model_.graph.node(target.node()) : nullptr;
  if (!leaf || leaf->op != graph::Op::leaf || leaf->leaf != LeafKind::coordinate) {
    Evaluator::hint_parts(sink_.report(Kind::load_target, on->span, describe_shape(target)), target);
    return;
  }
  const std::uint32_t coordinate = leaf->a;
  const std::string what = "the load " + shown;
  if (!evaluator_.expect_scalar(v, what) ||
      !evaluator_.expect_dimension(v, energy_dimension() / model_.coordinates[coordinate].dimension, what) ||
      refuse_results(v, what, nonideal_.contains(&s)))
    return;
  model_.loads.push_back({name, v.node(), coordinate, f.value->span, nonideal_.contains(&s)});
}

// potential V, dissipation R (Rayleigh), kinetic T: differentiated into generalised forces and inertia
void Elaborator::energy_term(const ast::Load& f, const ast::Stmt& s) {
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
  bool speeds = false;
  for (NodeId id : graph::leaves(model_.graph, v.nodes)) speeds |= model_.graph.node(id).leaf == LeafKind::speed;
  if (speeds && f.kind == ast::Load::Kind::potential) {
    sink_
        .report(Kind::energy_level, v.span, what,
                std::string("depends on a velocity; its force would not have a potential"))
        .hint("write the force itself with `force` or `load`");
    return;
  }
  if (!speeds && f.kind != ast::Load::Kind::potential) {
    sink_.report(Kind::energy_level, v.span, what, std::string("does not depend on any velocity"));
    return;
  }
  const auto kind = f.kind == ast::Load::Kind::potential ? EnergyTerm::Kind::potential
                    : f.kind == ast::Load::Kind::kinetic ? EnergyTerm::Kind::kinetic
                                                         : EnergyTerm::Kind::dissipation;
  model_.energies.push_back({kind, name, v.node(), f.value->span});
}

void Elaborator::force(const ast::Load& f, const ast::Stmt& s) {
  refuse_modifiers(f.modifiers, {ast::ModifierKind::on, ast::ModifierKind::from}, "a force");
  const auto [shown, name] = name_load(f, s, "force");
  const ast::Expr* on = modifier(f.modifiers, ast::ModifierKind::on);
  const ast::Expr* from = modifier(f.modifiers, ast::ModifierKind::from);
  if (!on) {
    sink_.report(Kind::force_target_missing, f.name.name.empty() ? s.span : f.name.span, "the force " + shown)
        .hint("name the particle: `force f on p: ...`");
    return;
  }
  const Value target = value(*on);
  const Value reaction_on = from ? value(*from) : Value{};
  const Value v = value(*f.value);
  if (target.invalid() || v.invalid() || (from && reaction_on.invalid())) return;
  if (stands_still(target)) {
    sink_.report(Kind::not_an_entity, on->span, std::string("`on`"), std::string("a frame of the ground"));
    return;
  }
  const std::optional<Carrier> carrier = carrier_of(target);
  if (!carrier) {
    sink_.report(Kind::not_an_entity, on->span, std::string("`on`"), describe_shape(target));
    return;
  }
  const std::optional<Carrier> other = from ? carrier_of(reaction_on) : std::nullopt;
  if (from && !other && reaction_on.type.shape != Shape::ground) {
    sink_.report(Kind::not_an_entity, from->span, std::string("`from`"), describe_shape(reaction_on));
    return;
  }
  if (other && reaction_on.type.shape == target.type.shape && reaction_on.index == target.index) {
    sink_.report(Kind::own_reaction, from->span, "the force " + shown, printable(carrier->name));
    return;
  }
  const std::string what = "the force " + shown;
  if (!evaluator_.expect_vector(v, what) || !evaluator_.expect_dimension(v, force_dimension(), what)) return;
  const bool nonideal = nonideal_.contains(&s);
  if (refuse_results(v, what, nonideal)) return;
  model_.forces.push_back({name, v.nodes, carrier->position, carrier->velocity, f.value->span, nonideal});
  if (!other) return;
  std::vector<NodeId> opposite;
  for (NodeId n : v.nodes) opposite.push_back(model_.graph.neg(n));
  model_.forces.push_back({name, opposite, other->position, other->velocity, f.value->span, nonideal});
}

// In a component the frame may be a parameter, and the ground what is given for it: only the reaction acts then.
bool Elaborator::stands_still(const Value& v) const {
  return !item_scope_->owner() && v.type.shape == Shape::frame && model_.frames[v.index].ground;
}

// What a force can act on: a particle, the mass centre of a body, a point.
std::optional<Elaborator::Carrier> Elaborator::carrier_of(const Value& v) const {
  const auto made = [](const auto& x) { return Carrier{x.name, x.position, x.velocity}; };
  switch (v.type.shape) {
    case Shape::particle:
      return made(model_.particles[v.index]);
    case Shape::body:
      return Carrier{model_.bodies[v.index].name, model_.bodies[v.index].centre,
                     model_.bodies[v.index].centre_velocity};
    case Shape::point:
      return made(model_.points[v.index]);
    case Shape::frame:
      return made(model_.frames[v.index]);
    default:
      return {};
  }
}

}  // namespace mbc::sema
