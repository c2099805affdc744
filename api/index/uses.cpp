// SPDX-License-Identifier: Apache-2.0
#include "api/index/uses.h"

#include <algorithm>
#include <string>
#include <vector>

#include "api/index/kinds.h"
#include "base/distribution.h"
#include "base/settings.h"
#include "compiler/ast/walk.h"
#include "compiler/sema/signal_texts.h"
#include "compiler/sema/statements/varied_quantities.h"

namespace mbc::api {

namespace {

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80u;
}

class Uses {
 public:
  Uses(const SourceSet& sources, const sema::ModuleSet& modules, Declarations& names, SourceIndex& out)
      : sources_(sources), modules_(modules), names_(names), kinds_(names, out), out_(out) {}

  void block(const std::vector<ast::StmtPtr>& statements, NameScope& here) {
    for (const ast::StmtPtr& s : statements) statement(*s, here);
  }

 private:
  void statement(const ast::Stmt& s, NameScope& here) {
    std::visit([&](const auto& n) { visit(n, here); }, s.node);
  }

  void visit(const ast::Def& n, NameScope& here) {
    declared(n.name, here);
    NameScope& inner = names_.of(&n);
    parameters(n.parameters, inner);
    expr(n.body, inner);
  }

  void visit(const ast::Entity& n, NameScope& here) {
    NameScope& inner = declared(n.name, here);
    for (const ast::Argument& a : n.args) {
      if (!a.name.empty()) put(a.name_span, UseKind::argument);
      if (a.name == "coordinates")
        choice(a.value, inner);
      else
        expr(a.value, inner);
    }
    modifiers(n.modifiers, inner);
  }

  void visit(const ast::StateVar& n, NameScope& here) {
    NameScope& inner = declared(n.name, here);
    NameScope labels;  // the value may be a single label
    labels.parent = &inner;
    const std::uint32_t state = names_.of_place(n.name.span);
    for (const ast::Label& l : n.labels) {
      const std::uint32_t label = names_.of_place(l.span);
      put(l.span, UseKind::declaration, label);
      if (state != kNoSymbol && label != kNoSymbol) labels.names.emplace(l.name, label);
    }
    expr(n.value, labels);
    expr(n.rate_lhs, inner);
    expr(n.rate_rhs, inner);
  }

  void visit(const ast::Load& n, NameScope& here) {
    NameScope& inner = declared(n.name, here);
    modifiers(n.modifiers, inner);
    expr(n.value, inner);
    expr(n.still, inner);
    expr(n.restitution, inner);
  }

  void visit(const ast::Init& n, NameScope& here) {
    for (const ast::InitEntry& e : n.entries) {
      expr(e.target, here);
      expr(e.value, here);
    }
    for (const ast::ExprPtr& e : n.disabled) expr(e, here);
  }

  void visit(const ast::Simulate& n, NameScope& here) {
    declared(n.name, here);
    for (const ast::Setting& s : n.settings) {
      if (s.key.starts_with(sema::kInputPrefix) && s.key_span.known()) {  // `input.u`: the word and the input it is for
        const auto dot = s.key_span.begin + static_cast<std::uint32_t>(std::string_view(sema::kInputPrefix).size()) - 1;
        put({s.key_span.file, s.key_span.begin, dot}, UseKind::setting);
        path({s.key_span.file, dot + 1, s.key_span.end}, here);
        expr(s.value, here);
        continue;
      }
      put(s.key_span, UseKind::setting);
      const auto key = settings::key_named(s.key);
      if (key && !settings::choices(*key).empty())
        choice(s.value, here);
      else
        expr(s.value, here);
    }
    for (const ast::Plot& p : n.plots) {
      for (const ast::Shown& i : p.items) shown(i, here);
      if (p.over) shown(*p.over, here);
    }
  }

  void visit(const ast::Test& n, NameScope& here) {
    put(n.over_span, UseKind::name, names_.simulation(n.over));
    for (const ast::Check& c : n.checks)
      for (const ast::ExprPtr* e : {&c.condition, &c.within, &c.at}) expr(*e, here);
  }

