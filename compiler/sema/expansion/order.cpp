// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expansion/order.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace mbc::sema {

namespace {
constexpr std::size_t kMostWaiting = 100;  // items requested while others are evaluated
}

Order::Order(Elaboration& shared, Items& items, std::function<void(const Item&)> evaluate)
    : shared_(shared), items_(items), sink_(shared.sink), evaluator_(shared.evaluator), evaluate_(std::move(evaluate)) {
  evaluator_.names().on_demand([this](const Symbol& symbol) { demand(symbol); });
}

template <class Text>
const std::vector<Mention>& Order::mentions(const Text& text) {
  const auto [place, fresh] = mentions_.try_emplace(&text);
  if (fresh) place->second = mentions_in(text);
  return place->second;
}

std::vector<ItemId> Order::needs(const Item& item) {
  std::vector<ItemId> list;
  if (const Given* g = item.given) {
    needs_of(mentions(*g->argument), *g->argument_scope, nullptr, list);
    if (g->replaced) needs_of(mentions(*g->replaced), *g->replaced_scope, nullptr, list);
    return list;
  }
  needs_of(mentions(*item.statement), *item.scope, item.array, list);
  if (std::holds_alternative<ast::Param>(item.statement->node))
    if (const Override* o = shared_.overrides.use(name_of(item)))
      needs_of(mentions(*o->value), shared_.scope, nullptr, list);
  return list;
}

void Order::needs_of(const std::vector<Mention>& mentioned, const Scope& scope, const Elements* own,
                     std::vector<ItemId>& list) {
  for (const Mention& m : mentioned) {
    const std::string& name = m.path[0].name;
    const Scope::Found found = scope.find(name);
    if (found.symbol)
      needs_along(*found.symbol, m, 0, scope, own, list);
    else if (!found.number && (name == "energy" || name == "momentum") && !all_declared_)
      sink_.report(Kind::not_known, m.span, "what shapes the model, here by " + quoted(name) + ",");
    else if (!found.number && (name == "energy" || name == "momentum") && items_.system_open())
      for (ItemId id : items_.system())
        if (items_[id].state != Item::State::done) list.push_back(id);
  }
}

// Returns the value of an index if it follows without evaluation: numbers, loop indices, their sums and products.
std::optional<double> Order::plain_number(const ast::Expr& e, const Scope& scope) const {
  if (const auto* n = std::get_if<ast::Number>(&e.node)) return n->value;
  if (const auto* n = std::get_if<ast::Name>(&e.node)) {
    const Scope::Found found = scope.find(n->text);
    if (found.number) return found.number;
    if (!found.symbol || found.symbol->value.invalid()) return {};
    return evaluator_.number(Value(found.symbol->value));
  }
  if (const auto* sum = std::get_if<ast::Sum>(&e.node)) return plain_terms(sum->first, sum->rest, scope);
  if (const auto* product = std::get_if<ast::Product>(&e.node))
    return plain_terms(product->first, product->rest, scope);
  return {};
}

std::optional<double> Order::plain_terms(const ast::ExprPtr& first, const std::vector<ast::Term>& rest,
                                         const Scope& scope) const {
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
}

// Follows `chain.p[3].pos` along instances and elements to the items with a value.
void Order::needs_along(const Symbol& symbol, const Mention& m, std::size_t at, const Scope& scope, const Elements* own,
                        std::vector<ItemId>& list) {
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
    if (&elements == own) return;  // some p[..] from another one: they keep the order of the text
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

void Order::ensure_mentioned(const ast::Expr& e, const Scope& here) {
  std::vector<ItemId> list;
  needs_of(mentions(e), here, nullptr, list);
  for (ItemId id : list) ensure(id);
}

void Order::enter(ItemId id, std::vector<Visit>& stack) {
  items_[id].state = Item::State::waiting;
  stack.push_back({id, needs(items_[id]), 0});
}

void Order::ensure(ItemId root) {
  if (items_[root].state != Item::State::open) return;
  std::vector<Visit> stack;
  enter(root, stack);
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.next == top.needs.size()) {
      const ItemId id = top.item;
      stack.pop_back();
      if (items_[id].state == Item::State::waiting) execute(id);
      continue;
    }
    const ItemId child = top.needs[top.next++];
    if (items_[child].state == Item::State::open)
      enter(child, stack);
    else if (items_[child].state == Item::State::waiting)
      close_circle(child, stack);
  }
}

