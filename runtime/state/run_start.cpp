// SPDX-License-Identifier: Apache-2.0
// The checks of an initial state, in their order.
#include "runtime/state/run_start.h"

#include <algorithm>

#include "base/numbers.h"
#include "runtime/constraints/conflict_text.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/equations/failure_text.h"
#include "runtime/equations/user_place.h"
#include "runtime/record/run_failure.h"
#include "runtime/singular/corner_at_start.h"

namespace mbc::runtime {

bool RunStart::begin() {
  const double t = options_.begin;
  if (!has_series()) return false;
  state_.equations().solve_by(SolveMode::fast);
  if (!accepted_.has_inertia(t)) return false;
  if (!state_.info().rows.empty() && !meets_constraints(t)) return false;
  if (!certify(t)) return false;
  if (constraints_.certification().always_near()) constraints_.singular_limit().leave();
  warn_of_near_rows();
  if (std::optional<Diagnostic> d = constraints_.vanishing_rows().at_start(t, state_.y().data(), state_.data().start,
                                                                           kMomentLater * options_.step))
    return state_.stop(std::move(*d));
  if (!begins_on_no_corner(t)) return false;
  if (options_.literal) {
    constraints_.certification().allow_mode_change = false;
    state_.equations().solve_literally(options_.rank_tolerance);
  }
  if (!reactions_can_be_told_apart()) return false;
  // With very many rows, all of them independent, only the rank is kept.
  RankReport& start = state_.data().start;
  if (state_.equations().beyond_dense() && start.rank == static_cast<int>(state_.info().rows.size())) {
    start.rows = {};
    start.independent = {};
  }
  if (state_.integrated().in_quasi_velocities() && !begin_in_quasi_velocities(t)) return false;
  return accepted_.load_multipliers_unique(t);
}

// Returns whether the equations have the series that the method needs.
bool RunStart::has_series() {
  const JetCode* refused = integration_.jets() ? integration_.jets()->refused() : nullptr;
  if (!refused) return true;
  Diagnostic d = diagnostic_of(Kind::integrator_unfit, {}, {"taylor", refused->refused},
                               "use `integrator = dop853`, which asks for values of the right-hand side only");
  d.span = options_.integrator_at;
  if (refused->at.known()) d.labels.push_back({refused->at, "here"});
  return state_.stop(std::move(d));
}

bool RunStart::certify(double t) {
  // The robust mode solves for all speeds from all rows. Formulations in independent speeds have states and speeds of
  // their own.
  if (state_.layout().quasi) constraints_.certification().allow_mode_change = false;
  const double* y = state_.y().data();
  Verdict verdict = constraints_.certification().begin(t, y);
  state_.data().start = std::move(verdict.report);
  if (verdict.failed || state_.data().start.non_finite.found)
    return state_.stop(undefined_value(state_.equations(), state_.info(), t, y));
  if (verdict.conflict)
    return state_.end(RunStatus::inconsistent,
                      conflict_diagnostic(state_.equations(), state_.info(), verdict.conflicting, t, y));
  return true;
}

bool RunStart::certify_again(double t) {
  if (state_.layout().quasi) state_.equations().quasi().choose_again();
  return state_.info().rows.empty() || (certify(t) && accepted_.load_multipliers_unique(t));
}

bool RunStart::certify_first(double t) {
  state_.equations().solve_by(SolveMode::fast);
  return certify(t);
}

void RunStart::warn_of_near_rows() {
  for (std::size_t k = 0; k < state_.data().start.rows.size(); ++k) {
    const RowReport& row = state_.data().start.rows[k];
    if (row.grade != RowGrade::near && row.grade != RowGrade::redundant_near) continue;
    state_.data().warnings.push_back(
        about_row(state_.info(), k, Kind::nearly_dependent, {},
                  {quoted_name(state_.info().rows[k].name), text::short_number(row.distance, 2)}));
  }
}

bool RunStart::begins_on_no_corner(double t) {
  std::vector<double> rate(state_.y().size());
  const double* y = state_.y().data();
  if (state_.info().rows.empty() || !state_.info().events.has_kinks() || state_.equations().rhs(t, y, rate.data()) != 0)
    return true;
  const std::optional<Corner> corner = corner_at_start(state_.equations(), state_.info(), t, y, rate.data());
  if (!corner) return true;
  Diagnostic d = about_row(state_.info(), corner->row, Kind::corner_at_start, t,
                           {quoted_name(state_.info().rows[corner->row].name)},
                           "write what is one-sided as an inequality, as in `p.y >= 0`; else begin beside the corner");
  if (corner->function.known()) d.labels.push_back({corner->function, "this changes its branch there"});
  return state_.stop(std::move(d));
}

// Returns whether unique reactions can be identified. That needs a dense factorisation of all rows, which is too large
// for very many.
bool RunStart::reactions_can_be_told_apart() {
  const std::size_t n_rows = state_.info().rows.size();
  const std::size_t off = options_.time_stepping ? state_.info().events.contact_rows() : 0;
  if (!state_.equations().beyond_dense() || state_.data().start.rank == static_cast<int>(n_rows - off)) return true;
  if (!state_.info().multipliers_recorded && !state_.layout().ideal && state_.info().events.reaction_dependent.empty())
    return true;
  Diagnostic d =
      diagnostic_of(Kind::too_many_rows, {},
                    {std::to_string(n_rows),
                     "with rows that depend on others, reactions cannot be told apart in a model of this size"},
                    "leave out the rows that repeat others, or the outputs of reactions");
  for (std::size_t k = 0; k < n_rows && !d.span.known(); ++k)
    if (state_.data().start.rows[k].state != RowState::independent) point_at_row(d, state_.info(), k);
  return state_.stop(std::move(d));
}

// Begins in independent speeds. The momenta of the start are constant from here on, and the state is computed from z.
bool RunStart::begin_in_quasi_velocities(double t) {
  IntegratedState& integrated = state_.integrated();
  state_.equations().quasi().hold_momenta(t, integrated.y().data());
  if (!state_.evaluate_rate(t)) return false;
  if (!state_.equations().quasi().choice().complete)
    return state_.stop(speeds_lost(state_.equations(), state_.info(), t, integrated.y().data()));
  return integrated.take_quasi_velocities(t) || state_.undefined(t, integrated.y().data());
}

bool RunStart::meets_constraints(double t) {
  std::vector<double>& y = state_.y();
  AssemblyProblem problem;  // soft values were moved before the run
  problem.stop = options_.stop;
  InitialCheck check = check_initial_state(state_.equations(), state_.info(), constraints_.projector(), t, y,
                                           options_.assemble, problem);
  AssemblyMade& assembly = state_.data().assembly;
  assembly.made = check.outcome == InitialCheck::Outcome::assembled;
  if (assembly.made) {
    std::copy(std::begin(check.moved), std::end(check.moved), std::begin(assembly.moved));
    assembly.state = y;
  }
  if (check.outcome == InitialCheck::Outcome::interrupted) {
    state_.data().status = RunStatus::interrupted;
    return false;
  }
  if (!check.diagnostic) return true;
  return state_.end(check.outcome == InitialCheck::Outcome::off ? RunStatus::inconsistent : RunStatus::stopped,
                    std::move(*check.diagnostic));
}

}  // namespace mbc::runtime
