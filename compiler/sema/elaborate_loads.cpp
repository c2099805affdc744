#include "compiler/sema/elaborator.h"

#include "compiler/diagnostics/render.h"

namespace mbc::sema {

using graph::LeafKind;

void Elaborator::gravity(const ast::Gravity& g, const ast::Stmt& s) {
  if (!model_.gravity.empty()) {
    sink_.report(Kind::repeated_statement, s.span, std::string("gravity"));
    return;
  }
  const Value v = evaluator_.evaluate(*g.value, scope_);
  if (evaluator_.expect_vector(v, "gravity") && evaluator_.expect_constant(v, "gravity") &&
      evaluator_.expect_dimension(v, acceleration_dimension(), "gravity"))
    model_.gravity = v.nodes;
}

void Elaborator::force(const ast::Load& f, const ast::Stmt& s) {
  refuse_modifiers(f.modifiers, {ast::ModifierKind::on, ast::ModifierKind::from}, "a force");
  const std::string shown = f.name.name.empty() ? "in this line" : quoted(f.name.name);
  if (!f.name.name.empty()) {
    Value v;
    v.type.shape = Shape::load;
    set_symbol(f.name, v);
  }
  const ast::Expr* on = modifier(f.modifiers, ast::ModifierKind::on);
  const ast::Expr* from = modifier(f.modifiers, ast::ModifierKind::from);
  if (!on) {
    sink_.report(Kind::force_target_missing, f.name.name.empty() ? s.span : f.name.span, shown).hint("name the particle: `force f on p: ...`");
    return;
  }
  const Value target = evaluator_.evaluate(*on, scope_);
  const Value reaction_on = from ? evaluator_.evaluate(*from, scope_) : Value{};
  const Value v = evaluator_.evaluate(*f.value, scope_);
  if (target.invalid() || v.invalid() || (from && reaction_on.invalid())) return;
  if (target.type.shape != Shape::particle) {
    sink_.report(Kind::not_an_entity, on->span, std::string("`on`"), describe_shape(target.type.shape));
    return;
  }
  if (from && reaction_on.type.shape != Shape::particle && reaction_on.type.shape != Shape::ground) {
    sink_.report(Kind::not_an_entity, from->span, std::string("`from`"), describe_shape(reaction_on.type.shape));
    return;
  }
  const std::string what = "the force " + shown;
  if (!evaluator_.expect_vector(v, what) || !evaluator_.expect_dimension(v, force_dimension(), what)) return;
  for (NodeId id : graph::leaves(model_.graph, v.nodes)) {
    const LeafKind leaf = model_.graph.node(id).leaf;
    if (leaf == LeafKind::accel || leaf == LeafKind::multiplier) {
      sink_.report(Kind::force_acceleration, v.span, shown);
      return;
    }
  }
  const std::string name = f.name.name.empty() ? "force in line " + std::to_string(sources_[s.span.file].position(s.span.begin).line)
                                               : f.name.name;
  const Particle& p = model_.particles[target.index];
  model_.forces.push_back({name, v.nodes, p.position, p.velocity, f.value->span});
  if (from && reaction_on.type.shape == Shape::particle) {
    const Particle& other = model_.particles[reaction_on.index];
    std::vector<NodeId> opposite;
    for (NodeId n : v.nodes) opposite.push_back(model_.graph.neg(n));
    model_.forces.push_back({name, opposite, other.position, other.velocity, f.value->span});
  }
}

}  // namespace mbc::sema
