// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/functions.h"

#include <algorithm>

#include "base/text.h"
#include "compiler/sema/expressions/evaluator.h"

namespace mbc::sema {

namespace {

struct NumberFunction {
  std::string_view name;
  std::uint32_t arity;
  Op op;
};
// Functions of one operand take and return pure numbers.
constexpr NumberFunction kNumberFunctions[] = {
#define MBC_LIBRARY(name, arity, text, ...) {text, arity, Op::name},
#include "kernel/ops.def"
    {"floor", 1, Op::floor}};

bool one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

const std::vector<std::string>& Functions::names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> list;
    for (const NumberFunction& f : kNumberFunctions)
      if (f.arity == 1) list.emplace_back(f.name);
    for (const char* f : {"atan2", "sqrt", "abs",       "sign",     "min",      "max",     "dot",  "cross", "norm",
                          "unit",  "dist", "perp1",     "perp2",    "sum",      "table",   "diag", "rotx",  "roty",
                          "rotz",  "rot",  "transpose", "min_over", "max_over", "initial", "final"})
      list.emplace_back(f);
    return list;
  }();
  return all;
}

bool Functions::arity_is(const std::string& callee, const Args& args, std::size_t low, std::size_t high, Span span) {
  if (args.size() >= low && args.size() <= high) return true;
  const std::string wanted =
      high > 1000 ? "at least " + counted_or_no(low, "argument") : counted_or_no(low, "argument");
  Diagnostic& d = sink_.report(Kind::wrong_arity, span, callee, wanted, std::to_string(args.size()));
  if (context_.inside_test && args.size() == 1 && one_of(callee, {"min", "max"}))
    d.hint("of a whole run it is `" + callee + "_over(...)`");
  return false;
}

Value Functions::call(const std::string& callee, const Args& args, Span span) {
  for (const NumberFunction& f : kNumberFunctions)
    if (f.arity == 1 && callee == f.name) return of_number(f.op, callee, args, span);
  if (one_of(callee, {"dot", "cross", "norm", "unit", "dist"})) return of_vectors(callee, args, span);
  if (one_of(callee, {"sqrt", "abs", "sign"})) return sqrt_abs_sign(callee, args, span);
  if (callee == "atan2") return atan2(args, span);
  if (one_of(callee, {"min", "max"})) return min_max(callee, args, span);
  if (one_of(callee, {"perp1", "perp2"})) return perpendicular(callee, args, span);
  if (one_of(callee, {"diag", "rotx", "roty", "rotz", "rot", "transpose"})) return of_matrices(callee, args, span);
  if (one_of(callee, {"initial", "final", "min_over", "max_over"})) {
    if ((context_.inside_test || callee == "initial") && !arity_is(callee, args, 1, 1, span)) return invalid(span);
    return evaluator_.run_values().call(callee, args.empty() ? invalid(span) : args[0], span);
  }
  return invalid(span);  // `table` takes its arguments unevaluated (tables.h)
}

Value Functions::of_number(Op op, const std::string& callee, const Args& args, Span span) {
  const std::string what = "the argument of `" + callee + "`";
  if (!arity_is(callee, args, 1, 1, span) || !expect_scalar(args[0], what)) return invalid(span);
  const std::string help =
      "divide it by what it is measured in, as in `" + callee + "(x/(1 [" + to_text(args[0].type.dimension) + "]))`";
  if (!expect_dimension(args[0], {}, what, help)) return invalid(span);
  context_.angle_written |= op == Op::asin || op == Op::acos || op == Op::atan;
  return scalar(evaluator_.defined().unary(op, args[0].node()), {}, args[0].level, span);
}

Value Functions::sqrt_abs_sign(const std::string& callee, const Args& args, Span span) {
  if (!arity_is(callee, args, 1, 1, span) || !expect_scalar(args[0], "the argument of `" + callee + "`"))
    return invalid(span);
  Value r = computed(args[0], span);
  r.nodes = {evaluator_.defined().unary(callee == "sqrt"  ? Op::sqrt
                                        : callee == "abs" ? Op::abs
                                                          : Op::sign,
                                        args[0].node())};
  if (callee == "sign") r.type = {Shape::scalar, {}, false};
  if (callee == "sqrt") {
    const std::optional<Dimension> d = sema::power(args[0].type.dimension, 1, 2);
    if (!d)
      return mbc::refuse(sink_, Kind::exponent_not_number, args[0].span,
                         "the square root of " + describe(args[0].type.dimension), kExponents);
    r.type.dimension = *d;
  }
  return r;
}

