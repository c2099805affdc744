// SPDX-License-Identifier: Apache-2.0
// The functions of the language: calls of built-in ones and of `def`s.
#include <algorithm>
#include <cmath>

#include "base/diagnostics/render.h"
#include "compiler/sema/evaluate.h"

namespace mbc::sema {

using graph::Op;

namespace {

struct ScalarFunction {
  const char* name;
  Op op;
};
// Argument and result are pure numbers.
constexpr ScalarFunction kNumberFunctions[] = {
    {"sin", Op::sin},     {"cos", Op::cos},     {"tan", Op::tan},     {"asin", Op::asin},
    {"acos", Op::acos},   {"atan", Op::atan},   {"exp", Op::exp},     {"ln", Op::ln},
    {"log", Op::log10},   {"sinh", Op::sinh},   {"cosh", Op::cosh},   {"tanh", Op::tanh},
    {"asinh", Op::asinh}, {"acosh", Op::acosh}, {"atanh", Op::atanh}, {"floor", Op::floor},
};

constexpr std::size_t kMaxCallDepth = 64;  // nested user functions

std::string counted_arguments(std::size_t n) { return n == 0 ? "no arguments" : counted(n, "argument"); }

// For a hint: "the arguments are `a`, `b`"
std::string arguments_of(const std::vector<ast::Parameter>& parameters) {
  if (parameters.empty()) return "";
  constexpr std::size_t kShown = 8;
  std::string list;
  for (std::size_t k = 0; k < parameters.size() && k < kShown; ++k)
    list += (k ? ", `" : "`") + printable(parameters[k].name) + "`";
  return std::string(parameters.size() == 1 ? "the argument is " : "the arguments are ") + list +
         (parameters.size() > kShown ? ", ..." : "");
}

}  // namespace

const std::vector<std::string>& builtin_functions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const ScalarFunction& f : kNumberFunctions) list.emplace_back(f.name);
    for (const char* f : {"atan2", "sqrt", "abs",       "sign",     "min",      "max",     "dot",  "cross", "norm",
                          "unit",  "dist", "perp1",     "perp2",    "sum",      "table",   "diag", "rotx",  "roty",
                          "rotz",  "rot",  "transpose", "min_over", "max_over", "initial", "final"})
      list.emplace_back(f);
    return list;
  }();
  return names;
}

bool Evaluator::arity_is(const std::string& callee, const Args& args, std::size_t low, std::size_t high, Span span) {
  if (args.size() >= low && args.size() <= high) return true;
  const std::string wanted = high > 1000 ? "at least " + counted_arguments(low) : counted_arguments(low);
  sink_.report(Kind::wrong_arity, span, callee, wanted, std::to_string(args.size()));
  return false;
}

Value Evaluator::call(const ast::Call& c, Span span, const Scope& scope) {
  if (const auto* member = std::get_if<ast::Member>(&c.callee->node)) {
    return member_call(*member, c, span, scope);
  }
  const auto* callee = std::get_if<ast::Name>(&c.callee->node);
  if (!callee) {
    sink_.report(Kind::not_callable, c.callee->span, std::string("what stands before the parenthesis"));
    return invalid(span);
  }
  if (const Scope::Found found = scope.find(callee->text); found.symbol || found.number) {
    if (found.symbol && found.symbol->function) return call_user(*found.symbol, callee->text, c, span, scope);
    Diagnostic& d = sink_.report(Kind::not_callable, c.callee->span, printable(callee->text));
    d.label(found.span, "declared here");
    if (found.symbol && found.symbol->component)
      d.hint("an instance is declared: `" + printable(callee->text) + " a(...)`, not called");
    if (found.symbol && found.symbol->elements)
      d.hint("an element is written with brackets: `" + printable(callee->text) + "[1]`");
    return invalid(span);
  }
  const auto& builtins = builtin_functions();
  if (std::find(builtins.begin(), builtins.end(), callee->text) == builtins.end()) {
    for (const char* value : {"t", "pi", "ex", "ey", "ez", "ground", "energy", "momentum", "residuals"})
      if (callee->text == value) {
        sink_.report(Kind::not_callable, c.callee->span, printable(callee->text));
        return invalid(span);
      }
    return unknown_name(callee->text, c.callee->span, scope);
  }
  Args args;
  bool broken = false;
  for (const ast::Argument& a : c.args) {
    if (!a.name.empty()) {
      sink_.report(Kind::unknown_argument, a.name_span, callee->text, printable(a.name))
          .hint("built-in functions take their arguments by position");
      return invalid(span);
    }
    args.push_back(evaluate(*a.value, scope));
    broken |= args.back().invalid();
  }
  return broken ? invalid(span) : call_builtin(callee->text, args, span);
}

