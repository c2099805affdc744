// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/initial_values.h"

#include <algorithm>

#include "base/text.h"
#include "compiler/ad/motion.h"
#include "compiler/sema/expressions/written_unit.h"
#include "compiler/sema/statements/bodies.h"

namespace mbc::sema {

namespace {

// Returns the unit of an initial value if it is a single one, so that reports can use degrees; else "".
std::string single_unit(const ast::Expr& e) {
  const ast::Unit* unit = written_unit(e);
  if (!unit || unit->factors.size() != 1) return "";
  const ast::UnitFactor& f = unit->factors[0];
  return find_unit(f.name) && f.numerator == 1 && f.denominator == 1 ? f.name : "";
}

}  // namespace

bool is_state_leaf(const Node& n) {
  return n.op == Op::leaf && (n.leaf == LeafKind::coordinate || n.leaf == LeafKind::speed || n.leaf == LeafKind::state);
}

void InitialValues::read(const ast::Init& init) {
  for (const ast::InitEntry& e : init.entries) entry(e);
}

void InitialValues::entry(const ast::InitEntry& entry) {
  const Value target = this->value(*entry.target), value = this->value(*entry.value);
  if (target.invalid() || value.invalid()) return;
  const std::string text(sources_.text(entry.target->span)), shown = quoted(text);
  if (Held* held = held_state(target)) return begin_held(*held, entry, target, value);
  if (!is_target(target, entry, shown) || !begins(target, value, "the initial value of " + shown)) return;
  const std::string unit = single_unit(*entry.value);
  const bool of_instance = this->of_instance(*entry.target);
  for (std::size_t k = 0; k < target.nodes.size(); ++k) {
    const std::string part = target.nodes.size() <= 3 ? std::string(1, kAxes[k]) : std::to_string(k);
    const Part made{target.vector() ? text + "." + part : text,
                    target.nodes[k],
                    value.nodes[k],
                    target.type.dimension,
                    unit,
                    of_instance};
    if (!set(entry, made)) return;
    const Node& leaf = model_.graph.node(made.target);
    if (target.level == Level::position && (of_instance || !is_state_leaf(leaf) || describes_rotation(model_, leaf)))
      said_.push_back(made.target);
  }
}

Held* InitialValues::held_state(const Value& target) {
  if (!target.scalar()) return nullptr;
  const Node& n = model_.graph.node(target.node());
  const bool is_one = model_.is_discrete(n, problem::DiscreteVariable::Use::state);
  return is_one ? &model_.held[*model_.discrete_index(n)] : nullptr;
}

void InitialValues::begin_held(Held& held, const ast::InitEntry& entry, const Value& target, const Value& value) {
  const std::string what = "the initial value of " + quoted(held.variable.name);
  if (entry.soft)
    return void(sink_.report(Kind::init_target, entry.target->span, quoted(held.variable.name))
                    .hint("no constraint can move a held state: give its value with `=`"));
  if (!begins(target, value, what)) return;
  if (const auto [first, fresh] = initialised_.try_emplace(target.node().value, entry.span); !fresh)
    return void(
        sink_.report(Kind::init_twice, entry.span, held.variable.name).label(first->second, "first given here"));
  held.initial = value.node();
}

// Returns whether the target is a value of a joint, `j.angle`, even if it is a coordinate of a body.
bool InitialValues::of_instance(const ast::Expr& target) {
  const auto* member = std::get_if<ast::Member>(&target.node);
  return member && value(*member->object).type.shape == Shape::instance;
}

bool InitialValues::begins(const Value& target, const Value& value, const std::string& what) {
  return fits(target, value, what) && evaluator_.expect_constant(value, what) &&
         evaluator_.expect_dimension(value, target.type.dimension, what);
}

bool InitialValues::set(const ast::InitEntry& entry, const Part& part) {
  // the rotation of a body, in any representation; soft angular velocities are conditions like others if they are not
  // speeds themselves
  const Level level = ad::level_of(model_.graph, part.target);
  if (body_start(model_, part.target) && !(entry.soft && level == Level::velocity)) return set_body(entry, part);
  const Node leaf = model_.graph.node(part.target);
  if (level == Level::constant) return never_moves(entry, part);
  if (const auto [first, fresh] = initialised_.try_emplace(part.target.value, entry.span); !fresh)
    return mbc::refuse(sink_, Kind::init_twice, entry.span, shown_target(part.target, part.name))
        .label(first->second, "first given here");
  // `j.rate` asks for a motion of everything that depends on the joint, even if it is a speed of one body; an entry of
  // a rotation is one condition on the whole rotation
  const bool own =
      is_state_leaf(leaf) && !(part.of_instance && leaf.leaf == LeafKind::speed) && !describes_rotation(model_, leaf);
  if (own && leaf.leaf == LeafKind::state && entry.soft)
    return mbc::refuse(sink_, Kind::init_target, entry.target->span, quoted(part.name))
        .hint("no constraint can move a first-order state: give its value with `=`");
  if (!part.unit.empty() && own) model_.start_units[{leaf.leaf, leaf.a}] = part.unit;
  const Start start{true, entry.soft};
  if (own)
    set_leaf(part.target, part.value, start);
  else
    model_.initial_targets.push_back({part.name, part.target, part.value, level, part.dimension, start, entry.span});
  return true;
}

bool InitialValues::set_body(const ast::InitEntry& entry, const Part& part) {
  const std::optional<StartValue> begin = body_start(model_, part.target);
  if (entry.soft && shared_.ask_rotation(part.target)) return false;
  if (entry.soft)
    return mbc::refuse(sink_, Kind::init_target, entry.target->span, quoted(part.name))
        .hint("a soft rotation needs `coordinates = quaternion`, or an angle of a joint that is given instead");
  if (!started_.insert(begin->value).second) return mbc::refuse(sink_, Kind::init_twice, entry.span, begin->name);
  *begin->value = part.value;
  if (begin->given) *begin->given = true;
  return true;
}

// Accepts the present value for a component that cannot move, as the z of a plane curve; reports any other value.
bool InitialValues::never_moves(const ast::InitEntry& entry, const Part& part) {
  if (model_.graph.is_zero(model_.graph.sub(part.target, part.value))) return true;
  return mbc::refuse(sink_, Kind::init_target, entry.target->span, quoted(part.name))
      .hint("this component never moves");
}

std::string InitialValues::shown_target(NodeId target, const std::string& name) const {
  const Node leaf = model_.graph.node(target);
  if (!is_state_leaf(leaf)) return name;
  if (leaf.leaf == LeafKind::speed) return model_.speed(leaf.a).name.text();
  return leaf.leaf == LeafKind::state ? model_.states[leaf.a].name : model_.coordinate(leaf.a).name.text();
}

void InitialValues::set_leaf(NodeId target, NodeId value, const Start& start) {
  const Node leaf = model_.graph.node(target);
  const auto set = [&](auto& quantity) {
    quantity.initial = value;
    quantity.start = start;
  };
  if (leaf.leaf == LeafKind::state)
    model_.states[leaf.a].initial = value;
  else if (leaf.leaf == LeafKind::speed)
    set(model_.speed(leaf.a));
  else
    set(model_.coordinate(leaf.a));
}

// Returns whether the target depends on the motion and is no acceleration.
bool InitialValues::is_target(const Value& target, const ast::InitEntry& entry, const std::string& shown) {
  bool fits = target.numeric() && !target.nodes.empty(), any = false;
  for (NodeId n : target.nodes) {
    const Level level = ad::level_of(model_.graph, n);
    const bool moves =
        is_state_leaf(model_.graph.node(n)) || graph::holds(model_.graph, n, {LeafKind::coordinate, LeafKind::speed});
    fits &= !graph::holds(model_.graph, n, {LeafKind::accel, LeafKind::multiplier, LeafKind::ideal});
    // components that do not move are compared by their values
    fits &= !moves || level == Level::position || level == Level::velocity;
    any |= moves;
  }
  if (fits && any) return true;
  Diagnostic& d = sink_.report(Kind::init_target, entry.target->span, shown);
  if (target.type.shape == Shape::particle)
    d.hint("set its position `.pos` or its velocity `.vel`");
  else if (target.level == Level::acceleration)
    d.hint("accelerations follow from the forces and constraints");
  else if (target.scalar() && model_.graph.node(target.node()).leaf == LeafKind::state_rate)
    d.hint("the rate of a state is what `where` says");
  else if (target.scalar() && model_.graph.node(target.node()).leaf == LeafKind::param &&
           model_.graph.node(target.node()).op == Op::leaf)
    d.hint("a parameter has its value where it is declared, or from `--set`");
  return false;
}

namespace {

// Returns how a given start of that coordinate or speed leaves room. Rotations and angular velocities of bodies in
// space are set as wholes, and soft rotations are quaternions.
std::string way_to_free(const Model& model, const std::string& name, bool position) {
  const std::string make_soft = "make one soft in `init`, for example ";
  const std::size_t dot = name.rfind('.');
  const std::string owner = name.substr(0, dot), member = dot == std::string::npos ? "" : name.substr(dot + 1);
  const bool place = position ? member.size() == 1 : member.size() == 2 && member.front() == 'v';
  const auto body = std::ranges::find(model.bodies, owner, &Body::name);
  if (model.space != 3 || place || body == model.bodies.end()) return make_soft + quoted(name + " ~ ...");
  if (!position) return make_soft + quoted(owner + ".omega ~ (...)");
  if (body->representation == Representation::quaternion) return make_soft + quoted(owner + ".quat ~ (...)");
  return "leave the rotation of " + quoted(owner) + " out of `init`, or take `coordinates = quaternion` and `" + owner +
         ".quat ~ (...)`";
}

}  // namespace

// Checks that each target depends on something that is free to move.
void InitialValues::check_targets() {
  for (const InitialTarget& target : model_.initial_targets) {
    const bool position = target.level == Level::position;
    bool free = false;
    std::string example;
    for (const Node& n : graph::leaves(model_.graph, target.target)) {
      if (position && n.leaf == LeafKind::coordinate) {
        free |= model_.coordinates[n.a].start.soft;
        if (example.empty()) example = model_.coordinates[n.a].name;
      }
      if (!position && n.leaf == LeafKind::speed) {
        free |= model_.speeds[n.a].start.soft || !model_.speeds[n.a].start.written;
        if (example.empty()) example = model_.speeds[n.a].name;
      }
    }
    if (free) continue;
    Diagnostic& d = sink_.report(
        Kind::init_out_of_reach, target.span, quoted(target.name),
        example.empty() ? std::string("it is the same in every state")
                        : std::string(position ? "all coordinates" : "all speeds") + " it depends on have hard values");
    if (!example.empty()) d.hint(way_to_free(model_, example, position));
  }
}

void name_held_at_begin(Model& model, const SourceSet& sources) {
  std::map<std::string, int> seen;
  for (Event& event : model.events) {
    if (event.kind != Event::Kind::samples || event.samples) continue;
    std::string name = one_line(sources.text(event.span));
    if (const int k = ++seen[name]; k > 1) name += " " + std::to_string(k);
    event.name = model.held[event.actions[0].index].variable.name = name;
  }
}

}  // namespace mbc::sema