Value Functions::atan2(const Args& args, Span span) {
  if (!arity_is("atan2", args, 2, 2, span) || !expect_scalar(args[0], "the first argument of `atan2`") ||
      !expect_scalar(args[1], "the second argument of `atan2`") ||
      !same_dimension(args[0], args[1], span, "take the angle of"))
    return invalid(span);
  context_.angle_written = true;
  return scalar(evaluator_.defined().binary(Op::atan2, args[0].node(), args[1].node()), {},
                std::max(args[0].level, args[1].level), span);
}

Value Functions::min_max(const std::string& callee, const Args& args, Span span) {
  if (!arity_is(callee, args, 2, 1u << 20, span)) return invalid(span);
  Value r = args[0];
  for (const Value& a : args) {
    if (!expect_scalar(a, "an argument of `" + callee + "`") || !same_dimension(r, a, span, "compare"))
      return invalid(span);
    if (&a == &args[0]) continue;
    r.nodes = {evaluator_.defined().binary(callee == "min" ? Op::min : Op::max, r.node(), a.node())};
    r.level = std::max(r.level, a.level);
    if (r.labels != a.labels) r.labels = nullptr;
    if (r.type.any_dimension) r.type = a.type;
  }
  r.span = span;
  r.declared = {};
  return r;
}

// Returns a unit vector normal to v, from an axis that is far from it; perp2 completes the right-handed triad. The
// choice of the axis changes at directions that models do not use, so that rounding of (0, 0, 1) or (0.8, 0, 0.6)
// causes no jump.
Value Functions::perpendicular(const std::string& callee, const Args& args, Span span) {
  graph::Graph& g = model_.graph;
  if (!arity_is(callee, args, 1, 1, span) || !expect_vector(args[0], "the argument of `" + callee + "`") ||
      !expect_direction(args[0], "the argument of `" + callee + "`"))
    return invalid(span);
  if (model_.space != 3) {
    Value r = args[0];  // the plane has one normal direction
    r.nodes = model_.space == 2 ? Nodes{g.neg(args[0].nodes[1]), args[0].nodes[0]} : r.nodes;
    return call("unit", {r}, span);
  }
  const Value n = call("unit", {args[0]}, span);
  const auto axis = [&](std::size_t k) {
    Value e = n;
    for (std::size_t i = 0; i < 3; ++i) e.nodes[i] = i == k ? g.one() : g.zero();
    return call("cross", {n, e}, span);
  };
  const Value with_x = axis(0), with_y = axis(1);
  const NodeId far_from_x = g.binary(Op::lt, g.mul(n.nodes[0], n.nodes[0]), g.constant(0.63));
  Value p = with_x;
  for (std::size_t i = 0; i < 3; ++i) p.nodes[i] = g.select(far_from_x, with_x.nodes[i], with_y.nodes[i]);
  p = call("unit", {p}, span);
  return callee == "perp1" ? p : call("cross", {n, p}, span);
}

// Returns a vector: given as such, or the position of an entity (dist(bead, cart), dist(ground, p)).
Value Functions::position_of(const Value& v, const std::string& callee) {
  if (std::optional<Value> position = evaluator_.members().position(v)) return std::move(*position);
  if (v.type.shape == Shape::ground) {
    Value r = invalid(v.span);
    r.type = {model_.space == 1 ? Shape::scalar : Shape::vector, {}, true};
    r.nodes.assign(model_.space, model_.graph.zero());
    return r;
  }
  if (v.vector() || (v.scalar() && model_.space == 1)) return v;
  hint_parts(sink_.report(Kind::wrong_shape, v.span, "an argument of `" + callee + "`",
                          "a place (a vector, particle, body, point or frame)", describe_shape(v)),
             v);
  return invalid(v.span);
}