// A `def` is generic: its body is evaluated with the arguments' values in place of its parameters, so shapes and
// dimensions are checked at each call.
Value Evaluator::call_user(const Symbol& symbol, const std::string& callee, const ast::Call& c, Span span,
                           const Scope& scope) {
  const ast::Def& def = *symbol.function;
  if (std::find(calls_.begin(), calls_.end(), &def) != calls_.end()) return invalid(span);  // said by report_cycle()
  if (calls_.size() >= kMaxCallDepth) {
    sink_.report(Kind::calls_too_deep, span, std::to_string(kMaxCallDepth));
    return invalid(span);
  }
  if (too_large("this call", span, 1)) return invalid(span);
  Scope inner(symbol.home ? symbol.home : &scope);  // names of the body are those where the `def` stands
  if (!bind_arguments(symbol, callee, c, span, scope, inner)) return invalid(span);
  calls_.push_back(&def);
  const bool outermost = calls_.size() == 1;
  std::optional<Label> outer;
  if (outermost) outer = sink_.set_context(Label{span, "called here"});
  Value v = evaluate(*def.body, inner);
  if (outermost) sink_.set_context(std::move(outer));
  calls_.pop_back();
  v.declared = {};
  return v;
}

// Arguments by position, then by name, then the defaults.
std::optional<std::vector<const ast::Expr*>> Evaluator::match_arguments(const std::vector<ast::Parameter>& parameters,
                                                                        const std::string& callee,
                                                                        const std::vector<ast::Argument>& args,
                                                                        Span span, Span declared) {
  const std::size_t n = parameters.size();
  const auto required = static_cast<std::size_t>(
      std::count_if(parameters.begin(), parameters.end(), [](const ast::Parameter& p) { return !p.default_value; }));
  const auto wrong_number = [&] {
    const std::string wanted =
        required < n ? std::to_string(required) + " to " + counted_arguments(n) : counted_arguments(n);
    sink_.report(Kind::wrong_arity, span, printable(callee), wanted, std::to_string(args.size()))
        .label(declared, "declared here")
        .hint(arguments_of(parameters));
    return std::nullopt;
  };
  std::vector<const ast::Expr*> given(n, nullptr);
  std::size_t position = 0;
  for (const ast::Argument& a : args) {
    std::size_t k = position++;
    if (!a.name.empty()) {
      k = 0;
      while (k < n && parameters[k].name != a.name) ++k;
      if (k == n) {
        std::vector<std::string> known;
        for (const ast::Parameter& p : parameters) known.push_back(p.name);
        Diagnostic& d = sink_.report(Kind::unknown_argument, a.name_span, printable(callee), printable(a.name))
                            .label(declared, "declared here");
        if (const std::string near = nearest(a.name, known); !near.empty()) d.hint("did you mean `" + near + "`?");
        if (d.help.empty()) d.hint(arguments_of(parameters));
        return {};
      }
    }
    if (k >= n) return wrong_number();
    if (given[k]) {
      sink_.report(Kind::duplicate_argument, a.name_span, printable(callee), printable(a.name))
          .label(given[k]->span, "the first");
      return {};
    }
    given[k] = a.value.get();
  }
  for (std::size_t k = 0; k < n; ++k)
    if (!given[k] && !parameters[k].default_value) {
      if (args.size() < required && std::all_of(args.begin(), args.end(), [](const auto& a) { return a.name.empty(); }))
        return wrong_number();
      sink_.report(Kind::missing_argument, span, printable(callee), printable(parameters[k].name))
          .label(declared, "declared here");
      return {};
    }
  return given;
}

// Defaults are expressions of the place where the `def` stands.
bool Evaluator::bind_arguments(const Symbol& symbol, const std::string& callee, const ast::Call& c, Span span,
                               const Scope& scope, Scope& inner) {
  const std::vector<ast::Parameter>& parameters = symbol.function->parameters;
  const auto given = match_arguments(parameters, callee, c.args, span, symbol.span);
  if (!given) return false;
  bool good = true;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const ast::Parameter& p = parameters[k];
    Symbol bound;
    bound.value =
        (*given)[k] ? evaluate(*(*given)[k], scope) : evaluate(*p.default_value, symbol.home ? *symbol.home : scope);
    if (!p.type.empty() && !bound.value.invalid())
      bound.value = converted(bound.value, p.type,
                              "the argument `" + printable(p.name) + "` of `" + printable(callee) + "`", p.type_span);
    bound.span = p.span;
    good &= !bound.value.invalid();
    inner.add(p.name, std::move(bound));
  }
  return good;
}

