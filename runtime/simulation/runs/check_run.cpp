// SPDX-License-Identifier: Apache-2.0
// Row by row: values of the run so far, and the verdicts of the checks.
#include "runtime/simulation/runs/check_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mbc::runtime {

namespace {

using kernel::CheckWhen;
using PlanKind = kernel::RunValueKind;
using Relation = kernel::CheckRelation;

// Worse than `than`? What is undefined is worst.
bool worse(double excess, double than) { return !std::isnan(than) && !(excess <= than); }

}  // namespace

CheckRun::CheckRun(std::vector<RunValuePlan> values, std::vector<CheckPlan> checks, Equations& equations)
    : values_(std::move(values)),
      checks_(std::move(checks)),
      equations_(equations),
      extremes_(values_.size()),
      verdicts_(checks_.size()) {
  // what is not known yet is not a number, so that no check can pass by it
  for (const RunValuePlan& v : values_) equations_.set_input(v.input, std::numeric_limits<double>::quiet_NaN());
}

// An event at the start comes before the first row.
void CheckRun::begin(double t, const double* y, double* dy) {
  if (values_.empty()) return;
  for (const RunValuePlan& v : values_)
    if (v.kind == PlanKind::initial) equations_.set_input(v.input, output(v.output));
  equations_.outputs(t, y, dy);
}

void CheckRun::row(double t, bool last, const double* y, double* dy) {
  const bool first = rows_ == 0;
  if (first) begin(t, y, dy);
  gather(first);
  if (last && !values_.empty()) {
    for (std::size_t k = 0; k < values_.size(); ++k)
      if (values_[k].kind != PlanKind::initial) equations_.set_input(values_[k].input, extremes_[k]);
    equations_.outputs(t, y, dy);
  }
  for (std::size_t k = 0; k < checks_.size(); ++k) {
    const CheckPlan& c = checks_[k];
    const bool due = c.when == CheckWhen::always || (c.when == CheckWhen::at && c.row == rows_) ||
                     (c.when == CheckWhen::end && last);
    if (due) look(c, t, verdicts_[k]);
  }
  ++rows_;
}

void CheckRun::event(double t, std::uint32_t event, const double* y, double* dy) {
  if (rows_ == 0) begin(t, y, dy);
  for (std::size_t k = 0; k < checks_.size(); ++k)
    if (checks_[k].when == CheckWhen::event && checks_[k].event == event) look(checks_[k], t, verdicts_[k]);
}

void CheckRun::gather(bool first) {
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const double v = output(values_[k].output);
    double& extreme = extremes_[k];
    if (first || values_[k].kind == PlanKind::final)
      extreme = v;
    else if (!std::isnan(extreme))  // undefined once, undefined for the whole run
      extreme = std::isnan(v) ? v : values_[k].kind == PlanKind::minimum ? std::min(extreme, v) : std::max(extreme, v);
  }
}

void CheckRun::look(const CheckPlan& c, double t, CheckVerdict& verdict) const {
  ++verdict.looked_at;
  CheckMoment seen;
  seen.time = t;
  for (std::uint32_t k = 0; k < c.width; ++k) {
    seen.lhs.push_back(output(c.lhs + k));
    seen.rhs.push_back(output(c.rhs + k));
    const double difference = seen.lhs.back() - seen.rhs.back();
    const double excess = c.relation == Relation::equal   ? std::fabs(difference)
                          : c.relation == Relation::below ? difference
                          : c.relation == Relation::above ? -difference
                                                          : 0;
    if (k == 0 || worse(excess, seen.excess)) seen.excess = excess;
  }
  if (c.relation == Relation::equal) seen.limit = output(c.limit);
  const bool holds = c.relation == Relation::equal ? seen.excess <= seen.limit : output(c.condition) == 1;
  if (holds) return;
  ++verdict.failed;
  if (!verdict.worst || worse(seen.excess, verdict.worst->excess)) verdict.worst = seen;
  if (!verdict.first) verdict.first = std::move(seen);
}

}  // namespace mbc::runtime
