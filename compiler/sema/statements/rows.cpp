// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "base/numbers.h"
#include "base/text.h"
#include "compiler/graph/drawn_numbers.h"
#include "compiler/graph/evaluate.h"

namespace mbc::sema {

namespace {

// Copies an expression of the model into a graph of its own, with the same leaves.
NodeId copied(const graph::Graph& from, NodeId root, graph::Graph& to) {
  std::unordered_map<std::uint32_t, NodeId> image;  // a map, since it has few of very many nodes
  for (NodeId id : graph::reachable(from, {&root, 1})) {
    const Node& n = from.node(id);
    image[id.value] = n.op == Op::constant ? to.constant(from.constant_value(id))
                      : n.op == Op::leaf   ? to.leaf(n.leaf, n.a)
                                           : to.remake(n, [&](std::uint32_t of) { return image.at(of); });
  }
  return image.at(root.value);
}

// Returns whether all derivatives of a row vanish. They are computed in a graph of their own, since nothing else uses
// them.
bool derivatives_vanish(const Model& model, NodeId e, Level level) {
  graph::Graph aside;
  aside.share_tables(model.graph.tables());
  const auto motion = model.motion();
  const ad::Motion there{[&](std::uint32_t i) { return copied(model.graph, motion.rate(i), aside); },
                         [&](std::uint32_t k) { return copied(model.graph, motion.state_rate(k), aside); }};
  return ad::differentiate(aside, copied(model.graph, e, aside), level, there).jacobian.empty();
}

}  // namespace

std::string without_effect(const Model& model, NodeId e, Level level) {
  const Level left = ad::level_of(model.graph, e);
  if (level == Level::velocity && left < level) return "no velocity is left in it";
  if (level == Level::acceleration && left < level) return "no acceleration is left in it";
  bool steps = false;
  for (NodeId id : graph::reachable(model.graph, {&e, 1})) steps |= kernel::is_piecewise(model.graph.node(id).op);
  if (!steps || !derivatives_vanish(model, e, level)) return "";
  return "its derivative is zero wherever it exists";
}

namespace {

constexpr int kStates = 4;               // states at which an expression is evaluated
constexpr double kRounding = 1e-13;      // of the largest number in the expression
constexpr double kLargestNumber = 1e6;   // or of this: a branch that is not taken may hold 1/1e-17
constexpr std::uint32_t kRotations = 3;  // the first coordinate of a rotation, behind the place

// Returns the free body in space 3 that is the only thing that moves in the expression, or null.
const Body* only_body(const Model& model, const std::vector<Node>& leaves) {
  const Body* only = nullptr;
  for (const Node& n : leaves) {
    if (n.leaf == LeafKind::accel || n.leaf == LeafKind::multiplier || n.leaf == LeafKind::ideal) return nullptr;
    if (n.leaf != LeafKind::coordinate && n.leaf != LeafKind::speed) continue;
    const auto has = [&](const Body& b) {
      const auto& first = n.leaf == LeafKind::coordinate ? b.first_coordinate : b.first_speed;
      const std::uint32_t size = n.leaf == LeafKind::speed                              ? 12
                                 : b.representation == Representation::quaternion       ? 7
                                 : b.representation == Representation::euler_parameters ? 7
                                                                                        : 12;
      return first && n.a >= *first && n.a < *first + size;
    };
    if (only && has(*only)) continue;
    const auto found = std::find_if(model.bodies.begin(), model.bodies.end(), has);
    if (only || found == model.bodies.end()) return nullptr;
    only = &*found;
  }
  return only;
}

// Returns coordinates of a body at an arbitrary place with an arbitrary rotation.
std::vector<double> any_pose(const Body& b, int state) {
  std::vector<double> q;
  for (std::uint32_t k = 0; k < kRotations; ++k) q.push_back(graph::drawn_number(k, state));
  if (b.representation != Representation::natural && b.representation != Representation::tree) {
    const auto p = graph::drawn_quaternion(kRotations, state);
    q.insert(q.end(), p.begin(), p.end());
    return q;
  }
  const std::vector<double> R = graph::drawn_rotation(kRotations, state, 3);
  for (std::size_t k = 0; k < 9; ++k) q.push_back(R[3 * (k % 3) + k / 3]);  // the columns of the matrix
  return q;
}

// Returns the value of an expression of one body that is the same in every pose, such as dot(b.rot*v, b.rot*w).
std::optional<double> fixed_in_body(const Model& model, NodeId e) {
  const Body* body = only_body(model, graph::leaves(model.graph, e));
  if (!body || model.space != 3) return {};
  const std::vector<NodeId> nodes = graph::reachable(model.graph, {&e, 1});
  const std::vector<double> params = parameter_values(model);
  double least = 0, most = 0, size = 0;
  for (int state = 0; state < kStates; ++state) {
    const std::vector<double> pose = any_pose(*body, state);
    const std::vector<double> values = graph::evaluate(model.graph, nodes, [&](const Node& n) {
      if (n.leaf == LeafKind::param) return params[n.a];
      if (n.leaf == LeafKind::coordinate) return pose[n.a - *body->first_coordinate];
      return n.leaf == LeafKind::speed ? graph::drawn_number(100 + n.a, state) : graph::drawn_number(n.a, 0);
    });
    const double value = values.back();
    if (!std::isfinite(value)) return {};
    for (const double x : values) size = std::isfinite(x) ? std::clamp(std::fabs(x), size, kLargestNumber) : size;
    least = state == 0 ? value : std::min(least, value);
    most = state == 0 ? value : std::max(most, value);
  }
  if (most - least > kRounding * size) return {};
  return std::fabs(most) <= kRounding * size ? 0 : most;
}

}  // namespace

void Rows::constraint(const ast::Constraint& c, const ast::Stmt& s) {
  const std::string line = line_of(s.span);
  const std::string shown = c.name.name.empty() ? line : quoted(item_.name());
  const auto* relation = std::get_if<ast::Compare>(&c.equation->node);
  const bool one_sided = relation && (relation->op == ast::CompareOp::ge || relation->op == ast::CompareOp::le);
  if (!relation || (relation->op != ast::CompareOp::eq && !one_sided)) return not_an_equation(c);
  Value d = evaluator_.operators().difference(*relation, c.equation->span, *item_.scope);
  const std::optional<NodeId> bounce = restitution(c);
  if (d.invalid() || !bounce || (one_sided && !pushes(c, *relation, shown, d))) return;
  Constraint made{c.name.name.empty() ? path_of_item() + "constraint " + line : item_.name(),
                  !c.name.name.empty(),
                  static_cast<std::uint32_t>(model_.equations.size()),
                  0,
                  c.equation->span,
                  s.doc,
                  evaluator_.reactions().first_entity(*c.equation, *item_.scope)};
  // a component that is 0 == 0 belongs to a vector equation, as in cross(ez, p.pos) == (0, 0, 0); alone it is a mistake
  bool moves = false;
  for (NodeId e : d.nodes) moves |= ad::level_of(model_.graph, e) != Level::constant;
  bool good = true;
  for (std::size_t k = 0; k < d.nodes.size() && good; ++k) {
    const std::string part = d.nodes.size() == 1 ? "" : component_text(k, d.nodes.size());
    good =
        add(part.empty() ? made.name : Name(made.name, part), c.name.name.empty() ? shown : quoted(item_.name() + part),
            d.nodes[k], d, moves && !part.empty(), c.equation->span);
  }
  if (!good) return;  // its name then has no value
  made.row_count = static_cast<std::uint32_t>(model_.equations.size()) - made.first_row;
  const std::size_t index = model_.constraints.size();
  model_.constraints.push_back(made);
  if (one_sided) add_unilateral(made, *bounce);
  if (!c.name.name.empty()) set_entity(c.name, Shape::constraint, index);
}

// Reports a constraint that is no equation. Its sides are still evaluated, so that their mistakes are reported too.
void Rows::not_an_equation(const ast::Constraint& c) {
  const auto* compare = std::get_if<ast::Compare>(&c.equation->node);
  if (!compare) {
    const Value v = value(*c.equation);
    if (!v.invalid())
      sink_.report(Kind::not_an_equation, c.equation->span, describe_shape(v))
          .hint("write `" + printable(sources_.text(c.equation->span), 60) + " == 0` if that is meant");
    return;
  }
  if (compare->op == ast::CompareOp::ne) return void(sink_.report(Kind::not_an_equation, compare->op_span, "`!=`"));
  const Value lhs = value(*compare->lhs), rhs = value(*compare->rhs);
  if (!lhs.invalid() && !rhs.invalid())
    sink_.report(Kind::not_an_equation, compare->op_span, "a strict inequality")
        .hint(compare->op == ast::CompareOp::gt ? "write `>=`: the sides may touch"
                                                : "write `<=`: the sides may touch");
}

// Checks p.z >= 0: a number of position or velocity level. `difference` becomes the side that is not negative.
bool Rows::pushes(const ast::Constraint& c, const ast::Compare& relation, const std::string& shown, Value& difference) {
  const char* found = !difference.scalar()                      ? "a vector"
                      : difference.level == Level::acceleration ? "accelerations"
                                                                : nullptr;
  if (found) return mbc::refuse(sink_, Kind::unilateral_shape, c.equation->span, found);
  if (c.has_nonideal) {
    refuse("a `nonideal` block of an inequality", c.equation->span);
    return false;
  }
  if (c.restitution && difference.level == Level::velocity)
    return mbc::refuse(sink_, Kind::restitution_of_velocity, c.restitution->span, shown);
  if (relation.op == ast::CompareOp::le) difference.nodes[0] = model_.graph.neg(difference.nodes[0]);
  return !is_idle(shown, difference.nodes[0], c.equation->span);
}

// Reports an inequality that always holds, that no motion satisfies, or that only the time and parameters decide.
bool Rows::is_idle(const std::string& shown, NodeId gap, Span span) {
  const bool fixed = std::ranges::all_of(graph::leaves(model_.graph, gap), [](const Node& n) {
    return n.leaf == LeafKind::param || n.leaf == LeafKind::time;
  });
  const std::optional<double> known = fixed ? evaluator_.known_value(gap) : std::nullopt;
  const graph::Range range = ranges_.of(gap);
  const bool holds = known ? *known >= 0 : range.low >= 0, fails = known ? *known < 0 : range.high < 0;
  if (!fixed && !holds && !fails) return false;
  sink_.report(Kind::unilateral_idle, span, shown,
               holds   ? "holds"
               : fails ? "is violated"
                       : "is decided by the time and parameters,");
  return true;
}

// Returns zero if no restitution is written. Reports one that does not fit, and returns nothing.
std::optional<NodeId> Rows::restitution(const ast::Constraint& c) {
  if (!c.restitution) return model_.graph.zero();
  const auto* relation = std::get_if<ast::Compare>(&c.equation->node);
  if (relation->op != ast::CompareOp::eq) return restitution(*c.restitution);
  if (!value(*c.restitution).invalid()) sink_.report(Kind::restitution_place, c.restitution->span);
  return {};
}

std::optional<NodeId> Rows::restitution(const ast::Expr& e) {
  const Value v = value(e);
  if (v.invalid() || !evaluator_.expect_scalar(v, "a restitution") ||
      !evaluator_.expect_dimension(v, {}, "a restitution") || refuse_results(v, "the restitution"))
    return {};
  const std::optional<double> known = evaluator_.known_value(v.node());
  if (!known || (*known >= 0 && *known <= 1)) return v.node();
  return mbc::refuse(sink_, Kind::restitution_unfit, e.span, shown(*known));
}

// Entries of unit quaternions and of rotations that are coordinates are at most one in size.
double Rows::lipschitz(NodeId residual) {
  constexpr double kOne = 1.001;
  for (; bodies_ < model_.bodies.size(); ++bodies_)
    for (const auto* entries : {&model_.bodies[bodies_].quaternion, &model_.bodies[bodies_].rotation})
      for (const NodeId e : *entries)
        if (model_.graph.node(e).op == Op::leaf) lipschitz_.assume(e, {-kOne, kOne});
  return lipschitz_.of(residual);
}

void Rows::add_unilateral(const Constraint& row, NodeId restitution) {
  static const SharedText active = ".active", impulse = ".impulse";
  const Name& name = row.name;
  Unilateral made;
  made.constraint = static_cast<std::uint32_t>(model_.constraints.size() - 1);
  made.residual = model_.equations[row.first_row].residual;
  made.restitution = restitution;
  made.contact.row = row.first_row;
  made.contact.lipschitz = lipschitz(made.residual);
  made.contact.active = model_.add_held(problem::DiscreteVariable::Use::active, Name(name, active), {}, row.span);
  made.contact.impulse =
      model_.add_held(problem::DiscreteVariable::Use::contact_impulse, Name(name, impulse), {}, row.span);
  made.contact.touches = add_event(Event::Kind::touches, name, row.span);
  made.contact.leaves = add_event(Event::Kind::leaves, name + ".leaves", row.span);
  model_.unilaterals.push_back(made);
}

// Adds one scalar row. Its level is that of the text as written; its leaves must let it constrain something.
bool Rows::add(const Name& name, const std::string& shown, NodeId e, const Value& difference, bool trivial_fits,
               Span span) {
  bool moves = false;
  if (!constrains(shown, e, trivial_fits, span, moves)) return false;
  const Level level = difference.level == Level::constant ? Level::position : difference.level;
  if (const std::string why = moves ? without_effect(model_, e, level) : ""; !why.empty())
    return mbc::refuse(sink_, Kind::no_effect, span, shown, why);
  const std::optional<double> fixed = moves ? fixed_in_body(model_, e) : std::nullopt;
  if (fixed && !(trivial_fits && *fixed == 0)) {
    // reported once for an instance, as in never_moves
    const Scope::Instance* owner = item_.scope->owner();
    if (owner && !idle_.insert(owner).second) return false;
    return mbc::refuse(sink_, Kind::no_effect, span, shown,
                       *fixed == 0
                           ? std::string("its two sides are equal, whatever moves")
                           : "its two sides differ by " + text::short_number(std::fabs(*fixed)) + ", whatever moves");
  }
  if (level == Level::acceleration && !linear_in_accelerations(shown, e, span)) return false;
  model_.equations.push_back(
      {name, static_cast<std::uint32_t>(model_.constraints.size()), e, level, difference.type.dimension, span});
  return true;
}

// Returns whether the leaves let a row constrain something; `moves` tells whether one of them moves.
bool Rows::constrains(const std::string& shown, NodeId e, bool trivial_fits, Span span, bool& moves) {
  const graph::Graph& g = model_.graph;
  moves = graph::holds(g, e, {LeafKind::coordinate, LeafKind::speed, LeafKind::accel});
  if (graph::holds(g, e, {LeafKind::multiplier, LeafKind::ideal}))
    return mbc::refuse(sink_, Kind::constraint_reaction, span, shown);
  if (!moves && graph::holds(g, e, {LeafKind::state, LeafKind::state_rate, LeafKind::input}))
    return mbc::refuse(sink_, Kind::no_effect, span, shown, "it holds only states and inputs, which no force can move");
  return moves || !never_moves(shown, e, trivial_fits, span);
}

bool Rows::linear_in_accelerations(const std::string& shown, NodeId e, Span span) {
  graph::Graph& g = model_.graph;
  const ad::Row row = ad::differentiate(g, e, Level::acceleration, model_.motion());
  for (const auto& [speed, factor] : row.jacobian)
    if (graph::holds(g, factor, {LeafKind::accel})) {
      std::string acceleration = model_.speed(speed).name;
      if (const std::size_t dot = acceleration.rfind(".v"); dot != std::string::npos) acceleration[dot + 1] = 'a';
      return mbc::refuse(sink_, Kind::nonlinear_acceleration, span, shown, acceleration);
    }
  return true;
}

// Reports a row of numbers, parameters and time. It is an error, unless it is 0 == 0 within a vector equation.
bool Rows::never_moves(const std::string& shown, NodeId e, bool trivial_fits, Span span) {
  const std::vector<double> params = parameter_values(model_);
  const auto value_at = [&](double t) {
    return graph::evaluate(model_.graph, {&e, 1},
                           [&](const Node& n) { return n.leaf == LeafKind::param ? params[n.a] : t; })[0];
  };
  const double value = value_at(0.6180339887);
  if (value == 0 && value_at(1.7320508) == 0) {
    // reported once for an instance: a joint between two frames that do not move against each other
    const Scope::Instance* owner = item_.scope->owner();
    if (!trivial_fits && (!owner || idle_.insert(owner).second)) sink_.report(Kind::always_true, span, shown);
    return !trivial_fits;
  }
  const bool of_time = ad::level_of(model_.graph, e) != Level::constant;
  sink_.report(Kind::never_true, span, shown,
               of_time                ? std::string("its two sides are functions of time alone")
               : std::isfinite(value) ? "its two sides differ by " + text::short_number(std::fabs(value))
                                      : std::string("its two sides have no finite difference"));
  return true;
}

}  // namespace mbc::sema
