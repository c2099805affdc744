// SPDX-License-Identifier: Apache-2.0
// The varied quantities of a sweep and their values.
#include "compiler/sema/statements/varied_quantities.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/numbers.h"
#include "base/settings.h"
#include "base/text.h"
#include "compiler/sema/expressions/operators.h"

namespace mbc::sema {

namespace {

// Returns these parameters and all parameters whose value depends on one of them.
std::set<std::uint32_t> with_dependents(const Model& model, std::set<std::uint32_t> params) {
  for (std::uint32_t k = 0; k < model.params.size(); ++k)  // each is an expression of earlier ones
    for (const Node& n : graph::leaves(model.graph, model.params[k].value))
      if (n.leaf == LeafKind::param && params.contains(n.a)) params.insert(k);
  return params;
}

}  // namespace

bool VariedQuantities::vary(const ast::Setting& setting, bool outside, Sweep& out) {
  std::optional<Varied> made = quantity(setting);
  if (!made || !setting.value || (setting.unit && !show_in_unit(setting, *made))) return false;
  if (!(setting.drawn ? draws(setting, outside, out, *made) : values(setting, outside, *made))) return false;
  out.varied.push_back(std::move(*made));
  return true;
}

std::optional<Varied> VariedQuantities::quantity(const ast::Setting& setting) {
  Varied out;
  any_dimension_ = false;
  unit_.reset();
  out.name = setting.key;
  out.span = setting.key_span;
  std::vector<std::string> known;
  bool found = false;
  for (std::uint32_t k = 0; k < model_.params.size(); ++k) {
    known.push_back(model_.params[k].name);
    if (model_.params[k].name != setting.key) continue;
    found = true;
    out.index = k;
    out.dimension = model_.params[k].dimension;
    any_dimension_ = model_.params[k].any_dimension;
  }
  for (std::uint32_t k = 0; k < model_.inputs.size(); ++k) {
    known.push_back(model_.inputs[k].name);
    if (model_.inputs[k].name != setting.key) continue;
    found = out.input = true;
    out.index = k;
    out.dimension = model_.inputs[k].dimension;
    unit_ = model_.inputs[k].unit;
  }
  if (const auto number = shared_.overrides.numbers().find(setting.key); number != shared_.overrides.numbers().end()) {
    found = out.shapes = true;
    out.dimension = number->second;
  }
  if (!found) return not_varied(setting, known);
  const Overrides& overrides = shared_.overrides;
  out.set = (overrides.has(setting.key) && !overrides.is_of_member(setting.key)) || overrides.sets_start(setting.key);
  return out;
}

Refusal VariedQuantities::refuse_to_vary(const ast::Setting& setting, const std::string& why, const std::string& help) {
  return mbc::refuse(sink_, Kind::vary_unfit, setting.key_span, printable(setting.key), why).hint(help);
}

// Reports why a name that is no parameter or input is not varied; `known` are the parameters and inputs.
std::optional<Varied> VariedQuantities::not_varied(const ast::Setting& setting, const std::vector<std::string>& known) {
  const VariedStart* start = shared_.overrides.start(setting.key);
  if (start && start->reported) return {};
  if (start) return refuse_to_vary(setting, start->why, start->help);
  for (const Name& name : shared_.overrides.structural())
    if (name == setting.key)
      return refuse_to_vary(setting, "it is no number known before the run",
                            "give the instance a number, or vary a `param` that its argument is made of");
  std::vector<std::string> keys = settings::keys();
  const std::vector<std::string>& parts = settings::keys_to_set();
  keys.insert(keys.end(), parts.begin(), parts.end());
  const std::string block = model_.simulations[text_.simulation].name + ".";
  for (const std::string& key : keys)
    if (setting.key == key || setting.key == block + key)
      return refuse_to_vary(setting, "it is a setting of the run", "run `mbc run --set` for each value");
  const Symbol* declared = text_.scope->find(setting.key).symbol;
  const bool refused = declared && !declared->definition && declared->value.invalid();
  if (refused && sink_.has_errors()) return {};  // the mistake, in it or in the value of `--set`, was reported
  if (declared)
    return refuse_to_vary(setting, "it is declared, but not with `param` or `input`", "declare it with `param`");
  std::vector<std::string> names = known;
  names.insert(names.end(), shared_.overrides.structural().begin(), shared_.overrides.structural().end());
  return mbc::refuse(sink_, Kind::vary_unknown, setting.key_span, printable(setting.key))
      .hint(did_you_mean(setting.key, names));
}

// k = 0 .. 90 step 10 in [deg]
bool VariedQuantities::show_in_unit(const ast::Setting& setting, Varied& out) {
  const std::optional<std::pair<double, Dimension>> unit = unit_value(*setting.unit, sink_);
  if (!unit) return false;
  if (!model_.has_units && !unit->second.dimensionless())  // outside only: one in the file gives the model units
    return mbc::refuse(sink_, Kind::sweep_range, setting.unit->span, printable(out.name), "the model has no units");
  const Value one = evaluator_.scalar(model_.graph.one(), unit->second, Level::constant, setting.unit->span);
  if (!fits(one, "the unit of " + quoted(out.name), out)) return false;
  out.unit = text_of_unit(*setting.unit);
  out.factor = unit->first;
  unit_.reset();  // that of an input gives way
  return true;
}

// Returns whether a value is a pure number that `in [deg]` says the unit of.
bool VariedQuantities::in_shown_unit(const Value& v, const Varied& of) const {
  return !of.unit.empty() && v.type.dimension.dimensionless() && !v.angle;
}

bool VariedQuantities::values(const ast::Setting& setting, bool outside, Varied& out) {
  if (const auto* range = std::get_if<ast::Range>(&setting.value->node)) return this->range(*range, outside, out);
  Value v = evaluator_.evaluate(*setting.value, *text_.scope);
  if (!outside) take_in_unit(v);
  const std::string what = "a value of " + quoted(out.name);
  if (!v.vector() && !evaluator_.expect_scalar(v, what)) return false;
  if (!evaluator_.expect_constant(v, what)) return false;
  const bool pure = in_shown_unit(v, out);
  bool bare = outside && v.type.dimension.dimensionless();
  if (!model_.has_units && !v.type.dimension.dimensionless()) {  // outside only: one in the file gives the model units
    return mbc::refuse(sink_, Kind::sweep_range, v.span, printable(out.name), "the model has no units");
  }
  for (NodeId n : v.nodes) bare &= evaluator_.number(evaluator_.scalar(n, {}, Level::constant, v.span)).has_value();
  if (!pure && !bare && !fits(v, what, out)) return false;
  out.list = constant_values(model_, v.nodes, parameter_values(model_));
  if (!pure)
    for (double& x : out.list) x /= out.factor;
  out.count = out.list.size();
  for (std::size_t k = 0; k < v.nodes.size(); ++k) {
    numbers_.push_back({v.nodes[k], v.span, out.name});
    if (std::isfinite(out.list[k])) continue;
    return mbc::refuse(sink_, Kind::sweep_range, v.span, printable(out.name),
                       "value " + std::to_string(k + 1) + " is not finite");
  }
  return true;
}

// Takes a value in the unit of the input, as an input signal. An angle is a pure number too, but in SI units already.
void VariedQuantities::take_in_unit(Value& v) const {
  if (!unit_ || v.invalid() || !v.type.dimension.dimensionless() || (v.angle && unit_->second.dimensionless())) return;
  for (NodeId& n : v.nodes) n = model_.graph.mul(model_.graph.constant(unit_->first), n);
  v.type.dimension = unit_->second;
}

// The first value that replaces a 0 without a dimension determines the dimension.
bool VariedQuantities::fits(const Value& v, const std::string& what, Varied& of) {
  if (any_dimension_ && !v.type.any_dimension) {
    of.dimension = v.type.dimension;
    any_dimension_ = false;
  }
  return evaluator_.expect_dimension(v, of.dimension, what);
}

std::optional<double> VariedQuantities::number(const ast::Expr& e, bool outside, Varied& of) {
  return number(evaluator_.evaluate(e, *text_.scope), outside, of);
}

std::optional<double> VariedQuantities::number(Value v, bool outside, Varied& of) {
  if (!outside) take_in_unit(v);
  const std::string what =
      (of.drawn_text.empty() ? "the range of " : "an argument of the distribution of ") + quoted(of.name);
  if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_constant(v, what)) return {};
  if (!model_.has_units && !v.type.dimension.dimensionless())
    return mbc::refuse(sink_, Kind::sweep_range, v.span, printable(of.name), "the model has no units");
  const bool pure = in_shown_unit(v, of);
  const bool bare = outside && v.type.dimension.dimensionless() && evaluator_.number(v).has_value();
  if (!pure && !bare && !fits(v, what, of)) return {};
  numbers_.push_back({v.node(), v.span, of.name});
  const double x = constant_values(model_, {v.node()}, parameter_values(model_))[0] / (pure ? 1 : of.factor);
  if (std::isfinite(x)) return x;
  return mbc::refuse(sink_, Kind::sweep_range, v.span, printable(of.name), "this is not a finite number");
}