Value Evaluator::dimensionless_function(Op op, const std::string& callee, const Args& args, Span span) {
  if (!arity_is(callee, args, 1, 1, span) || !expect_scalar(args[0], "the argument of `" + callee + "`") ||
      !expect_dimension(args[0], {}, "the argument of `" + callee + "`"))
    return invalid(span);
  return scalar(model_.graph.unary(op, args[0].node()), {}, args[0].level, span);
}

// A vector: given as such, or the position of an entity (dist(bead, cart), dist(ground, p)).
Value Evaluator::position_of(const Value& v, const std::string& callee) {
  if (v.type.shape == Shape::particle) return particle_member(v, "pos", v.span, v.span);
  if (v.type.shape == Shape::body) return body_member(v, "pos", v.span, v.span);
  if (v.type.shape == Shape::point) return point_member(v, "pos", v.span, v.span);
  if (v.type.shape == Shape::frame) return frame_member(v, "pos", v.span, v.span);
  if (v.type.shape == Shape::ground) {
    Value r = invalid(v.span);
    r.type = {model_.space == 1 ? Shape::scalar : Shape::vector, {}, true};
    r.nodes.assign(model_.space, model_.graph.zero());
    return r;
  }
  if (v.vector() || (v.scalar() && model_.space == 1)) return v;
  hint_parts(sink_.report(Kind::wrong_shape, v.span, "an argument of `" + callee + "`",
                          std::string("a place (a vector, particle, body, point or frame)"), describe_shape(v)),
             v);
  return invalid(v.span);
}

Value Evaluator::vector_function(const std::string& callee, const Args& args, Span span) {
  graph::Graph& g = model_.graph;
  const bool two = callee == "dot" || callee == "cross" || callee == "dist";
  if (!arity_is(callee, args, two ? 2 : 1, two ? 2 : 1, span)) return invalid(span);
  Args v;
  for (const Value& a : args) {
    if (callee == "dist") {
      v.push_back(position_of(a, callee));
    } else if (!a.vector() && !(a.scalar() && (callee == "norm" || (callee == "cross" && model_.space == 2)))) {
      Diagnostic& d = sink_.report(Kind::wrong_shape, a.span, "an argument of `" + callee + "`",
                                   std::string("a vector"), describe_shape(a));
      hint_parts(d, a);
      return invalid(span);
    } else {
      v.push_back(a);
    }
    if (v.back().invalid()) return invalid(span);
  }
  Value r = v[0];
  r.span = span;
  r.declared = {};
  if (two) r.level = std::max(v[0].level, v[1].level);
  if (callee == "unit" && !expect_direction(v[0], "the argument of `unit`")) return invalid(span);
  if (callee == "norm" || callee == "unit") {
    const NodeId length = v[0].scalar() ? g.unary(Op::abs, v[0].node()) : g.sqrt(g.dot(v[0].nodes, v[0].nodes));
    if (callee == "norm") {
      r.type.shape = Shape::scalar;
      r.nodes = {length};
      return r;
    }
    for (NodeId& n : r.nodes) n = g.div(n, length);
    r.type.dimension = {};
    return r;
  }
  if (callee == "dist") {
    const Value d = subtract_values(v[0], v[1], span, false);
    return d.invalid() ? d : call_builtin("norm", {d}, span);
  }
  if (callee == "dot") {
    if (v[0].nodes.size() != v[1].nodes.size()) {
      mismatch("multiply", v[0], v[1], span);
      return invalid(span);
    }
    r.type = {Shape::scalar, v[0].type.dimension * v[1].type.dimension,
              v[0].type.any_dimension || v[1].type.any_dimension};
    r.nodes = {g.dot(v[0].nodes, v[1].nodes)};
    return r;
  }
  if (callee == "cross") {
    const auto minor = [&](std::size_t i, std::size_t j) {
      return g.sub(g.mul(v[0].nodes[i], v[1].nodes[j]), g.mul(v[0].nodes[j], v[1].nodes[i]));
    };
    r.type.dimension = v[0].type.dimension * v[1].type.dimension;
    r.type.any_dimension = v[0].type.any_dimension || v[1].type.any_dimension;
    const std::size_t n = v[0].nodes.size(), m = v[1].nodes.size();
    if (n == 3 && m == 3) {
      r.nodes = {minor(1, 2), minor(2, 0), minor(0, 1)};
    } else if (n == 2 && m == 2) {
      r.type.shape = Shape::scalar;
      r.nodes = {minor(0, 1)};
    } else if (n == 1 && m == 2) {  // angular velocity of the plane times a vector
      r.type.shape = Shape::vector;
      r.nodes = {g.neg(g.mul(v[0].node(), v[1].nodes[1])), g.mul(v[0].node(), v[1].nodes[0])};
    } else {
      mismatch("cross", v[0], v[1], span)
          .hint("`cross` takes two vectors of 3 components, two of 2, or a number and a vector of 2");
      return invalid(span);
    }
    return r;
  }
  return call_builtin(callee, args, span);
}

