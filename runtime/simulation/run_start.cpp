// SPDX-License-Identifier: Apache-2.0
// The beginning of a run: is there a motion at all, is the state on the constraints, which rows are certified.
#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "kernel/limits.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/constraints/reactions.h"
#include "runtime/constraints/undetermined.h"
#include "runtime/simulation/run.h"

namespace mbc::runtime {

bool Run::start() {
  const double t = options_.begin;
  equations_.mode = SolveMode::fast;
  if (!has_inertia(t)) return false;
  if (!info_.rows.empty() && !meets_constraints(t)) return false;
  // the robust mode solves for all speeds from all rows; these have states and speeds of their own
  if (layout_.quasi) certification_.allow_mode_change = false;
  Verdict verdict = certification_.begin(t, y_.data());
  data_.start = std::move(verdict.report);
  if (verdict.failed || data_.start.non_finite.found)
    return end(RunStatus::stopped, undefined_value(equations_, info_, t, y_.data()));
  if (verdict.conflict) return end(RunStatus::inconsistent, conflict_diagnostic(info_, verdict.conflicting, t));
  for (std::size_t k = 0; k < data_.start.rows.size(); ++k) {
    const RowReport& row = data_.start.rows[k];
    if (row.grade == RowGrade::near || row.grade == RowGrade::redundant_near)
      data_.warnings.push_back({Kind::nearly_dependent,
                                info_.rows[k].span,
                                {quoted_name(info_.rows[k].name), text::short_number(row.distance, 2)},
                                {},
                                {},
                                {},
                                {}});
  }
  if (options_.literal) {
    certification_.allow_mode_change = false;
    equations_.mode = SolveMode::literal;
    equations_.literal_tolerance = options_.rank_tolerance;
  }
  if (equations_.beyond_dense() && data_.start.rank < static_cast<int>(info_.rows.size()) &&
      (info_.multipliers_recorded || layout_.ideal))
    return end(RunStatus::stopped, reactions_of_many());
  // of very many rows none of which is to be told about later only the rank is kept
  if (equations_.beyond_dense() && data_.start.rank == static_cast<int>(info_.rows.size())) {
    data_.start.rows = {};
    data_.start.independent = {};
  }
  return (!quasi_ || begin_in_quasi_velocities(t)) && ideal_parts_unique(t);
}

// Which reactions are unique is found by factorising all rows densely.
Diagnostic Run::reactions_of_many() const {
  Diagnostic d;
  d.kind = Kind::too_many_rows;
  for (std::size_t k = 0; k < info_.rows.size() && !d.span.known(); ++k)
    if (data_.start.rows[k].state != RowState::independent) d.span = info_.rows[k].span;
  d.args = {std::to_string(info_.rows.size()),
            "with rows that depend on others, reactions cannot be told apart in a model of this size"};
  d.help = "leave out the rows that repeat others, or the outputs of reactions";
  return d;
}

// Prescribed forces may use the multipliers without them only where there is one such set.
bool Run::ideal_parts_unique(double t) {
  if (!layout_.ideal || std::find(equations_.mask.begin(), equations_.mask.end(), 0.0) == equations_.mask.end())
    return true;
  ++data_.evaluations;
  MultiplierFreedom freedom;
  if (equations_.rhs(t, y_.data(), k1_.data()) != 0) return end(RunStatus::stopped, why_undefined(t, y_.data()));
  if (!smallest_multipliers(equations_, t, y_.data(), &freedom)) return true;
  for (std::uint32_t row : info_.ideal_rows) {
    if (unique_multiplier(freedom, row)) continue;
    Diagnostic d;
    d.kind = Kind::ideal_not_unique;
    d.args = {quoted_name(info_.rows[row].name)};
    d.span = info_.rows[row].span;
    d.time = t;
    d.help = "leave out the rows that repeat others (`mbc doctor` names them)";
    return end(RunStatus::stopped, std::move(d));
  }
  return true;
}

// The momenta of the start are kept from here on; the state is made of what z says.
bool Run::begin_in_quasi_velocities(double t) {
  equations_.quasi().hold_momenta(t, y_.data());
  ++data_.evaluations;
  if (equations_.rhs(t, y_.data(), k1_.data()) != 0) return end(RunStatus::stopped, why_undefined(t, y_.data()));
  if (!equations_.quasi().choice().complete) return end(RunStatus::stopped, speeds_lost(t, y_.data()));
  return take_quasi_velocities(t);
}

// z from y, and y from z, so that what is recorded has the momenta and rates of z.
bool Run::take_quasi_velocities(double t) {
  choice_ = equations_.quasi().choices();
  if (equations_.quasi().to_quasi(t, y_.data(), z_.data()) != 0 ||
      equations_.quasi().to_speeds(t, z_.data(), y_.data()) != 0)
    return end(RunStatus::stopped, why_undefined(t, y_.data()));
  return true;
}

// M, with the rows added to it, must be positive definite.
bool Run::has_inertia(double t) {
  Assembled s;
  if (equations_.has_inertia(t, y_.data(), s)) return true;
  if (equations_.large())
    return end(RunStatus::stopped, undetermined_block(equations_.sparse().without_inertia(t, y_.data()), info_, t));
  return end(RunStatus::stopped, undetermined_motion(s, info_, t, y_.data()));
}

bool Run::meets_constraints(double t) {
  InitialCheck check = check_initial_state(equations_, info_, projector_, t, y_, options_.assemble);
  data_.assembled = check.outcome == InitialCheck::Outcome::assembled;
  if (data_.assembled) {
    std::copy(std::begin(check.moved), std::end(check.moved), std::begin(data_.assembly_moved));
    data_.assembled_state = y_;
  }
  if (!check.diagnostic) return true;
  return end(check.outcome == InitialCheck::Outcome::off ? RunStatus::inconsistent : RunStatus::stopped,
             std::move(*check.diagnostic));
}

}  // namespace mbc::runtime
