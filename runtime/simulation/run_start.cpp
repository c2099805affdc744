// SPDX-License-Identifier: Apache-2.0
// The checks of an initial state, in their order.
#include "runtime/simulation/run_start.h"

#include <algorithm>

#include "base/numbers.h"
#include "runtime/constraints/conflict_text.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/equations/failure_text.h"
#include "runtime/equations/user_place.h"
#include "runtime/simulation/data/run_failure.h"
#include "runtime/singular/corner_at_start.h"

namespace mbc::runtime {

bool RunStart::begin() {
  const double t = run_.options.begin;
  if (!has_series()) return false;
  run_.equations.solve_by(SolveMode::fast);
  if (!accepted_.has_inertia(t)) return false;
  if (!run_.info.rows.empty() && !meets_constraints(t)) return false;
  if (!certify(t)) return false;
  if (run_.certification.always_near()) run_.singular_limit.leave();
  warn_of_near_rows();
  if (std::optional<Diagnostic> d = run_.vanishing_rows.at_start(t, run_.integrated.y().data(), run_.data.start,
                                                                 kMomentLater * run_.options.step))
    return run_.end(RunStatus::stopped, std::move(*d));
  if (!begins_on_no_corner(t)) return false;
  if (run_.options.literal) {
    run_.certification.allow_mode_change = false;
    run_.equations.solve_literally(run_.options.rank_tolerance);
  }
  if (!reactions_can_be_told_apart()) return false;
  // of very many rows none of which is to be told about later only the rank is kept
  RankReport& start = run_.data.start;
  if (run_.equations.beyond_dense() && start.rank == static_cast<int>(run_.info.rows.size())) {
    start.rows = {};
    start.independent = {};
  }
  if (run_.integrated.in_quasi_velocities() && !begin_in_quasi_velocities(t)) return false;
  return accepted_.load_multipliers_unique(t);
}

// Whether the method of the run can be had of these equations.
bool RunStart::has_series() {
  const JetCode* refused = run_.jets ? run_.jets->refused() : nullptr;
  if (!refused) return true;
  Diagnostic d;
  d.kind = Kind::integrator_unfit;
  d.args = {"taylor", refused->refused};
  d.span = run_.options.integrator_at;
  if (refused->at.known()) d.labels.push_back({refused->at, "here"});
  d.help = "use `integrator = dop853`, which asks for values of the right-hand side only";
  return run_.end(RunStatus::stopped, std::move(d));
}

bool RunStart::certify(double t) {
  // the robust mode solves for all speeds from all rows; these have states and speeds of their own
  if (run_.layout.quasi) run_.certification.allow_mode_change = false;
  const double* y = run_.integrated.y().data();
  Verdict verdict = run_.certification.begin(t, y);
  run_.data.start = std::move(verdict.report);
  if (verdict.failed || run_.data.start.non_finite.found)
    return run_.end(RunStatus::stopped, undefined_value(run_.equations, run_.info, t, y));
  if (verdict.conflict)
    return run_.end(RunStatus::inconsistent, conflict_diagnostic(run_.equations, run_.info, verdict.conflicting, t, y));
  return true;
}

bool RunStart::certify_again(double t) {
  if (run_.layout.quasi) run_.equations.quasi().choose_again();
  return run_.info.rows.empty() || (certify(t) && accepted_.load_multipliers_unique(t));
}

void RunStart::warn_of_near_rows() {
  for (std::size_t k = 0; k < run_.data.start.rows.size(); ++k) {
    const RowReport& row = run_.data.start.rows[k];
    if (row.grade != RowGrade::near && row.grade != RowGrade::redundant_near) continue;
    Diagnostic d;
    d.kind = Kind::nearly_dependent;
    point_at_row(d, run_.info, k);
    d.args = {quoted_name(run_.info.rows[k].name), text::short_number(row.distance, 2)};
    run_.data.warnings.push_back(std::move(d));
  }
}

bool RunStart::begins_on_no_corner(double t) {
  std::vector<double> rate(run_.integrated.y().size());
  const double* y = run_.integrated.y().data();
  if (run_.info.rows.empty() || !run_.info.events.has_kinks() || run_.equations.rhs(t, y, rate.data()) != 0)
    return true;
  const std::optional<Corner> corner = corner_at_start(run_.equations, run_.info, t, y, rate.data());
  if (!corner) return true;
  Diagnostic d;
  d.kind = Kind::corner_at_start;
  d.args = {quoted_name(run_.info.rows[corner->row].name)};
  point_at_row(d, run_.info, corner->row);
  if (corner->function.known()) d.labels.push_back({corner->function, "this changes its branch there"});
  d.time = t;
  d.help = "write what is one-sided as an inequality, as in `p.y >= 0`; else begin beside the corner";
  return run_.end(RunStatus::stopped, std::move(d));
}

// Which reactions are unique is found by factorising all rows densely; of very many rows that cannot be done.
bool RunStart::reactions_can_be_told_apart() {
  const std::size_t n_rows = run_.info.rows.size();
  const std::size_t off = run_.options.time_stepping ? run_.info.events.contact_rows() : 0;
  if (!run_.equations.beyond_dense() || run_.data.start.rank == static_cast<int>(n_rows - off)) return true;
  if (!run_.info.multipliers_recorded && !run_.layout.ideal && run_.info.events.implicit_loads.empty()) return true;
  Diagnostic d;
  d.kind = Kind::too_many_rows;
  for (std::size_t k = 0; k < n_rows && !d.span.known(); ++k)
    if (run_.data.start.rows[k].state != RowState::independent) point_at_row(d, run_.info, k);
  d.args = {std::to_string(n_rows),
            "with rows that depend on others, reactions cannot be told apart in a model of this size"};
  d.help = "leave out the rows that repeat others, or the outputs of reactions";
  return run_.end(RunStatus::stopped, std::move(d));
}

// The momenta of the start are kept from here on; the state is made of what z says.
bool RunStart::begin_in_quasi_velocities(double t) {
  IntegratedState& integrated = run_.integrated;
  run_.equations.quasi().hold_momenta(t, integrated.y().data());
  if (!run_.evaluate_rate(t)) return false;
  if (!run_.equations.quasi().choice().complete)
    return run_.end(RunStatus::stopped, speeds_lost(run_.equations, run_.info, t, integrated.y().data()));
  return integrated.take_quasi_velocities(t) ||
         run_.end(RunStatus::stopped, why_undefined(run_.equations, run_.info, t, integrated.y().data()));
}

bool RunStart::meets_constraints(double t) {
  std::vector<double>& y = run_.integrated.y();
  AssemblyProblem problem;  // soft values have been moved before the run
  problem.stop = run_.options.stop;
  InitialCheck check =
      check_initial_state(run_.equations, run_.info, run_.projector, t, y, run_.options.assemble, problem);
  AssemblyMade& assembly = run_.data.assembly;
  assembly.made = check.outcome == InitialCheck::Outcome::assembled;
  if (assembly.made) {
    std::copy(std::begin(check.moved), std::end(check.moved), std::begin(assembly.moved));
    assembly.state = y;
  }
  if (check.outcome == InitialCheck::Outcome::interrupted) {
    run_.data.status = RunStatus::interrupted;
    return false;
  }
  if (!check.diagnostic) return true;
  return run_.end(check.outcome == InitialCheck::Outcome::off ? RunStatus::inconsistent : RunStatus::stopped,
                  std::move(*check.diagnostic));
}

}  // namespace mbc::runtime
