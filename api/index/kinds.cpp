// SPDX-License-Identifier: Apache-2.0
#include "api/index/kinds.h"

#include <algorithm>

namespace mbc::api {

namespace {

constexpr int kMostNested = 32;  // nesting depth of values that refer to values

bool one_of(const std::string& name, std::initializer_list<const char*> list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

void link_instances(const Declarations& names, SourceIndex& out) {
  for (std::uint32_t id = 0; id < out.symbols.size(); ++id) {
    const Origin& origin = names.origin(id);
    if (!origin.instance || !origin.scope || origin.instance->shape) continue;
    const std::uint32_t type = origin.scope->find(origin.instance->type);
    if (type != kNoSymbol &&
        (out.symbols[type].kind == SymbolKind::joint || out.symbols[type].kind == SymbolKind::model))
      out.symbols[id].component = type;
  }
}

What Kinds::of_symbol(std::uint32_t symbol, int depth) const {
  if (symbol == kNoSymbol || depth > kMostNested) return {};
  const IndexSymbol& s = index_.symbols[symbol];
  if (s.kind == SymbolKind::instance) return s.component == kNoSymbol ? What{} : What{"instance", s.component};
  if (s.kind == SymbolKind::state) return {"labels", symbol};
  if (s.kind == SymbolKind::argument && s.type.empty()) return {};
  if (s.kind == SymbolKind::value || s.kind == SymbolKind::output) {
    const Origin& origin = names_.origin(symbol);
    return origin.value && origin.scope ? what_is(*origin.value, *origin.scope, depth + 1) : What{};
  }
  return {to_text(s.kind), symbol};
}

What Kinds::what_is(const ast::Expr& e, const NameScope& here, int depth) const {
  if (depth > kMostNested) return {};
  if (const auto* n = std::get_if<ast::Name>(&e.node)) {
    if (const std::uint32_t symbol = here.find(n->text); symbol != kNoSymbol) return of_symbol(symbol, depth + 1);
    if (one_of(n->text, {"ground", "energy", "momentum"})) return {n->text, kNoSymbol};
    return {"vector", kNoSymbol};
  }
  if (const auto* n = std::get_if<ast::Index>(&e.node))
    return n->object ? what_is(*n->object, here, depth + 1) : What{};
  if (const auto* n = std::get_if<ast::Member>(&e.node))
    return n->object ? of_member(what_is(*n->object, here, depth + 1), n->name, depth) : What{};
  if (const auto* n = std::get_if<ast::Call>(&e.node)) return of_call(*n, here);
  if (std::holds_alternative<ast::If>(e.node)) return {};
  return {"vector", kNoSymbol};  // every computed value is a number or has components
}

// Built-in functions return numbers; for other functions only an elaboration knows.
What Kinds::of_call(const ast::Call& call, const NameScope& here) const {
  if (!call.callee) return {};
  if (const auto* method = std::get_if<ast::Member>(&call.callee->node))
    return {method->name == "at" ? "frame" : "vector", kNoSymbol};
  const auto* callee = std::get_if<ast::Name>(&call.callee->node);
  return callee && here.find(callee->text) == kNoSymbol ? What{"vector", kNoSymbol} : What{};
}

What Kinds::of_member(const What& object, const std::string& name, int depth) const {
  if (object.of.empty()) return {};
  if (object.of != "instance") return {"vector", kNoSymbol};
  const std::uint32_t symbol = member_symbol(object, name);
  return symbol == kNoSymbol ? What{} : of_symbol(symbol, depth + 1);
}

std::uint32_t Kinds::member_symbol(const What& object, const std::string& name) const {
  if (object.symbol == kNoSymbol || (object.of != "instance" && object.of != "labels")) return kNoSymbol;
  for (const std::uint32_t member : index_.symbols[object.symbol].members)
    if (index_.symbols[member].name == name) return member;
  return kNoSymbol;
}

}  // namespace mbc::api
