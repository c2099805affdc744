// SPDX-License-Identifier: Apache-2.0
#include "api/simulation/tests.h"

#include <cmath>
#include <utility>

#include "api/simulation/simulation_impl.h"
#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "base/text.h"

namespace mbc::api {

namespace {

using Relation = problem::Check::Relation;
using When = problem::Check::When;
using runtime::CheckMoment;

std::string shown(double x) { return std::isnan(x) ? "undefined" : text::short_number(x, 12); }

// Returns "0.5 [m]", "(1, 2, 3) [m]"; long vectors are cut.
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
  if (left == right && m.lhs.size() == 1) {  // they differ only in further digits
    left = text::number(m.lhs[0]) + unit;
    right = text::number(m.rhs[0]) + unit;
  }
  return left + " on the left, " + right + " on the right";
}

Diagnostic failure(const sema::Model& model, const sema::Check& of, const runtime::CheckVerdict& verdict) {
  const problem::Check& check = of.check;
  const std::string unit =
      model.has_units && !of.dimension.dimensionless() ? " [" + sema::to_text(of.dimension) + "]" : std::string();
  const CheckMoment &first = *verdict.first, &worst = *verdict.worst;
  Diagnostic d;
  d.kind = Kind::check_failed;
  d.span = check.span;
  d.time = first.time;
  if (check.relation == Relation::equal && !(std::isfinite(first.limit) && first.limit >= 0))
    d.args = {"the tolerance is " + shown(first.limit)};
  else if (check.relation == Relation::equal)
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
                      (check.when == When::event ? " firings fail" : " rows fail"));
  return d;
}

}  // namespace

runtime::CheckRun check_run(const sema::Model& model, const sema::Test& test, runtime::Equations& equations) {
  std::vector<problem::Check> checks;
  for (const sema::Check& c : test.checks) checks.push_back(c.check);
  return {model.run_values, std::move(checks), {model.first_probe(), model.first_run_value()}, equations};
}

std::vector<Diagnostic> failures(const sema::Model& model, const sema::Test& test, const runtime::CheckRun& run) {
  std::vector<Diagnostic> out;
  for (std::size_t k = 0; k < test.checks.size(); ++k) {
    const problem::Check& check = test.checks[k].check;
    if (run.verdicts()[k].failed > 0) out.push_back(failure(model, test.checks[k], run.verdicts()[k]));
    const std::string unit = model.has_units ? " [s]" : "";
    if (run.verdicts()[k].looked_at == 0 && check.when == When::event)
      out.push_back({Kind::check_not_made,
                     check.span,
                     {"the event " + quoted(model.events[check.event].name) + " did not fire in this run"},
                     {},
                     {},
                     {},
                     {}});
    else if (run.verdicts()[k].looked_at == 0 && check.when == When::at && check.row != problem::Check::kNoRow)
      out.push_back({Kind::check_not_made,
                     check.span,
                     {"the run ended before t = " + text::short_number(check.time, 10) + unit},
                     {},
                     {},
                     {},
                     {}});
    if (check.row != problem::Check::kNoRow) continue;
    out.push_back({Kind::check_time, check.span, {text::short_number(check.time, 10) + unit}, {}, {}, {}, {}});
  }
  return out;
}

}  // namespace mbc::api

namespace mbc {

Result<TestResult> Simulation::Impl::run_test(std::size_t index, const volatile std::sig_atomic_t* stop) {
  const TestInfo info = facts().tests[index];
  sema::Simulation s;
  for (const sema::Simulation& candidate : facts().simulations)
    if (candidate.name == info.simulation) s = candidate;
  TestResult result;
  Result<void> shaped = variant_for(s);
  if (shaped) shaped = check_values();
  if (!shaped) {  // the model cannot be compiled for the block, or has values that it cannot have
    result.run.status = Status::model_error;
    result.rendered = shaped.error().message + "\n";
    return result;
  }
  complete_inertia(s.begin, written_state());
  result.test = info;
  std::optional<runtime::CheckRun> checks;
  sema::Test test;
  {
    const api::AnalysedText::Tree tree = variant().analysis().tree();
    test = tree.model().tests[index];
  }
  runtime::Equations& e = ready_for_checks();
  {
    const api::AnalysedText::Tree tree = variant().analysis().tree();
    checks.emplace(api::check_run(tree.model(), test, e));
  }
  RunOptions options;
  options.simulation = info.simulation;
  options.stop = stop;
  result.run = run(options, {}, &*checks);
  const api::AnalysedText::Tree tree = variant().analysis().tree();
  for (const Diagnostic& d : api::failures(tree.model(), test, *checks)) {
    result.failures.push_back(to_info(d, sources()));
    result.rendered += render_text(d, sources(), {variant().how().colour});
  }
  result.passed = result.failures.empty() && result.run.status == Status::complete;
  if (result.run.diagnostic) result.failures.push_back(*result.run.diagnostic);
  result.rendered += result.run.rendered;
  return result;
}

}  // namespace mbc
