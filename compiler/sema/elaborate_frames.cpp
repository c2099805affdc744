// SPDX-License-Identifier: Apache-2.0
// frame F on link at (2, 0, 0) rotated rotz(90 [deg]): axes fixed in a body, a frame or the ground.
// frame G follows frame(origin = .., rotation = ..): axes that are expressions of coordinates and time.
#include "base/diagnostics/render.h"
#include "compiler/sema/elaborator.h"

namespace mbc::sema {

void Elaborator::frame(const ast::Entity& e) {
  if (model_.space == 1) return refuse("`frame` in `space 1`", e.name.span);
  const ast::Expr* follows = modifier(e.modifiers, ast::ModifierKind::follows);
  refuse_modifiers(e.modifiers,
                   follows ? std::initializer_list<ast::ModifierKind>{ast::ModifierKind::follows}
                           : std::initializer_list<ast::ModifierKind>{ast::ModifierKind::on, ast::ModifierKind::at,
                                                                      ast::ModifierKind::rotated},
                   follows ? "a frame that follows expressions" : "a frame");
  if (e.has_args) {
    sink_.report(Kind::frame_place, e.name.span, printable(e.name.name))
        .hint("write `frame F on b at (1, 0, 0)` or `frame F follows frame(origin = ..., rotation = ...)`");
    return;
  }
  graph::SpanScope span_scope(model_.graph, e.name.span);
  if (follows) {
    Body b;
    b.name = item_name_;
    b.span = e.name.span;
    if (!following_body(*follows, b)) return;
    Value v;
    v.type.shape = Shape::frame;
    v.index = static_cast<std::uint32_t>(model_.frames.size());
    model_.frames.push_back(
        {b.name, b.position, b.velocity, b.acceleration, b.rotation, b.omega, b.alpha, b.span, {}, false, true});
    return set_symbol(e.name, v);
  }
  const ast::Expr* on = modifier(e.modifiers, ast::ModifierKind::on);
  const ast::Expr* at = modifier(e.modifiers, ast::ModifierKind::at);
  const ast::Expr* rotated = modifier(e.modifiers, ast::ModifierKind::rotated);
  if (!on) {
    sink_.report(Kind::frame_place, e.name.span, printable(e.name.name))
        .hint("write `frame " + printable(e.name.name) + " on b at (1, 0, 0)`, with a body, a frame or `ground` for b");
    return;
  }
  const Value carrier = value(*on);
  const Value r = at ? value(*at) : Value{}, R = rotated ? value(*rotated) : Value{};
  if (carrier.invalid() || (at && r.invalid()) || (rotated && R.invalid())) return;
  const Shape s = carrier.type.shape;
  if (s != Shape::body && s != Shape::frame && s != Shape::ground) {
    sink_.report(Kind::wrong_shape, on->span, std::string("what a frame is on"),
                 std::string("a body, a frame or `ground`"), describe_shape(s));
    return;
  }
  const std::string whose = "of " + quoted(e.name.name);
  if (at &&
      (!evaluator_.expect_vector(r, "the place " + whose) || !evaluator_.expect_constant(r, "the place " + whose) ||
       !evaluator_.expect_dimension(r, length_dimension(), "the place " + whose)))
    return;
  if (rotated && !evaluator_.expect_rotation(R, "the rotation " + whose)) return;
  set_symbol(e.name, evaluator_.frame_on(carrier, r.nodes, R.nodes, item_name_, e.name.span));
}

}  // namespace mbc::sema
