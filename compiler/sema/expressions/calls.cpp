// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/calls.h"

#include <algorithm>

#include "base/text.h"
#include "compiler/sema/expressions/evaluator.h"

namespace mbc::sema {

namespace {

constexpr std::size_t kMaxCallDepth = 64;  // nested user functions

// Returns the hint "the arguments are `a`, `b`".
std::string arguments_of(const std::vector<ast::Parameter>& parameters) {
  if (parameters.empty()) return "";
  constexpr std::size_t kShown = 8;
  std::string list;
  for (std::size_t k = 0; k < parameters.size() && k < kShown; ++k)
    list += (k ? ", `" : "`") + printable(parameters[k].name) + "`";
  return std::string(parameters.size() == 1 ? "the argument is " : "the arguments are ") + list +
         (parameters.size() > kShown ? ", ..." : "");
}

constexpr const char* kMovingPlace =
    "a place that moves in the part is `b.pos + b.rot*(x, 0, 0)`; a load there is a `force` and a `torque`";

}  // namespace

Value Calls::call(const ast::Call& c, Span span, const Scope& scope) {
  if (const auto* member = std::get_if<ast::Member>(&c.callee->node)) return call_member(*member, c, span, scope);
  const auto* callee = std::get_if<ast::Name>(&c.callee->node);
  if (!callee) return mbc::refuse(sink_, Kind::not_callable, c.callee->span, "what stands before the parenthesis");
  const std::string& name = callee->text;
  const auto& functions = Functions::names();
  const bool is_function = std::find(functions.begin(), functions.end(), name) != functions.end();
  if (const Scope::Found found = scope.find(name); !is_function && (found.symbol || found.number)) {
    if (found.symbol && found.symbol->refused) return invalid(span);  // reported at its declaration
    if (found.symbol && found.symbol->function()) return call_user(*found.symbol, name, c, span, scope);
    return not_a_function(found.symbol, name, found.span, c, span);
  }
  if (!is_function) {
    if (!Names::builtin(name))
      return evaluator_.names().unknown(name, c.callee->span, scope,
                                        "a function is declared: `def " + printable(name) + "(x) = ...`");
    return mbc::refuse(sink_, Kind::not_callable, c.callee->span, printable(name));
  }
  if (name == "table") return evaluator_.tables().table(c, span, scope);
  Args args;
  bool broken = false;
  for (const ast::Argument& a : c.args) {
    if (!a.name.empty())
      return mbc::refuse(sink_, Kind::unknown_argument, a.name_span, name, printable(a.name))
          .hint("built-in functions take their arguments by position");
    args.push_back(evaluator_.evaluate(*a.value, scope));
    broken |= args.back().invalid();
  }
  return broken ? invalid(span) : evaluator_.functions().call(name, args, span);
}

// `symbol` is null for the index of a loop.
Value Calls::not_a_function(const Symbol* symbol, const std::string& name, Span declared, const ast::Call& c,
                            Span span) {
  Diagnostic& d = sink_.report(Kind::not_callable, c.callee->span, printable(name));
  d.label(declared, "declared here");
  if (symbol && symbol->component()) d.hint("an instance is declared: `" + printable(name) + " a(...)`, not called");
  if (symbol && symbol->elements) d.hint("an element is written with brackets: `" + printable(name) + "[1]`");
  return invalid(span);
}

// A `def` is generic: its body is evaluated with the arguments' values in place of its parameters, so shapes and
// dimensions are checked at each call.
Value Calls::call_user(const Symbol& symbol, const std::string& callee, const ast::Call& c, Span span,
                       const Scope& scope) {
  const ast::Def& def = *symbol.function();
  if (std::find(calls_.begin(), calls_.end(), &def) != calls_.end()) return invalid(span);  // reported already
  if (calls_.size() >= kMaxCallDepth)
    return mbc::refuse(sink_, Kind::calls_too_deep, span, std::to_string(kMaxCallDepth));
  if (too_large("this call", span, 1)) return invalid(span);
  Scope inner(symbol.home() ? symbol.home() : &scope);  // names of the body are looked up in the scope of the `def`
  if (!bind_arguments(symbol, callee, c, span, scope, inner)) return invalid(span);
  calls_.push_back(&def);
  const bool outermost = calls_.size() == 1;
  std::optional<Label> outer;
  if (outermost) outer = sink_.set_context(Label{span, "called here"});
  Value v = evaluator_.evaluate(*def.body, inner);
  if (outermost) sink_.set_context(std::move(outer));
  calls_.pop_back();
  v.declared = {};
  return v;
}

// Matches arguments by position, then by name, then the defaults.
std::optional<std::vector<const ast::Expr*>> Calls::match_arguments(const std::vector<ast::Parameter>& parameters,
                                                                    const std::string& callee,
                                                                    const std::vector<ast::Argument>& args, Span span,
                                                                    Span declared) {
  const std::size_t n = parameters.size();
  const auto required = static_cast<std::size_t>(
      std::count_if(parameters.begin(), parameters.end(), [](const ast::Parameter& p) { return !p.default_value; }));
  const auto wrong_number = [&] {
    const std::string wanted =
        required < n ? std::to_string(required) + " to " + counted_or_no(n, "argument") : counted_or_no(n, "argument");
    return mbc::refuse(sink_, Kind::wrong_arity, span, printable(callee), wanted, std::to_string(args.size()))
        .label(declared, "declared here")
        .hint(arguments_of(parameters));
  };
  std::vector<const ast::Expr*> given(n, nullptr);
  std::size_t position = 0;
  for (const ast::Argument& a : args) {
    std::size_t k = position++;
    if (!a.name.empty()) {
      const std::optional<std::size_t> known = named_parameter(a, parameters, callee, declared);
      if (!known) return {};
      k = *known;
    }
    if (k >= n) return wrong_number();
    if (given[k])
      return mbc::refuse(sink_, Kind::duplicate_argument, a.name_span, printable(callee), printable(a.name))
          .label(given[k]->span, "the first");
    given[k] = a.value.get();
  }
  for (std::size_t k = 0; k < n; ++k)
    if (!given[k] && !parameters[k].default_value) {
      if (args.size() < required && std::all_of(args.begin(), args.end(), [](const auto& a) { return a.name.empty(); }))
        return wrong_number();
      return mbc::refuse(sink_, Kind::missing_argument, span, printable(callee), printable(parameters[k].name))
          .label(declared, "declared here");
    }
  return given;
}

std::optional<std::size_t> Calls::named_parameter(const ast::Argument& a, const std::vector<ast::Parameter>& parameters,
                                                  const std::string& callee, Span declared) {
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (parameters[k].name == a.name) return k;
  std::vector<std::string> known;
  for (const ast::Parameter& p : parameters) known.push_back(p.name);
  sink_.report(Kind::unknown_argument, a.name_span, printable(callee), printable(a.name))
      .label(declared, "declared here")
      .hint(did_you_mean(a.name, known, arguments_of(parameters)));
  return {};
}

// Binds the arguments. Defaults are evaluated in the scope of the `def`.
bool Calls::bind_arguments(const Symbol& symbol, const std::string& callee, const ast::Call& c, Span span,
                           const Scope& scope, Scope& inner) {
  const std::vector<ast::Parameter>& parameters = symbol.function()->parameters;
  const auto given = match_arguments(parameters, callee, c.args, span, symbol.span);
  if (!given) return false;
  bool good = true;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const ast::Parameter& p = parameters[k];
    Value v = (*given)[k] ? evaluator_.evaluate(*(*given)[k], scope)
                          : evaluator_.evaluate(*p.default_value, symbol.home() ? *symbol.home() : scope);
    if (!p.type.empty() && !v.invalid())
      v = evaluator_.types().converted(
          v, p.type, "the argument `" + printable(p.name) + "` of `" + printable(callee) + "`", p.type_span);
    good &= !v.invalid();
    Symbol bound;
    bound.value = std::move(v);
    bound.span = p.span;
    inner.add(p.name, std::move(bound));
  }
  return good;
}

