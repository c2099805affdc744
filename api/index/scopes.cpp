// SPDX-License-Identifier: Apache-2.0
#include "api/index/scopes.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace mbc::api {

namespace {

constexpr std::size_t kLongestHead = 400;  // bytes of a statement that are shown

struct SymbolWords {
  const char* text;
  std::string_view word;  // for statements that declare several names, each a part of the statement
};
constexpr SymbolWords kWords[] = {
#define MBC_SYMBOL(name, text, word, ...) {text, word},
#include "mbc/symbol_kinds.def"
};

SymbolKind kind_of(const ast::Entity& e) {
  constexpr std::array kinds{SymbolKind::particle, SymbolKind::body, SymbolKind::point, SymbolKind::frame};
  return kinds.at(static_cast<std::size_t>(e.kind));
}

Origin written(const ast::ExprPtr& value) { return {value.get(), nullptr, nullptr}; }

// Returns the place of the word that a statement begins with.
Span word_at(Span statement, std::string_view word) {
  return {statement.file, statement.begin, statement.begin + static_cast<std::uint32_t>(word.size())};
}

bool indexed(const ast::Declared& d) { return !d.binders.empty() || !d.indices.empty(); }

}  // namespace

std::uint32_t Declarations::add(NameScope& scope, IndexSymbol symbol, Origin origin) {
  const auto id = static_cast<std::uint32_t>(out_.symbols.size());
  by_place_[{symbol.place.file, symbol.place.begin}] = id;
  scope.names.emplace(symbol.name, id);
  origin.scope = &scope;
  if (origin.value) symbol.value = range(origin.value->span);
  out_.symbols.push_back(std::move(symbol));
  origins_.push_back(origin);
  return id;
}

NameScope& Declarations::file(const ast::File& file) {
  NameScope& scope = all_.emplace_back();
  imports(file, scope);
  block(file.statements, scope, scope);
  return scope;
}

// Imported names come before those of the model, so that each file is read once.
void Declarations::imports(const ast::File& file, NameScope& scope) {
  for (const ast::StmtPtr& s : file.statements)
    if (const auto* use = std::get_if<ast::Use>(&s->node))
      for (const ast::Use::Item& item : use->items)
        if (const sema::Module* used = modules_.find(item)) {
          NameScope& names = module(*used);
          if (std::find(scope.imports.begin(), scope.imports.end(), &names) == scope.imports.end())
            scope.imports.push_back(&names);
        }
}

NameScope& Declarations::module(const sema::Module& module) {
  const auto [place, fresh] = scopes_.try_emplace(&module, nullptr);
  if (!fresh) return *place->second;
  NameScope& scope = all_.emplace_back();
  scopes_[&module] = &scope;
  imports(module.file, scope);
  block(module.file.statements, scope, scope);
  return scope;
}

void Declarations::block(const std::vector<ast::StmtPtr>& statements, NameScope& home, NameScope& here) {
  for (const ast::StmtPtr& s : statements) statement(*s, home, here);
  outputs(statements, home, here);
}

