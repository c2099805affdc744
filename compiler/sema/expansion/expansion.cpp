// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expansion/expansion.h"

#include <cmath>

#include "base/numbers.h"
#include "base/text.h"

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
        if constexpr (std::is_same_v<T, ast::Use>) return "use";
        return "";
      },
      s.node);
}

std::string joined(const Indices& indices, const char* between) {
  std::string text;
  for (std::size_t k = 0; k < indices.size(); ++k) text += (k ? between : "") + std::to_string(indices[k]);
  return text;
}

}  // namespace

bool misplaced_in_component(const ast::Stmt& s, Sink& sink) {
  const std::string word = word_of(s);
  if (word.empty()) return false;
  sink.report(Kind::belongs_to_file, s.span, "`" + word + "`");
  return true;
}

Expansion::Expansion(Elaboration& shared, Items& items, Order& order)
    : shared_(shared),
      sink_(shared.sink),
      evaluator_(shared.evaluator),
      items_(items),
      order_(order),
      size_(items, shared.sink),
      instances_(shared, items, size_, *this) {}

void Expansion::file(const ast::File& file) {
  for (const auto& s : file.statements)
    if (const auto* u = std::get_if<ast::Use>(&s->node)) instances_.use(*u, shared_.scope);
  block(file.statements, shared_.scope, shared_.scope);
  order_.all_declared();
  if (!size_.exceeded()) size_.refuse(size_.written(), "what is written here", file.version_span);
  instances_.check_unused_components();
  instances_.check_left_out(file.statements);
}

void Expansion::block(const std::vector<ast::StmtPtr>& statements, Scope& home, Scope& here) {
  for (const auto& s : statements) declare(*s, home, here);
  if (&home == &here) add_named_outputs(statements, home, here);
  for (const auto& s : statements) {
    if (sink_.full() || size_.too_many_items(s->span)) return;
    expand(*s, home, here);
  }
}

// Outputs are added last, because an output may have the name of the thing it shows.
void Expansion::add_named_outputs(const std::vector<ast::StmtPtr>& statements, Scope& home, Scope& here) {
  for (const auto& s : statements) {
    const auto* output = std::get_if<ast::Output>(&s->node);
    if (!output || output->name.name.empty() || indexed(output->name) || home.find_here(output->name.name)) continue;
    Symbol symbol;
    symbol.span = output->name.span;
    items_.add({s.get(), nullptr, &here, &home.add(output->name.name, std::move(symbol))});
  }
}

// Lets a declaration in an inner block take over the name of an output, which stands for its value only if nothing else
// has the name. Returns false if the name is no output's, or its value was used already.
bool Expansion::leave_to_declaration(const Symbol& symbol) {
  if (symbol.item == kNoItem) return false;
  Item& item = items_[symbol.item];
  const bool output = item.statement && std::holds_alternative<ast::Output>(item.statement->node);
  if (!output || item.symbol != &symbol || item.state != Item::State::open) return false;
  item.symbol = nullptr;
  return true;
}

// Makes the names of one block known, so that they may be used before they are declared.
void Expansion::declare(const ast::Stmt& s, Scope& home, Scope& here, bool repeated) {
  if (std::holds_alternative<ast::Output>(s.node)) return;
  const ast::Declared* d = declared_name(s);
  if (const auto* c = std::get_if<ast::Constraint>(&s.node))  // a load in an array of constraints is one of many
    for (const auto& load : c->nonideal) declare(*load, home, here, repeated || (d && !d->binders.empty()));
  if (!d) return;
  const bool called = std::holds_alternative<ast::Def>(s.node) || std::holds_alternative<ast::Component>(s.node);
  if (!may_bind(d->name, d->span, called)) return refuse(*d, home);
  if (indexed(*d)) return declare_array(*d, home);
  const bool in_loop = repeated || &home != &here;
  if (in_loop && !std::holds_alternative<ast::Let>(s.node)) return refuse_loop_name(s, *d, home);
  Scope& into = in_loop ? here : home;
  if (const Symbol* other = into.find_here(d->name); other && !leave_to_declaration(*other))
    return void(
        sink_.report(Kind::duplicate_name, d->span, printable(d->name)).label(other->span, "first declared here"));
  Symbol symbol;
  symbol.span = d->span;
  const Definition definition{std::get_if<ast::Def>(&s.node), std::get_if<ast::Component>(&s.node), &here};
  if (definition.function || definition.component) symbol.definition = std::make_unique<const Definition>(definition);
  Symbol& added = into.add(d->name, std::move(symbol));
  if (!added.component() && !std::holds_alternative<ast::Instance>(s.node)) items_.add({&s, nullptr, &here, &added});
}

bool Expansion::may_bind(const std::string& name, Span span, bool called) {
  if (called ? !Names::builtin(name) : !Names::reserved(name)) return true;
  return mbc::refuse(sink_, Kind::builtin_redefined, span, printable(name))
      .hint("take another name, such as `" + printable(name) + "1`");
}

// Makes a refused name known without a value, so that the refusal is reported once.
void Expansion::refuse(const ast::Declared& d, Scope& home) {
  if (home.find_here(d.name)) return;
  Symbol refused;
  refused.span = d.span;
  refused.refused = true;
  home.add(d.name, std::move(refused));
}

