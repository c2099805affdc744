#include "compiler/sema/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "compiler/diagnostics/render.h"
#include "runtime/output/numbers.h"

namespace mbc::sema {

using graph::LeafKind;
using graph::Op;

namespace {

Level higher(Level a, Level b) { return a < b ? b : a; }

// A part that `describe` cannot name better than by its dimension.
std::string describe_value(const Value& v, bool units) {
  if (v.scalar() && units) return v.type.any_dimension ? "a literal 0" : describe(v.type.dimension);
  if (v.vector() && units) return "a vector of " + to_text(v.type.dimension);
  return describe_shape(v.type.shape);
}

}  // namespace

std::string describe_shape(Shape shape) {
  switch (shape) {
    case Shape::invalid: return "nothing";
    case Shape::scalar: return "a number";
    case Shape::vector: return "a vector";
    case Shape::boolean: return "a condition";
    case Shape::text: return "a text";
    case Shape::matrix: return "a matrix";
    case Shape::particle: return "a particle";
    case Shape::body: return "a body";
    case Shape::point: return "a point";
    case Shape::constraint: return "a constraint";
    case Shape::load: return "a force";
    case Shape::ground: return "the ground";
    case Shape::energy: return "the energy of the system";
    case Shape::momentum:
    case Shape::momentum_linear:
    case Shape::momentum_angular: return "the momentum of the system";
  }
  return "?";
}

Value Evaluator::invalid(Span span) const {
  Value v;
  v.span = span;
  return v;
}

Value Evaluator::scalar(NodeId node, Dimension dimension, Level level, Span span) const {
  Value v;
  v.type = {Shape::scalar, dimension, false};
  v.nodes = {node};
  v.level = level;
  v.span = span;
  return v;
}

bool Evaluator::builtin_name(const std::string& name) {
  for (const char* known : {"t", "pi", "ex", "ey", "ez", "ground", "energy", "momentum", "residuals"})
    if (name == known) return true;
  const auto& functions = builtin_functions();
  return std::find(functions.begin(), functions.end(), name) != functions.end();
}

bool Evaluator::expect_scalar(const Value& v, const std::string& what) {
  if (v.invalid()) return false;
  if (v.scalar()) return true;
  sink_.report(Kind::wrong_shape, v.span, what, std::string("a number"), describe_shape(v.type.shape));
  return false;
}

bool Evaluator::expect_vector(const Value& v, const std::string& what) {
  if (v.invalid()) return false;
  if (any_length_ && v.numeric()) return false;
  if (!v.vector() && !(model_.space == 1 && v.scalar())) {
    Diagnostic& d = sink_.report(Kind::wrong_shape, v.span, what,
                                 "a vector of " + std::to_string(model_.space) + " components", describe_shape(v.type.shape));
    if (v.type.shape == Shape::particle) d.hint("its position is `.pos`");
    return false;
  }
  if (v.nodes.size() == model_.space) return true;
  Diagnostic& d = sink_.report(Kind::wrong_length, v.span, what, std::to_string(v.nodes.size()), std::to_string(model_.space));
  if (v.nodes.size() == 2) d.hint("a model in the plane begins with `space 2`");
  return false;
}

bool Evaluator::expect_dimension(const Value& v, const Dimension& wanted, const std::string& what) {
  if (v.invalid()) return false;
  if (!model_.has_units || v.type.any_dimension || v.type.dimension == wanted) return true;
  Diagnostic& d =
      sink_.report(Kind::wrong_dimension, v.span, what, describe(wanted), describe(v.type.dimension));
  if (v.type.dimension.dimensionless()) d.hint("numbers in a model with units need theirs, for example `[" + to_text(wanted) + "]`");
  return false;
}

bool Evaluator::expect_constant(const Value& v, const std::string& what) {
  if (v.invalid()) return false;
  bool constant = true;
  for (NodeId id : graph::leaves(model_.graph, v.nodes)) constant &= model_.graph.node(id).leaf == LeafKind::param;
  if (constant) return true;
  sink_.report(Kind::not_constant, v.span, what);
  return false;
}

std::optional<double> Evaluator::number(const Value& v) const {
  if (!v.scalar() || !model_.graph.is_constant(v.node())) return {};
  return model_.graph.constant_value(v.node());
}

Value Evaluator::refuse_not_built(const std::string& what, Span span) {
  sink_.report(Kind::not_built, span, what);
  return invalid(span);
}

Value Evaluator::evaluate(const ast::Expr& e, const Scope& scope) {
  graph::SpanScope span_scope(model_.graph, e.span);
  Value v = std::visit(
      [&](const auto& n) -> Value {
        using T = std::decay_t<decltype(n)>;
        if constexpr (std::is_same_v<T, ast::Number>) {
          Value r = scalar(model_.graph.constant(n.value), {}, Level::constant, e.span);
          r.type.any_dimension = n.value == 0;
          return r;
        } else if constexpr (std::is_same_v<T, ast::String>) {
          Value r = invalid(e.span);
          r.type.shape = Shape::text;
          r.text = n.text;
          return r;
        } else if constexpr (std::is_same_v<T, ast::Name>) {
          return name(n, e.span, scope);
        } else if constexpr (std::is_same_v<T, ast::Member>) {
          return member(n, e.span, scope);
        } else if constexpr (std::is_same_v<T, ast::Index>) {
          return index(n, e.span, scope);
        } else if constexpr (std::is_same_v<T, ast::Call>) {
          return call(n, e.span, scope);
        } else if constexpr (std::is_same_v<T, ast::Prime>) {
          return time_derivative(evaluate(*n.operand, scope), n.order, e.span);
        } else if constexpr (std::is_same_v<T, ast::Range>) {
          sink_.report(Kind::not_a_value, e.span, std::string("a range"));
          return invalid(e.span);
        } else if constexpr (std::is_same_v<T, ast::Tuple>) {
          return tuple(n, e.span, scope);
        } else if constexpr (std::is_same_v<T, ast::Measured>) {
          return measured(n, e.span, scope);
        } else if constexpr (std::is_same_v<T, ast::Unary>) {
          return unary(n, e.span, scope);
        } else if constexpr (std::is_same_v<T, ast::Sum>) {
          return sum(n, e.span, scope);
        } else if constexpr (std::is_same_v<T, ast::Product>) {
          return product(n, e.span, scope);
        } else if constexpr (std::is_same_v<T, ast::Power>) {
          return power(n, e.span, scope);
        } else if constexpr (std::is_same_v<T, ast::Compare>) {
          return compare(n, e.span, scope);
        } else if constexpr (std::is_same_v<T, ast::Logic>) {
          return logic(n, e.span, scope);
        } else if constexpr (std::is_same_v<T, ast::If>) {
          return conditional(n, e.span, scope);
        } else {
          return sum_over(n, e.span, scope);
        }
      },
      e.node);
  v.span = e.span;
  return v;
}

Value Evaluator::tuple(const ast::Tuple& t, Span span, const Scope& scope) {
  Value r = invalid(span);
  r.type = {Shape::vector, {}, true};
  bool rows = false;  // vectors of the right length are the rows of a matrix
  for (const ast::ExprPtr& element : t.elements) {
    const Value v = evaluate(*element, scope);
    if (v.invalid()) return v;
    rows = v.vector() && v.nodes.size() == t.elements.size() && (&element == &t.elements[0] || rows);
    if (!rows && !expect_scalar(v, "a component of a vector")) return invalid(span);
    if (!v.type.any_dimension) {
      if (!r.type.any_dimension && v.type.dimension != r.type.dimension) {
        sink_.report(Kind::dimension_mismatch, v.span, std::string("put into one vector"), describe(r.type.dimension),
                     describe(v.type.dimension));
        return invalid(span);
      }
      r.type.dimension = v.type.dimension;
      r.type.any_dimension = false;
    }
    r.level = higher(r.level, v.level);
    r.nodes.insert(r.nodes.end(), v.nodes.begin(), v.nodes.end());
  }
  if (rows) r.type.shape = Shape::matrix;
  return r;
}

Value Evaluator::measured(const ast::Measured& m, Span span, const Scope& scope) {
  double factor = 1;
  Dimension dimension;
  for (const ast::UnitFactor& f : m.unit.factors) {
    const std::optional<UnitValue> unit = find_unit(f.name);
    if (!unit) {
      Diagnostic& d = sink_.report(Kind::unknown_unit, f.span, printable(f.name));
      if (const std::string near = nearest(f.name, unit_names()); !near.empty()) d.hint("did you mean `" + near + "`?");
      return invalid(span);
    }
    const std::optional<Dimension> raised = sema::power(unit->dimension, f.numerator, f.denominator);
    if (!raised) {
      sink_.report(Kind::exponent_not_number, f.span, "the unit `" + f.name + "`", std::string(kExponents));
      return invalid(span);
    }
    dimension = dimension * *raised;
    // integer powers by products, so that exact factors stay exact
    double scale = 1;
    if (f.denominator == 1)
      for (int k = 0; k < std::abs(f.numerator); ++k) scale *= unit->factor;
    else
      scale = std::pow(unit->factor, std::fabs(static_cast<double>(f.numerator) / f.denominator));
    factor = f.numerator < 0 ? factor / scale : factor * scale;
  }
  Value v = evaluate(*m.value, scope);
  if (v.invalid()) return v;
  if (!v.numeric() && v.type.shape != Shape::matrix) {
    sink_.report(Kind::wrong_shape, v.span, std::string("what stands before a unit"), std::string("a number or vector"),
                 describe_shape(v.type.shape));
    return invalid(span);
  }
  if (!v.type.any_dimension && !v.type.dimension.dimensionless()) {
    sink_.report(Kind::wrong_dimension, v.span, std::string("what stands before a unit"), std::string("a pure number"),
                 describe(v.type.dimension));
    return invalid(span);
  }
  for (NodeId& n : v.nodes) n = model_.graph.mul(model_.graph.constant(factor), n);
  v.type.dimension = dimension;
  v.type.any_dimension = false;
  v.span = span;
  return v;
}

Value Evaluator::elementwise(Op op, const Value& v, Span span) {
  Value r = v;
  r.span = span;
  for (NodeId& n : r.nodes) n = model_.graph.unary(op, n);
  return r;
}

Value Evaluator::unary(const ast::Unary& u, Span span, const Scope& scope) {
  const Value v = evaluate(*u.operand, scope);
  if (v.invalid()) return v;
  if (u.op == ast::UnaryOp::logical_not) {
    if (v.type.shape != Shape::boolean) {
      sink_.report(Kind::wrong_shape, v.span, std::string("the operand of `not`"), std::string("a condition"),
                   describe_value(v, false));
      return invalid(span);
    }
    return elementwise(Op::logical_not, v, span);
  }
  if (!v.numeric()) {
    sink_.report(Kind::not_a_value, v.span, describe_shape(v.type.shape));
    return invalid(span);
  }
  return u.op == ast::UnaryOp::minus ? elementwise(Op::neg, v, span) : v;
}

// Two values of different kinds where one operation wants both: numbers and vectors, vectors of different lengths.
Diagnostic& Evaluator::mismatch(const char* verb, const Value& a, const Value& b, Span op) {
  const bool lengths = a.vector() && b.vector() && a.nodes.size() != b.nodes.size();
  const auto what = [&](const Value& v) {
    return lengths ? "a vector of " + std::to_string(v.nodes.size()) + " components" : describe_shape(v.type.shape);
  };
  Diagnostic& d = sink_.report(Kind::shape_mismatch, op, std::string(verb), what(a), what(b));
  d.label(a.span, what(a)).label(b.span, what(b));
  if (a.type.shape == Shape::particle || b.type.shape == Shape::particle) d.hint("the position of a particle is `.pos`");
  return d;
}

bool Evaluator::same_dimension(const Value& a, const Value& b, Span op, const char* verb) {
  if (!model_.has_units || a.type.any_dimension || b.type.any_dimension || a.type.dimension == b.type.dimension) return true;
  Diagnostic& d = sink_.report(Kind::dimension_mismatch, op, std::string(verb), describe(a.type.dimension),
                               describe(b.type.dimension));
  d.label(a.span, describe(a.type.dimension)).label(b.span, describe(b.type.dimension));
  const Dimension quotient = b.type.dimension / a.type.dimension;
  if (quotient == length_dimension()) d.hint("the right side has a length too many: divide it by one, or multiply the left");
  if (quotient == time_dimension()) d.hint("the right side has a time too many: is a prime missing on the right?");
  if (Dimension{} / quotient == time_dimension()) d.hint("the left side has a time too many: is a prime missing on the left?");
  return false;
}

Value Evaluator::subtract_values(const Value& a, const Value& b, Span op, bool adding) {
  if (a.invalid()) return a;
  if (b.invalid()) return b;
  const char* verb = adding ? "add" : "subtract";
  if (!a.numeric() || !b.numeric() || a.nodes.size() != b.nodes.size() || a.type.shape != b.type.shape) {
    mismatch(verb, a, b, op);
    return invalid(op);
  }
  if (!same_dimension(a, b, op, verb)) return invalid(op);
  Value r = a;
  if (a.type.any_dimension) r.type = b.type;
  r.type.any_dimension = a.type.any_dimension && b.type.any_dimension;
  r.level = higher(a.level, b.level);
  for (std::size_t k = 0; k < r.nodes.size(); ++k)
    r.nodes[k] = model_.graph.binary(adding ? Op::add : Op::sub, a.nodes[k], b.nodes[k]);
  r.span = join(a.span, b.span);
  r.declared = {};
  return r;
}

Value Evaluator::sum(const ast::Sum& s, Span span, const Scope& scope) {
  Value total = evaluate(*s.first, scope);
  for (const ast::Term& term : s.rest) {
    const Value v = evaluate(*term.value, scope);
    graph::SpanScope span_scope(model_.graph, join(total.span, v.span));
    total = subtract_values(total, v, term.op_span, term.op == ast::Term::Op::add);
    if (total.invalid()) {
      total.span = span;
      return total;
    }
  }
  return total;
}

Value Evaluator::multiply(const Value& a, const Value& b, bool dividing, Span op) {
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
  const Value& wide = a.vector() ? a : b;
  Value r = wide;
  graph::Graph& g = model_.graph;
  for (std::size_t k = 0; k < r.nodes.size(); ++k) {
    const NodeId x = a.vector() ? a.nodes[k] : a.node(), y = b.vector() ? b.nodes[k] : b.node();
    r.nodes[k] = dividing ? g.div(x, y) : g.mul(x, y);
  }
  r.type.dimension = dividing ? a.type.dimension / b.type.dimension : a.type.dimension * b.type.dimension;
  r.type.any_dimension = dividing ? a.type.any_dimension : a.type.any_dimension || b.type.any_dimension;
  r.level = higher(a.level, b.level);
  r.span = join(a.span, b.span);
  r.declared = {};
  return r;
}

Value Evaluator::product(const ast::Product& p, Span span, const Scope& scope) {
  Value total = evaluate(*p.first, scope);
  for (const ast::Term& term : p.rest) {
    const Value v = evaluate(*term.value, scope);
    graph::SpanScope span_scope(model_.graph, join(total.span, v.span));
    total = multiply(total, v, term.op == ast::Term::Op::div, term.op_span);
    if (total.invalid()) {
      total.span = span;
      return total;
    }
  }
  return total;
}

Value Evaluator::power(const ast::Power& p, Span span, const Scope& scope) {
  const Value a = evaluate(*p.base, scope), b = evaluate(*p.exponent, scope);
  if (a.invalid()) return a;
  if (b.invalid()) return b;
  if (!a.scalar() || !b.scalar()) {
    const bool base = !a.scalar();
    Diagnostic& d = sink_.report(Kind::wrong_shape, base ? a.span : b.span, std::string(base ? "the base" : "the exponent") + " of a power",
                                 std::string("a number"), describe_shape((base ? a : b).type.shape));
    if (a.vector()) d.hint("the square of a vector is `dot(v, v)`");
    return invalid(span);
  }
  if (model_.has_units && !b.type.any_dimension && !b.type.dimension.dimensionless()) {
    expect_dimension(b, {}, "an exponent");
    return invalid(span);
  }
  Value r = scalar(model_.graph.binary(Op::pow, a.node(), b.node()), {}, higher(a.level, b.level), span);
  if (model_.has_units && !a.type.dimension.dimensionless()) {
    const std::optional<double> e = number(b);
    std::optional<Dimension> d;
    if (e && std::fabs(*e * 12 - std::round(*e * 12)) < 1e-9) d = sema::power(a.type.dimension, std::llround(*e * 12), 12);
    if (!d) {
      sink_.report(Kind::exponent_not_number, b.span, describe(a.type.dimension), std::string(e ? kExponents : "known while compiling"))
          .label(a.span, describe(a.type.dimension));
      return invalid(span);
    }
    r.type.dimension = *d;
  }
  return r;
}

Value Evaluator::compare(const ast::Compare& c, Span span, const Scope& scope) {
  const Value a = evaluate(*c.lhs, scope), b = evaluate(*c.rhs, scope);
  if (a.invalid()) return a;
  if (b.invalid()) return b;
  if (!a.scalar() || !b.scalar()) {
    Diagnostic& d = mismatch("compare", a, b, c.op_span);
    if (a.vector() && b.vector()) d.hint("compare their components, or `norm(a - b)` with a number");
    return invalid(span);
  }
  if (!same_dimension(a, b, c.op_span, "compare")) return invalid(span);
  const auto make = [&](Op op, const Value& x, const Value& y) { return model_.graph.binary(op, x.node(), y.node()); };
  NodeId node;
  switch (c.op) {
    case ast::CompareOp::lt: node = make(Op::lt, a, b); break;
    case ast::CompareOp::le: node = make(Op::le, a, b); break;
    case ast::CompareOp::gt: node = make(Op::lt, b, a); break;
    case ast::CompareOp::ge: node = make(Op::le, b, a); break;
    case ast::CompareOp::eq: node = make(Op::eq, a, b); break;
    case ast::CompareOp::ne: node = make(Op::ne, a, b); break;
  }
  Value r = scalar(node, {}, higher(a.level, b.level), span);
  r.type.shape = Shape::boolean;
  return r;
}

Value Evaluator::logic(const ast::Logic& l, Span span, const Scope& scope) {
  Value r = invalid(span);
  for (const ast::ExprPtr& operand : l.operands) {
    const Value v = evaluate(*operand, scope);
    if (v.invalid()) return v;
    if (v.type.shape != Shape::boolean) {
      sink_.report(Kind::wrong_shape, v.span, std::string(l.conjunction ? "an operand of `and`" : "an operand of `or`"),
                   std::string("a condition"), describe_value(v, false));
      return invalid(span);
    }
    if (r.invalid()) {
      r = v;
    } else {
      r.nodes[0] = model_.graph.binary(l.conjunction ? Op::logical_and : Op::logical_or, r.node(), v.node());
      r.level = higher(r.level, v.level);
    }
  }
  return r;
}

Value Evaluator::conditional(const ast::If& i, Span span, const Scope& scope) {
  const Value c = evaluate(*i.condition, scope), a = evaluate(*i.then_value, scope), b = evaluate(*i.else_value, scope);
  for (const Value* v : {&c, &a, &b})
    if (v->invalid()) return *v;
  if (c.type.shape != Shape::boolean) {
    sink_.report(Kind::wrong_shape, c.span, std::string("what stands after `if`"), std::string("a condition"), describe_value(c, false));
    return invalid(span);
  }
  if (a.type.shape != b.type.shape || a.nodes.size() != b.nodes.size() || a.nodes.empty()) {
    mismatch("choose between", a, b, b.span);
    return invalid(span);
  }
  if (!same_dimension(a, b, b.span, "choose between")) return invalid(span);
  Value r = a;
  if (a.type.any_dimension) r.type = b.type;
  r.level = higher(c.level, higher(a.level, b.level));
  for (std::size_t k = 0; k < r.nodes.size(); ++k) r.nodes[k] = model_.graph.select(c.node(), a.nodes[k], b.nodes[k]);
  return r;
}

Value Evaluator::sum_over(const ast::SumOver& s, Span span, const Scope& scope) {
  const auto* range = std::get_if<ast::Range>(&s.binder.range->node);
  if (!range || !range->lo || !range->hi || range->step || range->count) {
    sink_.report(Kind::wrong_shape, s.binder.range->span, std::string("what `sum` runs over"), std::string("a range 1..n"),
                 std::string("a range with a step or count"));
    return invalid(span);
  }
  if (builtin_name(s.binder.name)) {
    sink_.report(Kind::builtin_redefined, s.binder.span, printable(s.binder.name));
    return invalid(span);
  }
  const Value lo = evaluate(*range->lo, scope), hi = evaluate(*range->hi, scope);
  if (lo.invalid()) return lo;
  if (hi.invalid()) return hi;
  for (const Value* bound : {&lo, &hi}) {
    const std::optional<double> n = number(*bound);
    if (!n) sink_.report(Kind::not_known, bound->span, std::string("a bound of `sum`"));
    if (n && (*n != std::floor(*n) || std::fabs(*n) > 1e6))
      sink_.report(Kind::wrong_shape, bound->span, std::string("a bound of `sum`"), std::string("a whole number up to 1000000"),
                   output::short_number(*n, 12));
    if (!n || *n != std::floor(*n) || std::fabs(*n) > 1e6) return invalid(span);
  }
  const double count = std::max(0.0, *number(hi) - *number(lo) + 1);
  if (too_large("this sum", span, static_cast<std::size_t>(count))) return invalid(span);
  std::vector<Value> terms;
  for (double k = *number(lo); k <= *number(hi); ++k) {
    Scope inner(&scope);
    Symbol bound;
    bound.value = scalar(model_.graph.constant(k), {}, Level::constant, s.binder.span);
    bound.span = s.binder.span;
    inner.add(s.binder.name, bound);
    terms.push_back(evaluate(*s.body, inner));
    if (terms.back().invalid()) return terms.back();
    if (!terms.back().numeric()) {
      sink_.report(Kind::not_a_value, s.body->span, describe_shape(terms.back().type.shape));
      return invalid(span);
    }
    const Type &first = terms[0].type, &here = terms.back().type;  // x^i has another dimension for every i
    if (model_.has_units && !first.any_dimension && !here.any_dimension && first.dimension != here.dimension) {
      sink_.report(Kind::dimension_mismatch, s.body->span, std::string("add"), describe(first.dimension), describe(here.dimension))
          .note("these are terms of one sum");
      return invalid(span);
    }
    if (first.any_dimension) terms[0].type = Type(here);
  }
  if (terms.empty()) {
    Value zero = scalar(model_.graph.zero(), {}, Level::constant, span);
    zero.type.any_dimension = true;
    return zero;
  }
  Value total = terms[0];
  for (std::size_t k = 0; k < total.nodes.size(); ++k) {
    std::vector<NodeId> column;
    for (const Value& v : terms) {
      column.push_back(v.nodes[k]);
      total.level = higher(total.level, v.level);
    }
    total.nodes[k] = model_.graph.sum(column);
  }
  return total;
}

// What grows by itself and not with the text: sums, functions that call functions twice, derivatives of derivatives.
// Said once; from then on `more` is silently too much, so that the elaboration ends.
bool Evaluator::too_large(const std::string& what, Span span, std::size_t more, std::size_t differentiated) {
  constexpr std::size_t kMaxExpanded = 2'000'000, kMaxOperations = 10'000'000;
  if (expanded_ > kMaxExpanded) return true;
  expanded_ += more;
  differentiated_ += differentiated;
  const bool operations = model_.graph.size() > kMaxOperations || differentiated_ > kMaxOperations;
  if (expanded_ <= kMaxExpanded && !operations) return false;
  expanded_ = kMaxExpanded + 1;
  sink_.report(Kind::too_large, span, what,
               std::string(operations ? "more than 10000000 operations" : "more than 2000000 terms and calls"));
  return true;
}

Value Evaluator::time_derivative(const Value& v, std::uint32_t order, Span span) {
  if (v.invalid()) return v;
  if (!v.numeric()) {
    sink_.report(Kind::not_differentiable, span, describe_shape(v.type.shape));
    return invalid(span);
  }
  Value r = v;
  r.span = span;
  r.declared = {};
  for (std::uint32_t k = 0; k < order; ++k) {
    if (too_large("this derivative", span, 0, graph::reachable(model_.graph, r.nodes).size())) return invalid(span);
    for (NodeId id : graph::leaves(model_.graph, r.nodes)) {
      const LeafKind leaf = model_.graph.node(id).leaf;
      if (leaf == LeafKind::accel || leaf == LeafKind::multiplier || leaf == LeafKind::input) {
        sink_.report(Kind::not_differentiable, span,
                     std::string(leaf == LeafKind::accel ? "an acceleration"
                                 : leaf == LeafKind::input ? "an input"
                                                           : "a multiplier"));
        return invalid(span);
      }
    }
    for (NodeId& n : r.nodes) n = ad::time_derivative(model_.graph, n, model_.motion());
    if (r.level == Level::velocity) r.level = Level::acceleration;
    if (r.level == Level::position) r.level = Level::velocity;
    r.type.dimension = r.type.dimension / physical(model_, time_dimension());
  }
  return r;
}

Value Evaluator::difference(const ast::Compare& equation, Span span, const Scope& scope) {
  const Value a = evaluate(*equation.lhs, scope), b = evaluate(*equation.rhs, scope);
  if (a.invalid()) return a;
  if (b.invalid()) return b;
  const char* verb = "set equal";
  if (!a.numeric() || !b.numeric() || a.nodes.size() != b.nodes.size() || a.type.shape != b.type.shape) {
    mismatch(verb, a, b, equation.op_span);
    return invalid(span);
  }
  if (!same_dimension(a, b, equation.op_span, verb)) return invalid(span);
  graph::SpanScope span_scope(model_.graph, span);
  Value r = subtract_values(a, b, equation.op_span, false);
  r.span = span;
  return r;
}

}  // namespace mbc::sema
