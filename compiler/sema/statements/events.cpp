// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/events.h"

#include <algorithm>
#include <initializer_list>

#include "base/text.h"
#include "compiler/ad/motion.h"
#include "compiler/sema/statements/loads.h"
#include "compiler/sema/watched/conditions.h"

namespace mbc::sema {

namespace {

const char* kEventWords[] = {"when", "at", "every"};

Event::Kind event_kind(const ast::When& event) {
  using Direction = ast::When::Direction;
  if (event.kind == ast::When::Kind::at) return Event::Kind::at;
  if (event.kind == ast::When::Kind::every) return Event::Kind::every;
  switch (event.direction) {
    case Direction::rising:
      return Event::Kind::rising;
    case Direction::falling:
      return Event::Kind::falling;
    case Direction::crossing:
      return Event::Kind::crossing;
    case Direction::none:
      break;
  }
  return Event::Kind::condition;
}

constexpr std::initializer_list<LeafKind> kResults{LeafKind::accel, LeafKind::multiplier, LeafKind::ideal,
                                                   LeafKind::state_rate};

}  // namespace

void Events::declare(const ast::When& event, const ast::Stmt& s) {
  Event made;
  made.kind = event_kind(event);
  const bool named = !event.name.name.empty();
  made.name =
      named ? item_.name()
            : path_of_item() + kEventWords[static_cast<std::size_t>(event.kind)] + std::string(" ") + line_of(s.span);
  const Span span = named ? event.name.span : s.span;
  add_counts(made, span);
  const auto index = static_cast<std::uint32_t>(model_.events.size());
  model_.events.push_back(std::move(made));
  if (named) set_entity(event.name, Shape::event, index);
  pending_.push_back({&event, item_.scope, index});
}

void Events::read_bodies() {
  for (const Pending& p : pending_)
    if (!sink_.full()) read(p);
}

void Events::read(const Pending& p) {
  item_.scope = p.scope;
  const InInstance named(sink_, *p.scope);
  Event made = model_.events[p.index];
  const bool times = p.event->kind != ast::When::Kind::when;
  const bool head = times ? this->times(*p.event, made) : watched(*p.event, made);
  if (body(*p.event, made) && head) model_.events[p.index] = std::move(made);
}

// when tip.z falling    when phase == phase.stance and foot.lambda.z < 0 [N]
bool Events::watched(const ast::When& event, Event& made) {
  const Value v = value(*event.condition);
  if (v.invalid()) return false;
  made.span = event.condition->span;
  const bool condition = event.direction == ast::When::Direction::none;
  if (condition && v.scalar())
    return mbc::refuse(sink_, Kind::event_direction, v.span, "a number in `when` needs a direction")
        .hint("write `rising`, `falling` or `crossing` behind it, or compare it with something");
  if (!condition && v.type.shape == Shape::boolean)
    return mbc::refuse(sink_, Kind::event_direction, v.span, "a condition has no direction: it fires on becoming true")
        .hint("leave the word behind it out");
  if (v.type.shape != Shape::boolean && !evaluator_.expect_scalar(v, "what `when` watches")) return false;
  made.of_rates = graph::holds(model_.graph, v.nodes, kResults);
  for (NodeId id : graph::reachable(model_.graph, v.nodes))
    made.of_angles |= model_.graph.node(id).op == kernel::Op::atan2;
  if (evaluator_.is_fixed(v)) return mbc::refuse(sink_, Kind::event_constant, v.span, quoted(sources_.text(v.span)));
  made.value = model_.add_value(v.node());
  if (!condition) return true;
  std::optional<std::vector<ConditionTerm>> terms = condition_terms(model_, v.node(), v.span, sink_);
  if (!terms) return false;
  made.terms = *std::move(terms);
  return true;
}

// at 1 [s]    every 10 [ms] from 2 [ms]
bool Events::times(const ast::When& event, Event& made) {
  const bool every = event.kind == ast::When::Kind::every;
  made.span = event.condition->span;
  const std::optional<NodeId> time =
      constant_scalar(*event.condition, time_dimension(), every ? "the period of `every`" : "the time of `at`");
  const std::optional<NodeId> from = event.from
                                         ? constant_scalar(*event.from, time_dimension(), "the time after `from`")
                                         : std::optional<NodeId>(model_.graph.zero());
  if (!time || !from) return false;
  if (const std::optional<double> period = evaluator_.known_value(*time); every && period && !(*period > 0))
    return mbc::refuse(sink_, Kind::event_period, event.condition->span);
  made.value = model_.add_value(*time);
  made.from = model_.add_value(*from);
  return true;
}

bool Events::body(const ast::When& event, Event& made) {
  given_.clear();
  bool good = true;
  for (const ast::Action& a : event.body) {
    switch (a.kind) {
      case ast::Action::Kind::assign:
        good = assign(a, made) && good;
        break;
      case ast::Action::Kind::enable:
      case ast::Action::Kind::disable:
        good = switched(a, made) && good;
        break;
      case ast::Action::Kind::impulse:
        good = impulse(a, made) && good;
        break;
      case ast::Action::Kind::stop:
        if (made.stop) sink_.report(Kind::assigned_twice, a.span, "`stop`");
        good = good && !made.stop;
        made.stop = a.text;
        break;
    }
  }
  return good;
}

// Adds a change to an event; each thing may be changed once in an event.
bool Events::change(const ast::Action& a, EventAction::Kind kind, std::uint32_t index, NodeId value, Event& made) {
  if (!given_.emplace(kind, index).second)
    return mbc::refuse(sink_, Kind::assigned_twice, a.span, quoted(sources_.text(a.target->span)));
  if (kind == EventAction::Kind::held) model_.held[index].changed = true;
  made.actions.push_back({kind, index, model_.add_value(value), a.span});
  return true;
}

bool Events::assign(const ast::Action& a, Event& made) {
  const Value target = value(*a.target);
  if (evaluator_.names().label_alone(*a.value, *a.target, target, *item_.scope)) return false;
  const Value v = value(*a.value);
  if (target.invalid() || v.invalid()) return false;
  const std::string what = "the value of " + quoted(sources_.text(a.target->span));
  if (!target.numeric()) {
    Diagnostic& d = sink_.report(Kind::event_target, a.target->span, describe_shape(target));
    Evaluator::hint_parts(d, target);
    return false;
  }
  if (!fits(target, v, what) || !evaluator_.expect_dimension(v, target.type.dimension, what)) return false;
  bool good = true;
  for (std::size_t k = 0; k < target.nodes.size() && good; ++k) {
    const std::optional<EventAction> to = target_of(target.nodes[k], a.target->span);
    good = to && change(a, to->kind, to->index, v.nodes[k], made);
  }
  return good;
}

// Returns the action on a held state, a coordinate, a speed or a first-order state.
std::optional<EventAction> Events::target_of(NodeId node, Span span) {
  using To = EventAction::Kind;
  const Node& n = model_.graph.node(node);
  const bool leaf = n.op == Op::leaf;
  if (leaf && n.leaf == LeafKind::coordinate) return EventAction{To::coordinate, n.a, 0, span};
  if (leaf && n.leaf == LeafKind::speed) return EventAction{To::speed, n.a, 0, span};
  if (leaf && n.leaf == LeafKind::state) return EventAction{To::state, n.a, 0, span};
  const std::optional<std::uint32_t> held = model_.discrete_index(n);
  if (model_.is_discrete(n, problem::DiscreteVariable::Use::state)) return EventAction{To::held, *held, 0, span};
  if (shared_.ask_rotation(node)) return {};
  Diagnostic& d = sink_.report(Kind::event_target, span, quoted(sources_.text(span)));
  if (leaf && n.leaf == LeafKind::param)
    d.hint("a parameter is data of the whole run: declare it with `state " + printable(model_.params[n.a].name) +
           " = ...` to let events change it");
  else if (leaf && n.leaf == LeafKind::input && n.a < model_.held_at)
    d.hint("an input is set from outside: declare it with `state " + printable(model_.inputs[n.a].name) +
           " = ...` to let events change it");
  else if (leaf && std::ranges::count(kResults, n.leaf) > 0)
    d.hint("accelerations and multipliers follow from the loads and constraints");
  else
    d.hint("a coordinate, a velocity or a state can be assigned; what is made of them follows");
  return {};
}

// ---- impulses

// impulse on p: (0, 0, 2) [N*s]. It is a load of that size that acts for an instant: its direction is that of a load
// that is zero between the events.
bool Events::impulse(const ast::Action& a, Event& made) {
  const Value target = value(*a.target), v = value(*a.value);
  if (target.invalid() || v.invalid()) return false;
  if (target.scalar()) return impulse_on_coordinate(a, target, v, made);
  const std::optional<Carrier> carrier = carrier_of(model_, target);
  if (!carrier) return mbc::refuse(sink_, Kind::impulse_target, a.target->span, describe_shape(target));
  const std::string what = "the impulse on " + quoted(carrier->name);
  if (!evaluator_.expect_vector(v, what) ||
      !evaluator_.expect_dimension(v, physical(model_, mass_dimension() * velocity_dimension()), what))
    return false;
  std::vector<NodeId> force;
  for (std::size_t k = 0; k < v.nodes.size(); ++k)
    force.push_back(impulse_leaf(made, v.nodes[k], made.name + ".impulse on " + carrier->name, a.span));
  model_.forces.push_back({made.name + ".impulse", force, carrier->position, carrier->velocity, a.span});
  return true;
}

bool Events::impulse_on_coordinate(const ast::Action& a, const Value& target, const Value& v, Event& made) {
  const std::optional<NodeId> rate = rate_of_coordinate(model_, target);
  if (!rate) return mbc::refuse(sink_, Kind::impulse_target, a.target->span, quoted(sources_.text(a.target->span)));
  const Node leaf = model_.graph.node(target.node());
  const std::string on =
      leaf.op == Op::leaf ? model_.coordinate(leaf.a).name.text() : std::string(sources_.text(a.target->span));
  const std::string what = "the impulse on " + quoted(on);
  if (!evaluator_.expect_scalar(v, what) ||
      !evaluator_.expect_dimension(v, energy_dimension() * time_dimension() / target.type.dimension, what))
    return false;
  const std::string name = made.name + ".impulse on " + on;
  model_.loads.push_back({made.name + ".impulse", impulse_leaf(made, v.node(), name, a.span), *rate, a.span});
  return true;
}

NodeId Events::impulse_leaf(Event& made, NodeId value, const std::string& name, Span span) {
  const std::uint32_t held = model_.add_held(problem::DiscreteVariable::Use::impulse, name, {}, span);
  made.actions.push_back({EventAction::Kind::impulse, held, model_.add_value(value), span});
  return model_.discrete(held);
}

// ---- switches

bool Events::switched(const ast::Action& a, Event& made) {
  const std::vector<std::uint32_t> found = switches_of(*a.target);
  const NodeId value = a.kind == ast::Action::Kind::enable ? model_.graph.one() : model_.graph.zero();
  bool good = !found.empty();
  for (std::uint32_t held : found) good = change(a, EventAction::Kind::held, held, value, made) && good;
  return good;
}

void Events::disabled_at_start(const ast::Init& init) {
  for (const ast::ExprPtr& e : init.disabled)
    for (std::uint32_t held : switches_of(*e)) model_.held[held].initial = model_.graph.zero();
}

std::vector<std::uint32_t> Events::switches_of(const ast::Expr& e) {
  std::vector<std::uint32_t> found;
  if (const auto* name = std::get_if<ast::Name>(&e.node); name && !Names::known(name->text, *item_.scope)) {
    constexpr const char* kDown[] = {"-9.81", "(0, -9.81)", "(0, 0, -9.81)"};
    const std::string help =
        name->text == "gravity"
            ? std::string("the statement `gravity` acts on all parts for good: in its place a force on each, ") +
                  "`force weight on p: p.mass*" + kDown[model_.space - 1] + "`, can be switched"
            : "what is switched has a name: `force " + printable(name->text) + " on p: ...`";
    evaluator_.names().unknown(name->text, e.span, *item_.scope, help);
    return found;
  }
  const Value v = value(e);
  if (v.invalid()) return found;
  if (v.type.shape == Shape::constraint) found.push_back(switch_of_constraint(v.index));
  if (v.type.shape == Shape::load) found.push_back(switch_of_load(*v.text));
  if (v.type.shape == Shape::instance) {
    const std::string& path = v.members->instance->path();
    for (std::uint32_t k = 0; k < model_.constraints.size(); ++k)
      if (model_.constraints[k].name.text().starts_with(path)) found.push_back(switch_of_constraint(k));
    std::set<std::string> names;
    const auto collect = [&](const auto& list) {
      for (const auto& load : list)
        if (load.name.starts_with(path)) names.insert(load.name);
    };
    collect(model_.forces);
    collect(model_.torques);
    collect(model_.loads);
    collect(model_.energies);
    for (const std::string& name : names) found.push_back(switch_of_load(name));
  }
  if (found.empty()) sink_.report(Kind::switch_target, e.span, describe_shape(v));
  return found;
}

std::uint32_t Events::switch_of_constraint(std::uint32_t constraint) {
  const auto [at, fresh] = constraints_.try_emplace(constraint, 0);
  if (!fresh) return at->second;
  const Constraint& c = model_.constraints[constraint];
  at->second = model_.add_held(problem::DiscreteVariable::Use::enabled, c.name.text() + ".enabled", {}, c.span);
  model_.held[at->second].initial = model_.graph.one();
  return at->second;
}

std::optional<std::uint32_t> Events::switch_if_any(std::uint32_t constraint) const {
  const auto found = constraints_.find(constraint);
  return found == constraints_.end() ? std::nullopt : std::optional(found->second);
}

std::uint32_t Events::switch_of_load(const std::string& name) {
  const auto [at, fresh] = loads_.try_emplace(name, 0);
  if (!fresh) return at->second;
  at->second = model_.add_held(problem::DiscreteVariable::Use::enabled, name + ".enabled", {}, {});
  model_.held[at->second].initial = model_.graph.one();
  return at->second;
}

namespace {

// Returns whether a value or a derivative may be infinite or undefined for finite operands.
bool may_be_undefined(const graph::Graph& g, NodeId e) {
  return std::ranges::any_of(graph::reachable(g, {&e, 1}), [&](NodeId id) {
    const Node& n = g.node(id);
    const bool divides_by_number = n.op == Op::div && g.is_constant(NodeId{n.b});
    return kernel::may_be_undefined(n.op) && !divides_by_number;
  });
}

}  // namespace

NodeId switched_by(graph::Graph& g, NodeId flag, NodeId e) {
  return may_be_undefined(g, e) ? g.select(flag, e, g.zero()) : g.mul(flag, e);
}

// Sets the values of unilateral constraints; each row is switched by its variable `active`.
void Events::finish_unilaterals() {
  graph::Graph& g = model_.graph;
  for (Unilateral& u : model_.unilaterals) {
    problem::Unilateral& contact = u.contact;
    Equation& row = model_.equations[contact.row];
    contact.enabled = switch_if_any(u.constraint);
    contact.gap = model_.add_value(u.residual);
    contact.restitution = model_.add_value(u.restitution);
    model_.events[contact.touches].value = contact.gap;
    model_.events[contact.leaves].value = model_.add_value(g.leaf(LeafKind::multiplier, contact.row));
    model_.events[contact.leaves].of_rates = true;
    row.residual = switched_by(g, model_.discrete(contact.active), row.residual);
    model_.switched_rows.push_back({contact.row, contact.active});
  }
}

void Events::switch_rows() {
  graph::Graph& g = model_.graph;
  for (const auto& [constraint, held] : constraints_) {
    const NodeId flag = model_.discrete(held);
    const Constraint& c = model_.constraints[constraint];
    for (std::uint32_t row = c.first_row; row < c.first_row + c.row_count; ++row) {
      model_.equations[row].residual = switched_by(g, flag, model_.equations[row].residual);
      model_.switched_rows.push_back({row, held});
    }
  }
}

void Events::switch_loads() {
  graph::Graph& g = model_.graph;
  const auto flag_of = [&](const std::string& name) -> std::optional<NodeId> {
    const auto found = loads_.find(name);
    if (found == loads_.end()) return {};
    return model_.discrete(found->second);
  };
  const auto choose = [&](NodeId flag, NodeId& value) { value = g.ternary(Op::select, flag, value, g.zero()); };
  const auto each = [&](auto& list) {
    for (auto& load : list)
      if (const std::optional<NodeId> flag = flag_of(load.name))
        for (NodeId& component : load.value) choose(*flag, component);
  };
  each(model_.forces);
  each(model_.torques);
  for (GeneralisedLoad& load : model_.loads)
    if (const std::optional<NodeId> flag = flag_of(load.name)) choose(*flag, load.value);
  for (EnergyTerm& term : model_.energies)
    if (const std::optional<NodeId> flag = flag_of(term.name)) choose(*flag, term.value);
}

void Events::finish() {
  for (const Held& h : model_.held)
    if (h.variable.use == problem::DiscreteVariable::Use::state && !h.changed && !sink_.has_errors())
      sink_.report(Kind::held_unchanged, h.variable.span, printable(h.variable.name))
          .hint("a number that never changes is a `param`; a state with a rate has it after `where`");
  finish_unilaterals();
  switch_rows();
  switch_loads();
}

}  // namespace mbc::sema
