// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/reactions.h"

#include "base/text.h"
#include "compiler/ast/walk.h"
#include "compiler/sema/expressions/evaluator.h"
#include "compiler/sema/joint_angles.h"

namespace mbc::sema {

namespace {

bool is_entity(Shape s) { return s == Shape::particle || s == Shape::body; }

}  // namespace

std::optional<Reactions::Part> Reactions::named(const std::string& field) {
  if (field == "reaction") return Part::force;
  if (field == "moment") return Part::moment;
  if (field == "ideal") return Part::ideal;
  return {};
}

// Returns the particle or body that a value stands for; a point stands for its body.
std::optional<Entity> Reactions::entity_of(const Meaning& v) const {
  if (is_entity(v.type.shape)) return Entity{v.type.shape, v.index};
  if (v.type.shape == Shape::point && model_.points[v.index].body)
    return Entity{Shape::body, *model_.points[v.index].body};
  if (v.type.shape == Shape::frame && model_.frames[v.index].body)
    return Entity{Shape::body, *model_.frames[v.index].body};
  return {};
}

// Returns the first particle or body (or point of one) in a text, from left to right.
std::optional<Entity> Reactions::first_entity(const ast::Expr& e, const Scope& scope) {
  if (const auto* n = std::get_if<ast::Name>(&e.node)) {
    const Symbol* symbol = scope.find(n->text).symbol;
    return symbol && !symbol->function() && !symbol->component() ? entity_of(evaluator_.names().value_of(*symbol))
                                                                 : std::nullopt;
  }
  const bool inside = std::holds_alternative<ast::Index>(e.node) || std::holds_alternative<ast::Member>(e.node);
  if (inside)  // p[3], chain.p[3]: evaluated already, with the equation
    if (const Value v = evaluator_.evaluate(e, scope); !v.numeric())
      if (const std::optional<Entity> found = entity_of(v)) return found;
  std::optional<Entity> found;
  if (std::holds_alternative<ast::SumOver>(e.node)) return found;  // it names none itself
  const auto* call = std::get_if<ast::Call>(&e.node);
  if (const auto* at = call ? std::get_if<ast::Member>(&call->callee->node) : nullptr)  // b.at(1, 0, 0)
    return first_entity(*at->object, scope);
  ast::for_each_part(e, [&](const ast::Expr& part) {
    if (!found) found = first_entity(part, scope);
  });
  return found;
}

// Returns Q along some speeds: sum over the rows of the constraint of A(row, speed) lambda(row).
std::vector<NodeId> Reactions::force(const Constraint& c, const std::vector<std::uint32_t>& speeds, Part what) {
  const LeafKind multiplier = what == Part::ideal ? LeafKind::ideal : LeafKind::multiplier;
  graph::Graph& g = model_.graph;
  std::vector<NodeId> Q(speeds.size(), g.zero());
  for (std::uint32_t row = c.first_row; row < c.first_row + c.row_count; ++row) {
    const Equation e = model_.equations[row];
    const ad::Row made = ad::differentiate(g, e.residual, e.level, model_.motion());
    for (const auto& [speed, a] : made.jacobian)
      for (std::size_t k = 0; k < speeds.size(); ++k)
        if (speeds[k] == speed) Q[k] = g.add(Q[k], g.mul(a, g.leaf(multiplier, row)));
  }
  return Q;
}

// Returns the calls for the coordinates below some nodes: "`rod.reaction(phi)`".
std::string Reactions::coordinate_forms(const Constraint& c, Part what, const std::vector<NodeId>& nodes) const {
  const char* form = what == Part::ideal ? ".ideal(" : ".reaction(";
  std::string list;
  for (const Node& n : graph::leaves(model_.graph, nodes))
    if (n.leaf == LeafKind::coordinate)
      list += (list.empty() ? "`" : ", `") + printable(c.name) + form + printable(model_.coordinate(n.a).name) + ")`";
  return list;
}

Value Reactions::reaction(const Value& constraint, Part what, const Value* on, Span span) {
  const Constraint c = model_.constraints[constraint.index];
  const std::string shown = quoted(c.name);
  for (std::uint32_t row = c.first_row; row < c.first_row + c.row_count; ++row)
    if (graph::holds(model_.graph, model_.equations[row].residual, {LeafKind::state_rate}))
      return mbc::refuse(sink_, Kind::no_reaction, span, shown, "anything", "it holds the rate of a state")
          .hint("name that rate with `let`, and use the name in the state and in the constraint");
  if (c.row_count == 0) return mbc::refuse(sink_, Kind::row_of_tree, span, quoted("bodies = tree"));
  if (too_large("this reaction", span, 0, c.row_count)) return invalid(span);
  if (on && on->scalar() && what != Part::moment) return on_coordinate(constraint, what, *on, span);
  const std::optional<Entity> entity = on ? entity_of(*on) : c.first_entity;
  if (!entity) {
    if (on)
      return mbc::refuse(sink_, Kind::no_reaction, on->span, shown, describe_shape(on->type.shape),
                         on->type.shape == Shape::ground ? "the ground has no coordinates"
                                                         : "it is not a particle, a body or a coordinate");
    return mbc::refuse(sink_, Kind::no_reaction, span, shown, "a particle or body", "its text names none")
        .hint("say what is meant: " + shown.substr(0, shown.size() - 1) +
              (what == Part::ideal ? ".ideal(NAME)`" : ".reaction(NAME)`"));
  }
  return entity->shape == Shape::particle ? on_particle(c, entity->index, what, span)
                                          : on_body(c, entity->index, what, span);
}

// Returns the generalised force on a coordinate with q' = u, of the model or of a joint that may become one.
Value Reactions::on_coordinate(const Value& constraint, Part what, const Value& on, Span span) {
  const Constraint c = model_.constraints[constraint.index];
  const Node n = model_.graph.node(on.node());
  const bool coordinate = n.op == Op::leaf && n.leaf == LeafKind::coordinate;
  const Dimension d = physical(model_, physical(model_, energy_dimension()) / on.type.dimension);
  const bool of_joint = model_.is_joint_coordinate(on.declared);
  if (of_joint && model_.bodies_default == Representation::tree) {
    const LeafKind part = what == Part::ideal ? LeafKind::ideal : LeafKind::multiplier;
    const auto k = static_cast<std::uint32_t>(model_.joint_reactions.size());
    model_.joint_reactions.push_back({constraint.index, part, without_turns(model_, on.node()), span});
    return scalar(model_.graph.leaf(part, kPlaced + k), d, Level::acceleration, span);
  }
  const Node rate = coordinate ? model_.graph.node(model_.coordinate(n.a).rate) : Node{};
  if (!coordinate || rate.op != Op::leaf || rate.leaf != LeafKind::speed)
    return mbc::refuse(sink_, Kind::no_reaction, on.span, quoted(c.name), "this number",
                       coordinate ? "its rate is no speed of the model"
                       : of_joint ? "rows hold the joint, so that it is no coordinate of the model"
                                  : "it is not a coordinate")
        .hint(of_joint ? "with `bodies = tree` it is one" : "");
  return scalar(force(c, {rate.a}, what)[0], d, Level::acceleration, span);
}

Value Reactions::on_particle(const Constraint& c, std::uint32_t index, Part what, Span span) {
  const Particle& p = model_.particles[index];
  if (what == Part::moment)
    return mbc::refuse(sink_, Kind::no_reaction, span, quoted(c.name), quoted(p.name), "a particle takes no moment");
  if (!p.first_coordinate) return refuse_follower(c, what, p.name, p.position, span);
  return along(c, p.velocity, what, span);
}

// Returns the force along some velocities, which are speeds.
Value Reactions::along(const Constraint& c, const std::vector<NodeId>& velocity, Part what, Span span) {
  std::vector<std::uint32_t> speeds;
  for (NodeId v : velocity) speeds.push_back(model_.graph.node(v).a);
  return components(force(c, speeds, what), physical(model_, force_dimension()), Level::acceleration, span);
}

Value Reactions::on_body(const Constraint& c, std::uint32_t index, Part what, Span span) {
  const Body b = model_.bodies[index];
  if (!b.first_speed) {
    std::vector<NodeId> place = b.position;
    place.insert(place.end(), b.rotation.begin(), b.rotation.end());
    return refuse_follower(c, what, b.name, place, span);
  }
  if (what == Part::moment)
    return components(moment(c, b), physical(model_, energy_dimension()), Level::acceleration, span);
  return along(c, b.velocity, what, span);
}

// The angular velocity in body axes is omega = J u, with speeds u of the body's own. A unit rotation about its axis k
// has the speeds J_k/(J_k.J_k), because rows of J are orthogonal in every description of a rotation, and normal to the
// speeds that are no rotation. The power of the moment is therefore M_k = J_k.Q/(J_k.J_k). The result is turned to
// space axes.
std::vector<NodeId> Reactions::moment(const Constraint& c, const Body& b) {
  graph::Graph& g = model_.graph;
  std::vector<NodeId> M;
  for (NodeId w : b.omega) {
    std::vector<std::uint32_t> speeds;
    std::vector<NodeId> J;
    for (const auto& [speed, factor] : ad::differentiate(g, w, Level::velocity, model_.motion()).jacobian) {
      speeds.push_back(speed);
      J.push_back(factor);
    }
    M.push_back(g.div(g.dot(J, force(c, speeds, Part::moment)), g.dot(J, J)));
  }
  if (M.size() == 1) return M;
  std::vector<NodeId> turned;
  for (std::size_t k = 0; k < 3; ++k) turned.push_back(g.dot({b.rotation.data() + 3 * k, 3}, M));
  return turned;
}

Value Reactions::refuse_follower(const Constraint& c, Part what, const std::string& name,
                                 const std::vector<NodeId>& place, Span span) {
  Diagnostic& d = sink_.report(Kind::no_reaction, span, quoted(c.name), quoted(name),
                               "it follows coordinates, and multipliers give forces on those only");
  if (const std::string forms = coordinate_forms(c, what, place); !forms.empty())
    d.hint("the generalised forces are " + forms);
  return invalid(span);
}

// rod.reaction(bead), hinge.moment(door), wire.ideal(bead)
Value Reactions::call(const Value& constraint, const ast::Member& m, const ast::Call& c, Span span,
                      const Scope& scope) {
  const std::optional<Part> what = named(m.name);
  if (!what)
    return mbc::refuse(sink_, Kind::not_callable, c.callee->span,
                       printable(model_.constraints[constraint.index].name + "." + m.name));
  if (c.args.size() != 1)
    return mbc::refuse(sink_, Kind::wrong_arity, span, m.name, "1 argument", std::to_string(c.args.size()));
  if (!c.args[0].name.empty())
    return mbc::refuse(sink_, Kind::unknown_argument, c.args[0].name_span, m.name, printable(c.args[0].name))
        .hint("write the name of the particle, body or coordinate alone");
  const Value on = evaluator_.evaluate(*c.args[0].value, scope);
  if (on.invalid()) return on;
  return reaction(constraint, *what, &on, span);
}

}  // namespace mbc::sema