// Returns the arguments of a function of vectors: vectors, or for `dist` anything with a place. Returns nothing if one
// is neither.
std::optional<Functions::Args> Functions::vectors(const std::string& callee, const Args& args) {
  Args v;
  for (const Value& a : args) {
    if (callee == "dist") {
      v.push_back(position_of(a, callee));
    } else if (!a.vector() && !(a.scalar() && (callee == "norm" || (callee == "cross" && model_.space == 2)))) {
      Diagnostic& d =
          sink_.report(Kind::wrong_shape, a.span, "an argument of `" + callee + "`", "a vector", describe_shape(a));
      hint_parts(d, a);
      return {};
    } else {
      v.push_back(a);
    }
    if (v.back().invalid()) return {};
  }
  return v;
}

Value Functions::of_vectors(const std::string& callee, const Args& args, Span span) {
  const bool two = callee == "dot" || callee == "cross" || callee == "dist";
  if (!arity_is(callee, args, two ? 2 : 1, two ? 2 : 1, span)) return invalid(span);
  const std::optional<Args> given = vectors(callee, args);
  if (!given) return invalid(span);
  const Args& v = *given;
  if (callee == "norm" || callee == "unit") return length_or_unit(callee, v[0], span);
  if (callee == "dot") return dot(v[0], v[1], span);
  if (callee == "cross") return cross(v[0], v[1], span);
  const Value d = evaluator_.operators().add_or_subtract(v[0], v[1], span, false);
  return d.invalid() ? d : call("norm", {d}, span);
}

Value Functions::length_or_unit(const std::string& callee, const Value& v, Span span) {
  graph::Graph& g = model_.graph;
  if (callee == "unit" && !expect_direction(v, "the argument of `unit`")) return invalid(span);
  Value r = computed(v, span);
  const NodeId length = v.scalar() ? g.unary(Op::abs, v.node()) : g.sqrt(g.dot(v.nodes, v.nodes));
  if (callee == "norm") {
    r.type.shape = Shape::scalar;
    r.nodes = {length};
    return r;
  }
  for (NodeId& n : r.nodes) n = g.div(n, length);
  r.type.dimension = {};
  return r;
}

Value Functions::dot(const Value& a, const Value& b, Span span) {
  if (a.nodes.size() != b.nodes.size()) {
    mismatch("multiply", a, b, span);
    return invalid(span);
  }
  Value r =
      scalar(model_.graph.dot(a.nodes, b.nodes), a.type.dimension * b.type.dimension, std::max(a.level, b.level), span);
  r.type.any_dimension = a.type.any_dimension || b.type.any_dimension;
  return r;
}

Value Functions::cross(const Value& a, const Value& b, Span span) {
  graph::Graph& g = model_.graph;
  const auto minor = [&](std::size_t i, std::size_t j) {
    return g.sub(g.mul(a.nodes[i], b.nodes[j]), g.mul(a.nodes[j], b.nodes[i]));
  };
  Value r = computed(a, span);
  r.level = std::max(a.level, b.level);
  r.type.dimension = a.type.dimension * b.type.dimension;
  r.type.any_dimension = a.type.any_dimension || b.type.any_dimension;
  const std::size_t n = a.nodes.size(), m = b.nodes.size();
  if (n == 3 && m == 3) {
    r.nodes = {minor(1, 2), minor(2, 0), minor(0, 1)};
  } else if (n == 2 && m == 2) {
    r.type.shape = Shape::scalar;
    r.nodes = {minor(0, 1)};
  } else if (n == 1 && m == 2) {  // angular velocity of the plane times a vector
    r.type.shape = Shape::vector;
    r.nodes = {g.neg(g.mul(a.node(), b.nodes[1])), g.mul(a.node(), b.nodes[0])};
  } else {
    mismatch("cross", a, b, span)
        .hint("`cross` takes two vectors of 3 components, two of 2, or a number and a vector of 2");
    return invalid(span);
  }
  return r;
}

}  // namespace mbc::sema
