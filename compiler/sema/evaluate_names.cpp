// SPDX-License-Identifier: Apache-2.0
// Names and what follows them: values, entities and their parts (p.vel, energy.total, rod.lambda), elements.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "compiler/sema/dependencies.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/evaluate.h"
#include "compiler/sema/modules.h"

namespace mbc::sema {

using graph::LeafKind;

namespace {

const char* kAxes = "xyz";

// I omega in body axes
std::vector<NodeId> spin(graph::Graph& g, const Body& b) {
  if (b.omega.size() == 1) return {g.mul(b.inertia[0], b.omega[0])};
  constexpr std::size_t at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  std::vector<NodeId> h;
  for (const auto& row : at) {
    NodeId total = g.zero();
    for (std::size_t j = 0; j < 3; ++j) total = g.add(total, g.mul(b.inertia[row[j]], b.omega[j]));
    h.push_back(total);
  }
  return h;
}

// A component of R I omega
NodeId spin_component(graph::Graph& g, const Body& b, std::size_t k) {
  const std::vector<NodeId> h = spin(g, b);
  if (h.size() == 1) return h[0];
  return g.dot({b.rotation.data() + 3 * k, 3}, h);
}

NodeId kinetic_energy(graph::Graph& g, const Body& b) {
  const NodeId translation = g.mul(b.mass, g.dot(b.centre_velocity, b.centre_velocity));
  return g.mul(g.constant(0.5), g.add(translation, g.dot(b.omega, spin(g, b))));
}

// The indices of an array: "1..3, 5" of one, "[1..3, 0..4]" of several.
std::string range_of(const Elements& elements) {
  const std::size_t count = elements.of.begin()->first.size();
  const auto range = [](std::int32_t low, std::int32_t high) {
    return std::to_string(low) + (low == high ? "" : ".." + std::to_string(high));
  };
  if (count == 1) {
    constexpr int kShown = 4;
    std::string text;
    int shown = 0;
    for (auto it = elements.of.begin(); it != elements.of.end() && shown < kShown; ++shown) {
      const std::int32_t low = it->first[0];
      std::int32_t high = low;
      while (++it != elements.of.end() && it->first[0] == high + 1) ++high;
      text += (shown ? ", " : "") + range(low, high);
      if (shown + 1 == kShown && it != elements.of.end()) text += ", ...";
    }
    return text;
  }
  std::string text = "[";
  std::size_t box = 1;
  for (std::size_t k = 0; k < count; ++k) {
    std::int32_t low = elements.of.begin()->first[k], high = low;
    for (const auto& [key, symbol] : elements.of) {
      low = std::min(low, key[k]);
      high = std::max(high, key[k]);
    }
    text += (k ? ", " : "") + range(low, high);
    box *= static_cast<std::size_t>(high - low) + 1;
  }
  return text + (box == elements.of.size() ? "]" : "], of which some are missing");
}

// Whether a component declares a name somewhere, chosen by its conditions or not.
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

// The notation of many papers, `vx15`, in ours: the particle with that number and its part, "p15.vx"; else "".
std::string numbered_part(const std::string& name, const Scope& scope) {
  const std::size_t axis = name.find_first_of(kAxes);
  const bool prefix = axis == 0 || (axis == 1 && (name[0] == 'v' || name[0] == 'a'));
  if (!prefix || axis + 1 == name.size() || name.find_first_not_of("0123456789", axis + 1) != std::string::npos)
    return "";
  const std::string number = name.substr(axis + 1);
  for (const std::string& known : scope.names()) {
    const std::size_t digits = known.find_first_of("0123456789");
    if (digits == std::string::npos || known.substr(digits) != number) continue;
    if (const Symbol* s = scope.find(known).symbol; s && s->value.type.shape == Shape::particle)
      return known + "." + name.substr(0, axis + 1);
  }
  return "p." + name.substr(0, axis + 1);
}

}  // namespace

Value Evaluator::name(const ast::Name& n, Span span, const Scope& scope) {
  const Scope::Found found = scope.find(n.text);
  if (found.number) {
    Value v = scalar(model_.graph.constant(*found.number), {}, Level::constant, span);
    v.declared = found.span;
    return v;
  }
  if (const Symbol* symbol = found.symbol) {
    if (symbol->function) {
      sink_.report(Kind::not_a_value, span, "the function " + quoted(n.text))
          .hint("call it with its arguments in parentheses");
      return invalid(span);
    }
    if (symbol->component) {
      sink_
          .report(Kind::not_a_value, span, (symbol->component->is_joint ? "the joint " : "the model ") + quoted(n.text))
          .hint("make one, `" + printable(n.text) + " a(...)`, and use `a`");
      return invalid(span);
    }
    Value v = value_of(*symbol);
    v.declared = symbol->span;
    return v;
  }
  Value v;
  v.span = span;
  const auto entity = [&](Shape shape) {
    v.type.shape = shape;
    return v;
  };
  if (n.text == "t")
    return scalar(model_.graph.leaf(LeafKind::time, 0), physical(model_, time_dimension()), Level::position, span);
  if (n.text == "pi") return scalar(model_.graph.constant(std::numbers::pi), {}, Level::constant, span);
  if (n.text == "ground") return entity(Shape::ground);
  if (n.text == "energy") return entity(Shape::energy);
  if (n.text == "momentum") return entity(Shape::momentum);
  if (n.text == "residuals") return residuals(span);
  for (std::uint32_t k = 0; k < 3; ++k)
    if (n.text == std::string{'e', kAxes[k]} && k < model_.space) {
      v.type.shape = Shape::vector;
      v.nodes.assign(model_.space, model_.graph.zero());
      v.nodes[k] = model_.graph.one();
      return v;
    }
  const auto& functions = builtin_functions();
  if (std::find(functions.begin(), functions.end(), n.text) == functions.end())
    return unknown_name(n.text, span, scope);
  sink_.report(Kind::not_a_value, span, "the function " + quoted(n.text))
      .hint("call it with its arguments in parentheses");
  return v;
}

const Value& Evaluator::value_of(const Symbol& symbol) {
  if (demand_) demand_(symbol);
  return symbol.value;
}

Value Evaluator::unknown_name(const std::string& name, Span span, const Scope& scope) {
  if (sink_.repeats(span)) return invalid(span);  // in another pass of a loop
  std::vector<std::string> known = scope.names();
  for (const char* b : {"pi", "ground", "energy", "momentum"}) known.emplace_back(b);
  known.insert(known.end(), builtin_functions().begin(), builtin_functions().end());
  Diagnostic& d = sink_.report(Kind::unknown_name, span, printable(name));
  if (name == "ex" || name == "ey" || name == "ez")
    d.hint("`space` is " + std::to_string(model_.space) + ": it has no such axis");
  else if (const std::string part = numbered_part(name, scope); !part.empty())
    d.hint("coordinates and velocities belong to their particle: " + quoted(part));
  else if (const std::string module = standard_module_with(name, model_.space); !module.empty())
    d.hint(quoted(name) + " is in the standard library: `use " + module + "`");
  else if (const std::string near = nearest(name, known); !near.empty())
    d.hint("did you mean " + quoted(near) + "?");
  return invalid(span);
}

Value Evaluator::unknown_field(const std::string& object, const std::string& field, Span where,
                               std::vector<std::string> known, const std::string& hint) {
  if (sink_.repeats(where)) return invalid(where);
  Diagnostic& d = sink_.report(Kind::unknown_member, where, object, printable(field));
  std::string list;
  for (const std::string& k : known) list += (list.empty() ? "." : " .") + k;
  const std::string near = nearest(field, known);
  if (!hint.empty())
    d.hint(hint);
  else if (!near.empty())
    d.hint("did you mean `." + near + "`?");
  else if (!known.empty())
    d.hint("it has " + list);
  return invalid(where);
}

Value Evaluator::member(const ast::Member& m, Span span, const Scope& scope) {
  const Value object = evaluate(*m.object, scope);
  switch (object.type.shape) {
    case Shape::invalid:
      return object;
    case Shape::particle:
      return particle_member(object, m.name, span, m.name_span);
    case Shape::body:
      return body_member(object, m.name, span, m.name_span);
    case Shape::point:
      return point_member(object, m.name, span, m.name_span);
    case Shape::energy:
    case Shape::momentum:
      return system_member(object, m.name, span, m.name_span);
    case Shape::vector:
      return vector_member(object, m.name, span, m.name_span);
    case Shape::constraint:
      return constraint_member(object, m.name, span, m.name_span);
    case Shape::frame:
      return frame_member(object, m.name, span, m.name_span);
    case Shape::instance:
      return instance_member(object, m.name, span, m.name_span);
    case Shape::array:
      sink_.report(Kind::index_missing, m.object->span, printable(object.elements->name))
          .hint("write `" + printable(object.elements->name) + "[1]." + printable(m.name) + "`");
      return invalid(span);
    case Shape::ground: {
      const Value axes = converted(object, "frame", "the ground", {});
      return axes.invalid() ? axes : frame_member(axes, m.name, span, m.name_span);
    }
    default:
      return unknown_field(describe_shape(object), m.name, m.name_span, {});
  }
}

Value Evaluator::components(const std::vector<NodeId>& nodes, Dimension dimension, Level level, Span span) const {
  Value r = scalar(nodes[0], dimension, level, span);
  r.type.shape = nodes.size() == 1 ? Shape::scalar : Shape::vector;
  r.nodes = nodes;
  return r;
}

// .pos .vel .acc and their components, of whatever has a place
std::optional<Value> Evaluator::kinematic_member(const std::vector<NodeId>& position,
                                                 const std::vector<NodeId>& velocity,
                                                 const std::vector<NodeId>& acceleration, const std::string& field,
                                                 Span span) {
  const Dimension x = physical(model_, length_dimension()), v = physical(model_, velocity_dimension()),
                  a = physical(model_, acceleration_dimension());
  if (field == "pos") return components(position, x, Level::position, span);
  if (field == "vel") return components(velocity, v, Level::velocity, span);
  if (field == "acc") return components(acceleration, a, Level::acceleration, span);
  for (std::uint32_t k = 0; k < model_.space; ++k) {
    const std::string axis(1, kAxes[k]);
    if (field == axis) return scalar(position[k], x, Level::position, span);
    if (field == "v" + axis) return scalar(velocity[k], v, Level::velocity, span);
    if (field == "a" + axis) return scalar(acceleration[k], a, Level::acceleration, span);
  }
  return {};
}

Value Evaluator::point_member(const Value& object, const std::string& field, Span span, Span field_span) {
  const Point& p = model_.points[object.index];
  if (const std::optional<Value> found = kinematic_member(p.position, p.velocity, p.acceleration, field, span))
    return *found;
  return unknown_field("the point " + quoted(p.name), field, field_span,
                       {"pos", "vel", "acc", "x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"});
}

Value Evaluator::body_member(const Value& object, const std::string& field, Span span, Span field_span) {
  const Body& b = model_.bodies[object.index];
  graph::Graph& g = model_.graph;
  if (const std::optional<Value> found = kinematic_member(b.position, b.velocity, b.acceleration, field, span))
    return *found;
  const Dimension rate = Dimension{} / physical(model_, time_dimension());
  if (field == "rot") {
    Value r = scalar(b.rotation[0], {}, Level::position, span);
    r.type.shape = Shape::matrix;
    r.nodes = b.rotation;
    return r;
  }
  if (field == "omega") return components(b.omega, rate, Level::velocity, span);
  if (field == "alpha") return components(b.alpha, rate * rate, Level::acceleration, span);
  if (field == "angle" && model_.space == 2 && b.first_coordinate)
    return scalar(g.leaf(LeafKind::coordinate, *b.first_coordinate + 2), {}, Level::position, span);
  if (field == "quat" && !b.quaternion.empty()) return components(b.quaternion, {}, Level::position, span);
  if (field == "com") return components(b.centre, physical(model_, length_dimension()), Level::position, span);
  if (field == "mass") return scalar(b.mass, physical(model_, mass_dimension()), Level::constant, span);
  if (field == "energy")
    return scalar(kinetic_energy(g, b), physical(model_, energy_dimension()), Level::velocity, span);
  if (field == "momentum") {
    std::vector<NodeId> nodes;
    for (NodeId c : b.centre_velocity) nodes.push_back(g.mul(b.mass, c));
    return components(nodes, physical(model_, mass_dimension() * velocity_dimension()), Level::velocity, span);
  }
  std::vector<std::string> known{"pos", "vel", "acc", "rot", "omega", "alpha", "com", "mass", "energy", "momentum"};
  if (!b.quaternion.empty()) known.emplace_back("quat");
  if (model_.space == 2 && b.first_coordinate) known.emplace_back("angle");
  for (std::uint32_t k = 0; k < model_.space; ++k)
    for (const char* prefix : {"", "v", "a"}) known.push_back(prefix + std::string(1, kAxes[k]));
  return unknown_field("the body " + quoted(b.name), field, field_span, known);
}

Value Evaluator::particle_member(const Value& object, const std::string& field, Span span, Span field_span) {
  const Particle& p = model_.particles[object.index];
  if (const std::optional<Value> found = kinematic_member(p.position, p.velocity, p.acceleration, field, span))
    return *found;
  graph::Graph& g = model_.graph;
  if (field == "mass") return scalar(p.mass, physical(model_, mass_dimension()), Level::constant, span);
  if (field == "energy") {
    const NodeId e = g.mul(g.mul(g.constant(0.5), p.mass), g.dot(p.velocity, p.velocity));
    return scalar(e, physical(model_, energy_dimension()), Level::velocity, span);
  }
  if (field == "momentum") {
    std::vector<NodeId> nodes;
    for (NodeId c : p.velocity) nodes.push_back(g.mul(p.mass, c));
    return components(nodes, physical(model_, mass_dimension() * velocity_dimension()), Level::velocity, span);
  }
  std::vector<std::string> known{"pos", "vel", "acc", "mass", "energy", "momentum"};
  for (std::uint32_t k = 0; k < model_.space; ++k)
    for (const char* prefix : {"", "v", "a"}) known.push_back(prefix + std::string(1, kAxes[k]));
  return unknown_field("the particle " + quoted(p.name), field, field_span, known);
}

// Sums over all particles and energy terms; gravity has the potential V = -sum m g.r (zero at the origin).
Value Evaluator::system_member(const Value& object, const std::string& field, Span span, Span field_span) {
  graph::Graph& g = model_.graph;
  if (object.type.shape == Shape::momentum) {
    Value r = invalid(span);
    r.type = {Shape::vector, physical(model_, mass_dimension() * velocity_dimension()), false};
    r.level = Level::velocity;
    if (field == "linear") {
      for (std::uint32_t k = 0; k < model_.space; ++k) {
        std::vector<NodeId> terms;
        for (const Particle& p : model_.particles) terms.push_back(g.mul(p.mass, p.velocity[k]));
        for (const Body& b : model_.bodies) terms.push_back(g.mul(b.mass, b.centre_velocity[k]));
        r.nodes.push_back(g.sum(terms));
      }
      return r;
    }
    if (field == "angular") {  // about the origin; a scalar in the plane
      r.type.dimension = r.type.dimension * physical(model_, length_dimension());
      if (model_.space == 1) return unknown_field("a model in `space 1`", field, field_span, {"linear"});
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
      if (model_.space == 2) {
        r.type.shape = Shape::scalar;
        r.nodes = {component(0, 1)};
      } else {
        r.nodes = {component(1, 2), component(2, 0), component(0, 1)};
      }
      return r;
    }
    return unknown_field("`momentum`", field, field_span, {"linear", "angular"});
  }
  std::vector<NodeId> kinetic, potential;
  for (const Particle& p : model_.particles) {
    kinetic.push_back(g.mul(g.mul(g.constant(0.5), p.mass), g.dot(p.velocity, p.velocity)));
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
  if (field == "kinetic") return scalar(g.sum(kinetic), d, Level::velocity, span);
  if (field == "potential") return scalar(g.sum(potential), d, Level::position, span);
  if (field == "total") return scalar(g.add(g.sum(kinetic), g.sum(potential)), d, Level::velocity, span);
  return unknown_field("`energy`", field, field_span, {"kinetic", "potential", "total"});
}

Value Evaluator::constraint_member(const Value& object, const std::string& field, Span span, Span field_span) {
  const Constraint& c = model_.constraints[object.index];
  const auto rows = [&](auto&& node_of, Level level, Dimension d) {
    Value r = scalar(model_.graph.zero(), d, level, span);
    r.nodes.clear();
    for (std::uint32_t k = 0; k < c.row_count; ++k) r.nodes.push_back(node_of(c.first_row + k));
    if (c.row_count > 1) r.type.shape = Shape::vector;
    return r;
  };
  const Dimension d = c.row_count > 0 ? model_.equations[c.first_row].dimension : Dimension{};
  if (field == "residual")
    return rows([&](std::uint32_t row) { return model_.equations[row].residual; }, Level::velocity, d);
  if (field == "lambda") {
    // Q = A^T lambda: A is e per coordinate, per speed or per acceleration, by the level of the row
    Dimension unit = energy_dimension() / d;
    const Level level = c.row_count > 0 ? model_.equations[c.first_row].level : Level::position;
    if (level == Level::velocity) unit = unit / time_dimension();
    if (level == Level::acceleration) unit = unit / (time_dimension() * time_dimension());
    return rows([&](std::uint32_t row) { return model_.graph.leaf(LeafKind::multiplier, row); }, Level::acceleration,
                physical(model_, unit));
  }
  if (const std::optional<Reaction> what = reaction_named(field)) return reaction(object, *what, nullptr, span);
  return unknown_field("the constraint " + quoted(c.name), field, field_span,
                       {"residual", "lambda", "reaction", "moment", "ideal"});
}

Value Evaluator::vector_member(const Value& object, const std::string& field, Span span, Span field_span) {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < object.nodes.size() && k < 3; ++k) {
    if (field == std::string(1, kAxes[k])) {
      Value r = object;
      r.type.shape = Shape::scalar;
      r.nodes = {object.nodes[k]};
      r.span = span;
      return r;
    }
    known.emplace_back(1, kAxes[k]);
  }
  return unknown_field("a vector of " + std::to_string(object.nodes.size()) + " components", field, field_span, known);
}

// What a number that shapes the model must not be: a parameter of the run, or something that moves.
Diagnostic& Evaluator::not_known(const Value& v, const std::string& what) {
  if (v.scalar() && graph::leaves(model_.graph, v.nodes).empty())  // what is not folded: 1/0, ln(-1)
    return sink_.report(Kind::value_not_finite, v.span, what,
                        text::short_number(constant_values(model_, v.nodes, {})[0]));
  Diagnostic& d = sink_.report(Kind::not_known, v.span, what);
  for (NodeId id : graph::leaves(model_.graph, v.nodes))
    if (const graph::Node& leaf = model_.graph.node(id); leaf.leaf == LeafKind::param) {
      const std::string& name = model_.params[leaf.a].name;
      d.hint("a parameter that shapes the model is a whole number: `param " + printable(name) + ": int = ...`");
      break;
    }
  return d;
}

std::optional<std::int32_t> Evaluator::whole_index(const Value& at) {
  if (at.invalid()) return {};
  const std::optional<double> k = number(at);
  if (!at.scalar())
    sink_.report(Kind::wrong_shape, at.span, std::string("an index"), std::string("a whole number"),
                 describe_shape(at));
  else if (!k)
    not_known(at, "an index");
  else if (!expect_dimension(at, {}, "an index"))
    return {};
  else if (*k != std::floor(*k))
    sink_.report(Kind::wrong_shape, at.span, std::string("an index"), std::string("a whole number"),
                 text::short_number(*k));
  else if (std::fabs(*k) > 1e9)
    sink_.report(Kind::wrong_shape, at.span, std::string("an index"), std::string("within -1e9 .. 1e9"),
                 text::short_number(*k));
  else
    return static_cast<std::int32_t>(*k);
  return {};
}

Value Evaluator::index(const ast::Index& i, Span span, const Scope& scope) {
  const Value object = evaluate(*i.object, scope);
  if (object.invalid()) return object;
  if (object.type.shape == Shape::array) {
    std::vector<Value> at;
    for (const ast::ExprPtr& e : i.indices) at.push_back(evaluate(*e, scope));
    return element(object, at, span);
  }
  if (!object.vector() || i.indices.size() != 1) {
    sink_.report(Kind::not_indexable, span, object.vector() ? std::string("a vector") : describe_shape(object),
                 std::string(object.vector() ? " by several indices" : ""));
    return invalid(span);
  }
  const Value at = evaluate(*i.indices[0], scope);
  const std::optional<std::int32_t> k = whole_index(at);
  if (!k) return invalid(span);
  if (*k < 1 || *k > static_cast<std::int32_t>(object.nodes.size())) {
    sink_.report(Kind::index_out_of_range, at.span, std::to_string(*k), "1.." + std::to_string(object.nodes.size()));
    return invalid(span);
  }
  Value r = object;
  r.type.shape = Shape::scalar;
  r.nodes = {object.nodes[static_cast<std::size_t>(*k) - 1]};
  return r;
}

// p[3], link[i, j]
Value Evaluator::element(const Value& array, const std::vector<Value>& at, Span span) {
  const Elements& elements = *array.elements;
  const auto declared = [&](Diagnostic& d) {
    if (array.declared.known()) d.label(array.declared, quoted(elements.name) + " is declared here");
  };
  const std::size_t wanted = elements.of.empty() ? at.size() : elements.of.begin()->first.size();
  if (at.size() != wanted) {
    Diagnostic& d = sink_.report(Kind::index_count, span, printable(elements.name), counted(wanted, "index", "indices"),
                                 std::to_string(at.size()));
    declared(d);
    if (at.size() < wanted)
      d.hint("several indices share one pair of brackets: `" + printable(elements.name) + "[1, 2]`");
    return invalid(span);
  }
  Indices indices;
  for (const Value& v : at) {
    const std::optional<std::int32_t> k = whole_index(v);
    if (!k) return invalid(span);
    indices.push_back(*k);
  }
  const auto found = elements.of.find(indices);
  if (found == elements.of.end()) {
    const Span place = at.size() == 1 ? at[0].span : span;
    if (sink_.repeats(place)) return invalid(span);
    std::string shown;
    for (std::size_t k = 0; k < indices.size(); ++k) shown += (k ? ", " : "") + std::to_string(indices[k]);
    declared(
        sink_.report(Kind::index_out_of_range, place, at.size() > 1 ? "[" + shown + "]" : shown,
                     elements.of.empty() ? quoted(elements.name) + ", which has no elements" : range_of(elements)));
    return invalid(span);
  }
  Value v = value_of(found->second);
  v.declared = found->second.span;
  return v;
}

// c.tip, c.p: what is declared in a component
Value Evaluator::instance_member(const Value& object, const std::string& field, Span span, Span field_span) {
  const Symbol* symbol = object.members->find_here(field);
  if (!symbol || symbol->component) {
    std::string path = object.members->instance->path;
    path.pop_back();
    std::vector<std::string> known = object.members->names_here();
    std::erase_if(known, [&](const std::string& n) { return object.members->find_here(n)->component; });
    std::string hint;
    if (symbol)
      hint = "what is declared with `joint` or `model` in a component is known inside of it only";
    else if (declared_in(object.members->instance->component->body, field))
      hint = quoted(field) + " is declared there under a condition that does not hold in " + quoted(path);
    return unknown_field("the instance " + quoted(path) + " of " + quoted(object.members->instance->of), field,
                         field_span, known, hint);
  }
  if (symbol->function) {
    sink_.report(Kind::not_a_value, span, "the function " + quoted(field))
        .hint("call it with its arguments in parentheses");
    return invalid(span);
  }
  Value v = value_of(*symbol);
  v.declared = symbol->span;
  return v;
}

}  // namespace mbc::sema
