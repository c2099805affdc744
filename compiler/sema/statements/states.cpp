// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/states.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "compiler/ad/motion.h"
#include "compiler/sema/expressions/definedness.h"
#include "compiler/sema/expressions/written_unit.h"
#include "compiler/sema/statements/rows.h"

namespace mbc::sema {

namespace {

std::vector<std::uint32_t> all_of(const graph::Graph& g, NodeId node, LeafKind kind) {
  std::vector<std::uint32_t> found;
  for (const Node& n : graph::leaves(g, node))
    if (n.leaf == kind) found.push_back(n.a);
  return found;
}

constexpr const char* kFollow = "let a state follow it, for example `state x = 0 where x' = (u - x)/T`";

// A row for positions is differentiated twice, so that the rate of a state in it must not jump either.
constexpr const char* kFollowTwice =
    "let a state follow it and a second one that, for example `state x = 0 where x' = (u - x)/T` and `state y = 0 "
    "where "
    "y' = (x - y)/T`, and write the constraint with `y`";

std::string shown_row(const Equation& e) {
  const std::string unnamed = "constraint in line";  // "in line 7" after "the constraint"
  const std::string name = e.name;
  return name.starts_with(unnamed) ? name.substr(unnamed.find(' ') + 1) : quoted(name);
}

}  // namespace

// Returns whether the left side after `where` is the rate of the state itself: i', or of an array z[k]' with its own
// indices.
bool States::names_own_rate(const ast::StateVar& s) const {
  const auto* prime = std::get_if<ast::Prime>(&s.rate_lhs->node);
  if (!prime || prime->order != 1) return false;
  const ast::Expr* of = prime->operand.get();
  if (const auto* element = std::get_if<ast::Index>(&of->node)) {
    std::vector<std::string> own, written;
    for (const ast::Binder& b : s.name.binders) own.push_back(b.name);
    for (const ast::ExprPtr& k : s.name.indices) own.emplace_back(sources_.text(k->span));
    for (const ast::ExprPtr& k : element->indices) written.emplace_back(sources_.text(k->span));
    if (own != written) return false;
    of = element->object.get();
  }
  const auto* name = std::get_if<ast::Name>(&of->node);
  return name && name->text == s.name.name;
}

// Returns the initial value of a state. x - x is 0 in the unit of x, even if x moves: its value does not matter.
Value States::beginning(const ast::Expr& e) {
  Value v = value(e);
  if (v.scalar() && zero_where_defined(model_.graph, v.node())) v.nodes[0] = model_.graph.zero();
  return v;
}

// state i = 0 [rad*s] where i' = ref - phi
void States::state(const ast::StateVar& s, const ast::Stmt& statement) {
  if (!s.rate_lhs) return held_state(s, statement);
  if (!names_own_rate(s))
    return void(sink_.report(Kind::state_rate_name, s.rate_lhs->span, printable(s.name.name))
                    .hint("write `where " + printable(s.name.name) + "' = ...`"));
  const Value start = beginning(*s.value);
  const std::string what = "the initial value of " + quoted(item_.name());
  if (!evaluator_.expect_scalar(start, what) || !evaluator_.expect_constant(start, what)) return;
  const auto k = static_cast<std::uint32_t>(model_.states.size());
  const NodeId rate = model_.graph.leaf(LeafKind::state_rate, k);
  model_.states.push_back(
      {item_.name(), start.type.dimension, start.node(), rate, rate, s.name.span, s.rate_rhs->span, statement.doc});
  set_symbol(s.name, evaluator_.scalar(model_.graph.leaf(LeafKind::state, k), start.type.dimension, Level::position,
                                       s.name.span));
  pending_.push_back({s.rate_rhs.get(), item_.scope, k});
}

// state u = 0 [N]    state phase in (flight, stance) = flight
void States::held_state(const ast::StateVar& s, const ast::Stmt& statement) {
  Held made{{problem::DiscreteVariable::Use::state, item_.name(), s.name.span}, {}, model_.graph.zero(), statement.doc};
  if (!s.labels.empty()) {
    if (!machine(s, made)) return;
  } else {
    const Value start = beginning(*s.value);
    const std::string what = "the initial value of " + quoted(item_.name());
    if (!evaluator_.expect_scalar(start, what) || !evaluator_.expect_constant(start, what)) return;
    made.dimension = start.type.dimension;
    made.initial = start.node();
  }
  const std::vector<std::string>* labels = made.variable.labels.get();
  const NodeId leaf = model_.discrete(static_cast<std::uint32_t>(model_.held.size()));
  Value v = evaluator_.scalar(leaf, made.dimension, Level::position, s.name.span);
  v.labels = labels;
  model_.held.push_back(std::move(made));
  set_symbol(s.name, std::move(v));
}

// Reads the labels of a machine, and its initial one.
bool States::machine(const ast::StateVar& s, Held& made) {
  std::vector<std::string> labels;
  for (const ast::Label& l : s.labels) {
    if (std::find(labels.begin(), labels.end(), l.name) != labels.end())
      return mbc::refuse(sink_, Kind::duplicate_name, l.span, printable(l.name));
    labels.push_back(l.name);
  }
  const auto* name = std::get_if<ast::Name>(&s.value->node);
  const auto first = name ? std::find(labels.begin(), labels.end(), name->text) : labels.end();
  if (first == labels.end())
    return mbc::refuse(sink_, Kind::label_unknown, s.value->span, printable(sources_.text(s.value->span)))
        .hint("it begins with one of its labels, such as `= " + printable(labels.front()) + "`");
  made.initial = model_.graph.constant(static_cast<double>(first - labels.begin()));
  made.variable.labels = std::make_shared<const std::vector<std::string>>(std::move(labels));
  return true;
}

// input u [N*m] = 0. A pure number is taken in the unit written after the name.
void States::input(const ast::Input& i, const ast::Stmt& s) {
  const std::string what = "the input " + quoted(item_.name());
  if (!i.value)
    return void(sink_.report(Kind::input_value, i.name.span, printable(i.name.name))
                    .hint("write `input " + printable(i.name.name) +
                          (i.unit ? " " + printable(sources_.text(i.unit->span)) : std::string()) + " = 0`"));
  Value v = value(*i.value);
  if (!evaluator_.expect_scalar(v, what)) return;
  if (!evaluator_.is_fixed(v))
    return void(sink_.report(Kind::not_constant, v.span, what)
                    .hint("a name for an expression is declared with `let " + printable(i.name.name) + " = ...`"));
  if (i.unit && !in_unit(*i.unit, what, v)) return;
  Input made{item_.name(), v.type.dimension, v.node(), i.name.span, s.doc};
  if (i.unit) made.unit = unit_value(*i.unit, sink_);
  if (const Override* o = shared_.overrides.use(item_.name())) {
    const std::optional<Value> other = override_value(*o, v.type.dimension, what);
    if (!other) return;
    note_unit(item_.name(), *other, *o->value, i.unit ? &*i.unit : written_unit(*i.value));
    made.value = other->node();
  }
  const auto index = static_cast<std::uint32_t>(model_.inputs.size());
  CHECK(index < model_.held_at, "inputs are counted before they are declared");
  model_.inputs.push_back(made);
  if (const SignalTexts::Text* text = shared_.signals.find(item_.name())) return follow_signal(i, made, *text);
  set_symbol(i.name, evaluator_.scalar(model_.graph.leaf(LeafKind::input, index), made.dimension, Level::position,
                                       i.name.span));
}

// Replaces the input by its signal. A pure number is in the unit of the input, in the file and on the command line.
void States::follow_signal(const ast::Input& i, const Input& made, const SignalTexts::Text& text) {
  if (text.from_outside) {
    text.from_outside->used = true;
    if (shared_.overrides.has(made.name))
      sink_.report(Kind::input_signal_twice, text.value->span, printable(made.name));
  }
  const std::string what = "the signal of the input " + quoted(made.name);
  const std::optional<InputSignal> signal = read_signal(*text.value, made.name, shared_.scope, evaluator_, sink_);
  if (!signal || refuse_results(signal->value, what)) return;
  Value v = signal->value;
  if (signal->samples)
    v = evaluator_.scalar(held_samples(made, *signal, text.value->span), signal->type.dimension, Level::position,
                          text.value->span);
  if (signal->kinks) model_.events.push_back(event_at(made, signal->kinks, text.value->span));
  v.type.any_dimension = signal->type.any_dimension;
  v.angle = signal->angle;
  if (i.unit && !in_unit(*i.unit, what, v)) return;
  if (!evaluator_.expect_dimension(v, made.dimension, what)) return;
  v.type = {Shape::scalar, made.dimension, false};
  v.labels = nullptr;
  model_.signals.block = shared_.signals.block();
  model_.signals.inputs.push_back(made.name);
  model_.input_signals.push_back(
      {static_cast<std::uint32_t>(model_.inputs.size() - 1), model_.add_value(v.node()), signal->samples});
  set_symbol(i.name, v);
}

Event States::event_at(const Input& made, const std::shared_ptr<const kernel::DataTable>& times, Span span) {
  Event event;
  event.kind = Event::Kind::samples;
  event.name = kInputPrefix + made.name;
  event.samples = times;
  event.span = span;
  add_counts(event, span);
  return event;
}

// Adds a discrete variable, and an event that assigns it each sample at its time.
NodeId States::held_samples(const Input& made, const InputSignal& signal, Span span) {
  const std::uint32_t held =
      model_.add_held(problem::DiscreteVariable::Use::sample, kInputPrefix + made.name, signal.type.dimension, span);
  model_.held[held].initial = model_.graph.constant(signal.samples->value(signal.samples->arguments().front(), 0));
  Event event = event_at(made, signal.samples, span);
  event.actions.push_back({EventAction::Kind::held, held, model_.add_value(model_.graph.zero()), span});
  model_.events.push_back(std::move(event));
  return model_.discrete(held);
}

// Takes a pure number in this unit; another value must fit it. An angle is a pure number too, but in SI already.
bool States::in_unit(const ast::Unit& written, const std::string& what, Value& v) {
  const std::optional<std::pair<double, Dimension>> unit = unit_value(written, sink_);
  if (!unit) return false;
  const bool done = v.angle && unit->second.dimensionless();
  if (v.type.dimension.dimensionless() && !done) {
    v.nodes[0] = model_.graph.mul(model_.graph.constant(unit->first), v.node());
    v.type = {Shape::scalar, unit->second, false};
  }
  return evaluator_.expect_dimension(v, unit->second, what);
}

void States::finish() {
  bool good = true;
  for (const PendingRate& p : pending_) {
    State& s = model_.states[p.state];
    const InInstance named(sink_, *p.scope);
    const std::string what = "the rate of the state " + quoted(s.name);
    const Value v = evaluator_.evaluate(*p.rate, *p.scope);
    good = evaluator_.expect_scalar(v, what) &&
           evaluator_.expect_dimension(v, s.dimension / physical(model_, time_dimension()), what) &&
           !refuse_results(v, what) && good;
    if (!v.invalid() && v.scalar()) model_.states[p.state].rate = v.node();
  }
  if (!good || !order_rates()) return;
  replace_rates();
  check_inputs();
}

// Orders rates that hold rates of other states, so that each can be replaced. A circle is reported, since it has no
// such order.
bool States::order_rates() {
  std::vector<std::uint8_t> seen(model_.states.size(), 0);
  for (std::uint32_t root = 0; root < model_.states.size(); ++root)
    if (seen[root] == 0 && !order_from(root, seen)) return false;
  return true;
}

// `seen`: 1 while on the stack, 2 when done.
bool States::order_from(std::uint32_t root, std::vector<std::uint8_t>& seen) {
  const graph::Graph& g = model_.graph;
  std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> stack;
  const auto enter = [&](std::uint32_t k) {
    seen[k] = 1;
    stack.emplace_back(k, all_of(g, model_.states[k].rate, LeafKind::state_rate));
  };
  enter(root);
  while (!stack.empty()) {
    auto& [k, needs] = stack.back();
    if (needs.empty()) {
      seen[k] = 2;
      model_.states[k].rate = with_rates(model_.states[k].rate);
      stack.pop_back();
      continue;
    }
    const std::uint32_t next = needs.back();
    needs.pop_back();
    if (seen[next] == 0) {
      enter(next);
    } else if (seen[next] == 1) {
      std::size_t first = 0;
      while (stack[first].first != next) ++first;
      std::string chain;
      for (; first < stack.size(); ++first) chain += printable(model_.states[stack[first].first].name) + "' -> ";
      const State& s = model_.states[next];
      return mbc::refuse(sink_, Kind::circular_definition, s.rate_span, printable(s.name) + "'",
                         chain + printable(s.name) + "'");
    }
  }
  return true;
}

// Returns the expression with the rates of states in place of their leaves.
NodeId States::with_rates(NodeId e) {
  graph::Graph& g = model_.graph;
  if (!graph::holds(g, e, {LeafKind::state_rate})) return e;
  return graph::copy_into(g, {&e, 1}, g, [&](const Node& n) {
    return n.leaf == LeafKind::state_rate ? model_.states[n.a].rate : g.leaf(n.leaf, n.a);
  })[0];
}

// Replaces rates in the quantities that decide on contacts, because those are evaluated at states without known rates.
void States::replace_watched_rates() {
  for (Friction& f : model_.frictions) {
    for (NodeId& e : f.slip) e = with_rates(e);
    f.limit = with_rates(f.limit);
    f.still = with_rates(f.still);
    if (f.restitution) f.restitution = with_rates(*f.restitution);
  }
  for (Unilateral& u : model_.unilaterals) {
    u.residual = with_rates(u.residual);
    u.restitution = with_rates(u.restitution);
  }
}

void States::replace_rates() {
  if (model_.states.empty()) return;
  const auto replace = [this](std::vector<NodeId>& nodes) {
    for (NodeId& e : nodes) e = with_rates(e);
  };
  for (Force& f : model_.forces) replace(f.value);
  for (Torque& f : model_.torques) {
    replace(f.value);
    replace(f.omega);
  }
  replace_watched_rates();
  for (GeneralisedLoad& f : model_.loads) {
    f.value = with_rates(f.value);
    f.rate = with_rates(f.rate);
  }
  for (ReactionDependentForce& f : model_.reaction_dependent) f.load = with_rates(f.load);
  for (QuasiVelocity& y : model_.quasi_velocities) y.value = with_rates(y.value);
  for (EnergyTerm& e : model_.energies) {
    if (e.kind == EnergyTerm::Kind::potential && graph::holds(model_.graph, e.value, {LeafKind::state_rate})) {
      sink_
          .report(Kind::energy_level, e.span, "the potential " + quoted(e.name),
                  "depends on the rate of a state; its force would not have a potential")
          .hint("write the force itself with `force` or `load`");
    }
    e.value = with_rates(e.value);
  }
  for (Equation& e : model_.equations) {
    if (!graph::holds(model_.graph, e.residual, {LeafKind::state_rate})) continue;
    e.residual = with_rates(e.residual);
    if (const std::string why = without_effect(model_, e.residual, e.level); !why.empty())
      sink_.report(Kind::no_effect, e.span, shown_row(e), why);
  }
}

// An input jumps between steps. It has no derivative and cannot be in an expression that is differentiated. A state
// whose rate depends on speeds would make a row of position level act on velocities.
void States::check_inputs() {
  if (model_.states.empty() && model_.inputs.empty()) return;
  for (const Equation& e : model_.equations)
    if (e.level != Level::acceleration) check_row(e);
  for (const EnergyTerm& e : model_.energies) {
    if (e.kind == EnergyTerm::Kind::dissipation) continue;
    if (const auto u = input_in(e.value))
      refuse_input(e.kind == EnergyTerm::Kind::kinetic ? "the kinetic energy " + quoted(e.name)
                                                       : "the potential " + quoted(e.name),
                   *u, "the energy would jump with the input and nothing would have done the work", e.span);
  }
}

void States::check_row(const Equation& e) {
  const graph::Graph& g = model_.graph;
  const std::string what = "the constraint " + shown_row(e);
  if (const auto u = input_in(e.residual)) {
    refuse_input(what, *u, "it is differentiated, and an input jumps", e.span,
                 e.level == Level::position ? kFollowTwice : nullptr);
    return;
  }
  if (e.level != Level::position) return;
  for (std::uint32_t k : all_of(g, e.residual, LeafKind::state)) {
    const State& s = model_.states[k];
    if (const auto u = input_in(s.rate)) {
      refuse_input(what, *u, "it is differentiated twice, and the rate of " + quoted(s.name) + " jumps with the input",
                   e.span, "let a second state follow the first, and write the constraint with that");
      break;
    }
    if (!graph::holds(g, s.rate, {LeafKind::speed})) continue;
    sink_.report(Kind::state_in_row, e.span, shown_row(e), printable(s.name))
        .label(s.rate_span, "it depends on a velocity here")
        .hint("state it for the rates: `(a - b)' == 0` instead of `a == b`");
    break;
  }
}

// Returns an input in the expression. Variables that an event changes do not count, since steps end at events and the
// event accounts for the change; samples of an input count.
std::optional<std::uint32_t> States::input_in(NodeId e) const {
  for (const Node& n : graph::leaves(model_.graph, e)) {
    if (n.leaf == LeafKind::input && n.a < model_.held_at) return n.a;
    if (model_.is_discrete(n, problem::DiscreteVariable::Use::sample))
      return model_.input_named(model_.input_name(n.a).substr(std::string_view(kInputPrefix).size()));
  }
  return {};
}

void States::refuse_input(const std::string& what, std::uint32_t input, const std::string& why, Span span,
                          const char* hint) {
  sink_.report(Kind::input_jumps, span, what, printable(model_.inputs[input].name), why).hint(hint ? hint : kFollow);
}

}  // namespace mbc::sema