void Declarations::statement(const ast::Stmt& s, NameScope& home, NameScope& here) {
  const bool in_loop = &home != &here;
  if (const auto* n = std::get_if<ast::Param>(&s.node))
    return named(n->name, SymbolKind::parameter, s, home, written(n->value));
  if (const auto* n = std::get_if<ast::Let>(&s.node))
    return named(n->name, SymbolKind::value, s, in_loop && !indexed(n->name) ? here : home, written(n->value));
  if (const auto* n = std::get_if<ast::Entity>(&s.node)) return named(n->name, kind_of(*n), s, home);
  if (const auto* n = std::get_if<ast::Coord>(&s.node))
    return named(n->name, SymbolKind::coordinate, s, home, written(n->value));
  if (const auto* n = std::get_if<ast::Speed>(&s.node))
    return named(n->name, SymbolKind::speed, s, home, written(n->value));
  if (const auto* n = std::get_if<ast::Input>(&s.node))
    return named(n->name, SymbolKind::input, s, home, written(n->value));
  if (const auto* n = std::get_if<ast::When>(&s.node)) return named(n->name, SymbolKind::event, s, home);
  if (const auto* n = std::get_if<ast::Load>(&s.node))
    return named(n->name,
                 n->kind >= ast::Load::Kind::potential  ? SymbolKind::energy
                 : n->kind == ast::Load::Kind::friction ? SymbolKind::constraint
                                                        : SymbolKind::load,
                 s, home);
  if (const auto* n = std::get_if<ast::Instance>(&s.node))
    return named(n->name, SymbolKind::instance, s, home, {nullptr, nullptr, n});
  if (const auto* n = std::get_if<ast::StateVar>(&s.node)) {
    named(n->name, SymbolKind::state, s, home, written(n->value));
    const std::uint32_t state = of_place(n->name.span);
    NameScope& labels = inside(home);
    for (const ast::Label& label : n->labels)
      if (state != kNoSymbol && labels.here(label.name) == kNoSymbol) {
        const std::uint32_t id = add(labels, described(label.name, label.span, SymbolKind::label, s));
        out_.symbols[state].members.push_back(id);
      }
  }
  if (const auto* n = std::get_if<ast::Def>(&s.node)) {
    named(n->name, SymbolKind::function, s, home);
    NameScope& scope = inside(here);
    scopes_[n] = &scope;
    arguments(n->parameters, s, scope, of_place(n->name.span));
  }
  if (const auto* n = std::get_if<ast::Component>(&s.node)) return component(*n, s, home);
  if (const auto* n = std::get_if<ast::Constraint>(&s.node)) {
    named(n->name, SymbolKind::constraint, s, home);
    const auto* sides = n->equation ? std::get_if<ast::Compare>(&n->equation->node) : nullptr;
    const std::uint32_t made = of_place(n->name.span);
    if (sides && sides->op != ast::CompareOp::eq && made != kNoSymbol) out_.symbols[made].type = "inequality";
    for (const ast::StmtPtr& load : n->nonideal) statement(*load, home, here);
  }
  if (const auto* n = std::get_if<ast::For>(&s.node)) {
    NameScope& pass = inside(here);
    scopes_[n] = &pass;
    IndexSymbol index = described(n->binder.name, n->binder.span, SymbolKind::loop_index, s);
    index.local = true;
    add(pass, std::move(index));
    block(n->body, home, pass);
  }
  if (const auto* n = std::get_if<ast::IfBlock>(&s.node)) {
    block(n->then_body, home, here);
    block(n->else_body, home, here);
  }
  run_or_test(s);
}

// Declares blocks of the file that may have their own names.
void Declarations::run_or_test(const ast::Stmt& s) {
  if (const auto* n = std::get_if<ast::Simulate>(&s.node)) {
    const Span place = n->name.name.empty() ? word_at(s.span, "simulate") : n->name.span;
    apart(n->name.name, place, SymbolKind::simulation, s);
    if (!n->name.name.empty()) simulations_.emplace(n->name.name, of_place(place));
  }
  if (const auto* n = std::get_if<ast::Test>(&s.node)) apart(n->title, word_at(s.span, "test"), SymbolKind::test, s);
  if (const auto* n = std::get_if<ast::Sweep>(&s.node)) apart(n->name.name, n->name.span, SymbolKind::sweep, s);
}

void Declarations::component(const ast::Component& c, const ast::Stmt& s, NameScope& home) {
  named(c.name, c.is_joint ? SymbolKind::joint : SymbolKind::model, s, home);
  NameScope& scope = inside(home);
  scopes_[&c] = &scope;
  const std::uint32_t id = of_place(c.name.span);
  scope.owner = id;
  arguments(c.parameters, s, scope, id);
  block(c.body, scope, scope);
  if (id == kNoSymbol) return;
  for (const auto& [name, member] : scope.names) out_.symbols[id].members.push_back(member);
}

