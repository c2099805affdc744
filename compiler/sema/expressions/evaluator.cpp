// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/evaluator.h"

#include <utility>

namespace mbc::sema {

Value Evaluator::evaluate(const ast::Expr& e, const Scope& scope) {
  const graph::SpanScope span_scope(model_.graph, e.span);
  const bool beside = std::exchange(context_.angle_written, false);
  Value v = std::visit([&](const auto& n) { return node(n, e.span, scope); }, e.node);
  v.span = e.span;
  v.angle |= context_.angle_written;
  context_.angle_written = beside || v.angle;
  if (context_.observed) context_.observed->add(v);
  return v;
}

Value Evaluator::node(const ast::Number& n, Span span, const Scope&) {
  Value r = scalar(model_.graph.constant(n.value), {}, Level::constant, span);
  r.type.any_dimension = n.value == 0;
  return r;
}

Value Evaluator::node(const ast::String& n, Span span, const Scope&) {
  Value r = invalid(span);
  r.type.shape = Shape::text;
  r.text = &n.text;
  return r;
}

Value Evaluator::node(const ast::Prime& n, Span span, const Scope& scope) {
  return operators_.time_derivative(evaluate(*n.operand, scope), n.order, span);
}

Value Evaluator::node(const ast::Range&, Span span, const Scope&) {
  return mbc::refuse(sink_, Kind::not_a_value, span, "a range");
}

}  // namespace mbc::sema
