// SPDX-License-Identifier: Apache-2.0
// In which order items are evaluated. What an item mentions comes first, found by names without evaluating anything;
// chains of any length are followed with a stack of our own. Names do not tell everything (which element of an array,
// what a parameter that is an instance holds), so an item may also be asked for while another one is evaluated; that
// is deep only where definitions go in circles.
#include <algorithm>
#include <cmath>

#include "base/diagnostics/render.h"
#include "compiler/sema/elaborator.h"

namespace mbc::sema {

namespace {
constexpr std::size_t kMaxDepth = 100;  // items asked for while others are evaluated
}

const std::vector<Mention>& Elaborator::mentions(const void* key, const ast::Stmt* s, const ast::Expr* e) {
  const auto [place, fresh] = mentions_.try_emplace(key);
  if (fresh) place->second = s ? mentions_in(*s) : mentions_in(*e);
  return place->second;
}

std::string Elaborator::name_of(const Item& item) const {
  if (item.given) return item.scope->instance->path + item.given->parameter->name;
  const ast::Declared* d = item.statement ? declared_name(*item.statement) : nullptr;
  if (!d) return item.statement && std::holds_alternative<ast::Gravity>(item.statement->node) ? "gravity" : "";
  const Scope::Instance* owner = item.scope->owner();
  std::string name = (owner ? owner->path : "") + d->name;
  if (!item.indices) return name;
  name += '[';
  for (std::size_t k = 0; k < item.indices->size(); ++k) {
    if (k > 0) name += ',';
    name += std::to_string((*item.indices)[k]);
  }
  return name + ']';
}

std::vector<ItemId> Elaborator::needs(const Item& item) {
  std::vector<ItemId> list;
  if (const Given* g = item.given) {
    needs_of(mentions(g->argument, nullptr, g->argument), *g->argument_scope, nullptr, list);
    if (g->replaced) needs_of(mentions(g->replaced, nullptr, g->replaced), *g->replaced_scope, nullptr, list);
    return list;
  }
  needs_of(mentions(item.statement, item.statement, nullptr), *item.scope, item.array, list);
  if (std::holds_alternative<ast::Param>(item.statement->node))
    if (const Override* o = override_for(name_of(item)))
      needs_of(mentions(o->value, nullptr, o->value), scope_, nullptr, list);
  return list;
}

void Elaborator::needs_of(const std::vector<Mention>& mentioned, const Scope& scope, const Elements* own,
                          std::vector<ItemId>& list) {
  for (const Mention& m : mentioned) {
    const std::string& name = m.path[0].name;
    const Scope::Found found = scope.find(name);
    if (found.symbol)
      needs_along(*found.symbol, m, 0, scope, own, list);
    else if (!found.number && (name == "energy" || name == "momentum") && !expanded_)
      sink_.report(Kind::not_known, m.span, "what shapes the model, here by " + quoted(name) + ",");
    else if (!found.number && (name == "energy" || name == "momentum") && system_open_ > 0)
      for (ItemId id : system_)
        if (items_[id].state != Item::State::done) list.push_back(id);
  }
}

// The value of an index as far as it can be told without evaluating: numbers, loop indices, their sums and products.
std::optional<double> Elaborator::plain_number(const ast::Expr& e, const Scope& scope) const {
  if (const auto* n = std::get_if<ast::Number>(&e.node)) return n->value;
  if (const auto* n = std::get_if<ast::Name>(&e.node)) {
    const Scope::Found found = scope.find(n->text);
    if (found.number) return found.number;
    if (!found.symbol || found.symbol->value.invalid()) return {};
    return evaluator_.number(found.symbol->value);
  }
  const auto terms = [&](const ast::ExprPtr& first, const std::vector<ast::Term>& rest) -> std::optional<double> {
    std::optional<double> total = plain_number(*first, scope);
    for (const ast::Term& t : rest) {
      const std::optional<double> x = plain_number(*t.value, scope);
      if (!total || !x) return {};
      switch (t.op) {
        case ast::Term::Op::add:
          *total += *x;
          break;
        case ast::Term::Op::sub:
          *total -= *x;
          break;
        case ast::Term::Op::mul:
          *total *= *x;
          break;
        case ast::Term::Op::div:
          return {};
      }
    }
    return total;
  };
  if (const auto* sum = std::get_if<ast::Sum>(&e.node)) return terms(sum->first, sum->rest);
  if (const auto* product = std::get_if<ast::Product>(&e.node)) return terms(product->first, product->rest);
  return {};
}

// `chain.p[3].pos`: along instances and elements to what has a value
void Elaborator::needs_along(const Symbol& symbol, const Mention& m, std::size_t at, const Scope& scope,
                             const Elements* own, std::vector<ItemId>& list) {
  if (symbol.elements) {
    const Elements& elements = *symbol.elements;
    if (m.path[at].index) {
      Indices indices;
      for (const ast::ExprPtr& e : m.path[at].index->indices)
        if (const std::optional<double> k = plain_number(*e, scope); k && std::fabs(*k) < 1e9)
          indices.push_back(static_cast<std::int32_t>(*k));
      if (indices.size() == m.path[at].index->indices.size()) {
        if (const auto it = elements.of.find(indices); it != elements.of.end())
          needs_along(it->second, m, at, scope, own, list);
        return;
      }
    }
    if (&elements == own) return;  // some p[..] from another one: in the order of the text
    for (const auto& [indices, element] : elements.of) {
      if (elements.open == 0 && !element.members) return;
      needs_along(element, m, at, scope, own, list);
    }
    return;
  }
  if (symbol.members) {
    if (at + 1 < m.path.size())
      if (const Symbol* member = symbol.members->find_here(m.path[at + 1].name))
        needs_along(*member, m, at + 1, scope, own, list);
    return;
  }
  if (symbol.item != kNoItem && items_[symbol.item].state != Item::State::done) list.push_back(symbol.item);
}

void Elaborator::ensure_mentioned(const ast::Expr& e, const Scope& here) {
  std::vector<ItemId> list;
  needs_of(mentions(&e, nullptr, &e), here, nullptr, list);
  for (ItemId id : list) ensure(id);
}

void Elaborator::ensure(ItemId root) {
  if (items_[root].state != Item::State::open) return;
  struct Visit {
    ItemId item;
    std::vector<ItemId> needs;
    std::size_t next = 0;
  };
  std::vector<Visit> stack;
  const auto enter = [&](ItemId id) {
    items_[id].state = Item::State::waiting;
    stack.push_back({id, needs(items_[id]), 0});
  };
  enter(root);
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.next == top.needs.size()) {
      const ItemId id = top.item;
      stack.pop_back();
      if (items_[id].state == Item::State::waiting) execute(id);
      continue;
    }
    const ItemId child = top.needs[top.next++];
    if (items_[child].state == Item::State::open) {
      enter(child);
    } else if (items_[child].state == Item::State::waiting) {
      std::size_t k = stack.size();
      while (k > 0 && stack[k - 1].item != child) --k;
      if (k == 0) continue;  // waits further out
      std::vector<ItemId> chain;
      for (std::size_t i = k - 1; i < stack.size(); ++i) chain.push_back(stack[i].item);
      if (report_cycle(chain))
        for (ItemId id : chain) close(id);  // without a value: said once
    }
  }
}