// The last item on the stack needs the waiting one. That is a circle if the waiting one is on the stack too; if it
// waits for an outer call, nothing is wrong.
void Order::close_circle(ItemId waiting, const std::vector<Visit>& stack) {
  std::size_t k = stack.size();
  while (k > 0 && stack[k - 1].item != waiting) --k;
  if (k == 0) return;
  std::vector<ItemId> chain;
  for (std::size_t i = k - 1; i < stack.size(); ++i) chain.push_back(stack[i].item);
  if (report_cycle(chain))
    for (ItemId id : chain) items_.close(id);  // without a value: reported once
}

// Rotates the circle so that it begins with an argument of an instance, if there is one, else with the item met first.
void Order::begin_with_argument(std::vector<ItemId>& chain) const {
  for (std::size_t k = 0; k < chain.size(); ++k) {
    const Item& item = items_[chain[k]];
    if (!item.given || item.given->argument_scope == item.scope) continue;
    std::rotate(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(k), chain.end());
    return;
  }
}

// Reports a circle. Returns false if names alone do not prove it: an array may be built from its own earlier elements.
bool Order::report_cycle(std::vector<ItemId> chain) {
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
  const Span span = first.given       ? (first.given->argument_scope == first.scope ? first.given->parameter->span
                                                                                    : first.given->argument->span)
                    : d               ? d->span
                    : first.statement ? first.statement->span
                                      : Span();
  const std::string name = printable(name_of(first));
  Diagnostic& report = sink_.report(Kind::circular_definition, span, name, text + name);
  for (ItemId id : chain) {
    const std::string shown = name_of(items_[id]);
    for (const Override& o : shared_.overrides.all())
      if (o.path == shown) report.note("`" + printable(shown) + "` has its value from `--set`");
    name_signal(report, shown);
  }
  return true;
}

// Reports an item that is requested while it is being evaluated.
void Order::report_demanded_cycle(const Symbol& symbol) {
  const Item& item = items_[symbol.item];
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
  Diagnostic& report = sink_.report(Kind::circular_definition, d ? d->span : symbol.span, name, text + " -> " + name);
  name_signal(report, name_of(item));
}

// An input is part of a cycle through its signal, which a block or the command line gives.
void Order::name_signal(Diagnostic& report, const std::string& name) const {
  if (const SignalTexts::Text* signal = shared_.signals.find(name)) report.label(signal->value->span, "its signal");
}

// Called by the evaluator when it meets a name.
void Order::demand(const Symbol& symbol) {
  if (symbol.item == kNoItem) return;
  Item& item = items_[symbol.item];
  if (item.state == Item::State::done) return;
  if (item.state == Item::State::evaluating) return report_demanded_cycle(symbol);
  if (evaluating_.size() >= kMostWaiting) {
    const ast::Declared* d = item.statement ? declared_name(*item.statement) : nullptr;
    const std::string name = printable(name_of(item));
    sink_.report(Kind::definitions_too_deep, d ? d->span : symbol.span, name, std::to_string(kMostWaiting));
    return;
  }
  const auto saved = evaluator_.calls().begin_item();
  if (item.state == Item::State::waiting)
    execute(symbol.item);  // an outer call is searching its needs
  else
    ensure(symbol.item);
  evaluator_.calls().end_item(saved);
}

void Order::execute(ItemId id) {
  const Item& item = items_[id];
  CurrentItem outer_item = std::exchange(shared_.item, CurrentItem(item));
  items_[id].state = Item::State::evaluating;
  evaluating_.push_back(id);
  const Scope::Instance* owner = (item.given ? item.given->argument_scope : item.scope)->owner();
  const Sink::Around outer = sink_.set_around(Scope::Instance::around(owner));
  std::optional<Label> call = sink_.set_context({});
  evaluate_(item);
  sink_.set_around(outer);
  sink_.set_context(std::move(call));
  evaluating_.pop_back();
  items_.close(id);
  shared_.item = std::move(outer_item);
}

}  // namespace mbc::sema