void Expansion::refuse_loop_name(const ast::Stmt& s, const ast::Declared& d, Scope& home) {
  const bool definition = std::holds_alternative<ast::Def>(s.node) || std::holds_alternative<ast::Component>(s.node);
  Diagnostic& report = sink_.report(Kind::loop_name, d.span, printable(d.name));
  if (definition)
    report.hint("it can be declared outside of the loop, with a parameter for what differs");
  else
    report.hint("give each its index: `" + printable(d.name) + "[i]`");
  refuse(d, home);
}

void Expansion::declare_array(const ast::Declared& d, Scope& home) {
  if (const Symbol* other = home.find_here(d.name); other && !leave_to_declaration(*other)) {
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

void Expansion::expand(const ast::Stmt& s, Scope& home, Scope& here) {
  const bool nested = &home != &shared_.scope || &here != &shared_.scope;
  if (nested && misplaced_in_component(s, sink_)) return;
  if (const auto* loop = std::get_if<ast::For>(&s.node)) return expand_for(*loop, home, here);
  if (const auto* choice = std::get_if<ast::IfBlock>(&s.node)) return expand_if(*choice, home, here);
  if (const auto* c = std::get_if<ast::Component>(&s.node)) return instances_.check_component(*c, here);
  if (std::holds_alternative<ast::Use>(s.node) || std::holds_alternative<ast::Space>(s.node)) {
    if (conditions_ > 0) misplaced_in_component(s, sink_);  // these statements are read before any condition is known
    return;
  }
  if (std::holds_alternative<ast::Init>(s.node) || std::holds_alternative<ast::Simulate>(s.node) ||
      std::holds_alternative<ast::Test>(s.node) || std::holds_alternative<ast::Sweep>(s.node)) {
    finals_.push_back({&s, &here});
    return;
  }
  const ast::Declared* d = declared_name(s);
  if (d && indexed(*d)) return expand_indexed(s, *d, 0, home, here);
  expand_plain(s, home, here);
}

// Expands one declaration or statement without an index.
void Expansion::expand_plain(const ast::Stmt& s, Scope& home, Scope& here) {
  const ast::Declared* d = declared_name(s);
  Symbol* symbol = d ? home.find_here(d->name) : nullptr;
  if (Symbol* local = d ? here.find_here(d->name) : nullptr) symbol = local;
  const bool own = symbol && symbol->span == d->span && !symbol->refused;
  if (const auto* i = std::get_if<ast::Instance>(&s.node)) {
    if (own) instances_.make(*i, *symbol, d->name, here);
    return;
  }
  if (const auto* def = std::get_if<ast::Def>(&s.node)) instances_.check_function(*def, here);
  if (own && symbol->item != kNoItem)
    items_.place(symbol->item);
  else
    items_.place(items_.add({&s, nullptr, &here}));
  expand_nonideal(s, home, here);
}

// The loads of a `nonideal` block are items like any others. Their statement tells that they may depend on `.ideal`.
void Expansion::expand_nonideal(const ast::Stmt& s, Scope& home, Scope& here) {
  const auto* c = std::get_if<ast::Constraint>(&s.node);
  if (!c) return;
  for (const auto& load : c->nonideal) {
    shared_.nonideal.insert(load.get());
    expand(*load, home, here);
  }
}

// Evaluates a number that shapes the model, after everything it mentions.
std::optional<double> Expansion::whole_number(const ast::Expr& e, const Scope& here, const std::string& what) {
  order_.ensure_mentioned(e, here);
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
  if (*n != std::floor(*n) || std::fabs(*n) > kMaxIndex)
    return mbc::refuse(sink_, Kind::wrong_shape, v.span, what,
                       *n != std::floor(*n) ? "a whole number" : "within -1e9 .. 1e9", text::short_number(*n, 12));
  return n;
}

std::optional<Expansion::WholeRange> Expansion::whole_range(const ast::Expr& range, const Scope& here,
                                                            const std::string& what) {
  const auto* r = std::get_if<ast::Range>(&range.node);
  if (!r || !r->lo || !r->hi || r->step || r->count) {
    Diagnostic& d = sink_.report(Kind::wrong_shape, range.span, "the range of " + what, "`1..n`",
                                 r ? "one with a step or count" : "something else");
    if (r) d.hint("count with whole numbers and compute from them, as in `let x = 0.5*i`");
    return {};
  }
  const std::optional<double> lo = whole_number(*r->lo, here, "a bound of " + what),
                              hi = whole_number(*r->hi, here, "a bound of " + what);
  if (!lo || !hi) return {};
  return std::pair{static_cast<std::int64_t>(*lo), static_cast<std::int64_t>(*hi)};
}

template <class Expand>
void Expansion::passes(const WholeRange& range, const ast::Binder& b, Span span, Scope& here, Expand&& expand) {
  for (std::int64_t k = range.first; k <= range.second; ++k) {
    if (sink_.full() || size_.too_many_items(span)) return;
    const SizeLimit::Written before = size_.written();
    size_.add_pass();
    expand(loops_.emplace_back(&here, b.name, static_cast<double>(k), b.span));
    if (size_.too_many_passes(static_cast<double>(range.second - k), before, b.span)) return;
  }
}

void Expansion::expand_for(const ast::For& loop, Scope& home, Scope& here) {
  const ast::Binder& b = loop.binder;
  if (!may_bind(b.name, b.span)) return;
  if (const auto range = whole_range(*b.range, here, "`for`"))
    passes(*range, b, b.span, here, [&](Scope& pass) { block(loop.body, home, pass); });
}

void Expansion::expand_if(const ast::IfBlock& choice, Scope& home, Scope& here) {
  order_.ensure_mentioned(*choice.condition, here);
  const Value v = evaluator_.evaluate(*choice.condition, here);
  if (v.invalid()) return;
  if (v.type.shape != Shape::boolean)
    return void(sink_.report(Kind::wrong_shape, v.span, "what follows `if`", "a condition", describe_shape(v)));
  const std::optional<double> known = evaluator_.known_value(v.node());
  if (!known) {
    Diagnostic& d = evaluator_.not_known(v, "the condition of `if` at declaration level");
    if (d.help.empty()) d.hint("for a choice during the run write `if ... then ... else ...` inside an expression");
    return;
  }
  const bool holds = *known != 0;
  if (&here == &shared_.scope) instances_.leave_out(holds ? choice.else_body : choice.then_body);
  ++conditions_;
  block(holds ? choice.then_body : choice.else_body, home, here);
  --conditions_;
}

// p[i in 1..n, j in 1..m]: one declaration for every combination
void Expansion::expand_indexed(const ast::Stmt& s, const ast::Declared& d, std::size_t binder, Scope& home,
                               Scope& here) {
  if (binder == d.binders.size()) return element(s, d, home, here);
  const ast::Binder& b = d.binders[binder];
  if (!may_bind(b.name, b.span)) return;
  for (std::size_t k = 0; k < binder; ++k)
    if (d.binders[k].name == b.name)
      return void(sink_.report(Kind::duplicate_name, b.span, printable(b.name))
                      .label(d.binders[k].span, "first declared here"));
  const auto range = whole_range(*b.range, here, "`" + printable(b.name) + "`");
  if (!range) {
    if (Symbol* array = home.find_here(d.name); array && array->elements) array->elements->unknown = true;
    return;
  }
  passes(*range, b, d.span, here, [&](Scope& pass) { expand_indexed(s, d, binder + 1, home, pass); });
}

std::optional<Indices> Expansion::indices_of(const ast::Declared& d, const Scope& here) {
  Indices at;
  for (const ast::Binder& b : d.binders) at.push_back(static_cast<std::int32_t>(*here.find(b.name).number));
  for (const ast::ExprPtr& e : d.indices) {
    const std::optional<double> k = whole_number(*e, here, "an index of `" + printable(d.name) + "`");
    if (!k) return {};
    at.push_back(static_cast<std::int32_t>(*k));
  }
  return at;
}

// Returns whether an element may be declared, and reports if not. `known` is one with the same indices, or null.
bool Expansion::fresh_element(const ast::Declared& d, const Elements& elements, const Indices& at,
                              const Symbol* known) {
  if (known) {
    Diagnostic& report = sink_.report(Kind::duplicate_name, d.span, printable(d.name) + "[" + joined(at, ", ") + "]");
    if (known->span == d.span)
      report.hint("every pass of the loop declares it: its index should be that of the loop");
    else
      report.label(known->span, "first declared here");
    return false;
  }
  const auto& [other, first] = elements.of.begin()->first == at ? *elements.of.rbegin() : *elements.of.begin();
  if (other.size() == at.size()) return true;
  return mbc::refuse(sink_, Kind::index_count, d.span, printable(d.name), counted(other.size(), "index", "indices"),
                     std::to_string(at.size()))
      .label(first.span, "first declared here");
}

void Expansion::element(const ast::Stmt& s, const ast::Declared& d, Scope& home, Scope& here) {
  const std::optional<Indices> at = indices_of(d, here);
  if (!at) return;
  Symbol* array = home.find_here(d.name);
  if (std::holds_alternative<ast::Output>(s.node) && (!array || !array->elements)) {
    if (!array) declare_array(d, home);
    array = home.find_here(d.name);
  }
  if (!array || !array->elements) {  // reported when it was declared
    items_.place(items_.add({&s, nullptr, &here}));
    return;
  }
  Elements& elements = *array->elements;
  const auto [place, fresh] = elements.of.try_emplace(*at);
  if (!fresh_element(d, elements, *at, fresh ? nullptr : &place->second)) {
    if (fresh) elements.of.erase(place);
    return;
  }
  Symbol& symbol = place->second;
  symbol.span = d.span;
  if (const auto* i = std::get_if<ast::Instance>(&s.node))
    return instances_.make(*i, symbol, d.name + "[" + joined(*at, ",") + "]", here);
  items_.place(items_.add({&s, nullptr, &here, &symbol, &elements, &place->first}));
  expand_nonideal(s, home, here);
}

}  // namespace mbc::sema