// Where a circle is told from: what an instance is given, if there is such a place, else where it was met first.
void Elaborator::begin_with_argument(std::vector<ItemId>& chain) const {
  for (std::size_t k = 0; k < chain.size(); ++k) {
    const Item& item = items_[chain[k]];
    if (!item.given || item.given->argument_scope == item.scope) continue;
    std::rotate(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(k), chain.end());
    return;
  }
}

// False where names alone do not say that it is one: an array may be built from its own earlier elements.
bool Elaborator::report_cycle(std::vector<ItemId> chain) {
  begin_with_argument(chain);
  for (ItemId id : chain)
    if (items_[id].array) return false;
  std::string text;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (chain.size() > 8 && i == 3) text += "... -> ";
    if (chain.size() > 8 && i >= 3 && i + 3 < chain.size()) continue;
    text += printable(name_of(items_[chain[i]])) + " -> ";
  }
  const Item& first = items_[chain[0]];
  const ast::Declared* d = first.statement ? declared_name(*first.statement) : nullptr;
  const Span span = first.given ? (first.given->argument_scope == first.scope ? first.given->parameter->span
                                                                              : first.given->argument->span)
                    : d         ? d->span
                                : first.statement->span;
  const std::string name = printable(name_of(first));
  Diagnostic& report = sink_.report(Kind::circular_definition, span, name, text + name);
  for (ItemId id : chain) {
    const std::string shown = name_of(items_[id]);
    for (const Override& o : overrides_)
      if (o.path == shown) report.note("`" + printable(shown) + "` has its value from `--set`");
  }
  return true;
}

