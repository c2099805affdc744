// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/members.h"

#include <algorithm>

#include "base/text.h"
#include "compiler/sema/dependencies.h"
#include "compiler/sema/expressions/evaluator.h"
#include "compiler/sema/rotations.h"

namespace mbc::sema {

namespace {

// Returns a component of R I omega.
NodeId spin_component(graph::Graph& g, const Body& b, std::size_t k) {
  const std::vector<NodeId> h = times_inertia(g, b.inertia, b.omega);
  if (h.size() == 1) return h[0];
  return g.dot({b.rotation.data() + 3 * k, 3}, h);
}

NodeId kinetic_energy(graph::Graph& g, const Body& b) {
  const NodeId translation = g.mul(b.mass, g.dot(b.centre_velocity, b.centre_velocity));
  return g.mul(g.constant(0.5), g.add(translation, g.dot(b.omega, times_inertia(g, b.inertia, b.omega))));
}

NodeId kinetic_energy(graph::Graph& g, const Particle& p) {
  return g.mul(g.mul(g.constant(0.5), p.mass), g.dot(p.velocity, p.velocity));
}

// Returns whether a component declares a name anywhere, chosen by its conditions or not.
bool declared_in(const std::vector<ast::StmtPtr>& body, const std::string& name) {
  for (const auto& s : body) {
    if (const auto* choice = std::get_if<ast::IfBlock>(&s->node)) {
      if (declared_in(choice->then_body, name) || declared_in(choice->else_body, name)) return true;
    }
    if (const auto* c = std::get_if<ast::Constraint>(&s->node); c && declared_in(c->nonideal, name)) return true;
    if (const ast::Declared* d = declared_name(*s); d && d->name == name) {
      return true;
    }
  }
  return false;
}

// Takes a vector from the axes of a body to space axes. In `space 2` angular velocities are numbers, the same in both
// axes.
std::vector<NodeId> in_space(graph::Graph& g, const std::vector<NodeId>& rotation, const std::vector<NodeId>& v) {
  return v.size() == 3 ? matrix_product(g, rotation, v, 3) : v;
}

}  // namespace

Value Members::member(const ast::Member& m, Span span, const Scope& scope) {
  const auto* name = std::get_if<ast::Name>(&m.object->node);
  if (name && !scope.find(name->text).symbol && !scope.find(name->text).number && !Names::builtin(name->text))
    return evaluator_.names().unknown(name->text, m.object->span, scope);
  const Value object = evaluator_.evaluate(*m.object, scope);
  const Field field{m.name, span, m.name_span};
  switch (object.type.shape) {
    case Shape::invalid:
      return object;
    case Shape::particle:
      return of_particle(object, field);
    case Shape::body:
      return of_body(object, field);
    case Shape::point:
      return of_point(object, field);
    case Shape::energy:
      return of_energy(field);
    case Shape::momentum:
      return of_momentum(field);
    case Shape::vector:
      return of_vector(object, field);
    case Shape::constraint:
      return of_constraint(object, field);
    case Shape::frame:
      return of_frame(object, field);
    case Shape::instance:
      return of_instance(object, field);
    case Shape::event:
      return of_event(object, field);
    case Shape::array:
      return mbc::refuse(sink_, Kind::index_missing, m.object->span, printable(object.elements->name))
          .hint("write `" + printable(object.elements->name) + "[1]." + printable(m.name) + "`");
    case Shape::ground: {
      const Value axes = evaluator_.types().converted(object, "frame", "the ground", {});
      return axes.invalid() ? axes : of_frame(axes, field);
    }
    case Shape::scalar:
      if (object.labels) return label_of(object, field);
      break;
    case Shape::boolean:
    case Shape::text:
    case Shape::matrix:
    case Shape::load:
      break;
  }
  return unknown(describe_shape(object), field, {});
}

std::optional<Value> Members::position(const Value& v) {
  const std::string pos = "pos";
  const Field field{pos, v.span, v.span};
  if (v.type.shape == Shape::particle) return of_particle(v, field);
  if (v.type.shape == Shape::body) return of_body(v, field);
  if (v.type.shape == Shape::point) return of_point(v, field);
  if (v.type.shape == Shape::frame) return of_frame(v, field);
  return {};
}

std::vector<std::string> Members::with_components(std::vector<std::string> first) const {
  for (std::uint32_t k = 0; k < model_.space; ++k)
    for (const char* prefix : {"", "v", "a"}) first.push_back(prefix + std::string(1, kAxes[k]));
  return first;
}

// Returns .pos .vel .acc and their components, of anything with a place.
std::optional<Value> Members::kinematic(std::span<const NodeId> position, std::span<const NodeId> velocity,
                                        std::span<const NodeId> acceleration, const Field& field) {
  const Dimension x = physical(model_, length_dimension()), v = physical(model_, velocity_dimension()),
                  a = physical(model_, acceleration_dimension());
  if (field.name == "pos") return components({position.begin(), position.end()}, x, Level::position, field.span);
  if (field.name == "vel") return components({velocity.begin(), velocity.end()}, v, Level::velocity, field.span);
  if (field.name == "acc")
    return components({acceleration.begin(), acceleration.end()}, a, Level::acceleration, field.span);
  for (std::uint32_t k = 0; k < model_.space; ++k) {
    const std::string axis(1, kAxes[k]);
    if (field.name == axis) return scalar(position[k], x, Level::position, field.span);
    if (field.name == "v" + axis) return scalar(velocity[k], v, Level::velocity, field.span);
    if (field.name == "a" + axis) return scalar(acceleration[k], a, Level::acceleration, field.span);
  }
  return {};
}

Value Members::of_point(const Value& object, const Field& field) {
  const Point& p = model_.points[object.index];
  if (const std::optional<Value> found = kinematic(p.position, p.velocity, p.acceleration, field)) return *found;
  return unknown("the point " + quoted(p.name), field,
                 {"pos", "vel", "acc", "x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"});
}

std::optional<Value> Members::turning(const std::vector<NodeId>& rotation, const std::vector<NodeId>& omega,
                                      const std::vector<NodeId>& alpha, bool fixed, const Field& field) {
  const Dimension rate = Dimension{} / physical(model_, time_dimension());
  const auto level = [&](Level l) { return fixed ? Level::constant : l; };
  if (field.name == "rot") {
    Value r = scalar(rotation[0], {}, level(Level::position), field.span);
    r.type.shape = Shape::matrix;
    r.nodes = rotation;
    return r;
  }
  if (field.name == "omega") return components(omega, rate, level(Level::velocity), field.span);
  if (field.name == "omega_space")
    return components(in_space(model_.graph, rotation, omega), rate, level(Level::velocity), field.span);
  if (field.name == "alpha") return components(alpha, rate * rate, level(Level::acceleration), field.span);
  return {};
}

Value Members::of_body(const Value& object, const Field& field) {
  const Body& b = model_.bodies[object.index];
  graph::Graph& g = model_.graph;
  if (const std::optional<Value> found = kinematic(b.position, b.velocity, b.acceleration, field)) return *found;
  if (const std::optional<Value> found = turning(b.rotation, b.omega, b.alpha, false, field)) return *found;
  if (field.name == "angle" && model_.space == 2 && b.first_coordinate)
    return scalar(g.leaf(LeafKind::coordinate, *b.first_coordinate + 2), {}, Level::position, field.span);
  if (field.name == "quat" && !b.quaternion.empty()) return components(b.quaternion, {}, Level::position, field.span);
  if (field.name == "com")
    return components(b.centre, physical(model_, length_dimension()), Level::position, field.span);
  if (const std::optional<Value> found = inertial(b, b.centre_velocity, field)) return *found;
  std::vector<std::string> known{"pos",   "vel", "acc",  "rot",    "omega",   "omega_space",
                                 "alpha", "com", "mass", "energy", "momentum"};
  if (!b.quaternion.empty()) known.emplace_back("quat");
  if (model_.space == 2 && b.first_coordinate) known.emplace_back("angle");
  return unknown("the body " + quoted(b.name), field, with_components(known));
}

template <class Inertial>
std::optional<Value> Members::inertial(const Inertial& of, const std::vector<NodeId>& velocity, const Field& field) {
  graph::Graph& g = model_.graph;
  if (field.name == "mass") return scalar(of.mass, physical(model_, mass_dimension()), Level::constant, field.span);
  if (field.name == "energy")
    return scalar(kinetic_energy(g, of), physical(model_, energy_dimension()), Level::velocity, field.span);
  if (field.name != "momentum") return {};
  std::vector<NodeId> nodes;
  for (NodeId c : velocity) nodes.push_back(g.mul(of.mass, c));
  return components(nodes, physical(model_, mass_dimension() * velocity_dimension()), Level::velocity, field.span);
}

Value Members::of_particle(const Value& object, const Field& field) {
  const Particle& p = model_.particles[object.index];
  if (const std::optional<Value> found = kinematic(p.position, p.velocity, p.acceleration, field)) return *found;
  if (const std::optional<Value> found = inertial(p, p.velocity, field)) return *found;
  return unknown("the particle " + quoted(p.name), field,
                 with_components({"pos", "vel", "acc", "mass", "energy", "momentum"}));
}

Value Members::of_frame(const Value& object, const Field& field) {
  const Frame& f = model_.frames[object.index];
  if (std::optional<Value> found = kinematic(f.position, f.velocity, f.acceleration, field)) {
    if (f.ground) found->level = Level::constant;
    return *found;
  }
  if (const std::optional<Value> found = turning(f.rotation, f.omega, f.alpha, f.ground, field)) return *found;
  return unknown(f.ground && f.name == "ground" ? "the ground" : "the frame " + quoted(f.name), field,
                 with_components({"pos", "vel", "acc", "rot", "omega", "omega_space", "alpha", "at"}));
}

// Returns the momentum of all particles and bodies.
Value Members::of_momentum(const Field& field) {
  Value r = invalid(field.span);
  r.type = {Shape::vector, physical(model_, mass_dimension() * velocity_dimension()), false};
  r.level = Level::velocity;
  if (field.name == "linear") {
    r.nodes = linear_momentum();
    return r;
  }
  if (field.name != "angular") return unknown("`momentum`", field, {"linear", "angular"});
  if (model_.space == 1) return unknown("a model in `space 1`", field, {"linear"});
  r.type.dimension = r.type.dimension * physical(model_, length_dimension());
  r.nodes = angular_momentum();
  if (model_.space == 2) r.type.shape = Shape::scalar;
  return r;
}

std::vector<NodeId> Members::linear_momentum() {
  graph::Graph& g = model_.graph;
  std::vector<NodeId> total;
  for (std::uint32_t k = 0; k < model_.space; ++k) {
    std::vector<NodeId> terms;
    for (const Particle& p : model_.particles) terms.push_back(g.mul(p.mass, p.velocity[k]));
    for (const Body& b : model_.bodies) terms.push_back(g.mul(b.mass, b.centre_velocity[k]));
    total.push_back(g.sum(terms));
  }
  return total;
}

// The angular momentum is about the origin; in the plane it is a single number.
std::vector<NodeId> Members::angular_momentum() {
  graph::Graph& g = model_.graph;
  const auto component = [&](std::uint32_t i, std::uint32_t j) {
    std::vector<NodeId> terms;
    const auto orbital = [&](NodeId mass, const std::vector<NodeId>& place, const std::vector<NodeId>& v) {
      terms.push_back(g.mul(mass, g.sub(g.mul(place[i], v[j]), g.mul(place[j], v[i]))));
    };
    for (const Particle& p : model_.particles) orbital(p.mass, p.position, p.velocity);
    for (const Body& b : model_.bodies) {
      orbital(b.mass, b.centre, b.centre_velocity);
      terms.push_back(spin_component(g, b, 3 - i - j));
    }
    return g.sum(terms);
  };
  if (model_.space == 2) return {component(0, 1)};
  return {component(1, 2), component(2, 0), component(0, 1)};
}

// Returns the energy of all particles, bodies and energy terms. The potential of gravity is V = -sum m g.r (zero at the
// origin).
Value Members::of_energy(const Field& field) {
  graph::Graph& g = model_.graph;
  std::vector<NodeId> kinetic, potential;
  for (const Particle& p : model_.particles) {
    kinetic.push_back(kinetic_energy(g, p));
    if (!model_.gravity.empty()) potential.push_back(g.neg(g.mul(p.mass, g.dot(model_.gravity, p.position))));
  }
  for (const Body& b : model_.bodies) {
    kinetic.push_back(kinetic_energy(g, b));
    if (!model_.gravity.empty()) potential.push_back(g.neg(g.mul(b.mass, g.dot(model_.gravity, b.centre))));
  }
  for (const EnergyTerm& term : model_.energies) {
    if (term.kind == EnergyTerm::Kind::kinetic) kinetic.push_back(term.value);
    if (term.kind == EnergyTerm::Kind::potential) potential.push_back(term.value);
  }
  const Dimension d = physical(model_, energy_dimension());
  if (field.name == "kinetic") return scalar(g.sum(kinetic), d, Level::velocity, field.span);
  if (field.name == "potential") return scalar(g.sum(potential), d, Level::position, field.span);
  if (field.name == "total") return scalar(g.add(g.sum(kinetic), g.sum(potential)), d, Level::velocity, field.span);
  return unknown("`energy`", field, {"kinetic", "potential", "total"});
}

Value Members::of_constraint(const Value& object, const Field& field) {
  const Constraint& c = model_.constraints[object.index];
  for (const Friction& f : model_.frictions)
    if (f.constraint == object.index) return of_friction(f, field);
  const auto rows = [&](auto&& node_of, Level level, Dimension d) {
    std::vector<NodeId> nodes;
    for (std::uint32_t k = 0; k < c.row_count; ++k) nodes.push_back(node_of(c.first_row + k));
    return components(nodes, d, level, field.span);
  };
  const Dimension d = c.row_count > 0 ? model_.equations[c.first_row].dimension : Dimension{};
  const bool of_rows = field.name == "lambda" || field.name == "residual" || Reactions::named(field.name).has_value();
  const auto known_ones = model_.tree_multipliers.find(object.index);
  if (field.name == "lambda" && known_ones != model_.tree_multipliers.end())
    return components(known_ones->second.values, known_ones->second.dimension, Level::acceleration, field.span);
  if (of_rows && c.row_count == 0) return mbc::refuse(sink_, Kind::row_of_tree, field.span, quoted("bodies = tree"));
  if (field.name == "residual")
    return rows([&](std::uint32_t row) { return written_residual(model_, row); }, Level::velocity, d);
  if (field.name == "lambda") {
    const Dimension unit = multiplier_dimension(model_, model_.equations[c.first_row]);
    return rows([&](std::uint32_t row) { return model_.graph.leaf(LeafKind::multiplier, row); }, Level::acceleration,
                unit);
  }
  if (const auto what = Reactions::named(field.name))
    return evaluator_.reactions().reaction(object, *what, nullptr, field.span);
  std::vector<std::string> known = {"residual", "lambda", "reaction", "moment", "ideal"};
  for (const Unilateral& u : model_.unilaterals)
    if (u.constraint == object.index) return of_unilateral(u, field, std::move(known));
  return unknown("the constraint " + quoted(c.name), field, known);
}

// Returns a member of a unilateral constraint: whether it is active, the impulse of its last impact (unit of its
// multiplier times time), or the count and time of its impacts.
Value Members::of_unilateral(const Unilateral& u, const Field& field, std::vector<std::string> known) {
  const Constraint& c = model_.constraints[u.constraint];
  if (const std::optional<Value> found = happened(model_.events[u.contact.touches], field)) return *found;
  if (field.name == "impulse") {
    const Equation& row = model_.equations[c.first_row];
    Dimension unit = energy_dimension() * time_dimension() / row.dimension;
    if (row.level == Level::velocity) unit = unit / time_dimension();
    return scalar(model_.discrete(u.contact.impulse), physical(model_, unit), Level::position, field.span);
  }
  if (field.name == "active") return is_set(u.contact.active, field);
  for (const char* part : {"active", "impulse", "count", "time"}) known.emplace_back(part);
  return unknown("the constraint " + quoted(c.name), field, known);
}

// Returns a member of a friction: its force (sliding or sticking), its limit, its slip, whether it sticks, or how often
// and when it has come to rest.
Value Members::of_friction(const Friction& f, const Field& field) {
  graph::Graph& g = model_.graph;
  const Constraint& c = model_.constraints[f.constraint];
  if (field.name == "slip")
    return components(f.slip, model_.equations[c.first_row].dimension, Level::velocity, field.span);
  if (field.name == "lambda") {
    std::vector<NodeId> nodes;
    for (std::uint32_t k = 0; k < f.slip.size(); ++k)
      nodes.push_back(g.select(model_.discrete(f.contact.sticks), g.leaf(LeafKind::multiplier, c.first_row + k),
                               model_.torques[f.load].value[k]));
    return components(nodes, f.force, Level::acceleration, field.span);
  }
  if (field.name == "limit")
    return scalar(g.select(model_.discrete(f.contact.sticks), f.still, f.limit), f.force, Level::acceleration,
                  field.span);
  if (field.name == "sticks") return is_set(f.contact.sticks, field);
  if (const std::optional<Value> found = happened(model_.events[f.contact.rests], field)) return *found;
  return unknown("the friction " + quoted(c.name), field, {"lambda", "limit", "slip", "sticks", "count", "time"});
}

Value Members::is_set(std::uint32_t discrete, const Field& field) {
  graph::Graph& g = model_.graph;
  Value r = scalar(g.binary(Op::lt, g.zero(), model_.discrete(discrete)), {}, Level::position, field.span);
  r.type.shape = Shape::boolean;
  return r;
}

std::optional<Value> Members::happened(const Event& e, const Field& field) {
  if (field.name == "count") return scalar(model_.discrete(e.count), {}, Level::position, field.span);
  if (field.name != "time") return {};
  return scalar(model_.discrete(e.time), physical(model_, time_dimension()), Level::position, field.span);
}

// Returns the number of a label, phase.flight.
Value Members::label_of(const Value& object, const Field& field) {
  const auto found = std::find(object.labels->begin(), object.labels->end(), field.name);
  if (found == object.labels->end()) {
    std::string known;
    for (const std::string& label : *object.labels) known += (known.empty() ? "" : ", ") + label;
    return mbc::refuse(sink_, Kind::label_unknown, field.name_span, printable(field.name))
        .hint("its labels are " + known);
  }
  const auto number = static_cast<double>(found - object.labels->begin());
  Value r = scalar(model_.graph.constant(number), {}, Level::constant, field.span);
  r.labels = object.labels;
  return r;
}

Value Members::of_event(const Value& object, const Field& field) {
  const Event& e = model_.events[object.index];
  if (const std::optional<Value> found = happened(e, field)) return *found;
  return unknown("the event " + quoted(e.name), field, {"count", "time"});
}

Value Members::of_vector(const Value& object, const Field& field) {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < object.nodes.size() && k < 3; ++k) {
    if (field.name == std::string(1, kAxes[k])) {
      Value r = object;
      r.type.shape = Shape::scalar;
      r.nodes = {object.nodes[k]};
      r.span = field.span;
      return r;
    }
    known.emplace_back(1, kAxes[k]);
  }
  return unknown("a vector of " + std::to_string(object.nodes.size()) + " components", field, known);
}