Diagnostic& VariedQuantities::bad_range(const Varied& of, Span span, const std::string& why) {
  return sink_.report(Kind::sweep_range, span, printable(of.name), why);
}

// Both ends are values of the range: begin + (end - begin)*k/(n - 1), so that no rounding of a step adds up.
bool VariedQuantities::range(const ast::Range& range, bool outside, Varied& out) {
  if (!range.step && !range.count) {
    bad_range(out, join(range.lo->span, range.hi->span), "a range needs `step` or `count`")
        .hint("write for example `FIRST .. LAST count 11`");
    return false;
  }
  const std::optional<double> lo = number(*range.lo, outside, out);
  const std::optional<double> hi = number(*range.hi, outside, out);
  if (!lo || !hi) return false;
  out.begin = *lo;
  out.end = *hi;
  const std::string ends = shown(*lo) + " .. " + shown(*hi);
  if (range.count) return count_of(range, ends, out);
  const std::optional<double> step = number(*range.step, outside, out);
  return step && count_steps(*step, range.step->span, ends, out);
}

bool VariedQuantities::count_of(const ast::Range& range, const std::string& ends, Varied& out) {
  const Value v = evaluator_.evaluate(*range.count, *text_.scope);
  const std::optional<double> n = evaluator_.number(v);
  if (v.invalid()) return false;
  if (!n || *n != std::floor(*n) || !v.type.dimension.dimensionless() || *n < 1 || (*n == 1 && out.begin != out.end)) {
    bad_range(out, v.span,
              n && *n == 1 ? "one value cannot be both ends of " + ends
                           : std::string("`count` is the number of values, a whole number above 0"));
    return false;
  }
  out.count = static_cast<std::uint64_t>(std::min(*n, 1e15));
  return true;
}