// Asked for by the evaluator when it meets a name.
void Elaborator::demand(const Symbol& symbol) {
  if (symbol.item == kNoItem) return;
  Item& item = items_[symbol.item];
  if (item.state == Item::State::done) return;
  if (item.state == Item::State::evaluating) {
    std::vector<ItemId> chain;
    for (std::size_t k = evaluating_.size(); k-- > 0;) {
      chain.insert(chain.begin(), evaluating_[k]);
      if (evaluating_[k] == symbol.item) break;
    }
    if (report_cycle(chain)) return;
    const ast::Declared* d = item.statement ? declared_name(*item.statement) : nullptr;
    const std::string name = printable(name_of(item));
    std::string text = name;
    for (std::size_t k = 1; k < chain.size() && k < 6; ++k) text += " -> " + printable(name_of(items_[chain[k]]));
    sink_.report(Kind::circular_definition, d ? d->span : symbol.span, name, text + " -> " + name);
    return;
  }
  if (evaluating_.size() >= kMaxDepth) {
    const ast::Declared* d = item.statement ? declared_name(*item.statement) : nullptr;
    const std::string name = printable(name_of(item));
    sink_.report(Kind::definitions_too_deep, d ? d->span : symbol.span, name, std::to_string(kMaxDepth));
    return;
  }
  const auto saved = evaluator_.begin_item();
  if (item.state == Item::State::waiting)
    execute(symbol.item);  // its needs are being looked for further out
  else
    ensure(symbol.item);
  evaluator_.end_item(saved);
}

void Elaborator::close(ItemId id) {
  Item& item = items_[id];
  if (item.state == Item::State::done) return;
  item.state = Item::State::done;
  if (item.array) --item.array->open;
  if (item.statement && part_of_system(*item.statement)) --system_open_;
}

void Elaborator::execute(ItemId id) {
  const Scope* scope = item_scope_;
  Symbol* symbol = item_symbol_;
  std::string name = std::move(item_name_);
  const Item item = items_[id];
  items_[id].state = Item::State::evaluating;
  evaluating_.push_back(id);
  item_scope_ = item.scope;
  item_symbol_ = item.symbol;
  item_name_ = name_of(item);
  const Scope::Instance* owner = (item.given ? item.given->argument_scope : item.scope)->owner();
  std::optional<Label> context;
  if (owner) context = owner->made_here();
  std::optional<Label> outer = sink_.set_around(std::move(context)), call = sink_.set_context({});
  if (item.given)
    bind_parameter(item);
  else
    statement(*item.statement);
  sink_.set_around(std::move(outer));
  sink_.set_context(std::move(call));
  evaluating_.pop_back();
  close(id);
  item_scope_ = scope;
  item_symbol_ = symbol;
  item_name_ = std::move(name);
}

}  // namespace mbc::sema