// Returns a name declared in a component, c.tip or c.p.
Value Members::of_instance(const Value& object, const Field& field) {
  const Symbol* symbol = object.members->find_here(field.name);
  if (!symbol || symbol->component()) {
    std::string path = object.members->instance->path();
    path.pop_back();
    std::vector<std::string> known = object.members->names_here();
    std::erase_if(known, [&](const std::string& n) { return object.members->find_here(n)->component(); });
    std::string hint;
    if (symbol)
      hint = "what is declared with `joint` or `model` in a component is known inside of it only";
    else if (declared_in(object.members->instance->component->body, field.name))
      hint = quoted(field.name) + " is declared there under a condition that does not hold in " + quoted(path);
    return unknown("the instance " + quoted(path) + " of " + quoted(object.members->instance->of), field, known, hint);
  }
  if (symbol->function())
    return mbc::refuse(sink_, Kind::not_a_value, field.span, "the function " + quoted(field.name))
        .hint("call it with its arguments in parentheses");
  Value v(evaluator_.names().value_of(*symbol));
  v.declared = symbol->span;
  return v;
}

Value Members::unknown(const std::string& object, const Field& field, const std::vector<std::string>& known,
                       const std::string& hint) {
  if (sink_.repeats(field.name_span)) return invalid(field.name_span);
  Diagnostic& d = sink_.report(Kind::unknown_member, field.name_span, object, printable(field.name));
  std::string list;
  for (const std::string& k : known) list += (list.empty() ? "." : " .") + k;
  const std::string near = nearest(field.name, known);
  if (!hint.empty())
    d.hint(hint);
  else if (!near.empty())
    d.hint("did you mean `." + near + "`?");
  else if (!known.empty())
    d.hint("it has " + list);
  return invalid(field.name_span);
}

}  // namespace mbc::sema