// chain.f(x), rod.reaction(bead), arm.at(2, 0, 0)
Value Calls::call_member(const ast::Member& callee, const ast::Call& c, Span span, const Scope& scope) {
  const Value object = evaluator_.evaluate(*callee.object, scope);
  if (object.invalid()) return object;
  if (object.type.shape == Shape::instance) {
    const Symbol* inner = object.members->find_here(callee.name);
    if (inner && inner->function())
      return call_user(*inner, object.members->instance->path() + callee.name, c, span, scope);
  }
  if (object.type.shape == Shape::constraint) return evaluator_.reactions().call(object, callee, c, span, scope);
  if (callee.name != "at") {
    const Value part = evaluator_.members().member(callee, span, scope);
    if (!part.invalid()) sink_.report(Kind::not_callable, callee.name_span, printable(callee.name));
    return invalid(span);
  }
  if (object.type.shape != Shape::body && object.type.shape != Shape::frame && object.type.shape != Shape::ground)
    return mbc::refuse(sink_, Kind::wrong_shape, callee.object->span, "what stands before `.at`",
                       "a body, a frame or `ground`", describe_shape(object));
  return frame_at(object, c, span, scope);
}

// arm.at(2, 0, 0), arm.at(r), arm.at(r, rotation): a frame fixed in the body, in its axes
Value Calls::frame_at(const Value& object, const ast::Call& c, Span span, const Scope& scope) {
  std::vector<Value> args;
  for (const ast::Argument& a : c.args) {
    if (!a.name.empty())
      return mbc::refuse(sink_, Kind::unknown_argument, a.name_span, "at", printable(a.name))
          .hint("write `.at(x, y, z)` or `.at(place, rotation)`");
    args.push_back(evaluator_.evaluate(*a.value, scope));
    if (args.back().invalid()) return args.back();
  }
  const std::string what = "the place in `.at`";
  const std::size_t n = model_.space;
  std::vector<NodeId> turn;
  Value place = args.empty() ? invalid(span) : args[0];
  if (args.size() == n && n > 1 && place.scalar()) {
    for (const Value& a : args)
      if (!expect_scalar(a, what) || !expect_constant(a, what, kMovingPlace) ||
          !expect_dimension(a, length_dimension(), what))
        return invalid(span);
    place.type.shape = Shape::vector;
    for (std::size_t k = 1; k < n; ++k) {
      place.nodes.push_back(args[k].node());
      if (place.type.any_dimension) place.type = args[k].type, place.type.shape = Shape::vector;
    }
  } else if (args.size() == 1 || args.size() == 2) {
    if (!expect_vector(place, what) || !expect_constant(place, what, kMovingPlace)) return invalid(span);
    if (args.size() == 2) {
      if (!expect_rotation(args[1], "the rotation in `.at`")) return invalid(span);
      turn = args[1].nodes;
    }
  } else {
    return mbc::refuse(sink_, Kind::wrong_arity, span, "at",
                       "a place, as a vector or " + std::to_string(n) + " numbers, and at most a rotation",
                       std::to_string(args.size()));
  }
  if (!expect_dimension(place, length_dimension(), what)) return invalid(span);
  return evaluator_.types().frame_on(object, place.nodes, turn, "", span);
}

}  // namespace mbc::sema
