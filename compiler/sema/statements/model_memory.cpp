// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/model_memory.h"

#include "compiler/sema/statements/rows.h"

namespace mbc::sema {

namespace {

bool is_inequality(const ast::Stmt& s) {
  const auto* c = std::get_if<ast::Constraint>(&s.node);
  const auto* relation = c ? std::get_if<ast::Compare>(&c->equation->node) : nullptr;
  return relation && relation->op != ast::CompareOp::eq;
}

}  // namespace

void reserve(Model& model, const Items& items) {
  std::size_t particles = 0, constraints = 0, inequalities = 0, outputs = 0;
  std::uint32_t inputs = 0;
  for (const ItemId id : items.in_text_order()) {
    const ast::Stmt* s = items[id].statement;
    const auto* e = s ? std::get_if<ast::Entity>(&s->node) : nullptr;
    if (e && e->kind == ast::Entity::Kind::particle && !modifier(e->modifiers, ast::ModifierKind::follows)) ++particles;
    if (s && std::holds_alternative<ast::Constraint>(s->node)) ++constraints;
    if (s && std::holds_alternative<ast::Output>(s->node)) ++outputs;
    if (s && is_inequality(*s)) ++inequalities;
    if (s && std::holds_alternative<ast::Input>(s->node)) ++inputs;
  }
  model.held_at = inputs;
  model.particles.reserve(particles);
  model.coordinates.reserve(model.space * particles);
  model.speeds.reserve(model.space * particles);
  model.constraints.reserve(constraints);
  model.equations.reserve(constraints);
  model.outputs.reserve(outputs);
  model.unilaterals.reserve(inequalities);
  model.events.reserve(Rows::kEventsOfInequality * inequalities);
  model.held.reserve(Rows::kHeldOfInequality * inequalities);
}

void settle(Model& model) {
  model.graph.settle();
  model.coordinates.shrink_to_fit();
  model.speeds.shrink_to_fit();
  model.bodies.shrink_to_fit();
  model.constraints.shrink_to_fit();
  model.equations.shrink_to_fit();
  model.outputs.shrink_to_fit();
}

}  // namespace mbc::sema
