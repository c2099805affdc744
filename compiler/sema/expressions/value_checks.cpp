// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/value_checks.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/text.h"
#include "compiler/sema/elaborate.h"

namespace mbc::sema {

std::string describe_shape(Shape shape) {
  constexpr const char* words[] = {
#define MBC_SHAPE(name, words) words,
#include "compiler/sema/shapes.def"
  };
  return words[static_cast<std::size_t>(shape)];
}

std::string describe_shape(const Value& v) {
  if (v.type.shape == Shape::instance && v.members)
    return "an instance of `" + printable(v.members->instance->of) + "`";
  if (v.type.shape == Shape::array && v.elements) return "the array `" + printable(v.elements->name) + "`";
  return describe_shape(v.type.shape);
}

Diagnostic& ValueChecks::hint_parts(Diagnostic& d, const Value& v) {
  if (v.type.shape == Shape::particle) d.hint("its position is `.pos`, its velocity `.vel`");
  if (v.type.shape == Shape::body) d.hint("its position is `.pos`, its rotation `.rot`, its angular velocity `.omega`");
  if (v.type.shape == Shape::point || v.type.shape == Shape::frame) d.hint("its position is `.pos`");
  if (v.type.shape == Shape::constraint) d.hint("its parts are `.residual` and `.lambda`");
  if (v.type.shape == Shape::event) d.hint("its parts are `.count` and `.time`");
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
      if (!v.members->find_here(name)->component() && ++shown <= 6) list += " ." + printable(name);
    if (!list.empty()) d.hint("write one of its parts:" + list + (shown > 6 ? " ..." : ""));
  }
  return d;
}

Value ValueChecks::invalid(Span span) {
  Value v;
  v.span = span;
  return v;
}

Value ValueChecks::scalar(NodeId node, Dimension dimension, Level level, Span span) {
  Value v;
  v.type = {Shape::scalar, dimension, false};
  v.nodes = {node};
  v.level = level;
  v.span = span;
  return v;
}

Value ValueChecks::components(const std::vector<NodeId>& nodes, Dimension dimension, Level level, Span span) {
  Value r = scalar({}, dimension, level, span);
  if (nodes.size() > 1) r.type.shape = Shape::vector;
  r.nodes = nodes;
  return r;
}

Value ValueChecks::computed(Value from, Span span) {
  from.span = span;
  from.declared = {};
  from.labels = nullptr;
  return from;
}

bool ValueChecks::expect_scalar(const Value& v, const std::string& what) {
  if (v.invalid()) return false;
  if (v.scalar()) return true;
  hint_parts(sink_.report(Kind::wrong_shape, v.span, what, "a number", describe_shape(v)), v);
  return false;
}

