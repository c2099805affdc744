// SPDX-License-Identifier: Apache-2.0
// Values that a sweep draws: `m ~ normal(2, 0.1) [kg]`, with `members = 1000`, `points = sobol` and `seed = 7`.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/joined.h"
#include "base/text.h"
#include "compiler/sema/statements/varied_quantities.h"

namespace mbc::sema {

namespace {

constexpr const char* kDistributions =
    "a distribution is `normal(mean, deviation)` or `lognormal(median, deviation of the logarithm)`, with two bounds "
    "behind these or none, `uniform(low, high)`, `triangular(low, mode, high)` or "
    "`values((1, 2, 3), (0.2, 0.3, 0.5))`, with a unit behind it";

struct NamedPoints {
  const char* name;
  Points points;
};
constexpr std::array<NamedPoints, 4> kPoints{
    {{"random", Points::random}, {"latin", Points::latin}, {"sobol", Points::sobol}, {"halton", Points::halton}}};

std::vector<std::string> names_of_points() {
  std::vector<std::string> out;
  for (const NamedPoints& p : kPoints) out.emplace_back(p.name);
  return out;
}

// Returns how many arguments a distribution takes without bounds.
std::size_t arity(Distribution::Kind kind) { return kind == Distribution::Kind::triangular ? 3 : 2; }

bool has_bounds(Distribution::Kind kind) {
  return kind == Distribution::Kind::normal || kind == Distribution::Kind::lognormal;
}

}  // namespace

const char* points_text(Points points) {
  return std::find_if(kPoints.begin(), kPoints.end(), [&](const NamedPoints& p) { return p.points == points; })->name;
}

bool sets_draws(std::string_view key) {
  return key == "members" || key == "points" || key == "seed" || key == "correlation";
}

bool VariedQuantities::is_of_sample(const ast::Setting& setting) const {
  if (setting.drawn || !sets_draws(setting.key)) return false;
  const auto has_its_name = [&](const auto& declared) { return declared.name == setting.key; };
  return std::none_of(model_.params.begin(), model_.params.end(), has_its_name) &&
         std::none_of(model_.inputs.begin(), model_.inputs.end(), has_its_name);
}

bool VariedQuantities::read_sample() {
  const ast::Setting *drawn = nullptr, *of_sample = nullptr;
  for (const auto& [setting, outside] : text_.settings) {
    if (setting->drawn && !drawn) drawn = setting;
    if (!is_of_sample(*setting)) continue;
    if (list_of_members(*setting)) {
      list_ = setting;
      continue;
    }
    if (setting->key == "correlation")
      correlation_ = setting;
    else if (!read_sample(*setting))
      return false;
    of_sample = setting;
  }
  if (!drawn && of_sample)
    return mbc::refuse(sink_, Kind::sweep_range, of_sample->key_span, printable(of_sample->key), "nothing is drawn")
        .hint("what is drawn is written with `~`: `m ~ normal(2, 0.1) [kg]`");
  if (drawn && list_)
    return mbc::refuse(sink_, Kind::sweep_range, drawn->key_span, printable(drawn->key),
                       "draws stand in no list of members")
        .hint("a column of the file has its values, or `members` is the number of draws");
  if (drawn && sample_.count == 0)
    return mbc::refuse(sink_, Kind::sweep_range, drawn->key_span, printable(drawn->key),
                       "nothing says how many are drawn")
        .hint("add for example `members = 1000`");
  return true;
}

bool VariedQuantities::read_sample(const ast::Setting& setting) {
  const auto unfit = [&](const std::string& why) {
    return mbc::refuse(sink_, Kind::sweep_range, setting.value ? setting.value->span : setting.key_span,
                       printable(setting.key), why);
  };
  if (!setting.value) return unfit("there is none");
  if (setting.key == "points") {
    const auto* name = std::get_if<ast::Name>(&setting.value->node);
    for (const NamedPoints& p : kPoints)
      if (name && name->text == p.name) {
        sample_.points = p.points;
        return true;
      }
    return unfit("they are " + joined_by(names_of_points(), [](const std::string& n) { return quoted(n); }))
        .hint(name ? did_you_mean(name->text, names_of_points()) : "");
  }
  if (std::holds_alternative<ast::Range>(setting.value->node)) return unfit("it is one whole number");
  const Value v = evaluator_.evaluate(*setting.value, *text_.scope);
  if (v.invalid()) return false;
  const std::optional<double> n = evaluator_.number(v);
  const bool is_seed = setting.key == "seed";
  const double least = is_seed ? 0 : 1, most = is_seed ? 0x1p53 : 1e15;
  if (!n || !v.type.dimension.dimensionless() || *n != std::floor(*n) || *n < least || *n > most)
    return unfit(is_seed ? "it is a whole number from 0 on" : "it is a whole number above 0");
  (is_seed ? sample_.seed : sample_.count) = static_cast<std::uint64_t>(*n);
  return true;
}

bool VariedQuantities::draws(const ast::Setting& setting, bool outside, const Sweep& sweep, Varied& out) {
  if (out.shapes)
    return refuse_to_vary(setting, "it shapes the model, which would be compiled for every draw",
                          "give its values as a list: `" + printable(out.name) + " = (1, 2, 3)`");
  for (std::uint32_t k = 0; k < sweep.varied.size(); ++k) {
    if (!sweep.varied[k].drawn) continue;
    if (!out.joined) out.joined = k;
    ++out.dimension_of_sample;
  }
  if (out.dimension_of_sample >= most_dimensions(sample_.points))
    return mbc::refuse(sink_, Kind::sweep_range, setting.key_span, printable(out.name),
                       std::string("`points = ") + points_text(sample_.points) + "` draws at most " +
                           std::to_string(most_dimensions(sample_.points)) + " quantities")
        .hint("`random` and `latin` draw any number");
  out.sample = sample_;
  out.count = sample_.count;
  out.drawn_text = one_line(sources_.text(setting.value->span));
  out.drawn = distribution(*setting.value, outside, out);
  return out.drawn.has_value();
}

std::optional<Distribution> VariedQuantities::distribution(const ast::Expr& written, bool outside, Varied& of) {
  const auto* measured = std::get_if<ast::Measured>(&written.node);
  const auto* call = std::get_if<ast::Call>(measured ? &measured->value->node : &written.node);
  const auto* callee = call ? std::get_if<ast::Name>(&call->callee->node) : nullptr;
  const Distribution::Kind* kind = callee ? distribution_named(callee->text) : nullptr;
  if (!kind)
    return mbc::refuse(sink_, Kind::sweep_range, written.span, printable(of.name), "this is no distribution")
        .hint(kDistributions);
  DrawnIn in{outside, {}};
  if (measured) {
    in.unit = unit_value(measured->unit, sink_);
    if (!in.unit) return {};
  }
  Distribution out;
  out.kind = *kind;
  const bool read = *kind == Distribution::Kind::values ? listed_values(*call, written.span, in, of, out)
                                                        : arguments(*call, written.span, in, of, out);
  if (!read) return {};
  if (const std::string why = why_impossible(out); !why.empty())
    return mbc::refuse(sink_, Kind::sweep_range, written.span, printable(of.name), why);
  return out;
}

bool VariedQuantities::wrong_arguments(const Varied& of, Span span) {
  return mbc::refuse(sink_, Kind::sweep_range, span, printable(of.name),
                     "these are not the arguments of a distribution")
      .hint(kDistributions);
}

bool VariedQuantities::arguments(const ast::Call& call, Span span, const DrawnIn& in, Varied& of, Distribution& out) {
  const std::size_t wanted = arity(out.kind), given = call.args.size();
  out.cut = given == wanted + 2 && has_bounds(out.kind);
  if (given != wanted && !out.cut) return wrong_arguments(of, span);
  for (std::size_t k = 0; k < given; ++k) {
    if (!call.args[k].name.empty()) return wrong_arguments(of, call.args[k].name_span);
    const bool pure = out.kind == Distribution::Kind::lognormal && k == 1;
    const std::optional<double> x =
        pure ? pure_number(*call.args[k].value, of) : drawn_number(*call.args[k].value, in, of);
    if (!x) return false;
    if (k < wanted)
      out.parameters.push_back(*x);
    else
      (k == wanted ? out.low : out.high) = *x;
  }
  return true;
}

bool VariedQuantities::listed_values(const ast::Call& call, Span span, const DrawnIn& in, Varied& of,
                                     Distribution& out) {
  const auto list = [&](std::size_t k) { return std::get_if<ast::Tuple>(&call.args[k].value->node); };
  if (call.args.size() != 2 || !list(0) || !list(1)) return wrong_arguments(of, span);
  for (const ast::ExprPtr& e : list(0)->elements) {
    const std::optional<double> x = drawn_number(*e, in, of);
    if (!x) return false;
    out.parameters.push_back(*x);
  }
  for (const ast::ExprPtr& e : list(1)->elements) {
    const std::optional<double> weight = pure_number(*e, of);
    if (!weight) return false;
    out.weights.push_back(*weight);
  }
  return true;
}

// Returns a number of the quantity, in the unit behind the distribution if there is one.
std::optional<double> VariedQuantities::drawn_number(const ast::Expr& e, const DrawnIn& in, Varied& of) {
  Value v = evaluator_.evaluate(e, *text_.scope);
  if (in.unit) v = evaluator_.operators().in_unit(std::move(v), *in.unit, e.span);
  return number(std::move(v), in.outside, of);
}

std::optional<double> VariedQuantities::pure_number(const ast::Expr& e, const Varied& of) {
  const Value v = evaluator_.evaluate(e, *text_.scope);
  const std::string what = "an argument of the distribution of " + quoted(of.name);
  if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_constant(v, what) ||
      !evaluator_.expect_dimension(v, {}, what))
    return {};
  numbers_.push_back({v.node(), v.span, of.name});
  return constant_values(model_, {v.node()}, parameter_values(model_))[0];
}

}  // namespace mbc::sema
