// SPDX-License-Identifier: Apache-2.0
// Vectors and units, sums over an index, differences of equations, derivatives in time.
#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/text.h"
#include "compiler/sema/expressions/evaluator.h"
#include "compiler/sema/joint_angles.h"

namespace mbc::sema {

// Checks a further component: it has to be a number, or a row of a matrix if the first one is a vector as long as the
// tuple.
bool Operators::fits_vector(const Value& v, const Value& so_far, bool rows, const ast::Tuple& t, Span span) {
  const bool first = so_far.nodes.empty();
  if (rows && first && v.nodes.size() != model_.space)
    return mbc::refuse(sink_, Kind::wrong_shape, span, "a matrix",
                       std::to_string(model_.space) + " by " + std::to_string(model_.space) + " as `space` is " +
                           std::to_string(model_.space),
                       std::to_string(v.nodes.size()) + " rows");
  if (rows && (!v.vector() || v.nodes.size() != t.elements.size()))
    return mbc::refuse(sink_, Kind::wrong_shape, v.span, "a row of a matrix",
                       "a vector of " + std::to_string(t.elements.size()) + " components",
                       v.vector() ? "one of " + std::to_string(v.nodes.size()) : describe_shape(v))
        .label(t.elements[0]->span, "a vector: the first row");
  if (!rows && !expect_scalar(v, "a component of a vector")) return false;
  if (v.type.any_dimension || so_far.type.any_dimension || v.type.dimension == so_far.type.dimension) return true;
  return mbc::refuse(sink_, Kind::dimension_mismatch, v.span, "put into one vector", describe(so_far.type.dimension),
                     describe(v.type.dimension));
}

Value Operators::evaluate(const ast::Tuple& t, Span span, const Scope& scope) {
  Value r = invalid(span);
  r.type = {Shape::vector, {}, true};
  bool rows = false;  // vectors of the right length are the rows of a matrix
  for (const ast::ExprPtr& element : t.elements) {
    const Value v = value(*element, scope);
    if (v.invalid()) return v;
    if (&element == &t.elements[0]) rows = v.vector() && v.nodes.size() == t.elements.size();
    if (!fits_vector(v, r, rows, t, span)) return invalid(span);
    if (!v.type.any_dimension) {
      r.type.dimension = v.type.dimension;
      r.type.any_dimension = false;
    }
    r.level = higher(r.level, v.level);
    r.nodes.append(v.nodes);
  }
  if (rows) r.type.shape = Shape::matrix;
  return r;
}

std::optional<std::pair<double, Dimension>> unit_value(const ast::Unit& written, Sink& sink) {
  double factor = 1;
  Dimension dimension;
  for (const ast::UnitFactor& f : written.factors) {
    const std::optional<UnitValue> unit = find_unit(f.name);
    if (!unit) {
      Diagnostic& d = sink.report(Kind::unknown_unit, f.span, printable(f.name));
      if (const std::string product = product_of_units(f.name); !product.empty())
        d.hint("products of units need `*`: `" + product + "`");
      else if (f.name == "degC" || f.name == "celsius" || f.name == "Celsius")
        d.hint("temperatures are in kelvin: 20 degrees Celsius are `293.15 [K]`, a difference of 20 is `20 [K]`");
      else
        d.hint(did_you_mean(f.name, unit_names()));
      return {};
    }
    const std::optional<Dimension> raised = sema::power(unit->dimension, f.numerator, f.denominator);
    if (!raised) return mbc::refuse(sink, Kind::exponent_not_number, f.span, "the unit `" + f.name + "`", kExponents);
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

Value Operators::evaluate(const ast::Measured& m, Span span, const Scope& scope) {
  const std::optional<std::pair<double, Dimension>> unit = unit_value(m.unit, sink_);
  return unit ? in_unit(value(*m.value, scope), *unit, span) : invalid(span);
}

Value Operators::in_unit(Value v, const std::pair<double, Dimension>& unit, Span span) {
  if (v.invalid()) return v;
  if (!v.numeric() && v.type.shape != Shape::matrix)
    return mbc::refuse(sink_, Kind::wrong_shape, v.span, "what stands before a unit", "a number or vector",
                       describe_shape(v));
  if (!v.type.any_dimension && !v.type.dimension.dimensionless())
    return mbc::refuse(sink_, Kind::wrong_dimension, v.span, "what stands before a unit", "a pure number",
                       describe(v.type.dimension));
  for (NodeId& n : v.nodes) n = model_.graph.mul(model_.graph.constant(unit.first), n);
  v.angle |= unit.second.dimensionless();
  v.type.dimension = unit.second;
  v.type.any_dimension = false;
  v.span = span;
  return v;
}

Value Operators::elementwise(Op op, const Value& v, Span span) {
  Value r = v;
  r.span = span;
  r.labels = nullptr;
  for (NodeId& n : r.nodes) n = model_.graph.unary(op, n);
  return r;
}

// Returns the first and the last index. Returns nothing if the sum has none; `broken` is then the value of the sum.
std::optional<std::vector<double>> Operators::bounds(const ast::SumOver& s, const Scope& scope, Value& broken) {
  const auto* range = std::get_if<ast::Range>(&s.binder.range->node);
  if (!range || !range->lo || !range->hi || range->step || range->count)
    return mbc::refuse(sink_, Kind::wrong_shape, s.binder.range->span, "what `sum` runs over", "a range 1..n",
                       "a range with a step or count");
  if (Names::reserved(s.binder.name))
    return mbc::refuse(sink_, Kind::builtin_redefined, s.binder.span, printable(s.binder.name))
        .hint("take another name, such as `" + printable(s.binder.name) + "1`");
  const Value lo = value(*range->lo, scope), hi = value(*range->hi, scope);
  for (const Value* bound : {&lo, &hi})
    if (bound->invalid()) {
      broken = *bound;
      return {};
    }
  std::vector<double> out;
  for (const Value* bound : {&lo, &hi}) {
    const std::optional<double> n = number(*bound);
    if (!bound->scalar()) {
      expect_scalar(*bound, "a bound of `sum`");
      return {};
    }
    if (!n) not_known(*bound, "a bound of `sum`");
    if (n && !expect_dimension(*bound, {}, "a bound of `sum`")) return {};
    if (n && (*n != std::floor(*n) || std::fabs(*n) > 1e6))
      sink_.report(Kind::wrong_shape, bound->span, "a bound of `sum`", "a whole number up to 1000000",
                   text::short_number(*n, 12));
    if (!n || *n != std::floor(*n) || std::fabs(*n) > 1e6) return {};
    out.push_back(*n);
  }
  return out;
}

// Returns whether a term can be added to the first one; reports if not.
bool Operators::fits_sum(const Value& term, Value& first, Span span) {
  if (!term.numeric()) {
    hint_parts(sink_.report(Kind::not_a_value, span, describe_shape(term)), term);
    return false;
  }
  const Type &wanted = first.type, &here = term.type;  // x^i has another dimension for every i
  if (model_.has_units && !wanted.any_dimension && !here.any_dimension && wanted.dimension != here.dimension)
    return mbc::refuse(sink_, Kind::dimension_mismatch, span, "add", describe(wanted.dimension),
                       describe(here.dimension))
        .note("these are terms of one sum");
  if (wanted.any_dimension) first.type = Type(here);
  return true;
}

Value Operators::evaluate(const ast::SumOver& s, Span span, const Scope& scope) {
  Value broken = invalid(span);
  const std::optional<std::vector<double>> ends = bounds(s, scope, broken);
  if (!ends) return broken;
  const double lo = ends->front(), hi = ends->back(), count = std::max(0.0, hi - lo + 1);
  if (too_large("this sum", span, static_cast<std::size_t>(count))) return invalid(span);
  std::vector<Value> terms;
  for (double k = lo; k <= hi; ++k) {
    const Scope inner(&scope, s.binder.name, k, s.binder.span);
    terms.push_back(value(*s.body, inner));
    if (terms.back().invalid()) return terms.back();
    if (!fits_sum(terms.back(), terms[0], s.body->span)) return invalid(span);
  }
  if (terms.empty()) {
    Value zero = scalar(model_.graph.zero(), {}, Level::constant, span);
    zero.type.any_dimension = true;
    return zero;
  }
  Value total = terms[0];
  total.labels = nullptr;
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

// Returns whether the nodes can be differentiated in time; reports if not. `moves` is set if they depend on more than
// the time: a function of time alone has no velocity in it, however often it is differentiated.
bool Operators::differentiable(const std::vector<NodeId>& nodes, Span span, bool& moves) {
  for (const Node& n : graph::leaves(model_.graph, nodes)) {
    const LeafKind leaf = n.leaf;
    moves |= leaf == LeafKind::coordinate || leaf == LeafKind::speed || leaf == LeafKind::state;
    const bool sample = model_.is_discrete(n, problem::DiscreteVariable::Use::sample);
    if (leaf == LeafKind::input && n.a >= model_.held_at && !sample) continue;  // its rate is 0
    if (leaf == LeafKind::accel || leaf == LeafKind::multiplier || leaf == LeafKind::ideal || leaf == LeafKind::input ||
        leaf == LeafKind::state_rate) {
      Diagnostic& d = sink_.report(Kind::not_differentiable, span,
                                   leaf == LeafKind::accel        ? "an acceleration"
                                   : leaf == LeafKind::input      ? "an input"
                                   : leaf == LeafKind::state_rate ? "the rate of a state"
                                                                  : "a multiplier");
      if (leaf == LeafKind::input && sample)
        d.hint("its samples are held: with `smooth = 2` (`method = cubic`) its signal has two derivatives");
      else if (leaf == LeafKind::input)
        d.hint("it jumps: let a `state` follow it, or give the rate where it is an argument, as `setpoint_rate = 0`");
      if (leaf == LeafKind::state_rate) d.hint("name the rate with `let`, and write the prime after that name");
      return false;
    }
  }
  return true;
}

Value Operators::time_derivative(const Value& v, std::uint32_t order, Span span) {
  if (v.invalid()) return v;
  if (!v.numeric()) return mbc::refuse(sink_, Kind::not_differentiable, span, describe_shape(v));
  if (holds_run_value(model_, v.nodes, false))
    return mbc::refuse(sink_, Kind::not_differentiable, span, "a value of the whole run");
  Value r = v;
  r.span = span;
  r.declared = {};
  if (order > 0) r.labels = nullptr;
  for (std::uint32_t k = 0; k < order; ++k) {
    if (too_large("this derivative", span, 0, graph::reachable(model_.graph, r.nodes).size())) return invalid(span);
    bool moves = false;
    if (!differentiable(r.nodes, span, moves)) return invalid(span);
    for (NodeId& n : r.nodes) n = ad::time_derivative(model_.graph, without_turns(model_, n), model_.motion());
    if (moves && r.level == Level::velocity) r.level = Level::acceleration;
    if (moves && r.level == Level::position) r.level = Level::velocity;
    r.type.dimension = r.type.dimension / physical(model_, time_dimension());
  }
  return r;
}

Value Operators::difference(const ast::Compare& equation, Span span, const Scope& scope) {
  const Value a = value(*equation.lhs, scope), b = value(*equation.rhs, scope);
  if (a.invalid()) return a;
  if (b.invalid()) return b;
  if (!alike(a, b, equation.op_span, "set equal")) return invalid(span);
  graph::SpanScope span_scope(model_.graph, span);
  Value r = add_or_subtract(a, b, equation.op_span, false);
  r.span = span;
  return r;
}

}  // namespace mbc::sema
