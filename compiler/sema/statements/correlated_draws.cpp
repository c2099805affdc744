// SPDX-License-Identifier: Apache-2.0
// Correlations of what a sweep draws: `correlation = ((m, k), ((1, 0.5), (0.5, 1)))`.
#include <algorithm>
#include <cmath>

#include "base/correlation.h"
#include "base/text.h"
#include "compiler/sema/statements/varied_quantities.h"

namespace mbc::sema {

namespace {

constexpr const char* kCorrelation =
    "write the names and the matrix: `correlation = ((m, k), ((1, 0.5), (0.5, 1)))`, with a row for each name";

const ast::Tuple* tuple_of(const ast::Expr& e, std::size_t size) {
  const auto* tuple = std::get_if<ast::Tuple>(&e.node);
  return tuple && tuple->elements.size() == size ? tuple : nullptr;
}

}  // namespace

Refusal VariedQuantities::refuse_correlation(const ast::Expr& at, const std::string& why) {
  return mbc::refuse(sink_, Kind::sweep_range, at.span, "correlation", why);
}

bool VariedQuantities::correlate(Sweep& sweep) {
  if (!correlation_) return true;
  const ast::Expr& written = *correlation_->value;
  const ast::Tuple* both = tuple_of(written, 2);
  if (!both) return refuse_correlation(written, "these are not names and a matrix").hint(kCorrelation);
  const std::optional<std::vector<std::uint32_t>> at = correlated(*both->elements[0], sweep);
  if (!at) return false;
  const ast::Expr& matrix = *both->elements[1];
  const ast::Tuple* rows = tuple_of(matrix, at->size());
  if (!rows) return refuse_correlation(matrix, "it has " + counted(at->size(), "row") + ", one for each name");
  std::vector<std::vector<double>> entries;
  for (const ast::ExprPtr& row : rows->elements) {
    const ast::Tuple* columns = tuple_of(*row, at->size());
    if (!columns) return refuse_correlation(*row, "a row has " + counted(at->size(), "number") + ", one for each name");
    entries.emplace_back();
    for (const ast::ExprPtr& entry : columns->elements) {
      const std::optional<double> x = coefficient(*entry);
      if (!x) return false;
      entries.back().push_back(*x);
    }
  }
  const CorrelationFactor factor = factor_of_correlation(entries);
  if (!factor.why.empty())
    return refuse_correlation(*tuple_of(*rows->elements[factor.row], at->size())->elements[factor.column], factor.why);
  for (std::size_t i = 0; i < at->size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const Varied& of = sweep.varied[(*at)[j]];
      if (factor.rows[i][j] != 0)
        sweep.varied[(*at)[i]].parts.push_back({of.name, of.dimension_of_sample, factor.rows[i][j]});
    }
  return true;
}

// Returns the places in the sweep of the quantities that are named.
std::optional<std::vector<std::uint32_t>> VariedQuantities::correlated(const ast::Expr& names, const Sweep& sweep) {
  const auto* tuple = std::get_if<ast::Tuple>(&names.node);
  if (!tuple || tuple->elements.size() < 2) return refuse_correlation(names, "two names or more").hint(kCorrelation);
  std::vector<std::uint32_t> out;
  for (const ast::ExprPtr& e : tuple->elements) {
    std::string name = one_line(sources_.text(e->span));
    std::erase(name, ' ');
    const auto found = std::ranges::find(sweep.varied, name, &Varied::name);
    if (found == sweep.varied.end() || !found->drawn)
      return refuse_correlation(*e, quoted(name) + " is not drawn").hint("what is drawn is written with `~`");
    if (found->drawn->kind != Distribution::Kind::normal || found->drawn->cut)
      return refuse_correlation(*e, quoted(name) + " is not drawn from `normal(mean, deviation)` without bounds");
    const auto index = static_cast<std::uint32_t>(found - sweep.varied.begin());
    if (std::ranges::count(out, index) > 0) return refuse_correlation(*e, quoted(name) + " is named twice");
    out.push_back(index);
  }
  return out;
}

std::optional<double> VariedQuantities::coefficient(const ast::Expr& e) {
  const Value v = evaluator_.evaluate(e, *text_.scope);
  const std::string what = "a correlation";
  if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_constant(v, what) ||
      !evaluator_.expect_dimension(v, {}, what))
    return {};
  numbers_.push_back({v.node(), v.span, "correlation"});
  return constant_values(model_, {v.node()}, parameter_values(model_))[0];
}

}  // namespace mbc::sema
