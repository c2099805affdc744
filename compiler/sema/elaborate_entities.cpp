#include "compiler/sema/elaborator.h"

#include "compiler/diagnostics/render.h"

namespace mbc::sema {

using graph::LeafKind;

namespace {
const char* kAxes = "xyz";
}

void Elaborator::particle(const ast::Entity& e, const ast::Stmt& s) {
  const std::string& name = e.name.name;
  const std::string whose = "of `" + printable(name) + "`";
  for (const ast::Modifier& m : e.modifiers)
    if (m.kind == ast::ModifierKind::follows) return refuse("`follows`", m.span);
  refuse_modifiers(e.modifiers, {ast::ModifierKind::at, ast::ModifierKind::moving}, "a particle");
  const ast::Expr* mass_expr = nullptr;
  for (const ast::Argument& a : e.args) {
    if (!a.name.empty() && a.name != "mass")
      sink_.report(Kind::unknown_argument, a.name_span, std::string("particle"), printable(a.name)).hint("a particle has `mass`");
    else if (mass_expr)
      sink_.report(Kind::wrong_arity, a.value->span, std::string("particle"), std::string("1 argument, the mass"), std::to_string(e.args.size()));
    else
      mass_expr = a.value.get();
  }
  Particle p;
  p.name = name;
  p.span = e.name.span;
  p.mass_span = mass_expr ? mass_expr->span : e.name.span;
  p.doc = s.doc;
  bool good = true;
  if (!mass_expr) {
    sink_.report(Kind::mass_missing, e.name.span, printable(name)).hint("write `particle " + printable(name) + "(1) at ...`");
    good = false;
  } else {
    const Value m = evaluator_.evaluate(*mass_expr, scope_);
    const std::string what = "the mass " + whose;
    good = evaluator_.expect_scalar(m, what) && evaluator_.expect_constant(m, what) &&
           evaluator_.expect_dimension(m, mass_dimension(), what);
    if (good) p.mass = m.node();
  }
  const ast::Expr* at = modifier(e.modifiers, ast::ModifierKind::at);
  const ast::Expr* moving = modifier(e.modifiers, ast::ModifierKind::moving);
  std::vector<NodeId> start(model_.space, model_.graph.zero()), velocity = start;
  const auto initial = [&](const ast::Expr& expr, const std::string& what, Dimension d, std::vector<NodeId>& out) {
    const Value v = evaluator_.evaluate(expr, scope_);
    if (!evaluator_.expect_vector(v, what) || !evaluator_.expect_constant(v, what) || !evaluator_.expect_dimension(v, d, what))
      return false;
    out = v.nodes;
    return true;
  };
  if (!at) {
    sink_.report(Kind::position_missing, e.name.span, printable(name)).hint("write `at (0, 0, 0)`");
    good = false;
  } else {
    good &= initial(*at, "the position " + whose, length_dimension(), start);
  }
  if (moving) good &= initial(*moving, "the velocity " + whose, velocity_dimension(), velocity);
  if (!good) return;
  for (std::uint32_t k = 0; k < model_.space; ++k) {
    const auto q = static_cast<std::uint32_t>(model_.coordinates.size());
    const auto u = static_cast<std::uint32_t>(model_.speeds.size());
    const std::string axis(1, kAxes[k]);
    graph::SpanScope span_scope(model_.graph, e.name.span);
    const NodeId position = model_.graph.leaf(LeafKind::coordinate, q), rate = model_.graph.leaf(LeafKind::speed, u);
    model_.coordinates.push_back({name + "." + axis, physical(model_, length_dimension()), start[k], rate, e.name.span});
    model_.speeds.push_back({name + ".v" + axis, physical(model_, velocity_dimension()), velocity[k], q, e.name.span});
    p.position.push_back(position);
    p.velocity.push_back(rate);
    p.acceleration.push_back(model_.graph.leaf(LeafKind::accel, u));
  }
  Value v;
  v.type.shape = Shape::particle;
  v.index = static_cast<std::uint32_t>(model_.particles.size());
  model_.particles.push_back(std::move(p));
  set_symbol(e.name, v);
}

}  // namespace mbc::sema