Value Evaluator::call_builtin(const std::string& callee, const Args& args, Span span) {
  graph::Graph& g = model_.graph;
  for (const ScalarFunction& f : kNumberFunctions)
    if (callee == f.name) return dimensionless_function(f.op, callee, args, span);
  for (const char* f : {"dot", "cross", "norm", "unit", "dist"})
    if (callee == f) return vector_function(callee, args, span);
  if (callee == "sqrt" || callee == "abs" || callee == "sign") {
    if (!arity_is(callee, args, 1, 1, span) || !expect_scalar(args[0], "the argument of `" + callee + "`"))
      return invalid(span);
    Value r = args[0];
    r.span = span;
    r.declared = {};
    r.nodes = {g.unary(callee == "sqrt" ? Op::sqrt : callee == "abs" ? Op::abs : Op::sign, args[0].node())};
    if (callee == "sign") r.type = {Shape::scalar, {}, false};
    if (callee == "sqrt") {
      const std::optional<Dimension> d = sema::power(args[0].type.dimension, 1, 2);
      if (!d) {
        sink_.report(Kind::exponent_not_number, args[0].span, "the square root of " + describe(args[0].type.dimension),
                     std::string(kExponents));
        return invalid(span);
      }
      r.type.dimension = *d;
    }
    return r;
  }
  if (callee == "atan2") {
    if (!arity_is(callee, args, 2, 2, span) || !expect_scalar(args[0], "the first argument of `atan2`") ||
        !expect_scalar(args[1], "the second argument of `atan2`") ||
        !same_dimension(args[0], args[1], span, "take the angle of"))
      return invalid(span);
    return scalar(g.binary(Op::atan2, args[0].node(), args[1].node()), {}, std::max(args[0].level, args[1].level),
                  span);
  }
  if (callee == "min" || callee == "max") {
    if (!arity_is(callee, args, 2, 1u << 20, span)) return invalid(span);
    Value r = args[0];
    for (const Value& a : args) {
      if (!expect_scalar(a, "an argument of `" + callee + "`") || !same_dimension(r, a, span, "compare"))
        return invalid(span);
      if (&a == &args[0]) continue;
      r.nodes = {g.binary(callee == "min" ? Op::min : Op::max, r.node(), a.node())};
      r.level = std::max(r.level, a.level);
      if (r.type.any_dimension) r.type = a.type;
    }
    r.span = span;
    r.declared = {};
    return r;
  }
  if (callee == "perp1" || callee == "perp2") {
    // A unit vector normal to v, from the axis that is furthest from it; perp2 completes the right-handed triad.
    if (!arity_is(callee, args, 1, 1, span) || !expect_vector(args[0], "the argument of `" + callee + "`") ||
        !expect_direction(args[0], "the argument of `" + callee + "`"))
      return invalid(span);
    if (model_.space != 3) {
      Value r = args[0];  // the plane has one normal direction
      r.nodes = model_.space == 2 ? std::vector<NodeId>{g.neg(args[0].nodes[1]), args[0].nodes[0]} : r.nodes;
      return call_builtin("unit", {r}, span);
    }
    const Value n = call_builtin("unit", {args[0]}, span);
    const auto axis = [&](std::size_t k) {
      Value e = n;
      for (std::size_t i = 0; i < 3; ++i) e.nodes[i] = i == k ? g.one() : g.zero();
      return call_builtin("cross", {n, e}, span);
    };
    const Value with_x = axis(0), with_y = axis(1);
    const NodeId far_from_x = g.binary(Op::lt, g.unary(Op::abs, n.nodes[0]), g.constant(0.8));
    Value p = with_x;
    for (std::size_t i = 0; i < 3; ++i) p.nodes[i] = g.select(far_from_x, with_x.nodes[i], with_y.nodes[i]);
    p = call_builtin("unit", {p}, span);
    return callee == "perp1" ? p : call_builtin("cross", {n, p}, span);
  }
  for (const char* known : {"diag", "rotx", "roty", "rotz", "rot", "transpose"})
    if (callee == known) return matrix_function(callee, args, span);
  for (const char* known : {"initial", "final", "min_over", "max_over"})
    if (callee == known) return run_value(callee, args, span);
  return refuse_not_built("the function `" + callee + "`", span);
}

}  // namespace mbc::sema
