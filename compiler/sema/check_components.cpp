// SPDX-License-Identifier: Apache-2.0
// Joints and models of which no instance is made: their names are looked at all the same, so that a mistake in a
// library is found before somebody uses it. What depends on values (shapes, dimensions, conditions) is not.
#include "base/diagnostics/render.h"
#include "compiler/sema/elaborator.h"

namespace mbc::sema {

void Elaborator::check_component(const ast::Component& c, const Scope& home) {
  evaluator_.check_parameters(c.parameters);
  components_.emplace_back(&c, &home);
}

void Elaborator::check_components_never_made() {
  for (std::size_t k = 0; k < components_.size() && !sink_.full(); ++k) {
    const auto [component, home] = components_[k];
    if (made_.contains(component)) continue;
    Scope names(home);
    for (const ast::Parameter& p : component->parameters) names.add(p.name, {});
    for (const ast::Parameter& p : component->parameters)
      if (p.default_value) check_names(mentions_in(*p.default_value), names);
    check_body(component->body, names);
  }
}

void Elaborator::check_names(const std::vector<Mention>& mentions, const Scope& names) {
  // `frame` is a function where a place is followed; the others are choices for `coordinates`
  static const std::set<std::string> words{"frame", "quaternion", "euler_parameters", "natural"};
  for (const Mention& m : mentions) {
    const std::string& name = m.path[0].name;
    const Scope::Found found = names.find(name);
    if (!found.symbol && !found.number && !Evaluator::builtin_name(name) && !words.contains(name))
      evaluator_.unknown_name(name, m.span, names);
  }
}

// `names` gets all that the body declares, whatever its conditions choose.
void Elaborator::check_body(const std::vector<ast::StmtPtr>& body, Scope& names) {
  const auto declare_all = [&names](const std::vector<ast::StmtPtr>& list, const auto& again) -> void {
    for (const auto& s : list) {
      if (const ast::Declared* d = declared_name(*s)) {
        Symbol& symbol = names.find_here(d->name) ? *names.find_here(d->name) : names.add(d->name, {});
        symbol.component = std::get_if<ast::Component>(&s->node);
        symbol.refused = true;  // without a value
        for (const ast::Binder& b : d->binders) names.add(b.name, {});
      }
      if (const auto* loop = std::get_if<ast::For>(&s->node)) {
        names.add(loop->binder.name, {});
        again(loop->body, again);
      }
      if (const auto* choice = std::get_if<ast::IfBlock>(&s->node)) {
        again(choice->then_body, again);
        again(choice->else_body, again);
      }
      if (const auto* c = std::get_if<ast::Constraint>(&s->node)) again(c->nonideal, again);
    }
  };
  declare_all(body, declare_all);
  const auto check_all = [&](const std::vector<ast::StmtPtr>& list, const auto& again) -> void {
    for (const auto& s : list) {
      if (misplaced_in_component(*s)) continue;
      if (std::holds_alternative<ast::Def>(s->node)) continue;  // its parameters are names of its own
      check_names(mentions_in(*s), names);
      if (const ast::Declared* d = declared_name(*s))
        for (const ast::Binder& b : d->binders) check_names(mentions_in(*b.range), names);
      if (const auto* i = std::get_if<ast::Instance>(&s->node)) {
        component_of(*i, names);
        for (const ast::Argument& a : i->args) check_names(mentions_in(*a.value), names);
      }
      if (const auto* loop = std::get_if<ast::For>(&s->node)) {
        check_names(mentions_in(*loop->binder.range), names);
        again(loop->body, again);
      }
      if (const auto* choice = std::get_if<ast::IfBlock>(&s->node)) {
        check_names(mentions_in(*choice->condition), names);
        again(choice->then_body, again);
        again(choice->else_body, again);
      }
      if (const auto* c = std::get_if<ast::Constraint>(&s->node)) again(c->nonideal, again);
    }
  };
  check_all(body, check_all);
}

}  // namespace mbc::sema
