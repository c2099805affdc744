// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/operators.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "compiler/sema/expressions/evaluator.h"
#include "compiler/sema/rotations.h"

namespace mbc::sema {

namespace {

// Describes numbers and vectors by their dimension, other values by their shape.
std::string describe_value(const Value& v, bool units) {
  if (v.scalar() && units) return v.type.any_dimension ? "a literal 0" : describe(v.type.dimension);
  if (v.vector() && units) return "a vector of " + to_text(v.type.dimension);
  return describe_shape(v);
}

}  // namespace

Value Operators::value(const ast::Expr& e, const Scope& scope) { return evaluator_.evaluate(e, scope); }

Value Operators::evaluate(const ast::Unary& u, Span span, const Scope& scope) {
  const Value v = value(*u.operand, scope);
  if (v.invalid()) return v;
  if (u.op == ast::UnaryOp::logical_not) {
    if (v.type.shape != Shape::boolean)
      return mbc::refuse(sink_, Kind::wrong_shape, v.span, "the operand of `not`", "a condition",
                         describe_value(v, false));
    return elementwise(Op::logical_not, v, span);
  }
  if (!v.numeric() && v.type.shape != Shape::matrix) {
    hint_parts(sink_.report(Kind::not_a_value, v.span, describe_shape(v)), v);
    return invalid(span);
  }
  return u.op == ast::UnaryOp::minus ? elementwise(Op::neg, v, span) : v;
}

bool Operators::alike(const Value& a, const Value& b, Span op, const char* verb) {
  if (a.numeric() && b.numeric() && a.nodes.size() == b.nodes.size() && a.type.shape == b.type.shape)
    return same_dimension(a, b, op, verb);
  mismatch(verb, a, b, op);
  return false;
}

Value Operators::add_or_subtract(const Value& a, const Value& b, Span op, bool adding) {
  if (a.invalid()) return a;
  if (b.invalid()) return b;
  if (!alike(a, b, op, adding ? "add" : "subtract")) return invalid(op);
  Value r = computed(a, join(a.span, b.span));
  if (a.type.any_dimension) r.type = b.type;
  r.type.any_dimension = a.type.any_dimension && b.type.any_dimension;
  r.level = higher(a.level, b.level);
  for (std::size_t k = 0; k < r.nodes.size(); ++k)
    r.nodes[k] = evaluator_.defined().binary(adding ? Op::add : Op::sub, a.nodes[k], b.nodes[k]);
  return r;
}

template <class Terms, class Combine>
Value Operators::in_turn(const Terms& terms, Span span, const Scope& scope, Combine&& combine) {
  Value total = value(*terms.first, scope);
  for (const ast::Term& term : terms.rest) {
    const Value v = value(*term.value, scope);
    graph::SpanScope span_scope(model_.graph, join(total.span, v.span));
    total = combine(total, v, term);
    if (total.invalid()) {
      total.span = span;
      return total;
    }
  }
  return total;
}

Value Operators::evaluate(const ast::Sum& s, Span span, const Scope& scope) {
  return in_turn(s, span, scope, [this](const Value& a, const Value& b, const ast::Term& term) {
    return add_or_subtract(a, b, term.op_span, term.op == ast::Term::Op::add);
  });
}

Value Operators::multiply(const Value& a, const Value& b, bool dividing, Span op) {
  if (a.invalid()) return a;
  if (b.invalid()) return b;
  if (!dividing && (a.type.shape == Shape::matrix || b.type.shape == Shape::matrix)) {
    const Value r = matrix_product(a, b);
    if (!r.invalid()) return r;
    mismatch("multiply", a, b, op);
    return invalid(op);
  }
  const bool bad_divisor = dividing && !b.scalar();
  if (!a.numeric() || !b.numeric() || bad_divisor || (a.vector() && b.vector())) {
    Diagnostic& d = mismatch(dividing ? "divide" : "multiply", a, b, op);
    if (a.vector() && b.vector() && !dividing) d.hint("the product of two vectors is `dot(a, b)` or `cross(a, b)`");
    return invalid(op);
  }
  Value r = computed(a.vector() ? a : b, join(a.span, b.span));
  for (std::size_t k = 0; k < r.nodes.size(); ++k) {
    const NodeId x = a.vector() ? a.nodes[k] : a.node(), y = b.vector() ? b.nodes[k] : b.node();
    // for (0, 0, 1)*s only the last component tests s
    r.nodes[k] = dividing                   ? evaluator_.defined().binary(Op::div, x, y)
                 : a.scalar() && b.scalar() ? evaluator_.defined().binary(Op::mul, x, y)
                                            : model_.graph.mul(x, y);
  }
  const auto is_zero = [&](NodeId n) { return model_.graph.is_zero(n); };
  if (!dividing && std::all_of(r.nodes.begin(), r.nodes.end(), is_zero))
    for (std::size_t k = 0; k < r.nodes.size(); ++k)
      for (const Value* v : {&a, &b})
        r.nodes[k] = evaluator_.defined().with(r.nodes[k], v->vector() ? v->nodes[k] : v->node());
  r.type.dimension = dividing ? a.type.dimension / b.type.dimension : a.type.dimension * b.type.dimension;
  r.type.any_dimension = dividing ? a.type.any_dimension : a.type.any_dimension || b.type.any_dimension;
  r.level = higher(a.level, b.level);
  return r;
}

Value Operators::evaluate(const ast::Product& p, Span span, const Scope& scope) {
  return in_turn(p, span, scope, [this](const Value& a, const Value& b, const ast::Term& term) {
    return multiply(a, b, term.op == ast::Term::Op::div, term.op_span);
  });
}

Value Operators::evaluate(const ast::Power& p, Span span, const Scope& scope) {
  const Value a = value(*p.base, scope), b = value(*p.exponent, scope);
  if (a.invalid()) return a;
  if (b.invalid()) return b;
  if (!a.scalar() || !b.scalar()) {
    const bool base = !a.scalar();
    Diagnostic& d = sink_.report(Kind::wrong_shape, base ? a.span : b.span,
                                 std::string(base ? "the base" : "the exponent") + " of a power", "a number",
                                 describe_shape((base ? a : b)));
    if (a.vector()) d.hint("the square of a vector is `dot(v, v)`");
    return invalid(span);
  }
  if (model_.has_units && !b.type.any_dimension && !b.type.dimension.dimensionless()) {
    const bool measured = std::holds_alternative<ast::Measured>(p.exponent->node);
    expect_dimension(
        b, {}, "an exponent",
        measured ? "the unit is that of the exponent; in brackets it is that of the power: `(0.5^2) [m^2]`" : "");
    return invalid(span);
  }
  Value r = scalar(evaluator_.defined().binary(Op::pow, a.node(), b.node()), {}, higher(a.level, b.level), span);
  if (model_.has_units && !a.type.dimension.dimensionless()) {
    const std::optional<double> e = number(b);
    std::optional<Dimension> d;
    if (e && std::fabs(*e * 12 - std::round(*e * 12)) < 1e-9)
      d = sema::power(a.type.dimension, std::llround(*e * 12), 12);
    if (!d)
      return mbc::refuse(sink_, Kind::exponent_not_number, b.span, describe(a.type.dimension),
                         e ? kExponents : "known while compiling")
          .label(a.span, describe(a.type.dimension));
    r.type.dimension = *d;
  }
  return r;
}

// Checks that a machine is compared with its own labels.
bool Operators::same_labels(const Value& a, const Value& b) {
  if (a.labels == b.labels) return true;
  const Value &machine = a.labels ? a : b, &other = a.labels ? b : a;
  return mbc::refuse(sink_, Kind::label_expected, other.span, "what the machine is compared with")
      .hint("its labels are members of it, such as `." + printable(machine.labels->front()) + "`");
}

Value Operators::evaluate(const ast::Compare& c, Span span, const Scope& scope) {
  const Value a = value(*c.lhs, scope);
  if (evaluator_.names().label_alone(*c.rhs, *c.lhs, a, scope)) return invalid(span);
  const Value b = value(*c.rhs, scope);
  if (a.invalid()) return a;
  if (b.invalid()) return b;
  if (!a.scalar() || !b.scalar()) {
    Diagnostic& d = mismatch("compare", a, b, c.op_span);
    if (a.vector() && b.vector()) d.hint("compare their components, or `norm(a - b)` with a number");
    return invalid(span);
  }
  if (!same_dimension(a, b, c.op_span, "compare") || !same_labels(a, b)) return invalid(span);
  // a > b is b < a, and a >= b is b <= a.
  constexpr Op ops[] = {Op::lt, Op::le, Op::lt, Op::le, Op::eq, Op::ne};  // in the order of CompareOp
  const bool exchanged = c.op == ast::CompareOp::gt || c.op == ast::CompareOp::ge;
  const Value &x = exchanged ? b : a, &y = exchanged ? a : b;
  const NodeId node = evaluator_.defined().binary(ops[static_cast<std::size_t>(c.op)], x.node(), y.node());
  Value r = scalar(node, {}, higher(a.level, b.level), span);
  r.type.shape = Shape::boolean;
  return r;
}

Value Operators::evaluate(const ast::Logic& l, Span span, const Scope& scope) {
  Value r = invalid(span);
  for (const ast::ExprPtr& operand : l.operands) {
    const Value v = value(*operand, scope);
    if (v.invalid()) return v;
    if (v.type.shape != Shape::boolean)
      return mbc::refuse(sink_, Kind::wrong_shape, v.span, l.conjunction ? "an operand of `and`" : "an operand of `or`",
                         "a condition", describe_value(v, false));
    if (r.invalid()) {
      r = v;
    } else {
      r.nodes[0] = model_.graph.binary(l.conjunction ? Op::logical_and : Op::logical_or, r.node(), v.node());
      r.level = higher(r.level, v.level);
    }
  }
  return r;
}

Value Operators::evaluate(const ast::If& i, Span span, const Scope& scope) {
  const Value c = value(*i.condition, scope);
  if (const std::optional<double> known = c.type.shape == Shape::boolean ? known_value(c.node()) : std::nullopt) {
    // decided during expansion, as an `if` between declarations: `if i > 1 then p[i-1].x else 0`
    Value chosen = value(*known != 0 ? *i.then_value : *i.else_value, scope);
    chosen.span = span;
    return chosen;
  }
  const Value a = value(*i.then_value, scope), b = value(*i.else_value, scope);
  for (const Value* v : {&c, &a, &b})
    if (v->invalid()) return *v;
  if (c.type.shape != Shape::boolean)
    return mbc::refuse(sink_, Kind::wrong_shape, c.span, "what stands after `if`", "a condition",
                       describe_value(c, false));
  if (a.type.shape != b.type.shape || a.nodes.size() != b.nodes.size() || a.nodes.empty()) {
    mismatch("choose between", a, b, b.span);
    return invalid(span);
  }
  if (!same_dimension(a, b, b.span, "choose between")) return invalid(span);
  Value r = a;
  if (a.type.any_dimension) r.type = b.type;
  if (a.labels != b.labels) r.labels = nullptr;
  r.level = higher(c.level, higher(a.level, b.level));
  for (std::size_t k = 0; k < r.nodes.size(); ++k)
    r.nodes[k] = evaluator_.defined().select(c.node(), a.nodes[k], b.nodes[k]);
  return r;
}

// Multiplies matrix*matrix, matrix*vector, number*matrix, matrix*number; invalid if the shapes do not fit.
Value Operators::matrix_product(const Value& a, const Value& b) {
  graph::Graph& g = model_.graph;
  const bool left = a.type.shape == Shape::matrix, right = b.type.shape == Shape::matrix;
  Value r = computed(left ? a : b, join(a.span, b.span));
  r.type.dimension = a.type.dimension * b.type.dimension;
  r.type.any_dimension = a.type.any_dimension || b.type.any_dimension;
  r.level = std::max(a.level, b.level);
  if (a.scalar() || b.scalar()) {
    for (NodeId& n : r.nodes) n = g.mul(a.scalar() ? a.node() : b.node(), n);
    return r;
  }
  const std::size_t n = model_.space;
  if (!left || (!right && (!b.vector() || b.nodes.size() != n))) return {};
  r.nodes = sema::matrix_product(g, a.nodes, b.nodes, n);
  r.type.shape = right ? Shape::matrix : Shape::vector;
  return r;
}

}  // namespace mbc::sema
