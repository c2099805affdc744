// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/rows.h"

#include <cmath>

#include "base/numbers.h"
#include "base/text.h"
#include "compiler/ad/rules.h"
#include "compiler/graph/evaluate.h"

namespace mbc::sema {

using graph::LeafKind;

std::string without_effect(Model& model, NodeId e, Level level) {
  const Level left = ad::level_of(model.graph, e);
  if (level == Level::velocity && left < level) return "no velocity is left in it";
  if (level == Level::acceleration && left < level) return "no acceleration is left in it";
  bool steps = false;
  for (NodeId id : graph::reachable(model.graph, {&e, 1})) steps |= ad::piecewise(model.graph.node(id).op);
  if (!steps || !ad::differentiate(model.graph, e, level, model.motion()).jacobian.empty()) return "";
  return "its derivative is zero wherever it exists";
}

void Rows::constraint(const ast::Constraint& c, const ast::Stmt& s) {
  const std::string line = line_of(s.span);
  const std::string shown = c.name.name.empty() ? line : quoted(item_.name);
  const auto* equation = std::get_if<ast::Compare>(&c.equation->node);
  if (!equation || equation->op != ast::CompareOp::eq) return not_an_equation(c);
  const Value d = evaluator_.operators().difference(*equation, c.equation->span, *item_.scope);
  if (d.invalid()) return;
  Constraint made{c.name.name.empty() ? path_of_item() + "constraint " + line : item_.name,
                  !c.name.name.empty(),
                  static_cast<std::uint32_t>(model_.equations.size()),
                  0,
                  c.equation->span,
                  s.doc,
                  evaluator_.reactions().first_entity(*c.equation, *item_.scope)};
  // a component that is 0 == 0 belongs to a vector equation, as in cross(ez, p.pos) == (0, 0, 0); alone it says nothing
  bool moves = false;
  for (NodeId e : d.nodes) moves |= ad::level_of(model_.graph, e) != Level::constant;
  bool good = true;
  for (std::size_t k = 0; k < d.nodes.size() && good; ++k) {
    const std::string part = d.nodes.size() == 1 ? "" : component_text(k, d.nodes.size());
    good =
        add(part.empty() ? made.name : Name(made.name, part), c.name.name.empty() ? shown : quoted(item_.name + part),
            d.nodes[k], d, moves && !part.empty(), c.equation->span);
  }
  if (!good) return;  // its name stands for nothing then
  made.row_count = static_cast<std::uint32_t>(model_.equations.size()) - made.first_row;
  const std::size_t index = model_.constraints.size();
  model_.constraints.push_back(made);
  if (!c.name.name.empty()) set_entity(c.name, Shape::constraint, index);
}

// Its sides are looked at all the same, so that their mistakes are seen in the same run.
void Rows::not_an_equation(const ast::Constraint& c) {
  const auto* compare = std::get_if<ast::Compare>(&c.equation->node);
  if (!compare) {
    const Value v = value(*c.equation);
    if (!v.invalid())
      sink_.report(Kind::not_an_equation, c.equation->span, describe_shape(v))
          .hint("write `" + printable(sources_.text(c.equation->span), 60) + " == 0` if that is meant");
    return;
  }
  if (compare->op == ast::CompareOp::ne) {
    sink_.report(Kind::not_an_equation, compare->op_span, std::string("`!=`"));
    return;
  }
  const Value lhs = value(*compare->lhs), rhs = value(*compare->rhs);
  if (!lhs.invalid() && !rhs.invalid())
    sink_.report(Kind::not_an_equation, compare->op_span, std::string("an inequality"))
        .hint("a contact or stop is a force that acts while the parts touch, as `Floor` of `use forces`");
}

// One scalar row: its level is that of the text as written, its leaves must let it constrain something.
bool Rows::add(const Name& name, const std::string& shown, NodeId e, const Value& difference, bool trivial_fits,
               Span span) {
  bool moves = false;
  if (!constrains(shown, e, trivial_fits, span, moves)) return false;
  const Level level = difference.level == Level::constant ? Level::position : difference.level;
  if (const std::string why = moves ? without_effect(model_, e, level) : ""; !why.empty()) {
    sink_.report(Kind::no_effect, span, shown, why);
    return false;
  }
  if (level == Level::acceleration && !linear_in_accelerations(shown, e, span)) return false;
  model_.equations.push_back(
      {name, static_cast<std::uint32_t>(model_.constraints.size()), e, level, difference.type.dimension, span});
  return true;
}

// Whether its leaves let it constrain something; `moves` says that one of them moves.
bool Rows::constrains(const std::string& shown, NodeId e, bool trivial_fits, Span span, bool& moves) {
  graph::Graph& g = model_.graph;
  for (NodeId id : graph::leaves(g, {&e, 1})) {
    const LeafKind leaf = g.node(id).leaf;
    moves |= leaf == LeafKind::coordinate || leaf == LeafKind::speed || leaf == LeafKind::accel;
    if (leaf == LeafKind::multiplier || leaf == LeafKind::ideal) {
      sink_.report(Kind::constraint_reaction, span, shown);
      return false;
    }
  }
  if (!moves)
    for (NodeId id : graph::leaves(g, {&e, 1}))
      if (const LeafKind leaf = g.node(id).leaf;
          leaf == LeafKind::state || leaf == LeafKind::state_rate || leaf == LeafKind::input) {
        sink_.report(Kind::no_effect, span, shown,
                     std::string("it holds only states and inputs, which no force can move"));
        return false;
      }
  return moves || !never_moves(shown, e, trivial_fits, span);
}

bool Rows::linear_in_accelerations(const std::string& shown, NodeId e, Span span) {
  graph::Graph& g = model_.graph;
  const ad::Row row = ad::differentiate(g, e, Level::acceleration, model_.motion());
  for (const auto& [speed, factor] : row.jacobian)
    for (NodeId id : graph::leaves(g, {&factor, 1}))
      if (g.node(id).leaf == LeafKind::accel) {
        std::string acceleration = model_.speeds[speed].name;
        if (const std::size_t dot = acceleration.rfind(".v"); dot != std::string::npos) acceleration[dot + 1] = 'a';
        sink_.report(Kind::nonlinear_acceleration, span, shown, acceleration);
        return false;
      }
  return true;
}

// A row of numbers, parameters and time: always an error, unless it is 0 == 0 within a vector equation.
bool Rows::never_moves(const std::string& shown, NodeId e, bool trivial_fits, Span span) {
  const std::vector<double> params = parameter_values(model_);
  const auto value_at = [&](double t) {
    return graph::evaluate(model_.graph, {&e, 1},
                           [&](const graph::Node& n) { return n.leaf == LeafKind::param ? params[n.a] : t; })[0];
  };
  const double value = value_at(0.6180339887);
  if (value == 0 && value_at(1.7320508) == 0) {
    // of an instance said once: a joint between two frames that do not move against each other
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