bool VariedQuantities::count_steps(double step, Span span, const std::string& ends, Varied& out) {
  const double length = out.end - out.begin, steps = length / step, whole = std::round(steps);
  if (step == 0) {
    bad_range(out, span, "the step is 0");
  } else if (steps < 0) {
    bad_range(out, span,
              "no value: the step " + shown(step) + " does not lead from " + shown(out.begin) + " to " + shown(out.end))
        .hint("a range downwards has a negative step");
  } else if (std::fabs(steps - whole) > 1e-6) {
    bad_range(out, span,
              ends + " is not a whole number of steps: " + shown(length) + " / " + shown(step) + " = " + shown(steps))
        .hint("`count " + shown(whole + 1) + "` in place of the step divides it evenly");
  } else {
    out.count = static_cast<std::uint64_t>(std::min(whole, 1e15)) + 1;
    return true;
  }
  return false;
}

void VariedQuantities::check_fixed(const Sweep& s) {
  std::set<std::uint32_t> varied;
  for (const Varied& v : s.varied)
    if (!v.input && !v.shapes) varied.insert(v.index);
  varied = with_dependents(model_, std::move(varied));
  for (const RangeNumber& n : numbers_)
    for (const Node& leaf : graph::leaves(model_.graph, n.node)) {
      if (leaf.leaf != LeafKind::param || !varied.contains(leaf.a)) continue;
      sink_.report(Kind::sweep_range, n.span, printable(n.of),
                   "this depends on " + quoted(model_.params[leaf.a].name) + ", which changes from member to member");
      break;
    }
  std::map<std::uint32_t, Span> begun;
  for (const Varied& v : s.varied)
    if (const VariedStart* start = shared_.overrides.start(v.name))
      if (const auto [first, fresh] = begun.try_emplace(start->target.value, v.span); !fresh)
        sink_.report(Kind::duplicate_setting, v.span, printable(v.name)).label(first->second, "first set here");
  const std::vector<std::uint32_t>& of_run = model_.simulations[s.simulation].params;
  for (const Varied& v : s.varied) {
    if (v.input || v.shapes) continue;
    const std::set<std::uint32_t> moved = with_dependents(model_, {v.index});
    for (std::uint32_t p : of_run)
      if (moved.contains(p)) {
        sink_.report(Kind::vary_unfit, v.span, printable(v.name), "the settings of the run depend on it")
            .label(model_.simulations[s.simulation].span, "the run")
            .hint("run `mbc run --set " + printable(v.name) + "=...` for each value");
        break;
      }
  }
}

std::string recorded_name(const std::vector<Varied>& varied, const std::string& expression) {
  const auto has_name = [&](const Varied& v) { return v.name == expression; };
  return std::any_of(varied.begin(), varied.end(), has_name) ? "final(" + expression + ")" : expression;
}

}  // namespace mbc::sema
