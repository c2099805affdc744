// SPDX-License-Identifier: Apache-2.0
// Simulation::jacobian.
#include <algorithm>
#include <memory>

#include "api/analysis/linear_model.h"
#include "api/model/guard.h"
#include "api/model/info.h"
#include "base/text.h"

namespace mbc::api {

namespace {

// Returns the simulation at the state of a question: a copy, which the question may change.
Result<std::unique_ptr<Simulation::Impl>> at_state(Simulation::Impl& from, double t, std::span<const double> y) {
  std::unique_ptr<Simulation::Impl> aside = from.copy();
  const bool here = t == from.time && std::equal(y.begin(), y.end(), from.state().begin(), from.state().end());
  aside->time = t;
  aside->y.assign(y.begin(), y.end());
  aside->fresh = false;
  if (aside->held.size() == from.held.size()) aside->held = from.held;
  aside->decided = here && from.decided;
  return aside;
}

std::vector<std::string> names(const std::vector<Quantity>& list) {
  std::vector<std::string> out;
  for (const Quantity& q : list) out.push_back(q.name);
  return out;
}

// Returns the rows of a Jacobian by all arguments, with their names.
Result<Eigen::MatrixXd> jacobian_rows(const StateQuestion& question, runtime::ManifoldDerivatives& d, JacobianOf of,
                                      double t, std::vector<std::string>& rows) {
  const problem::Problem& info = question.info();
  switch (of) {
    case JacobianOf::rates:
      rows = names(question.directions());
      return d.rates_by_arguments();
    case JacobianOf::accelerations:
      rows = names(quantities(info.accelerations));
      return d.accelerations();
    case JacobianOf::multipliers: {
      std::vector<Eigen::Index> unique;
      for (std::uint32_t k = 0; k < info.rows.size(); ++k) {
        if (!question.is_unique_multiplier(k)) continue;
        unique.push_back(k);
        rows.push_back(info.rows[k].name.text());
      }
      return Eigen::MatrixXd(d.multipliers()(unique, Eigen::all));
    }
    case JacobianOf::outputs:
      rows = names(quantities(info.outputs));
      for (std::uint32_t k = 0; k < rows.size(); ++k)
        if (!question.is_unique(k)) return question.refused(Kind::output_not_unique, {}, {quoted(rows[k])}, t);
      return d.outputs();
  }
  return Error{ErrorCode::invalid_argument, "there is no such quantity to differentiate"};
}

Result<Jacobian> jacobian(Simulation::Impl& from, JacobianOf of, JacobianBy by, double t, std::span<const double> y) {
  Result<std::unique_ptr<Simulation::Impl>> aside = at_state(from, t, y);
  if (!aside) return aside.error();
  StateQuestion question(**aside);
  if (Result<void> begun = question.begin(); !begun) return begun.error();
  if (Result<void> known = question.evaluate(t, {y.begin(), y.end()}); !known) return known.error();
  runtime::ManifoldDerivatives& d = question.derivatives();
  Jacobian out;
  const Result<Eigen::MatrixXd> rows = jacobian_rows(question, d, of, t, out.of);
  if (!rows) return rows.error();
  Eigen::Index begin = 0;
  switch (by) {
    case JacobianBy::directions:
      out.by = names(question.directions());
      break;
    case JacobianBy::inputs:
      out.by = names(quantities(question.info().inputs));
      begin = d.inputs_at();
      break;
    case JacobianBy::time:
      out.by = {"t"};
      begin = d.time_at();
      break;
  }
  out.values = row_major(rows->middleCols(begin, static_cast<Eigen::Index>(out.by.size())));
  return out;
}

}  // namespace

}  // namespace mbc::api

namespace mbc {

Result<Jacobian> Simulation::jacobian(JacobianOf of, JacobianBy by, double time, std::span<const double> y) {
  if (Result<void> free = impl_->check_free(); !free) return free.error();
  if (Result<void> fits = impl_->check_state(time, y); !fits) return fits.error();
  return api::guarded([&] { return api::jacobian(*impl_, of, by, time, y); });
}

}  // namespace mbc
