// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expansion/instances.h"

#include "base/text.h"
#include "compiler/sema/expansion/expansion.h"

namespace mbc::sema {

namespace {

constexpr int kMostNested = 64;  // instances inside instances

// Returns whether a statement may be in a file that others use.
bool is_definition(const ast::Stmt& s) {
  return std::holds_alternative<ast::Let>(s.node) || std::holds_alternative<ast::Def>(s.node) ||
         std::holds_alternative<ast::Component>(s.node);
}

}  // namespace

const Symbol* component_of(const ast::Instance& i, const Scope& here, std::uint32_t space, Sink& sink) {
  const Scope::Found type = here.find(i.type);
  if (type.symbol && type.symbol->component()) return type.symbol;
  if (type.symbol || type.number) {
    if (type.symbol && type.symbol->refused) return nullptr;
    Diagnostic& d =
        sink.report(Kind::not_a_component, i.type_span, printable(i.type)).label(type.span, "declared here");
    const Symbol* s = type.symbol;
    if (s && s->members)
      d.hint("it is an instance itself; another one is `" + printable(s->members->instance->of + " " + i.name.name) +
             "`");
    if (s && s->function()) d.hint("a function is called: `let a = " + printable(i.type) + "(...)`");
    return nullptr;
  }
  std::vector<std::string> known;
  for (const std::string& n : here.names())
    if (const Symbol* s = here.find(n).symbol; s && s->component()) known.push_back(n);
  Diagnostic& d = sink.report(Kind::unknown_component, i.type_span, printable(i.type));
  if (i.type == "import" || i.type == "include" || i.type == "using")
    d.hint("write `use " + printable(i.name.name) + "`");
  else if (i.type == "Contact")
    d.hint("it is of two shapes: `shape ball on b: sphere(1 [m])`, `shape floor on ground: plane(ez)`");
  else if (const std::string near = nearest(i.type, known); !near.empty())
    d.hint("did you mean `" + near + "`?");
  else if (const std::string module = standard_module_with(i.type, space); !module.empty())
    d.hint("it is in the standard library: `use " + module + "`");
  return nullptr;
}

Instances::Instances(Elaboration& shared, Items& items, SizeLimit& size, Expansion& expansion)
    : shared_(shared),
      sink_(shared.sink),
      evaluator_(shared.evaluator),
      items_(items),
      size_(size),
      expansion_(expansion) {}

void Instances::check_function(const ast::Def& def, const Scope& home) {
  evaluator_.types().check_parameters(def.parameters);
  for (const Mention& m : mentions_in(def))
    if (const Scope::Found found = home.find(m.path[0].name);
        !found.symbol && !found.number && !Names::builtin(m.path[0].name) && m.path[0].name != "frame")
      evaluator_.names().unknown(m.path[0].name, m.span, home);
}

void Instances::make(const ast::Instance& i, Symbol& symbol, const std::string& name, Scope& here) {
  const Chosen chosen = choose(i, here);
  const Symbol* type = chosen.type;
  if (!type) return;
  size_.add_instance();
  if (size_.too_many_items(i.name.span)) return;
  const ast::Component& component = *type->component();
  const std::vector<SharedText>& names = names_of_parameters(component);
  const Scope::Instance* around = here.owner();
  if (too_deep(i, around)) return;
  auto given =
      evaluator_.calls().match_arguments(component.parameters, i.type, i.args, i.name.span, component.name.span);
  if (!given) return;
  if (chosen.pair) complete_pair(component, chosen, i, *given);
  symbol.members = std::make_unique<Scope>(type->home());
  Scope& inside = *symbol.members;
  inside.instance = std::make_unique<Scope::Instance>(
      Scope::Instance{(around ? around->path() : "") + name + ".", i.type, i.name.span, around ? around->depth + 1 : 1,
                      &here, &component, i.shape});
  if (i.shape) shapes_.push_back(&inside);
  if (chosen.pair) pairs_.push_back({&inside, chosen.a, chosen.b});
  shared_.model.instances.push_back({inside.instance->name, i.name.span});
  symbol.value.type.shape = Shape::instance;
  symbol.value.members = &inside;
  inside.reserve(component.parameters.size() + component.body.size());
  add_parameters(component, *given, names, inside, here);
  const Sink::Around outer = sink_.set_around(Scope::Instance::around(inside.instance.get()));
  expansion_.block(component.body, inside, inside);
  sink_.set_around(outer);
}

bool Instances::too_deep(const ast::Instance& i, const Scope::Instance* around) {
  if (!around || around->depth < kMostNested) return false;
  std::string chain = printable(i.type);
  int shown = 0;
  for (const Scope::Instance* o = around; o && shown < 3; o = o->inside->owner(), ++shown)
    chain = printable(o->of) + " -> " + chain;
  sink_.report(Kind::recursive_component, i.type_span, printable(i.type), "... -> " + chain);
  size_.give_up();  // its instances may branch
  return true;
}

const std::vector<SharedText>& Instances::names_of_parameters(const ast::Component& component) {
  const auto [place, fresh] = made_.try_emplace(&component);
  if (fresh)
    for (const ast::Parameter& p : component.parameters) place->second.emplace_back(p.name);
  return place->second;
}

// `given` holds the argument of each parameter, or null for its default; `names` are the parameters.
void Instances::add_parameters(const ast::Component& component, const std::vector<const ast::Expr*>& given,
                               const std::vector<SharedText>& names, Scope& inside, Scope& here) {
  for (std::size_t k = 0; k < given.size(); ++k) {
    const ast::Parameter& p = component.parameters[k];
    if (inside.find_here(p.name)) continue;  // given twice: reported by check_parameters
    Symbol parameter;
    parameter.span = p.span;
    Given& g = items_.give();
    g.parameter = &p;
    g.argument = given[k] ? given[k] : p.default_value.get();
    g.argument_scope = given[k] ? &here : &inside;
    Item item;
    item.given = &g;
    item.scope = &inside;
    item.symbol = &inside.add(p.name, std::move(parameter));
    const Name full(inside.instance->name, names[k]);
    shared_.overrides.add_structural(full);
    if (const Override* o = shared_.overrides.all().empty() ? nullptr : shared_.overrides.use(full)) {
      g.replaced = g.argument;
      g.replaced_scope = g.argument_scope;
      g.argument = o->value;
      g.argument_scope = &shared_.scope;
    }
    items_.place(items_.add(item));
  }
}

void Instances::use(const ast::Use& u, Scope& into) {
  for (const ast::Use::Item& item : u.items) {
    const Scope* module = module_scope(item);
    if (!module || !into.import(*module)) continue;
    for (const std::string& name : module->names_here()) {
      const Symbol* other = into.imported(name, *module);
      if (!other || other->refused || module->find_here(name)->refused || into.find_here(name)) continue;
      sink_.report(Kind::used_twice, item.span, printable(name))
          .label(other->span, "declared here")
          .label(module->find_here(name)->span, "and here");
      break;  // one report tells which files do not go together
    }
  }
}

// Declares the names of a module; those that may not be there become known without a value. Returns the first statement
// that may not be there, or null.
const ast::Stmt* Instances::declare_module(const Module& module, Scope& scope, std::size_t& misplaced) {
  const ast::Stmt* first = nullptr;
  for (const auto& s : module.file.statements) {
    if (const auto* inner = std::get_if<ast::Use>(&s->node))
      use(*inner, scope);
    else if (std::holds_alternative<ast::Space>(s->node))
      continue;
    else if (is_definition(*s))
      expansion_.declare(*s, scope, scope);
    else if (++misplaced == 1)
      first = s.get();
    const ast::Declared* d = is_definition(*s) ? nullptr : declared_name(*s);
    if (d && !scope.find_here(d->name)) {  // reported once
      Symbol& symbol = scope.add(d->name, {});
      symbol.span = d->span;
      symbol.refused = true;
    }
  }
  return first;
}

const Scope* Instances::module_scope(const ast::Use::Item& item) {
  const Module* module = shared_.modules.find(item);
  return module ? module_scope(*module, item) : nullptr;  // reported when it was loaded
}

// Returns whether a file with `space 2` or the like is made for this space, and reports if not. In another space rows
// meant as one number would be several, or would use missing names.
bool Instances::fits_space(const Module& module, const ast::Use::Item& item) {
  const std::uint32_t here = shared_.model.space;
  if (shared_.context.any_length) return true;  // the model's is not known
  for (const auto& s : module.file.statements) {
    const auto* space = std::get_if<ast::Space>(&s->node);
    const auto* n = space ? std::get_if<ast::Number>(&space->dimension->node) : nullptr;
    if (!space || (n && n->value == here)) continue;
    const std::string wanted = printable(shared_.sources.text(space->dimension->span));
    if (!n || (n->value != 1 && n->value != 2 && n->value != 3)) {
      sink_.report(Kind::space_value, space->dimension->span, wanted);
      continue;
    }
    const std::string spatial = item.name.starts_with("planar_") ? item.name.substr(7) : "";
    Diagnostic& d = sink_.report(Kind::use_failed, item.span, printable(item.name),
                                 "it is made for `space " + wanted + "`, and `space` is " + std::to_string(here));
    if (!module.standard) d.label(s->span, "said here");
    const bool other = here == 3 && module.standard && !spatial.empty() && standard_module(spatial);
    d.hint("write `space " + wanted + "` at the head of the model" + (other ? ", or `use " + spatial + "`" : ""));
    return false;
  }
  return true;
}

// Makes the names of a file that does not fit known without a value, so that only the file is reported.
void Instances::refuse_definitions(const Module& module, Scope& scope) {
  for (const auto& s : module.file.statements)
    if (const ast::Declared* d = declared_name(*s); d && !scope.find_here(d->name)) {
      Symbol& symbol = scope.add(d->name, {});
      symbol.span = d->span;
      symbol.refused = true;
    }
}

const Scope* Instances::module_scope(const Module& used, const ast::Use::Item& item) {
  const Module* module = &used;
  const auto [place, fresh] = modules_.try_emplace(module);
  Scope& scope = place->second;
  if (!fresh) return &scope;
  if (!fits_space(used, item)) {
    refuse_definitions(used, scope);
    return &scope;
  }
  std::size_t count = 0;
  if (const ast::Stmt* misplaced = declare_module(*module, scope, count)) {
    Diagnostic& d = sink_.report(Kind::misplaced_in_module, misplaced->span, printable(item.name));
    d.label(item.span, "used here");
    if (count > 1)
      d.note("nor can " + std::to_string(count - 1) + (count > 2 ? " others" : " other") + " of its statements");
    if (std::holds_alternative<ast::Param>(misplaced->node))
      d.hint("a constant is a `let`; what can be set from outside is a parameter of a `model` or `joint`");
  }
  for (const auto& s : module->file.statements)
    if (is_definition(*s)) expansion_.expand(*s, scope, scope);
  return &scope;
}

}  // namespace mbc::sema
