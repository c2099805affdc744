// SPDX-License-Identifier: Apache-2.0
// Computes values of the run so far, row by row, and the verdicts of the checks.
#include "runtime/run/check_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mbc::runtime {

namespace {

using Of = problem::RunValue::Kind;
using Relation = problem::Check::Relation;
using When = problem::Check::When;

// Returns whether an excess is worse. Undefined values are the worst.
bool worse(double excess, double than) { return !std::isnan(than) && !(excess <= than); }

}  // namespace

CheckRun::CheckRun(std::vector<problem::RunValue> values, std::vector<problem::Check> checks, const CheckPlaces& places,
                   Equations& equations)
    : values_(std::move(values)),
      checks_(std::move(checks)),
      places_(places),
      equations_(equations),
      extremes_(values_.size()),
      verdicts_(checks_.size()) {
  // An unknown value is not a number, so no check passes by it.
  for (std::size_t k = 0; k < values_.size(); ++k) set_run_value(k, std::numeric_limits<double>::quiet_NaN());
}

void CheckRun::set_run_value(std::size_t k, double value) {
  equations_.set_input(places_.first_run_value + static_cast<std::uint32_t>(k), value);
}

// Sets the initial values, because an event at the start comes before the first row.
void CheckRun::begin(double t, const double* y, double* dy) {
  if (values_.empty()) return;
  for (std::size_t k = 0; k < values_.size(); ++k)
    if (values_[k].kind == Of::initial) set_run_value(k, probe(values_[k].probe));
  equations_.outputs(t, y, dy);
}

void CheckRun::row(double t, bool last, const double* y, double* dy) {
  const bool first = rows_ == 0;
  if (first) begin(t, y, dy);
  gather(first);
  if (last && !values_.empty()) {
    for (std::size_t k = 0; k < values_.size(); ++k)
      if (values_[k].kind != Of::initial) set_run_value(k, extremes_[k]);
    equations_.outputs(t, y, dy);
  }
  for (std::size_t k = 0; k < checks_.size(); ++k) {
    const problem::Check& c = checks_[k];
    const bool due = c.when == When::always || (c.when == When::at && c.row == rows_) || (c.when == When::end && last);
    if (due) look(c, t, verdicts_[k]);
  }
  ++rows_;
}

void CheckRun::event(double t, std::uint32_t event, const double* y, double* dy) {
  if (rows_ == 0) begin(t, y, dy);
  for (std::size_t k = 0; k < checks_.size(); ++k)
    if (checks_[k].when == When::event && checks_[k].event == event) look(checks_[k], t, verdicts_[k]);
}

void CheckRun::gather(bool first) {
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const double v = probe(values_[k].probe);
    double& extreme = extremes_[k];
    if (first || values_[k].kind == Of::final)
      extreme = v;
    else if (!std::isnan(extreme))  // a value that was undefined once is undefined for the whole run
      extreme = std::isnan(v) ? v : values_[k].kind == Of::minimum ? std::min(extreme, v) : std::max(extreme, v);
  }
}

void CheckRun::look(const problem::Check& c, double t, CheckVerdict& verdict) const {
  ++verdict.looked_at;
  CheckMoment seen;
  seen.time = t;
  for (std::uint32_t k = 0; k < c.width; ++k) {
    seen.lhs.push_back(probe(c.lhs + k));
    seen.rhs.push_back(probe(c.rhs + k));
    const double difference = seen.lhs.back() - seen.rhs.back();
    const double excess = c.relation == Relation::equal   ? std::fabs(difference)
                          : c.relation == Relation::below ? difference
                          : c.relation == Relation::above ? -difference
                                                          : 0;
    if (k == 0 || worse(excess, seen.excess)) seen.excess = excess;
  }
  if (c.relation == Relation::equal) seen.limit = probe(c.limit);
  // a tolerance that is infinite allows everything
  const bool holds =
      c.relation == Relation::equal ? seen.excess <= seen.limit && std::isfinite(seen.limit) : probe(c.condition) == 1;
  if (holds) return;
  ++verdict.failed;
  if (!verdict.worst || worse(seen.excess, verdict.worst->excess)) verdict.worst = seen;
  if (!verdict.first) verdict.first = std::move(seen);
}

}  // namespace mbc::runtime
