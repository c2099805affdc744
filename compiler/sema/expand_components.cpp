// SPDX-License-Identifier: Apache-2.0
// Joints, models, modules: what is written once and used many times. An instance is a scope of its own in which the
// component's body is written out; its parameters are names of that scope.
#include <cmath>

#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "compiler/sema/elaborator.h"

namespace mbc::sema {

namespace {

constexpr int kMaxDepth = 64;  // instances inside instances

// What a file may hold that is used by others.
bool is_definition(const ast::Stmt& s) {
  return std::holds_alternative<ast::Let>(s.node) || std::holds_alternative<ast::Def>(s.node) ||
         std::holds_alternative<ast::Component>(s.node);
}

}  // namespace

// What can be said of a function without a call: its parameters, and that the names of its body exist.
void Elaborator::check_function(const ast::Def& def, const Scope& home) {
  evaluator_.check_parameters(def.parameters);
  for (const Mention& m : mentions_in(def))
    if (const Scope::Found found = home.find(m.path[0].name);
        !found.symbol && !found.number && !Evaluator::builtin_name(m.path[0].name) && m.path[0].name != "frame")
      evaluator_.unknown_name(m.path[0].name, m.span, home);
}

// The component that an instance is made from; reports.
const Symbol* Elaborator::component_of(const ast::Instance& i, const Scope& here) {
  const Scope::Found type = here.find(i.type);
  if (type.symbol && type.symbol->component) return type.symbol;
  if (type.symbol || type.number) {
    if (type.symbol && type.symbol->refused) return nullptr;
    Diagnostic& d =
        sink_.report(Kind::not_a_component, i.type_span, printable(i.type)).label(type.span, "declared here");
    const Symbol* s = type.symbol;
    if (s && s->members)
      d.hint("it is an instance itself; another one is `" + printable(s->members->instance->of + " " + i.name.name) +
             "`");
    if (s && s->function) d.hint("a function is called: `let a = " + printable(i.type) + "(...)`");
    return nullptr;
  }
  std::vector<std::string> known;
  for (const std::string& n : here.names())
    if (const Symbol* s = here.find(n).symbol; s && s->component) known.push_back(n);
  Diagnostic& d = sink_.report(Kind::unknown_component, i.type_span, printable(i.type));
  if (i.type == "import" || i.type == "include" || i.type == "using")
    d.hint("write `use " + printable(i.name.name) + "`");
  else if (const std::string near = nearest(i.type, known); !near.empty())
    d.hint("did you mean `" + near + "`?");
  else if (const std::string module = standard_module_with(i.type, model_.space); !module.empty())
    d.hint("it is in the standard library: `use " + module + "`");
  return nullptr;
}

// Chain c(n = 50)
void Elaborator::instance(const ast::Instance& i, Symbol& symbol, const std::string& name, Scope& here) {
  const Symbol* type = component_of(i, here);
  if (!type) return;
  ++instances_;
  if (too_many_items(i.name.span)) return;
  const ast::Component& component = *type->component;
  made_.insert(&component);
  const Scope::Instance* around = here.owner();
  const int depth = around ? around->depth + 1 : 1;
  if (depth > kMaxDepth) {
    std::string chain = printable(i.type);
    int shown = 0;
    for (const Scope::Instance* o = around; o && shown < 3; o = o->inside->owner(), ++shown)
      chain = printable(o->of) + " -> " + chain;
    sink_.report(Kind::recursive_component, i.type_span, printable(i.type), "... -> " + chain);
    too_large_ = true;  // it may branch
    return;
  }
  const auto given = evaluator_.match_arguments(component.parameters, i.type, i.args, i.name.span, component.name.span);
  if (!given) return;
  symbol.members = std::make_unique<Scope>(type->home);
  Scope& inside = *symbol.members;
  inside.instance = std::make_unique<Scope::Instance>(
      Scope::Instance{(around ? around->path : "") + name + ".", i.type, i.name.span, depth, &here, &component});
  symbol.value.type.shape = Shape::instance;
  symbol.value.members = &inside;
  symbol.value.declared = i.name.span;
  for (std::size_t k = 0; k < given->size(); ++k) {
    const ast::Parameter& p = component.parameters[k];
    if (inside.find_here(p.name)) continue;  // twice: said by check_parameters
    Symbol parameter;
    parameter.span = p.span;
    Given& g = given_.emplace_back();
    g.parameter = &p;
    g.argument = (*given)[k] ? (*given)[k] : p.default_value.get();
    g.argument_scope = (*given)[k] ? &here : &inside;
    Item item;
    item.given = &g;
    item.scope = &inside;
    item.symbol = &inside.add(p.name, std::move(parameter));
    const std::string full = inside.instance->path + p.name;
    settable_.push_back(full);
    if (const Override* o = override_for(full)) {
      g.replaced = g.argument;
      g.replaced_scope = g.argument_scope;
      g.argument = o->value;
      g.argument_scope = &scope_;
    }
    order_.push_back(add_item(item));
  }
  std::optional<Label> outer = sink_.set_around(inside.instance->made_here());
  block(component.body, inside, inside);
  sink_.set_around(std::move(outer));
}

void Elaborator::bind_parameter(const Item& item) {
  const Given& g = *item.given;
  const ast::Parameter& p = *g.parameter;
  Value v = evaluator_.evaluate(*g.argument, *g.argument_scope);
  if (v.invalid()) return;
  const std::string what = "the argument " + quoted(p.name) + " of " + quoted(item.scope->instance->of);
  if (g.replaced && p.type != "int") {
    // what comes from outside must fit what it replaces; a bare number is taken in its SI unit
    const Value usual = evaluator_.evaluate(*g.replaced, *g.replaced_scope);
    if (usual.scalar() && !evaluator_.expect_scalar(v, what)) return;
    if (usual.vector() && !evaluator_.expect_vector(v, what)) return;
    const bool bare = v.type.dimension.dimensionless() && v.scalar() && evaluator_.number(v).has_value();
    if (usual.scalar() && bare) v.type = usual.type;
    if (usual.numeric() && !usual.type.any_dimension && !evaluator_.expect_dimension(v, usual.type.dimension, what))
      return;
  }
  if (p.type == "vector" && v.vector() && v.nodes.size() != model_.space && g.argument == p.default_value.get()) {
    sink_
        .report(Kind::wrong_length, item.scope->instance->span, "the default of " + what.substr(4),
                std::to_string(v.nodes.size()), std::to_string(model_.space))
        .label(p.default_value->span, "declared here")
        .hint("give the argument, or use a component that is made for `space " + std::to_string(model_.space) + "`");
    return;
  }
  const Span declared = v.declared;
  v = evaluator_.converted(v, p.type, what, p.type_span);
  v.declared = declared;
  item.symbol->value = std::move(v);
}

// use joints, "parts.mbd": the names declared there are found here, after this file's own.
void Elaborator::use(const ast::Use& u, Scope& into) {
  for (const ast::Use::Item& item : u.items) {
    const Scope* module = module_scope(item);
    if (!module || !into.import(*module)) continue;
    for (const std::string& name : module->names_here()) {
      const Symbol* other = into.imported(name, *module);
      if (!other || into.find_here(name)) continue;
      sink_.report(Kind::used_twice, item.span, printable(name))
          .label(other->span, "declared here")
          .label(module->find_here(name)->span, "and here");
      break;  // one says which files do not go together
    }
  }
}

const Scope* Elaborator::module_scope(const ast::Use::Item& item) {
  const Module* module = modules_read_.find(item);
  if (!module) return nullptr;  // said when it was loaded
  const auto [place, fresh] = modules_.try_emplace(module);
  Scope& scope = place->second;
  if (!fresh) return &scope;
  const ast::Stmt* misplaced = nullptr;
  std::size_t count = 0;
  for (const auto& s : module->file.statements) {
    if (const auto* inner = std::get_if<ast::Use>(&s->node))
      use(*inner, scope);
    else if (is_definition(*s))
      declare(*s, scope, scope);
    else if (++count == 1)
      misplaced = s.get();
    const ast::Declared* d = is_definition(*s) ? nullptr : declared_name(*s);
    if (d && !scope.find_here(d->name)) {  // known, without a value: said once
      Symbol& symbol = scope.add(d->name, {});
      symbol.span = d->span;
      symbol.refused = true;
    }
  }
  if (misplaced) {
    Diagnostic& d = sink_.report(Kind::misplaced_in_module, misplaced->span, printable(item.name));
    d.label(item.span, "used here");
    if (count > 1)
      d.note("nor can " + std::to_string(count - 1) + (count > 2 ? " others" : " other") + " of its statements");
    if (std::holds_alternative<ast::Param>(misplaced->node))
      d.hint("a constant is a `let`; what can be set from outside is a parameter of a `model` or `joint`");
  }
  for (const auto& s : module->file.statements)
    if (is_definition(*s)) expand(*s, scope, scope);
  return &scope;
}

}  // namespace mbc::sema
