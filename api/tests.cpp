// SPDX-License-Identifier: Apache-2.0
#include "api/tests.h"

#include <cmath>
#include <utility>

#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "base/text.h"

namespace mbc::api {

namespace {

using Relation = sema::Check::Relation;
using runtime::CheckMoment;

std::string shown(double x) { return std::isnan(x) ? "undefined" : text::short_number(x, 12); }

// "0.5 [m]", "(1, 2, 3) [m]"; long vectors are cut
std::string shown(const std::vector<double>& v, const std::string& unit) {
  constexpr std::size_t kShown = 6;
  std::string out = v.size() == 1 ? "" : "(";
  for (std::size_t k = 0; k < v.size() && k < kShown; ++k) out += (k ? ", " : "") + shown(v[k]);
  if (v.size() > kShown) out += ", ... " + std::to_string(v.size()) + " in all";
  return out + (v.size() == 1 ? "" : ")") + unit;
}

std::string sides(const CheckMoment& m, const std::string& unit) {
  if (m.lhs.empty()) return "";
  std::string left = shown(m.lhs, unit), right = shown(m.rhs, unit);
  if (left == right && m.lhs.size() == 1) {  // they differ behind the digits that are shown elsewhere
    left = text::number(m.lhs[0]) + unit;
    right = text::number(m.rhs[0]) + unit;
  }
  return left + " on the left, " + right + " on the right";
}

Diagnostic failure(const sema::Model& model, const sema::Check& check, const runtime::CheckVerdict& verdict) {
  const std::string unit =
      model.has_units && !check.dimension.dimensionless() ? " [" + sema::to_text(check.dimension) + "]" : std::string();
  const CheckMoment &first = *verdict.first, &worst = *verdict.worst;
  Diagnostic d;
  d.kind = Kind::check_failed;
  d.span = check.span;
  d.time = first.time;
  if (check.relation == Relation::equal)
    d.args = {"the sides differ by " + shown(first.excess) + unit + ", " + shown(first.limit) + unit + " is allowed"};
  else if (check.relation == Relation::condition)
    d.args = {"the condition does not hold"};
  else
    d.args = {"the comparison does not hold"};
  if (!first.lhs.empty()) d.notes.push_back(sides(first, unit));
  if (worst.time != first.time && !worst.lhs.empty())
    d.notes.push_back("worst at t = " + text::short_number(worst.time, 10) + ": " + sides(worst, unit));
  if (verdict.looked_at > 1)
    d.notes.push_back(std::to_string(verdict.failed) + " of " + std::to_string(verdict.looked_at) +
                      (check.when == sema::Check::When::event ? " firings fail" : " rows fail"));
  return d;
}

}  // namespace

TestInfo test_info(const Compilation& compilation, const sema::Test& test) {
  Diagnostic place;  // only to have the span in lines and columns
  place.kind = Kind::check_failed;
  place.span = test.span;
  place.args = {""};
  TestInfo out;
  out.title = test.title;
  out.simulation = compilation.model.simulations[test.simulation].name;
  out.place = to_info(place, compilation.sources).place;
  out.checks = test.checks.size();
  return out;
}

runtime::CheckRun check_run(const sema::Model& model, const sema::Test& test, runtime::Equations& equations) {
  // the watched values stand behind the outputs and the values of events
  const auto first = static_cast<std::uint32_t>(model.outputs.size() + model.event_values.size());
  std::vector<runtime::RunValuePlan> values;
  for (std::uint32_t k = 0; k < model.run_values.size(); ++k)
    values.push_back({model.run_values[k].kind, first + model.run_values[k].probe, model.first_run_value() + k});
  std::vector<runtime::CheckPlan> checks;
  for (const sema::Check& c : test.checks)
    checks.push_back({c.when, c.relation, c.row, c.event, first + c.lhs, first + c.rhs, c.width, first + c.limit,
                      first + c.condition});
  return {std::move(values), std::move(checks), equations};
}

std::vector<Diagnostic> failures(const sema::Model& model, const sema::Test& test, const runtime::CheckRun& run) {
  std::vector<Diagnostic> out;
  for (std::size_t k = 0; k < test.checks.size(); ++k) {
    const sema::Check& check = test.checks[k];
    if (run.verdicts()[k].failed > 0) out.push_back(failure(model, check, run.verdicts()[k]));
    const std::string unit = model.has_units ? " [s]" : "";
    if (run.verdicts()[k].looked_at == 0 && check.when == sema::Check::When::event)
      out.push_back({Kind::check_not_made,
                     check.span,
                     {"the event " + quoted(model.events[check.event].name) + " did not fire in this run"},
                     {},
                     {},
                     {},
                     {}});
    else if (run.verdicts()[k].looked_at == 0 && check.when == sema::Check::When::at &&
             check.row != sema::Check::kNoRow)
      out.push_back({Kind::check_not_made,
                     check.span,
                     {"the run ended before t = " + text::short_number(check.time, 10) + unit},
                     {},
                     {},
                     {},
                     {}});
    if (check.row != sema::Check::kNoRow) continue;
    out.push_back({Kind::check_time, check.span, {text::short_number(check.time, 10) + unit}, {}, {}, {}, {}});
  }
  return out;
}

}  // namespace mbc::api
