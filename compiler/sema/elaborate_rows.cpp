// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "compiler/ad/rules.h"
#include "compiler/graph/evaluate.h"
#include "compiler/sema/elaborator.h"

namespace mbc::sema {

using graph::LeafKind;

std::string component_text(std::size_t k, std::size_t count) {
  return count <= 3 ? "." + std::string(1, "xyz"[k]) : "[" + std::to_string(k + 1) + "]";
}

void Elaborator::constraint(const ast::Constraint& c, const ast::Stmt& s) {
  const std::string line = "in line " + std::to_string(sources_[s.span.file].position(s.span.begin).line);
  const std::string shown = c.name.name.empty() ? line : quoted(item_name_);
  const auto* equation = std::get_if<ast::Compare>(&c.equation->node);
  if (!equation || equation->op != ast::CompareOp::eq) {
    if (equation && equation->op != ast::CompareOp::ne) {
      // still look at both sides, so that their mistakes are seen in the same run
      const Value lhs = value(*equation->lhs), rhs = value(*equation->rhs);
      if (!lhs.invalid() && !rhs.invalid())
        sink_.report(Kind::not_an_equation, equation->op_span, std::string("an inequality"));
      return;
    }
    const Value v = equation ? Value{} : value(*c.equation);
    if (equation)
      sink_.report(Kind::not_an_equation, equation->op_span, std::string("`!=`"));
    else if (!v.invalid())
      sink_.report(Kind::not_an_equation, c.equation->span, describe_shape(v))
          .hint("write `" + printable(sources_.text(c.equation->span), 60) + " == 0` if that is meant");
    return;
  }
  const Value d = evaluator_.difference(*equation, c.equation->span, *item_scope_);
  if (d.invalid()) return;
  Constraint made{c.name.name.empty() ? path_of_item() + "constraint " + line : item_name_,
                  !c.name.name.empty(),
                  static_cast<std::uint32_t>(model_.equations.size()),
                  0,
                  c.equation->span,
                  s.doc,
                  evaluator_.first_entity(*c.equation, *item_scope_)};
  // a component that is 0 == 0 belongs to a vector equation, as in cross(ez, p.pos) == (0, 0, 0); alone it says nothing
  bool moves = false;
  for (NodeId e : d.nodes) moves |= ad::level_of(model_.graph, e) != Level::constant;
  bool good = true;
  for (std::size_t k = 0; k < d.nodes.size() && good; ++k) {
    const std::string part = d.nodes.size() == 1 ? "" : component_text(k, d.nodes.size());
    good = add_row(part.empty() ? made.name : Name(made.name, part),
                   c.name.name.empty() ? shown : quoted(item_name_ + part), d.nodes[k], d, moves && !part.empty(),
                   c.equation->span);
  }
  if (!good) return;  // its name stands for nothing then
  made.row_count = static_cast<std::uint32_t>(model_.equations.size()) - made.first_row;
  Value v;
  v.type.shape = Shape::constraint;
  v.index = static_cast<std::uint32_t>(model_.constraints.size());
  model_.constraints.push_back(made);
  if (!c.name.name.empty()) set_symbol(c.name, v);
}

// One scalar row: its level is that of the text as written, its leaves must let it constrain something.
bool Elaborator::add_row(const Name& name, const std::string& shown, NodeId e, const Value& difference,
                         bool trivial_fits, Span span) {
  graph::Graph& g = model_.graph;
  bool moves = false;
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
  if (!moves && never_moves(shown, e, trivial_fits, span)) return false;
  const Level level = difference.level == Level::constant ? Level::position : difference.level;
  if (const std::string why = moves ? without_effect(e, level) : ""; !why.empty()) {
    sink_.report(Kind::no_effect, span, shown, why);
    return false;
  }
  if (level == Level::acceleration) {
    const ad::Row row = ad::differentiate(g, e, level, model_.motion());
    for (const auto& [speed, factor] : row.jacobian)
      for (NodeId id : graph::leaves(g, {&factor, 1}))
        if (g.node(id).leaf == LeafKind::accel) {
          std::string acceleration = model_.speeds[speed].name;
          if (const std::size_t dot = acceleration.rfind(".v"); dot != std::string::npos) acceleration[dot + 1] = 'a';
          sink_.report(Kind::nonlinear_acceleration, span, shown, acceleration);
          return false;
        }
  }
  model_.equations.push_back(
      {name, static_cast<std::uint32_t>(model_.constraints.size()), e, level, difference.type.dimension, span});
  return true;
}

// A row of numbers, parameters and time: always an error, unless it is 0 == 0 within a vector equation.
bool Elaborator::never_moves(const std::string& shown, NodeId e, bool trivial_fits, Span span) {
  const std::vector<double> params = parameter_values(model_);
  const auto value_at = [&](double t) {
    return graph::evaluate(model_.graph, {&e, 1},
                           [&](const graph::Node& n) { return n.leaf == LeafKind::param ? params[n.a] : t; })[0];
  };
  const double value = value_at(0.6180339887);
  if (value == 0 && value_at(1.7320508) == 0) {
    // of an instance said once: a joint between two frames that do not move against each other
    const Scope::Instance* owner = item_scope_->owner();
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

// Why a row whose text has something that moves does not act on it, or "". Derivatives vanish identically where a
// factor 0 took the velocity out, and where only floor, sign, comparisons and their like are left of it.
std::string Elaborator::without_effect(NodeId e, Level level) {
  const Level left = ad::level_of(model_.graph, e);
  if (level == Level::velocity && left < level) return "no velocity is left in it";
  if (level == Level::acceleration && left < level) return "no acceleration is left in it";
  bool steps = false;
  for (NodeId id : graph::reachable(model_.graph, {&e, 1})) steps |= ad::piecewise(model_.graph.node(id).op);
  if (!steps || !ad::differentiate(model_.graph, e, level, model_.motion()).jacobian.empty()) return "";
  return "its derivative is zero wherever it exists";
}

// Whether a name is that of columns which are recorded without being asked for.
bool Elaborator::columns_of(const std::string& name) {
  if (name == "time") return true;
  const Symbol* symbol = scope_.find_here(name);
  if (!symbol || symbol == item_symbol_) return false;
  demand(*symbol);
  const Value& v = symbol->value;
  if (v.type.shape == Shape::particle || v.type.shape == Shape::body) return true;
  return v.scalar() && model_.graph.node(v.node()).op == graph::Op::leaf &&
         ((model_.graph.node(v.node()).leaf == LeafKind::coordinate &&
           model_.coordinates[model_.graph.node(v.node()).a].name == name) ||
          (model_.graph.node(v.node()).leaf == LeafKind::state &&
           model_.states[model_.graph.node(v.node()).a].name == name));
}

// Whether an output of this name exists and is the same value.
bool Elaborator::shows_already(const std::string& name, const Value& v) const {
  const std::string first = v.vector() ? name + component_text(0, v.nodes.size()) : name;
  return std::any_of(model_.outputs.begin(), model_.outputs.end(),
                     [&](const sema::Output& o) { return o.name == first && o.value == v.nodes.front(); });
}

void Elaborator::output(const ast::Output& o) {
  const Value v = value(*o.value);
  if (v.invalid()) return;
  if (item_symbol_ && !o.name.name.empty()) set_symbol(o.name, v);
  const std::string name =
      o.name.name.empty() ? path_of_item() + std::string(sources_.text(o.value->span)) : item_name_;
  if (!v.numeric() && v.type.shape != Shape::boolean) {
    Evaluator::hint_parts(sink_.report(Kind::not_a_value, o.value->span, describe_shape(v)), v);
    return;
  }
  const Span place = o.name.name.empty() ? o.value->span : o.name.span;
  if (const auto [first, fresh] = outputs_.try_emplace(name, place); !fresh) {
    Diagnostic& d = sink_.report(Kind::duplicate_name, place, "output " + printable(name));
    if (first->second == place)
      d.hint("in a loop each needs a name of its own: `output NAME[i] = ...`");
    else
      d.label(first->second, "first declared here");
    if (o.name.name.empty() && first->second != place && shows_already(name, v))
      d.hint("the results have this column already: leave the statement out, or give it another name");
    return;
  }
  if (!o.name.name.empty() && columns_of(name)) {
    sink_.report(Kind::column_taken, place, printable(name));
    return;
  }
  for (std::size_t k = 0; k < v.nodes.size(); ++k) {
    const std::string part = v.vector() ? name + component_text(k, v.nodes.size()) : name;
    model_.outputs.push_back({part, v.nodes[k], v.type.dimension, o.value->span});
  }
}

}  // namespace mbc::sema