  void visit(const ast::Sweep& n, NameScope& here) {
    declared(n.name, here);
    put(n.over_span, UseKind::name, names_.simulation(n.over));
    for (const ast::Setting& s : n.settings) {
      if (!sema::sets_draws(s.key) || here.find(s.key) != kNoSymbol) path(s.key_span, here);
      if (s.drawn)
        distribution(s.value, here);
      else if (s.key != "points" || here.find(s.key) != kNoSymbol)
        expr(s.value, here);
      if (s.unit) unit(*s.unit);
    }
    for (const ast::Shown& record : n.records) shown(record, here);
  }

  // Distributions have no names that a model could declare.
  void distribution(const ast::ExprPtr& e, const NameScope& here) {
    const auto* measured = e ? std::get_if<ast::Measured>(&e->node) : nullptr;
    const ast::ExprPtr& written = measured ? measured->value : e;
    const auto* call = written ? std::get_if<ast::Call>(&written->node) : nullptr;
    const auto* callee = call && call->callee ? std::get_if<ast::Name>(&call->callee->node) : nullptr;
    if (!callee || !distribution_named(callee->text)) return expr(e, here);
    arguments(call->args, kNoSymbol, here, false);
    if (measured) unit(measured->unit);
  }

  void visit(const ast::Use& n, NameScope&) {
    for (const ast::Use::Item& item : n.items) {
      const sema::Module* used = modules_.find(item);
      put(item.span, UseKind::module,
          used && used->file.version_span.known() ? used->file.version_span.file : kNoSymbol);
    }
  }

  void visit(const ast::Component& n, NameScope& here) {
    declared(n.name, here);
    NameScope& inner = names_.of(&n);
    parameters(n.parameters, inner);
    block(n.body, inner);
  }

  void visit(const ast::Instance& n, NameScope& here) {
    if (n.shape) {  // its kind is known only there
      NameScope& place = declared(n.name, here);
      for (const ast::Argument& a : n.args) expr(a.value, place);
      return;
    }
    const std::uint32_t type = here.find(n.type);
    put(n.type_span, UseKind::name, type);
    NameScope& inner = declared(n.name, here);
    arguments(n.args, type, inner);
  }

  void visit(const ast::For& n, NameScope& here) {
    NameScope& pass = names_.of(&n);
    put(n.binder.span, UseKind::declaration, names_.of_place(n.binder.span));
    expr(n.binder.range, here);
    block(n.body, pass);
  }

  void visit(const ast::IfBlock& n, NameScope& here) {
    expr(n.condition, here);
    block(n.then_body, here);
    block(n.else_body, here);
  }

  template <class Statement>  // all other statements, by the parts that they have
  void visit(const Statement& n, NameScope& here) {
    NameScope* inner = &here;
    if constexpr (requires { n.name; }) inner = &declared(n.name, here);
    if constexpr (requires { n.dimension; }) expr(n.dimension, *inner);
    if constexpr (requires { n.value; }) expr(n.value, *inner);
    if constexpr (requires { n.equation; }) expr(n.equation, *inner);
    if constexpr (requires { n.condition; }) expr(n.condition, *inner);
    if constexpr (requires { n.target; }) expr(n.target, *inner);
    if constexpr (requires { n.from; }) expr(n.from, *inner);
    if constexpr (requires { n.restitution; }) expr(n.restitution, *inner);
    if constexpr (requires { n.place; }) {
      expr(n.frame, *inner);
      expr(n.place, *inner);
    }
    if constexpr (requires { n.modifiers; }) modifiers(n.modifiers, *inner);
    if constexpr (requires { n.unit; })
      if (n.unit) unit(*n.unit);
    if constexpr (requires { n.nonideal; }) block(n.nonideal, *inner);
    if constexpr (std::is_same_v<Statement, ast::When>)
      for (const ast::Action& a : n.body)
        for (const ast::ExprPtr* e : {&a.target, &a.value}) expr(*e, *inner);
  }

