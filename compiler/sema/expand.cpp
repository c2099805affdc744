// SPDX-License-Identifier: Apache-2.0
// Structure to items: declarations are announced, then loops, conditions, arrays and instances are written out in the
// order of the text. Numbers that shape a model (bounds, indices, conditions) are evaluated here, which evaluates what
// they mention first.
#include <cmath>

#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "compiler/sema/capacity.h"
#include "compiler/sema/elaborator.h"

namespace mbc::sema {

namespace {

constexpr double kMaxIndex = 1e9;

bool indexed(const ast::Declared& d) { return !d.binders.empty() || !d.indices.empty(); }

std::string word_of(const ast::Stmt& s) {
  return std::visit(
      [](const auto& n) -> std::string {
        using T = std::decay_t<decltype(n)>;
        if constexpr (std::is_same_v<T, ast::Space>) return "space";
        if constexpr (std::is_same_v<T, ast::Gravity>) return "gravity";
        if constexpr (std::is_same_v<T, ast::Simulate>) return "simulate";
        if constexpr (std::is_same_v<T, ast::Test>) return "test";
        if constexpr (std::is_same_v<T, ast::Sweep>) return "sweep";
        if constexpr (std::is_same_v<T, ast::When>) return "when";
        if constexpr (std::is_same_v<T, ast::Use>) return "use";
        return "";
      },
      s.node);
}

}  // namespace

ItemId Elaborator::add_item(Item item) {
  const auto id = static_cast<ItemId>(items_.size());
  if (item.symbol) item.symbol->item = id;
  if (item.array) ++item.array->open;
  if (item.statement && part_of_system(*item.statement)) {
    system_.push_back(id);
    ++system_open_;
  }
  items_.push_back(item);
  item_bytes_ += item.statement ? declaration_bytes(*item.statement) : 0;
  return id;
}

bool Elaborator::too_many_items(Span span) {
  if (loops_.size() > kMaxPasses && !too_large_) {
    sink_.report(Kind::too_large, span, std::string("this"), std::string("more than 4,000,000 passes of loops"));
    too_large_ = true;
  }
  if (items_.size() + instances_ < kMaxItems || too_large_) return too_large_;
  sink_.report(Kind::too_large, span, std::string("this"), std::string("more than 2,000,000 declarations"));
  too_large_ = true;
  return true;
}

double Elaborator::bytes_so_far() const {
  return item_bytes_ + kPassBytes * static_cast<double>(loops_.size()) +
         kInstanceBytes * static_cast<double>(instances_);
}

Elaborator::Written Elaborator::written() const {
  return {static_cast<double>(items_.size() + instances_), static_cast<double>(loops_.size()), bytes_so_far()};
}

// Whether `left` more passes like the last one, which began at `before`, are too many.
bool Elaborator::too_many_passes(double left, const Written& before, Span span) {
  if (too_large_) return true;
  const Written now = written();
  const double declarations = now.declarations + left * (now.declarations - before.declarations);
  const double passes = now.passes + left * (now.passes - before.passes);
  const double bytes = now.bytes + left * (now.bytes - before.bytes);
  return refuse_size(declarations, passes, bytes, "this loop", span);
}

bool Elaborator::refuse_size(double declarations, double passes, double bytes, const std::string& what, Span span) {
  const bool counted = declarations > static_cast<double>(kMaxItems) || passes > static_cast<double>(kMaxPasses);
  if (!counted && bytes <= memory_limit()) return false;
  too_large_ = true;
  const bool empty = passes > 2 * declarations;
  Diagnostic& d = sink_.report(Kind::beyond_memory, span, what,
                               count_text(empty ? passes : declarations) + (empty ? " passes" : " declarations"),
                               memory_text(bytes));
  d.notes.push_back("a model may have 2,000,000 declarations and 4,000,000 passes of loops, and here " +
                    memory_text(memory_limit()) + " of memory");
  return true;
}

void Elaborator::block(const Statements& statements, Scope& home, Scope& here) {
  for (const auto& s : statements) declare(*s, home, here);
  for (const auto& s : statements) {
    // named outputs come last: one may be named like what it shows
    const auto* output = std::get_if<ast::Output>(&s->node);
    if (output && !output->name.name.empty() && !indexed(output->name) && !home.find_here(output->name.name) &&
        &home == &here) {
      Symbol symbol;
      symbol.span = output->name.span;
      add_item({s.get(), nullptr, &here, &home.add(output->name.name, std::move(symbol))});
    }
  }
  for (const auto& s : statements) {
    if (sink_.full() || too_many_items(s->span)) return;
    expand(*s, home, here);
  }
}

// Makes the names of one block known, so that they may be used before they are declared.
void Elaborator::declare(const ast::Stmt& s, Scope& home, Scope& here, bool repeated) {
  if (std::holds_alternative<ast::Output>(s.node)) return;
  const ast::Declared* d = declared_name(s);
  if (const auto* c = std::get_if<ast::Constraint>(&s.node))  // a load in an array of constraints is one of many
    for (const auto& load : c->nonideal) declare(*load, home, here, repeated || (d && !d->binders.empty()));
  if (!d) return;
  if (Evaluator::builtin_name(d->name)) {
    sink_.report(Kind::builtin_redefined, d->span, printable(d->name));
    return;
  }
  if (indexed(*d)) return declare_array(*d, home);
  const bool in_loop = repeated || &home != &here;
  if (in_loop && !std::holds_alternative<ast::Let>(s.node)) {
    const bool definition = std::holds_alternative<ast::Def>(s.node) || std::holds_alternative<ast::Component>(s.node);
    Diagnostic& report = sink_.report(Kind::loop_name, d->span, printable(d->name));
    if (definition)
      report.hint("it can be declared outside of the loop, with a parameter for what differs");
    else
      report.hint("give each its index: `" + printable(d->name) + "[i]`");
    if (!home.find_here(d->name)) {  // known, without a value: said once
      Symbol refused;
      refused.span = d->span;
      refused.refused = true;
      home.add(d->name, std::move(refused));
    }
    return;
  }
  Scope& into = in_loop ? here : home;
  if (const Symbol* other = into.find_here(d->name)) {
    sink_.report(Kind::duplicate_name, d->span, printable(d->name)).label(other->span, "first declared here");
    return;
  }
  Symbol symbol;
  symbol.span = d->span;
  symbol.home = &here;
  symbol.function = std::get_if<ast::Def>(&s.node);
  symbol.component = std::get_if<ast::Component>(&s.node);
  Symbol& added = into.add(d->name, std::move(symbol));
  if (!added.component && !std::holds_alternative<ast::Instance>(s.node)) add_item({&s, nullptr, &here, &added});
}

void Elaborator::declare_array(const ast::Declared& d, Scope& home) {
  if (Symbol* other = home.find_here(d.name)) {
    if (!other->elements)
      sink_.report(Kind::duplicate_name, d.span, printable(d.name)).label(other->span, "first declared here");
    return;
  }
  Symbol symbol;
  symbol.span = d.span;
  symbol.elements = std::make_unique<Elements>();
  symbol.elements->name = d.name;
  symbol.value.type.shape = Shape::array;
  symbol.value.elements = symbol.elements.get();
  home.add(d.name, std::move(symbol));
}

bool Elaborator::misplaced_in_component(const ast::Stmt& s) {
  const std::string word = word_of(s);
  if (word.empty()) return false;
  sink_.report(Kind::belongs_to_file, s.span, "`" + word + "`");
  return true;
}

void Elaborator::expand(const ast::Stmt& s, Scope& home, Scope& here) {
  const bool nested = &home != &scope_ || &here != &scope_;
  if (nested && misplaced_in_component(s)) return;
  if (const auto* loop = std::get_if<ast::For>(&s.node)) return expand_for(*loop, home, here);
  if (const auto* choice = std::get_if<ast::IfBlock>(&s.node)) return expand_if(*choice, home, here);
  if (const auto* c = std::get_if<ast::Component>(&s.node)) return check_component(*c, here);
  if (std::holds_alternative<ast::Use>(s.node) || std::holds_alternative<ast::Space>(s.node)) {
    if (conditions_ > 0) misplaced_in_component(s);  // they are read before any condition is known
    return;
  }
  if (std::holds_alternative<ast::Init>(s.node) || std::holds_alternative<ast::Simulate>(s.node) ||
      std::holds_alternative<ast::Test>(s.node) || std::holds_alternative<ast::Sweep>(s.node)) {
    finals_.push_back({&s, &here});
    return;
  }
  const ast::Declared* d = declared_name(s);
  if (d && indexed(*d)) return expand_indexed(s, *d, 0, home, here);
  Symbol* symbol = d ? home.find_here(d->name) : nullptr;
  if (Symbol* local = d ? here.find_here(d->name) : nullptr) symbol = local;
  const bool own = symbol && symbol->span == d->span && !symbol->refused;
  if (const auto* i = std::get_if<ast::Instance>(&s.node)) {
    if (own) instance(*i, *symbol, d->name, here);
    return;
  }
  if (const auto* def = std::get_if<ast::Def>(&s.node)) check_function(*def, here);
  if (own && symbol->item != kNoItem)
    order_.push_back(symbol->item);
  else
    order_.push_back(add_item({&s, nullptr, &here}));
  expand_nonideal(s, home, here);
}

// The loads of a `nonideal` block are items like any others; what they may depend on is told apart by their statement.
void Elaborator::expand_nonideal(const ast::Stmt& s, Scope& home, Scope& here) {
  const auto* c = std::get_if<ast::Constraint>(&s.node);
  if (!c) return;
  for (const auto& load : c->nonideal) {
    nonideal_.insert(load.get());
    expand(*load, home, here);
  }
}

// A number known while the model is written out, after everything it mentions.
std::optional<double> Elaborator::whole_number(const ast::Expr& e, const Scope& here, const std::string& what) {
  ensure_mentioned(e, here);
  const Value v = evaluator_.evaluate(e, here);
  if (v.invalid()) return {};
  const std::optional<double> n = evaluator_.number(v);
  if (!v.scalar()) {
    evaluator_.expect_scalar(v, what);
    return {};
  }
  if (!n) {
    evaluator_.not_known(v, what);
    return {};
  }
  if (!evaluator_.expect_dimension(v, {}, what)) return {};
  if (*n != std::floor(*n) || std::fabs(*n) > kMaxIndex) {
    sink_.report(Kind::wrong_shape, v.span, what,
                 std::string(*n != std::floor(*n) ? "a whole number" : "within -1e9 .. 1e9"),
                 text::short_number(*n, 12));
    return {};
  }
  return n;
}

std::optional<std::pair<std::int64_t, std::int64_t>> Elaborator::whole_range(const ast::Expr& range, const Scope& here,
                                                                             const std::string& what) {
  const auto* r = std::get_if<ast::Range>(&range.node);
  if (!r || !r->lo || !r->hi || r->step || r->count) {
    Diagnostic& d = sink_.report(Kind::wrong_shape, range.span, "the range of " + what, std::string("`1..n`"),
                                 std::string(r ? "one with a step or count" : "something else"));
    if (r) d.hint("count with whole numbers and compute from them, as in `let x = 0.5*i`");
    return {};
  }
  const std::optional<double> lo = whole_number(*r->lo, here, "a bound of " + what),
                              hi = whole_number(*r->hi, here, "a bound of " + what);
  if (!lo || !hi) return {};
  return std::pair{static_cast<std::int64_t>(*lo), static_cast<std::int64_t>(*hi)};
}

void Elaborator::expand_for(const ast::For& loop, Scope& home, Scope& here) {
  if (Evaluator::builtin_name(loop.binder.name)) {
    sink_.report(Kind::builtin_redefined, loop.binder.span, printable(loop.binder.name));
    return;
  }
  const auto range = whole_range(*loop.binder.range, here, "`for`");
  if (!range) return;
  for (std::int64_t k = range->first; k <= range->second; ++k) {
    if (sink_.full() || too_many_items(loop.binder.span)) return;
    const Written before = written();
    Scope& pass = loops_.emplace_back(&here, loop.binder.name, static_cast<double>(k), loop.binder.span);
    block(loop.body, home, pass);
    if (too_many_passes(static_cast<double>(range->second - k), before, loop.binder.span)) return;
  }
}

void Elaborator::expand_if(const ast::IfBlock& choice, Scope& home, Scope& here) {
  ensure_mentioned(*choice.condition, here);
  const Value v = evaluator_.evaluate(*choice.condition, here);
  if (v.invalid()) return;
  if (v.type.shape != Shape::boolean) {
    sink_.report(Kind::wrong_shape, v.span, std::string("what follows `if`"), std::string("a condition"),
                 describe_shape(v));
    return;
  }
  if (!model_.graph.is_constant(v.node())) {
    Diagnostic& d = evaluator_.not_known(v, "the condition of `if` at declaration level");
    if (d.help.empty()) d.hint("for a choice during the run write `if ... then ... else ...` inside an expression");
    return;
  }
  ++conditions_;
  block(model_.graph.constant_value(v.node()) != 0 ? choice.then_body : choice.else_body, home, here);
  --conditions_;
}

// p[i in 1..n, j in 1..m]: one declaration for every combination
void Elaborator::expand_indexed(const ast::Stmt& s, const ast::Declared& d, std::size_t binder, Scope& home,
                                Scope& here) {
  if (binder == d.binders.size()) return element(s, d, home, here);
  const ast::Binder& b = d.binders[binder];
  if (Evaluator::builtin_name(b.name)) {
    sink_.report(Kind::builtin_redefined, b.span, printable(b.name));
    return;
  }
  for (std::size_t k = 0; k < binder; ++k)
    if (d.binders[k].name == b.name) {
      sink_.report(Kind::duplicate_name, b.span, printable(b.name)).label(d.binders[k].span, "first declared here");
      return;
    }
  const auto range = whole_range(*b.range, here, "`" + printable(b.name) + "`");
  if (!range) return;
  for (std::int64_t k = range->first; k <= range->second; ++k) {
    if (sink_.full() || too_many_items(d.span)) return;
    const Written before = written();
    Scope& pass = loops_.emplace_back(&here, b.name, static_cast<double>(k), b.span);
    expand_indexed(s, d, binder + 1, home, pass);
    if (too_many_passes(static_cast<double>(range->second - k), before, b.span)) return;
  }
}

void Elaborator::element(const ast::Stmt& s, const ast::Declared& d, Scope& home, Scope& here) {
  Indices at;
  for (const ast::Binder& b : d.binders) at.push_back(static_cast<std::int32_t>(*here.find(b.name).number));
  for (const ast::ExprPtr& e : d.indices) {
    const std::optional<double> k = whole_number(*e, here, "an index of `" + printable(d.name) + "`");
    if (!k) return;
    at.push_back(static_cast<std::int32_t>(*k));
  }
  Symbol* array = home.find_here(d.name);
  if (std::holds_alternative<ast::Output>(s.node) && (!array || !array->elements)) {
    if (!array) declare_array(d, home);
    array = home.find_here(d.name);
  }
  if (!array || !array->elements) {  // said when it was declared
    order_.push_back(add_item({&s, nullptr, &here}));
    return;
  }
  Elements& elements = *array->elements;
  const auto [place, fresh] = elements.of.try_emplace(at);
  if (!fresh) {
    std::string name = printable(d.name) + "[";
    for (std::size_t k = 0; k < at.size(); ++k) name += (k ? ", " : "") + std::to_string(at[k]);
    Diagnostic& report = sink_.report(Kind::duplicate_name, d.span, name + "]");
    if (place->second.span == d.span)
      report.hint("every pass of the loop declares it: its index should be that of the loop");
    else
      report.label(place->second.span, "first declared here");
    return;
  }
  const auto& other = elements.of.begin()->first == at ? elements.of.rbegin()->first : elements.of.begin()->first;
  if (const std::size_t wanted = other.size(); wanted != at.size()) {
    const Symbol& first = elements.of.begin()->first == at ? elements.of.rbegin()->second : elements.of.begin()->second;
    sink_
        .report(Kind::index_count, d.span, printable(d.name), counted(wanted, "index", "indices"),
                std::to_string(at.size()))
        .label(first.span, "first declared here");
    elements.of.erase(place);
    return;
  }
  Symbol& symbol = place->second;
  symbol.span = d.span;
  if (const auto* i = std::get_if<ast::Instance>(&s.node)) {
    std::string name = d.name + "[";
    for (std::size_t k = 0; k < at.size(); ++k) name += (k ? "," : "") + std::to_string(at[k]);
    return instance(*i, symbol, name + "]", here);
  }
  order_.push_back(add_item({&s, nullptr, &here, &symbol, &elements, &place->first}));
  expand_nonideal(s, home, here);
}

}  // namespace mbc::sema