void Declarations::arguments(const std::vector<ast::Parameter>& parameters, const ast::Stmt& s, NameScope& scope,
                             std::uint32_t owner) {
  for (const ast::Parameter& p : parameters) {
    if (p.name.empty() || scope.here(p.name) != kNoSymbol) continue;
    IndexSymbol symbol = described(p.name, p.span, SymbolKind::argument, s);
    symbol.type = p.type;
    symbol.owner = owner;
    symbol.description.clear();
    const Span last = p.default_value ? p.default_value->span : p.type_span.known() ? p.type_span : p.span;
    symbol.head = std::string(sources_.text(join(p.span, last)));
    const std::uint32_t id = add(scope, std::move(symbol));
    if (owner != kNoSymbol) out_.symbols[owner].arguments.push_back(id);
  }
}

// Declares a name. Of an array's declarations, the first is shown.
void Declarations::named(const ast::Declared& name, SymbolKind kind, const ast::Stmt& s, NameScope& scope,
                         Origin origin) {
  if (name.name.empty() || !name.span.known()) return;
  if (const std::uint32_t known = scope.here(name.name); known != kNoSymbol) {
    by_place_[{name.span.file, name.span.begin}] = known;
    return;
  }
  IndexSymbol symbol = described(name.name, name.span, kind, s);
  symbol.owner = scope.owner;
  add(scope, std::move(symbol), origin);
}

// Outputs come last: an output may have the name of the quantity it shows, and is then known only by its column.
void Declarations::outputs(const std::vector<ast::StmtPtr>& statements, NameScope& home, NameScope& here) {
  for (const ast::StmtPtr& s : statements) {
    const auto* n = std::get_if<ast::Output>(&s->node);
    if (!n || n->name.name.empty()) continue;
    const bool known = home.here(n->name.name) != kNoSymbol;
    if ((!known && &home == &here) || indexed(n->name))
      named(n->name, SymbolKind::output, *s, home, written(n->value));
    else
      apart(n->name.name, n->name.span, SymbolKind::output, *s);
  }
}

// Declares names that belong to no scope: runs, sweeps, columns.
void Declarations::apart(const std::string& name, Span place, SymbolKind kind, const ast::Stmt& s) {
  NameScope nowhere;
  const std::uint32_t id = add(nowhere, described(name, place, kind, s));
  origins_[id].scope = nullptr;
}

IndexSymbol Declarations::described(const std::string& name, Span place, SymbolKind kind, const ast::Stmt& s) const {
  IndexSymbol symbol;
  symbol.kind = kind;
  symbol.name = name;
  symbol.place = range(place);
  symbol.statement = range(s.span);
  symbol.head = head_of(s, kind);
  symbol.description = s.doc;
  return symbol;
}

// Returns the statement as one line: blanks and line ends become one blank, comments are left out, a block is cut off.
std::string Declarations::head_of(const ast::Stmt& s, SymbolKind kind) const {
  std::string out(kWords[static_cast<std::size_t>(kind)].word);
  const std::string_view text = sources_.text(s.span);
  for (std::size_t k = 0; k < text.size() && out.size() < kLongestHead && text[k] != '{'; ++k) {
    if (text.substr(k).starts_with("//")) k = std::min(text.find('\n', k), text.size() - 1);
    const bool blank = text[k] == ' ' || text[k] == '\t' || text[k] == '\n' || text[k] == '\r';
    if (!blank)
      out += text[k];
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return printable(trimmed(out), kLongestHead);
}

}  // namespace mbc::api

namespace mbc {

const char* to_text(SymbolKind kind) {
  const auto k = static_cast<std::size_t>(kind);
  return k < std::size(api::kWords) ? api::kWords[k].text : "?";
}

}  // namespace mbc
