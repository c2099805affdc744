#include "compiler/sema/elaborator.h"

#include <cmath>

#include "compiler/diagnostics/render.h"
#include "compiler/graph/evaluate.h"
#include "runtime/output/numbers.h"

namespace mbc::sema {

using graph::LeafKind;

namespace {
const char* kAxes = "xyz";
}

void Elaborator::constraint(const ast::Constraint& c, const ast::Stmt& s) {
  if (c.has_nonideal) return refuse("`nonideal`", s.span);
  const std::string line = "in line " + std::to_string(sources_[s.span.file].position(s.span.begin).line);
  const std::string shown = c.name.name.empty() ? line : quoted(c.name.name);
  const auto* equation = std::get_if<ast::Compare>(&c.equation->node);
  if (!equation || equation->op != ast::CompareOp::eq) {
    if (equation && equation->op != ast::CompareOp::ne) {
      // still look at both sides, so that their mistakes are seen in the same run
      const Value lhs = evaluator_.evaluate(*equation->lhs, scope_), rhs = evaluator_.evaluate(*equation->rhs, scope_);
      if (!lhs.invalid() && !rhs.invalid()) sink_.report(Kind::not_an_equation, equation->op_span, std::string("an inequality"));
      return;
    }
    const Value v = equation ? Value{} : evaluator_.evaluate(*c.equation, scope_);
    if (equation)
      sink_.report(Kind::not_an_equation, equation->op_span, std::string("`!=`"));
    else if (!v.invalid())
      sink_.report(Kind::not_an_equation, c.equation->span, describe_shape(v.type.shape)).hint("write `" + printable(sources_.text(c.equation->span), 60) + " == 0` if that is meant");
    return;
  }
  const Value d = evaluator_.difference(*equation, c.equation->span, scope_);
  if (d.invalid()) return;
  Constraint made{c.name.name.empty() ? "constraint " + line : c.name.name, !c.name.name.empty(),
                  static_cast<std::uint32_t>(model_.equations.size()), 0, c.equation->span, s.doc};
  for (std::size_t k = 0; k < d.nodes.size(); ++k) {
    const std::string name = d.nodes.size() == 1 ? made.name : made.name + "." + std::string(1, kAxes[k]);
    add_row(name, shown, d.nodes[k], d, c.equation->span);
  }
  made.row_count = static_cast<std::uint32_t>(model_.equations.size()) - made.first_row;
  Value v;
  v.type.shape = Shape::constraint;
  v.index = static_cast<std::uint32_t>(model_.constraints.size());
  model_.constraints.push_back(made);
  if (!c.name.name.empty()) set_symbol(c.name, v);
}

// One scalar row: its level is that of the text as written, its leaves must let it constrain something.
void Elaborator::add_row(const std::string& name, const std::string& shown, NodeId e, const Value& difference, Span span) {
  graph::Graph& g = model_.graph;
  bool moves = false;
  for (NodeId id : graph::leaves(g, {&e, 1})) {
    const LeafKind leaf = g.node(id).leaf;
    moves |= leaf == LeafKind::coordinate || leaf == LeafKind::speed || leaf == LeafKind::accel;
    if (leaf == LeafKind::multiplier) {
      sink_.report(Kind::constraint_reaction, span, shown);
      return;
    }
  }
  Level level = difference.level;
  if (!moves) {
    // decided by its value at the start; a row of time alone can hold at one instant only
    const std::vector<double> value = graph::evaluate(g, {&e, 1}, [&](const graph::Node& n) {
      return n.leaf == LeafKind::param ? parameter_values(model_)[n.a] : 0.6180339887;
    });
    if (std::fabs(value[0]) < 1e-14)
      sink_.report(Kind::always_true, span, shown);
    else
      sink_.report(Kind::never_true, span, shown, output::short_number(value[0]));
    return;
  }
  if (level == Level::constant) level = Level::position;
  if (level == Level::acceleration) {
    const ad::Row row = ad::differentiate(g, e, level, model_.motion());
    for (const auto& [speed, factor] : row.jacobian)
      for (NodeId id : graph::leaves(g, {&factor, 1}))
        if (g.node(id).leaf == LeafKind::accel) {
          std::string acceleration = model_.speeds[speed].name;
          if (const std::size_t dot = acceleration.rfind(".v"); dot != std::string::npos) acceleration[dot + 1] = 'a';
          sink_.report(Kind::nonlinear_acceleration, span, shown, acceleration);
          return;
        }
  }
  model_.equations.push_back({name, static_cast<std::uint32_t>(model_.constraints.size()), e, level, difference.type.dimension, span});
}

void Elaborator::output(const ast::Output& o, const ast::Stmt& s) {
  const Value v = evaluator_.evaluate(*o.value, scope_);
  if (v.invalid()) return;
  const std::string name = o.name.name.empty() ? std::string(sources_.text(o.value->span)) : o.name.name;
  if (!v.numeric() && v.type.shape != Shape::boolean) {
    sink_.report(Kind::not_a_value, o.value->span, describe_shape(v.type.shape));
    return;
  }
  if (!outputs_.insert(name).second) {
    sink_.report(Kind::duplicate_name, o.name.name.empty() ? s.span : o.name.span, "output " + printable(name));
    return;
  }
  for (std::size_t k = 0; k < v.nodes.size(); ++k) {
    const std::string part = v.vector() ? name + "." + std::string(1, kAxes[k]) : name;
    model_.outputs.push_back({part, v.nodes[k], v.type.dimension, o.value->span});
  }
}

void Elaborator::initial_values(const ast::Init& init) {
  std::set<std::pair<bool, std::uint32_t>> seen;
  for (const ast::InitEntry& entry : init.entries) {
    if (entry.soft) {
      refuse("a soft initial value `~`", entry.span);
      continue;
    }
    const Value target = evaluator_.evaluate(*entry.target, scope_), value = evaluator_.evaluate(*entry.value, scope_);
    if (target.invalid() || value.invalid()) continue;
    const std::string shown = quoted(std::string(sources_.text(entry.target->span)));
    bool leaf_target = target.numeric();
    for (NodeId n : target.nodes) {
      const graph::Node& node = model_.graph.node(n);
      leaf_target &= node.op == graph::Op::leaf && (node.leaf == LeafKind::coordinate || node.leaf == LeafKind::speed);
    }
    if (!leaf_target) {
      sink_.report(Kind::init_target, entry.target->span, shown);
      continue;
    }
    if (target.type.shape != value.type.shape || target.nodes.size() != value.nodes.size()) {
      sink_.report(Kind::shape_mismatch, value.span, std::string("set equal"), describe_shape(target.type.shape), describe_shape(value.type.shape));
      continue;
    }
    const std::string what = "the initial value of " + shown;
    if (!evaluator_.expect_constant(value, what) || !evaluator_.expect_dimension(value, target.type.dimension, what)) continue;
    for (std::size_t k = 0; k < target.nodes.size(); ++k) {
      const graph::Node node = model_.graph.node(target.nodes[k]);
      const bool speed = node.leaf == LeafKind::speed;
      if (!seen.insert({speed, node.a}).second) {
        sink_.report(Kind::init_twice, entry.span, speed ? model_.speeds[node.a].name : model_.coordinates[node.a].name);
        break;
      }
      (speed ? model_.speeds[node.a].initial : model_.coordinates[node.a].initial) = value.nodes[k];
    }
  }
}

}  // namespace mbc::sema