bool ValueChecks::expect_vector(const Value& v, const std::string& what) {
  if (v.invalid()) return false;
  if (context_.any_length && v.numeric()) return false;
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

bool ValueChecks::expect_dimension(const Value& v, const Dimension& wanted, const std::string& what,
                                   const std::string& help) {
  if (v.invalid()) return false;
  if (!model_.has_units || v.type.any_dimension || v.type.dimension == wanted) return true;
  Diagnostic& d = sink_.report(Kind::wrong_dimension, v.span, what, describe(wanted), describe(v.type.dimension));
  if (v.type.dimension.dimensionless())
    d.hint("numbers in a model with units need theirs, for example `[" + to_text(wanted) + "]`");
  else if (!help.empty())
    d.hint(help);
  return false;
}

bool ValueChecks::expect_shown(const Value& v) {
  if (v.invalid() || v.numeric() || v.type.shape == Shape::boolean) return !v.invalid();
  hint_parts(sink_.report(Kind::not_a_value, v.span, describe_shape(v)), v);
  return false;
}

// Reports numbers that are all zero, which have no direction. Values that depend on parameters or move are checked
// during the run.
bool ValueChecks::expect_direction(const Value& v, const std::string& what) {
  if (v.invalid()) return false;
  for (const NodeId n : v.nodes)
    if (!model_.graph.is_constant(n) || model_.graph.constant_value(n) != 0) return true;
  return mbc::refuse(sink_, Kind::no_direction, v.span, what);
}

bool ValueChecks::is_fixed(const Value& v) const {
  return std::ranges::all_of(graph::leaves(model_.graph, v.nodes),
                             [](const Node& n) { return n.leaf == LeafKind::param; });
}

bool ValueChecks::moves_with_model(const Value& v) const {
  return std::ranges::any_of(graph::leaves(model_.graph, v.nodes),
                             [](const Node& n) { return n.leaf != LeafKind::param && n.leaf != LeafKind::time; });
}

bool ValueChecks::expect_constant(const Value& v, const std::string& what, const char* help) {
  if (v.invalid()) return false;
  if (is_fixed(v)) return true;
  Diagnostic& d = sink_.report(Kind::not_constant, v.span, what);
  if (help) d.hint(help);
  return false;
}

std::optional<double> ValueChecks::number(const Value& v) const {
  return v.scalar() ? known_value(v.node()) : std::nullopt;
}

// Returns a value known during elaboration. If the value depends on arguments that are data, these shape the model:
// they are noted, and the elaboration is repeated.
std::optional<double> ValueChecks::known_value(NodeId node) const {
  if (model_.graph.is_constant(node)) return model_.graph.constant_value(node);
  if (std::none_of(model_.params.begin(), model_.params.end(), [](const Param& p) { return p.argument; })) return {};
  const std::vector<Node> leaves = graph::leaves(model_.graph, node);
  const auto argument = [&](const Node& n) { return n.leaf == LeafKind::param && model_.params[n.a].argument; };
  if (leaves.empty() || !std::ranges::all_of(leaves, argument)) return {};
  for (const Node& n : leaves) model_.shaped_by.push_back(model_.params[n.a].name);
  return constant_values(model_, {node}, parameter_values(model_))[0];
}

bool ValueChecks::is_time(const Value& v) const {
  const Node& n = model_.graph.node(v.node());
  return n.op == Op::leaf && n.leaf == LeafKind::time;
}

bool ValueChecks::expect_rotation(const Value& v, const std::string& what) {
  if (v.invalid()) return false;
  if (v.type.shape != Shape::matrix)
    return mbc::refuse(sink_, Kind::wrong_shape, v.span, what,
                       model_.space == 3 ? "a rotation such as `rotz(30 [deg])`" : "a rotation such as `rot(30 [deg])`",
                       describe_shape(v));
  if (!expect_constant(v, what)) return false;
  const std::string why = check_constant_rotation(model_, v.nodes, what, v.span);
  if (why.empty()) return true;
  return mbc::refuse(sink_, Kind::not_a_rotation, v.span, what, why);
}

bool ValueChecks::same_dimension(const Value& a, const Value& b, Span op, const char* verb) {
  if (!model_.has_units || a.type.any_dimension || b.type.any_dimension || a.type.dimension == b.type.dimension)
    return true;
  Diagnostic& d =
      sink_.report(Kind::dimension_mismatch, op, verb, describe(a.type.dimension), describe(b.type.dimension));
  d.label(a.span, describe(a.type.dimension)).label(b.span, describe(b.type.dimension));
  const Dimension quotient = b.type.dimension / a.type.dimension;
  if (quotient == length_dimension())
    d.hint("the right side has a length too many: divide it by one, or multiply the left");
  if (quotient == time_dimension()) d.hint("the right side has a time too many: is a prime missing on the right?");
  if (Dimension{} / quotient == time_dimension())
    d.hint("the left side has a time too many: is a prime missing on the left?");
  return false;
}

// Reports a number that shapes the model but is not known: a parameter of the run, or something that moves.
Diagnostic& ValueChecks::not_known(const Value& v, const std::string& what) {
  if (v.scalar() && graph::leaves(model_.graph, v.nodes).empty())  // not folded: 1/0, ln(-1)
    return sink_.report(Kind::value_not_finite, v.span, what,
                        text::short_number(constant_values(model_, v.nodes, {})[0]));
  Diagnostic& d = sink_.report(Kind::not_known, v.span, what);
  for (const Node& leaf : graph::leaves(model_.graph, v.nodes))
    if (leaf.leaf == LeafKind::param) {
      const std::string& name = model_.params[leaf.a].name;
      d.hint("a parameter that shapes the model is a whole number: `param " + printable(name) + ": int = ...`");
      break;
    }
  return d;
}

// Reports two values of different kinds in one operation: numbers and vectors, vectors of different lengths.
Diagnostic& ValueChecks::mismatch(const char* verb, const Value& a, const Value& b, Span op) {
  const bool lengths = a.vector() && b.vector() && a.nodes.size() != b.nodes.size();
  const bool to_matrix = a.type.shape == Shape::matrix && b.vector();
  const auto what = [&](const Value& v) {
    return (lengths || to_matrix) && v.vector() ? "a vector of " + std::to_string(v.nodes.size()) + " components"
                                                : describe_shape(v);
  };
  Diagnostic& d = sink_.report(Kind::shape_mismatch, op, verb, what(a), what(b));
  d.label(a.span, what(a)).label(b.span, what(b));
  if (a.type.shape == Shape::particle || b.type.shape == Shape::particle)
    d.hint("the position of a particle is `.pos`");
  for (const Value* v : {&a, &b})
    if (v->type.shape == Shape::instance || v->type.shape == Shape::array) hint_parts(d, *v);
  return d;
}

bool Growth::too_large(const Model& model, Sink& sink, const std::string& what, Span span, std::size_t more,
                       std::size_t differentiated) {
  constexpr std::size_t kMaxExpanded = 2'000'000, kMaxOperations = 20'000'000;
  if (expanded_ > kMaxExpanded) return true;
  expanded_ += more;
  differentiated_ += differentiated;
  const bool operations = model.graph.size() > kMaxOperations || differentiated_ > kMaxOperations;
  if (expanded_ <= kMaxExpanded && !operations) return false;
  expanded_ = kMaxExpanded + 1;
  sink.report(Kind::too_large, span, what,
              operations ? "more than 20,000,000 operations" : "more than 2,000,000 terms and calls");
  return true;
}

}  // namespace mbc::sema
