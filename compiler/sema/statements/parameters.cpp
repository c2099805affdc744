// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/parameters.h"

#include "base/text.h"
#include "compiler/sema/expressions/written_unit.h"

namespace mbc::sema {

// `param R = 0.3 [m]` is data of the run. `param n: int = 3` shapes the model and is known during elaboration.
void Parameters::param(const ast::Param& p, const ast::Stmt& s) {
  const bool data = p.type.empty() || p.type == "number" || p.type == "real";
  if (!data && p.type != "int")
    return void(sink_.report(Kind::unknown_type, p.name.span, printable(p.type))
                    .hint("a `param` is a number, or `int` when it shapes the model; a `let` holds anything else"));
  if (!p.value) return refuse("a parameter without a value", p.name.span);
  Value v = value(*p.value);
  const std::string what = "the parameter " + quoted(item_.name());
  if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_constant(v, what)) return;
  const Override* o = shared_.overrides.use(item_.name());
  Param made{item_.name(), v.type.dimension, v.node(), p.name.span, s.doc, false};
  if (o) {
    const std::optional<Value> other = override_value(*o, v.type.dimension, what);
    if (!other) return;
    note_unit(item_.name(), *other, *o->value, written_unit(*p.value));
    made.value = other->node();
    v.angle |= other->angle;
    made.overridden = true;
  }
  if (!data) return structural(p, v, made, o);
  const auto index = static_cast<std::uint32_t>(model_.params.size());
  model_.params.push_back(made);
  Value symbol =
      evaluator_.scalar(model_.graph.leaf(LeafKind::param, index), v.type.dimension, Level::constant, p.name.span);
  symbol.type.any_dimension = false;
  symbol.angle = v.angle;
  set_symbol(p.name, symbol);
}

void Parameters::let(const ast::Let& l) {
  Value v = value(*l.value);
  count_turns(l.name, v);
  set_symbol(l.name, std::move(v));
}

// Adds a parameter that shapes the model: a value, no data of the run.
void Parameters::structural(const ast::Param& p, const Value& written, const Param& made, const Override* o) {
  const std::string what = "the parameter " + quoted(item_.name());
  Value whole =
      evaluator_.scalar(made.value, written.type.dimension, Level::constant, o ? o->value->span : written.span);
  whole = evaluator_.types().converted(whole, "int", what, {});
  if (whole.invalid()) return;
  shared_.overrides.add_structural(item_.name());
  shared_.overrides.add_number(item_.name(), {});
  set_symbol(p.name, whole);
}

void Parameters::bind(const Item& item) {
  const Given& g = *item.given;
  const ast::Parameter& p = *g.parameter;
  Value v = evaluator_.evaluate(*g.argument, *g.argument_scope);
  if (v.invalid()) return;
  const auto what = [&] { return "the argument " + quoted(p.name) + " of " + quoted(item.scope->instance->of); };
  if (g.replaced && p.type != "int" && !as_usual(v, g, item.scope->instance->path() + p.name, what())) return;
  if (p.type == "vector" && v.vector() && v.nodes.size() != model_.space && g.argument == p.default_value.get())
    return void(sink_
                    .report(Kind::wrong_length, item.scope->instance->span, "the default of " + what().substr(4),
                            std::to_string(v.nodes.size()), std::to_string(model_.space))
                    .label(p.default_value->span, "declared here")
                    .hint("give the argument, or use a component that is made for `space " +
                          std::to_string(model_.space) + "`"));
  if (!Types::is_number(v, p.type)) v = evaluator_.types().converted(v, p.type, what(), p.type_span);
  if (v.scalar() && shared_.overrides.any_wanted())
    if (const std::string path = item.scope->instance->path() + p.name; shared_.overrides.is_wanted(path))
      as_data(v, path, p, g.replaced != nullptr);
  item.symbol->value = std::move(v);
}

// require CONDITION: "text". A condition that depends on the motion is not judged.
void Parameters::requirement(const ast::Requirement& r) {
  const Value v = value(*r.condition);
  if (v.invalid()) return;
  if (v.type.shape != Shape::boolean)
    return void(sink_.report(Kind::wrong_shape, v.span, "what is required", "a condition", describe_shape(v)));
  if (!evaluator_.is_fixed(v)) return;
  const Scope::Instance* owner = item_.scope->owner();
  const std::string path = owner ? owner->path() : "";
  model_.requirements.push_back({v.node(),
                                 path.empty() ? r.text : quoted(path.substr(0, path.size() - 1)) + ": " + r.text,
                                 owner ? owner->span : v.span});
}

// Makes a number given to an instance, set or varied from outside, a parameter of the run, unless it shapes the model.
void Parameters::as_data(Value& v, const std::string& path, const ast::Parameter& p, bool overridden) {
  if (p.type == "int" || shared_.overrides.shapes(path)) {
    shared_.overrides.add_number(path, v.type.dimension);
    return;
  }
  if (!evaluator_.is_fixed(v)) return;  // it moves
  const auto index = static_cast<std::uint32_t>(model_.params.size());
  Param made{path, v.type.dimension, v.node(), v.span, "argument `" + printable(p.name) + "`", overridden};
  made.argument = true;
  made.any_dimension = v.type.any_dimension;
  model_.params.push_back(std::move(made));
  v.nodes = {model_.graph.leaf(LeafKind::param, index)};
}

// Checks that a value from outside fits the one it replaces; a bare number is taken in its SI unit.
bool Parameters::as_usual(Value& v, const Given& g, const std::string& path, const std::string& what) {
  const Value usual = evaluator_.evaluate(*g.replaced, *g.replaced_scope);
  if (usual.scalar() && !evaluator_.expect_scalar(v, what)) return false;
  if (usual.vector() && !evaluator_.expect_vector(v, what)) return false;
  const bool bare = v.type.dimension.dimensionless() && v.scalar() && evaluator_.number(v).has_value();
  if (usual.scalar() && bare) {
    note_unit(path, v, *g.argument, written_unit(*g.replaced));
    v.type = usual.type;
  }
  v.angle |= usual.angle;
  return !usual.numeric() || usual.type.any_dimension || evaluator_.expect_dimension(v, usual.type.dimension, what);
}

}  // namespace mbc::sema