  void put(Span place, UseKind kind, std::uint32_t symbol = kNoSymbol, bool certain = true) {
    if (place.known() && place.end > place.begin)
      out_.uses.push_back({Declarations::range(place), kind, symbol, certain});
  }

  // ---- expressions

  void expr(const ast::ExprPtr& e, const NameScope& here) {
    if (e) walk(*e, here);
  }
  void shown(const ast::Shown& s, const NameScope& here) {
    expr(s.value, here);
    if (s.unit) unit(*s.unit);
  }
  void walk(const ast::Expr& e, const NameScope& here) {
    if (const auto* n = std::get_if<ast::Name>(&e.node)) return name(*n, e.span, here);
    if (const auto* n = std::get_if<ast::Member>(&e.node)) return member(*n, here);
    if (const auto* n = std::get_if<ast::Call>(&e.node)) return call(*n, here);
    if (const auto* n = std::get_if<ast::SumOver>(&e.node)) return sum(*n, e.span, here);
    if (const auto* n = std::get_if<ast::Measured>(&e.node)) {
      expr(n->value, here);
      return unit(n->unit);
    }
    ast::for_each_part(e, [&](const ast::Expr& part) { walk(part, here); });
  }

  void sum(const ast::SumOver& n, Span span, const NameScope& here) {
    // The tree has no node for the word `sum`; the text of this node begins with it.
    const std::string_view text = sources_.text(span);
    std::uint32_t end = 0;
    while (end < text.size() && is_word_char(text[end])) ++end;
    put({span.file, span.begin, span.begin + end}, UseKind::name);
    expr(n.binder.range, here);
    NameScope& inner = names_.inside(here);
    put(n.binder.span, UseKind::declaration, names_.add(inner, index_of(n.binder)));
    expr(n.body, inner);
  }

  [[nodiscard]] IndexSymbol index_of(const ast::Binder& b) const {
    IndexSymbol index;
    index.kind = SymbolKind::loop_index;
    index.name = b.name;
    index.place = index.statement = Declarations::range(b.span);
    index.head = b.name + " in " + (b.range ? std::string(sources_.text(b.range->span)) : "");
    index.local = true;
    return index;
  }

  void name(const ast::Name& n, Span span, const NameScope& here) { put(span, UseKind::name, here.find(n.text)); }

  void member(const ast::Member& n, const NameScope& here) {
    expr(n.object, here);
    if (!n.object) return;
    const What object = kinds_.what_is(*n.object, here);
    const std::uint32_t symbol = kinds_.member_symbol(object, n.name);
    put(n.name_span, UseKind::member, symbol, symbol != kNoSymbol || !object.of.empty());
  }

  void call(const ast::Call& n, const NameScope& here) {
    expr(n.callee, here);
    const auto* callee = n.callee ? std::get_if<ast::Name>(&n.callee->node) : nullptr;
    const std::uint32_t symbol = callee ? here.find(callee->text) : kNoSymbol;
    arguments(n.args, symbol, here, callee && callee->text == "table" && symbol == kNoSymbol);
  }

  // Two arguments of `table(x, ..., method = cubic, beyond = hold)` are words.
  void arguments(const std::vector<ast::Argument>& args, std::uint32_t callee, const NameScope& here,
                 bool table = false) {
    for (const ast::Argument& a : args) {
      std::uint32_t symbol = kNoSymbol;
      if (!a.name.empty() && callee != kNoSymbol)
        for (const std::uint32_t known : out_.symbols[callee].arguments)
          if (out_.symbols[known].name == a.name) symbol = known;
      if (!a.name.empty()) put(a.name_span, UseKind::argument, symbol);
      if (table && (a.name == "method" || a.name == "beyond"))
        choice(a.value, here);
      else
        expr(a.value, here);
    }
  }

