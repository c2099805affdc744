// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/diagnostics/render.h"
#include "base/numbers.h"

namespace mbc::sema {

using graph::LeafKind;
using graph::Op;

namespace {

Level higher(Level a, Level b) { return a < b ? b : a; }

}  // namespace

std::string describe_shape(Shape shape) {
  switch (shape) {
    case Shape::invalid:
      return "nothing";
    case Shape::scalar:
      return "a number";
    case Shape::vector:
      return "a vector";
    case Shape::boolean:
      return "a condition";
    case Shape::text:
      return "a text";
    case Shape::matrix:
      return "a matrix";
    case Shape::particle:
      return "a particle";
    case Shape::body:
      return "a body";
    case Shape::point:
      return "a point";
    case Shape::constraint:
      return "a constraint";
    case Shape::load:
      return "a force";
    case Shape::frame:
      return "a frame";
    case Shape::instance:
      return "an instance of a component";
    case Shape::array:
      return "an array";
    case Shape::ground:
      return "the ground";
    case Shape::energy:
      return "the energy of the system";
    case Shape::momentum:
      return "the momentum of the system";
  }
  return "?";
}

std::string describe_shape(const Value& v) {
  if (v.type.shape == Shape::instance && v.members)
    return "an instance of `" + printable(v.members->instance->of) + "`";
  if (v.type.shape == Shape::array && v.elements) return "the array `" + printable(v.elements->name) + "`";
  return describe_shape(v.type.shape);
}

// What to write instead of something that is no value itself.
Diagnostic& Evaluator::hint_parts(Diagnostic& d, const Value& v) {
  if (v.type.shape == Shape::particle) d.hint("its position is `.pos`, its velocity `.vel`");
  if (v.type.shape == Shape::body) d.hint("its position is `.pos`, its rotation `.rot`, its angular velocity `.omega`");
  if (v.type.shape == Shape::point || v.type.shape == Shape::frame) d.hint("its position is `.pos`");
  if (v.type.shape == Shape::constraint) d.hint("its parts are `.residual` and `.lambda`");
  if (v.type.shape == Shape::energy) d.hint("its parts are `.kinetic`, `.potential` and `.total`");
  if (v.type.shape == Shape::momentum) d.hint("its parts are `.linear` and `.angular`");
  if (v.type.shape == Shape::array && v.elements) {
    const std::string name = printable(v.elements->name);
    d.hint("write one of its elements, such as `" + name + "[1]`");
  }
  if (v.type.shape == Shape::instance && v.members) {
    std::string list;
    std::size_t shown = 0;
    for (const std::string& name : v.members->names_here())
      if (!v.members->find_here(name)->component && ++shown <= 6) list += " ." + printable(name);
    if (!list.empty()) d.hint("write one of its parts:" + list + (shown > 6 ? " ..." : ""));
  }
  return d;
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
  hint_parts(sink_.report(Kind::wrong_shape, v.span, what, std::string("a number"), describe_shape(v)), v);
  return false;
}

bool Evaluator::expect_vector(const Value& v, const std::string& what) {
  if (v.invalid()) return false;
  if (any_length_ && v.numeric()) return false;
  if (!v.vector() && !(model_.space == 1 && v.scalar())) {
    Diagnostic& d = sink_.report(Kind::wrong_shape, v.span, what,
                                 "a vector of " + std::to_string(model_.space) + " components", describe_shape(v));
    hint_parts(d, v);
    return false;
  }
  if (v.nodes.size() == model_.space) return true;
  Diagnostic& d =
      sink_.report(Kind::wrong_length, v.span, what, std::to_string(v.nodes.size()), std::to_string(model_.space));
  if (v.nodes.size() == 2) d.hint("a model in the plane begins with `space 2`");
  return false;
}

bool Evaluator::expect_dimension(const Value& v, const Dimension& wanted, const std::string& what) {
  if (v.invalid()) return false;
  if (!model_.has_units || v.type.any_dimension || v.type.dimension == wanted) return true;
  Diagnostic& d = sink_.report(Kind::wrong_dimension, v.span, what, describe(wanted), describe(v.type.dimension));
  if (v.type.dimension.dimensionless())
    d.hint("numbers in a model with units need theirs, for example `[" + to_text(wanted) + "]`");
  return false;
}

// Numbers that are all zero point nowhere; what depends on parameters or moves is looked at during the run.
bool Evaluator::expect_direction(const Value& v, const std::string& what) {
  if (v.invalid()) return false;
  for (const NodeId n : v.nodes)
    if (!model_.graph.is_constant(n) || model_.graph.constant_value(n) != 0) return true;
  sink_.report(Kind::no_direction, v.span, what);
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
    if (&element == &t.elements[0]) rows = v.vector() && v.nodes.size() == t.elements.size();
    if (rows && &element == &t.elements[0] && v.nodes.size() != model_.space) {
      sink_.report(Kind::wrong_shape, span, std::string("a matrix"),
                   std::to_string(model_.space) + " by " + std::to_string(model_.space) + " as `space` is " +
                       std::to_string(model_.space),
                   std::to_string(v.nodes.size()) + " rows");
      return invalid(span);
    }
    if (rows && (!v.vector() || v.nodes.size() != t.elements.size())) {
      sink_
          .report(Kind::wrong_shape, v.span, std::string("a row of a matrix"),
                  "a vector of " + std::to_string(t.elements.size()) + " components",
                  v.vector() ? "one of " + std::to_string(v.nodes.size()) : describe_shape(v))
          .label(t.elements[0]->span, "a vector: the first row");
      return invalid(span);
    }
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

std::optional<std::pair<double, Dimension>> Evaluator::unit_value(const ast::Unit& written) {
  double factor = 1;
  Dimension dimension;
  for (const ast::UnitFactor& f : written.factors) {
    const std::optional<UnitValue> unit = find_unit(f.name);
    if (!unit) {
      Diagnostic& d = sink_.report(Kind::unknown_unit, f.span, printable(f.name));
      if (const std::string near = nearest(f.name, unit_names()); !near.empty()) d.hint("did you mean `" + near + "`?");
      return {};
    }
    const std::optional<Dimension> raised = sema::power(unit->dimension, f.numerator, f.denominator);
    if (!raised) {
      sink_.report(Kind::exponent_not_number, f.span, "the unit `" + f.name + "`", std::string(kExponents));
      return {};
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
  return std::pair{factor, dimension};
}

Value Evaluator::measured(const ast::Measured& m, Span span, const Scope& scope) {
  const std::optional<std::pair<double, Dimension>> unit = unit_value(m.unit);
  if (!unit) return invalid(span);
  Value v = evaluate(*m.value, scope);
  if (v.invalid()) return v;
  if (!v.numeric() && v.type.shape != Shape::matrix) {
    sink_.report(Kind::wrong_shape, v.span, std::string("what stands before a unit"), std::string("a number or vector"),
                 describe_shape(v));
    return invalid(span);
  }
  if (!v.type.any_dimension && !v.type.dimension.dimensionless()) {
    sink_.report(Kind::wrong_dimension, v.span, std::string("what stands before a unit"), std::string("a pure number"),
                 describe(v.type.dimension));
    return invalid(span);
  }
  for (NodeId& n : v.nodes) n = model_.graph.mul(model_.graph.constant(unit->first), n);
  v.type.dimension = unit->second;
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

// Two values of different kinds where one operation wants both: numbers and vectors, vectors of different lengths.
Diagnostic& Evaluator::mismatch(const char* verb, const Value& a, const Value& b, Span op) {
  const bool lengths = a.vector() && b.vector() && a.nodes.size() != b.nodes.size();
  const bool to_matrix = a.type.shape == Shape::matrix && b.vector();
  const auto what = [&](const Value& v) {
    return (lengths || to_matrix) && v.vector() ? "a vector of " + std::to_string(v.nodes.size()) + " components"
                                                : describe_shape(v);
  };
  Diagnostic& d = sink_.report(Kind::shape_mismatch, op, std::string(verb), what(a), what(b));
  d.label(a.span, what(a)).label(b.span, what(b));
  if (a.type.shape == Shape::particle || b.type.shape == Shape::particle)
    d.hint("the position of a particle is `.pos`");
  for (const Value* v : {&a, &b})
    if (v->type.shape == Shape::instance || v->type.shape == Shape::array) hint_parts(d, *v);
  return d;
}

Value Evaluator::sum_over(const ast::SumOver& s, Span span, const Scope& scope) {
  const auto* range = std::get_if<ast::Range>(&s.binder.range->node);
  if (!range || !range->lo || !range->hi || range->step || range->count) {
    sink_.report(Kind::wrong_shape, s.binder.range->span, std::string("what `sum` runs over"),
                 std::string("a range 1..n"), std::string("a range with a step or count"));
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
    if (!bound->scalar()) {
      expect_scalar(*bound, "a bound of `sum`");
      return invalid(span);
    }
    if (!n) not_known(*bound, "a bound of `sum`");
    if (n && !expect_dimension(*bound, {}, "a bound of `sum`")) return invalid(span);
    if (n && (*n != std::floor(*n) || std::fabs(*n) > 1e6))
      sink_.report(Kind::wrong_shape, bound->span, std::string("a bound of `sum`"),
                   std::string("a whole number up to 1000000"), text::short_number(*n, 12));
    if (!n || *n != std::floor(*n) || std::fabs(*n) > 1e6) return invalid(span);
  }
  const double count = std::max(0.0, *number(hi) - *number(lo) + 1);
  if (too_large("this sum", span, static_cast<std::size_t>(count))) return invalid(span);
  std::vector<Value> terms;
  for (double k = *number(lo); k <= *number(hi); ++k) {
    const Scope inner(&scope, s.binder.name, k, s.binder.span);
    terms.push_back(evaluate(*s.body, inner));
    if (terms.back().invalid()) return terms.back();
    if (!terms.back().numeric()) {
      hint_parts(sink_.report(Kind::not_a_value, s.body->span, describe_shape(terms.back())), terms.back());
      return invalid(span);
    }
    const Type &first = terms[0].type, &here = terms.back().type;  // x^i has another dimension for every i
    if (model_.has_units && !first.any_dimension && !here.any_dimension && first.dimension != here.dimension) {
      sink_
          .report(Kind::dimension_mismatch, s.body->span, std::string("add"), describe(first.dimension),
                  describe(here.dimension))
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
    sink_.report(Kind::not_differentiable, span, describe_shape(v));
    return invalid(span);
  }
  if (holds_run_value(v.nodes, false)) {
    sink_.report(Kind::not_differentiable, span, std::string("a value of the whole run"));
    return invalid(span);
  }
  Value r = v;
  r.span = span;
  r.declared = {};
  for (std::uint32_t k = 0; k < order; ++k) {
    if (too_large("this derivative", span, 0, graph::reachable(model_.graph, r.nodes).size())) return invalid(span);
    bool moves = false;  // what depends on time alone has no velocity in it, however often it is differentiated
    for (NodeId id : graph::leaves(model_.graph, r.nodes)) {
      const LeafKind leaf = model_.graph.node(id).leaf;
      moves |= leaf == LeafKind::coordinate || leaf == LeafKind::speed || leaf == LeafKind::state;
      if (leaf == LeafKind::accel || leaf == LeafKind::multiplier || leaf == LeafKind::ideal ||
          leaf == LeafKind::input || leaf == LeafKind::state_rate) {
        Diagnostic& d = sink_.report(Kind::not_differentiable, span,
                                     std::string(leaf == LeafKind::accel        ? "an acceleration"
                                                 : leaf == LeafKind::input      ? "an input"
                                                 : leaf == LeafKind::state_rate ? "the rate of a state"
                                                                                : "a multiplier"));
        if (leaf == LeafKind::state_rate) d.hint("name the rate with `let`, and write the prime after that name");
        return invalid(span);
      }
    }
    for (NodeId& n : r.nodes) n = ad::time_derivative(model_.graph, n, model_.motion());
    if (moves && r.level == Level::velocity) r.level = Level::acceleration;
    if (moves && r.level == Level::position) r.level = Level::velocity;
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
