// Joints, models, modules: what is written once and used many times. An instance is a scope of its own in which the
// component's body is written out; its parameters are names of that scope.
#include <cmath>

#include "compiler/diagnostics/render.h"
#include "compiler/sema/elaborator.h"
#include "runtime/output/numbers.h"

namespace mbc::sema {

namespace {

constexpr int kMaxDepth = 64;  // instances inside instances

}  // namespace

// What can be said of a function without a call: its parameters, and that the names of its body exist.
void Elaborator::check_function(const ast::Def& def, const Scope& home) {
  evaluator_.check_parameters(def.parameters);
  for (const Mention& m : mentions_in(def))
    if (const Scope::Found found = home.find(m.path[0].name);
        !found.symbol && !found.number && !Evaluator::builtin_name(m.path[0].name) && m.path[0].name != "frame")
      evaluator_.unknown_name(m.path[0].name, m.span, home);
}

void Elaborator::check_component(const ast::Component& c) { evaluator_.check_parameters(c.parameters); }

// The module of the standard library that has a component, or "".
std::string Elaborator::module_of(const std::string& component) {
  for (const std::string& module : standard_modules()) {
    const std::string text = standard_module(module);
    for (const char* word : {"joint ", "model "})
      if (text.find(word + component + "(") != std::string::npos) return module;
  }
  return "";
}

// Chain c(n = 50)
void Elaborator::instance(const ast::Instance& i, Symbol& symbol, const std::string& name, Scope& here) {
  const Scope::Found type = here.find(i.type);
  if (!type.symbol || !type.symbol->component) {
    if (type.symbol) {
      sink_.report(Kind::not_a_component, i.type_span, printable(i.type)).label(type.span, "declared here");
      return;
    }
    std::vector<std::string> known;
    for (const std::string& n : here.names())
      if (const Symbol* s = here.find(n).symbol; s && s->component) known.push_back(n);
    Diagnostic& d = sink_.report(Kind::unknown_component, i.type_span, printable(i.type));
    if (const std::string near = nearest(i.type, known); !near.empty())
      d.hint("did you mean `" + near + "`?");
    else if (const std::string module = module_of(i.type); !module.empty())
      d.hint("it is in the standard library: `use " + module + "`");
    return;
  }
  const ast::Component& component = *type.symbol->component;
  const Scope::Instance* around = here.owner();
  const int depth = around ? around->depth + 1 : 1;
  if (depth > kMaxDepth) {
    std::string chain = printable(i.type);
    int shown = 0;
    for (const Scope::Instance* o = around; o && shown < 3; o = o->inside->owner(), ++shown)
      chain = printable(o->of) + " -> " + chain;
    sink_.report(Kind::recursive_component, i.type_span, printable(i.type), "... -> " + chain);
    return;
  }
  const auto given =
      evaluator_.match_arguments(component.parameters, i.type, i.args, i.name.span, component.name.span);
  if (!given) return;
  symbol.members = std::make_unique<Scope>(type.symbol->home);
  Scope& inside = *symbol.members;
  inside.instance = std::make_unique<Scope::Instance>(
      Scope::Instance{(around ? around->path : "") + name + ".", i.type, i.name.span, depth, &here});
  symbol.value.type.shape = Shape::instance;
  symbol.value.members = &inside;
  symbol.value.declared = i.name.span;
  for (std::size_t k = 0; k < given->size(); ++k) {
    const ast::Parameter& p = component.parameters[k];
    if (inside.find_here(p.name)) continue;  // twice: said by check_parameters
    Symbol parameter;
    parameter.span = p.span;
    Item item;
    item.parameter = &p;
    item.argument = (*given)[k] ? (*given)[k] : p.default_value.get();
    item.argument_scope = (*given)[k] ? &here : &inside;
    item.scope = &inside;
    item.symbol = &inside.add(p.name, std::move(parameter));
    const std::string full = inside.instance->path + p.name;
    settable_.push_back(full);
    if (const Override* o = override_for(full)) {
      item.argument = o->value;
      item.argument_scope = &scope_;
    }
    order_.push_back(add_item(item));
  }
  block(component.body, inside, inside);
}

void Elaborator::bind_parameter(const Item& item) {
  const ast::Parameter& p = *item.parameter;
  Value v = evaluator_.evaluate(*item.argument, *item.argument_scope);
  if (v.invalid()) return;
  if (item.argument_scope == &scope_ && item.argument != p.default_value.get() && item.argument->span.file != 0 &&
      sources_[item.argument->span.file].name().starts_with("--set ")) {
    // a bare number from outside is taken in the SI unit of the parameter
    const bool bare = v.type.dimension.dimensionless() && evaluator_.number(v).has_value();
    if (bare && p.default_value && v.scalar()) {
      const Value usual = evaluator_.evaluate(*p.default_value, *item.scope);
      if (usual.scalar()) v.type = usual.type;
    }
  }
  const Span declared = v.declared;
  v = evaluator_.converted(v, p.type, "the argument " + quoted(p.name) + " of " + quoted(item.scope->instance->of),
                           p.type_span);
  v.declared = declared;
  item.symbol->value = std::move(v);
}

// use joints, "parts.mbd": the names declared there are found here, after this file's own.
void Elaborator::use(const ast::Use& u, Scope& into) {
  for (const ast::Use::Item& item : u.items)
    if (const Scope* module = module_scope(item)) into.import(*module);
}

const Scope* Elaborator::module_scope(const ast::Use::Item& item) {
  const Module* module = modules_read_.find(item);
  if (!module) return nullptr;  // said when it was loaded
  const auto [place, fresh] = modules_.try_emplace(module);
  Scope& scope = place->second;
  if (!fresh) return &scope;
  for (const auto& s : module->file.statements) {
    if (const auto* inner = std::get_if<ast::Use>(&s->node)) {
      use(*inner, scope);
    } else if (std::holds_alternative<ast::Let>(s->node) || std::holds_alternative<ast::Def>(s->node) ||
               std::holds_alternative<ast::Component>(s->node)) {
      declare(*s, scope, scope);
    } else {
      sink_.report(Kind::misplaced_in_module, s->span, printable(item.name))
          .label(item.span, "used here");
    }
  }
  for (const auto& s : module->file.statements) {
    if (const auto* def = std::get_if<ast::Def>(&s->node)) check_function(*def, scope);
    if (const auto* c = std::get_if<ast::Component>(&s->node)) check_component(*c);
    if (std::holds_alternative<ast::Let>(s->node))
      if (const Symbol* symbol = scope.find_here(declared_name(*s)->name); symbol && symbol->item != kNoItem)
        order_.push_back(symbol->item);
  }
  return &scope;
}

}  // namespace mbc::sema