  // The span of a factor may include its exponent.
  void unit(const ast::Unit& unit) {
    for (const ast::UnitFactor& f : unit.factors) {
      const auto size = static_cast<std::uint32_t>(f.name.size());
      put({f.span.file, f.span.begin, std::min(f.span.end, f.span.begin + size)}, UseKind::unit);
    }
  }

  void modifiers(const std::vector<ast::Modifier>& list, const NameScope& here) {
    for (const ast::Modifier& m : list) expr(m.value, here);
  }

  void parameters(const std::vector<ast::Parameter>& list, const NameScope& here) {
    for (const ast::Parameter& p : list) {
      put(p.span, UseKind::declaration, names_.of_place(p.span));
      if (!p.type.empty()) put(p.type_span, UseKind::type);
      expr(p.default_value, here);
    }
  }

  // Records a choice: `rk4`, `auto(tol = 1e-9)`, `udwadia_kalaba(literal)`.
  void choice(const ast::ExprPtr& value, const NameScope& here) {
    if (!value) return;
    if (std::holds_alternative<ast::Name>(value->node)) return put(value->span, UseKind::choice);
    const auto* call = std::get_if<ast::Call>(&value->node);
    if (!call) return expr(value, here);
    if (call->callee) put(call->callee->span, UseKind::choice);
    for (const ast::Argument& a : call->args) {
      if (!a.name.empty()) {
        put(a.name_span, UseKind::argument);
        expr(a.value, here);
      } else if (a.value && std::holds_alternative<ast::Name>(a.value->node)) {
        put(a.value->span, UseKind::choice);
      } else {
        expr(a.value, here);
      }
    }
  }

  // Records a path: `chain.n`, `a[2].length`. It is read from the text where the tree has no expression for it.
  void path(Span key, const NameScope& here) {
    if (!key.known()) return;
    const std::string_view text = sources_.text(key);
    What object;
    bool first = true;
    for (std::size_t k = 0; k < text.size();) {
      if (text[k] == '[') k = std::min(text.find(']', k), text.size());
      if (k >= text.size() || !is_word_char(text[k])) {
        ++k;
        continue;
      }
      std::size_t end = k;
      while (end < text.size() && is_word_char(text[end])) ++end;
      const std::string word(text.substr(k, end - k));
      const Span place{key.file, key.begin + static_cast<std::uint32_t>(k),
                       key.begin + static_cast<std::uint32_t>(end)};
      const std::uint32_t symbol = first ? here.find(word) : kinds_.member_symbol(object, word);
      put(place, first ? UseKind::name : UseKind::member, symbol, symbol != kNoSymbol || !object.of.empty());
      object = symbol != kNoSymbol ? kinds_.of_symbol(symbol) : What{};
      first = false;
      k = end;
    }
  }

  // Records the name, and returns the scope with the names of its indices for the rest of the statement.
  NameScope& declared(const ast::Declared& d, NameScope& here) {
    if (!d.name.empty()) put(d.span, UseKind::declaration, names_.of_place(d.span));
    for (const ast::ExprPtr& index : d.indices) expr(index, here);
    if (d.binders.empty()) return here;
    NameScope* scope = &here;
    for (const ast::Binder& b : d.binders) {
      expr(b.range, *scope);
      scope = &names_.inside(*scope);
      put(b.span, UseKind::declaration, names_.add(*scope, index_of(b)));
    }
    return *scope;
  }

  const SourceSet& sources_;
  const sema::ModuleSet& modules_;
  Declarations& names_;
  Kinds kinds_;
  SourceIndex& out_;
};

}  // namespace

void find_uses(const SourceSet& sources, const sema::ModuleSet& modules, const ast::File& file, NameScope& scope,
               Declarations& names, SourceIndex& out) {
  Uses uses(sources, modules, names, out);
  uses.block(file.statements, scope);
  for (const auto& module : modules.all())
    if (!module->standard) uses.block(module->file.statements, names.of(module.get()));
}

}  // namespace mbc::api
