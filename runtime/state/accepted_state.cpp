// SPDX-License-Identifier: Apache-2.0
// Evaluation and certification at accepted states.
#include "runtime/state/accepted_state.h"

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/text.h"
#include "runtime/constraints/conflict_text.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/equations/failure_text.h"
#include "runtime/equations/user_place.h"
#include "runtime/record/run_failure.h"

namespace mbc::runtime {

namespace {

// The defect of a redundant row, relative to the accelerations, above which the rows are certified again.
constexpr double kDefect = 1e-8;
// The same for its own residual, relative to the coordinates, if nothing removes drift.
constexpr double kRedundantDrift = 1e-6;
constexpr const char* kLeaveOut = "leave out the rows that repeat others (`mbc doctor` names them)";

}  // namespace

bool AcceptedState::evaluate(double t) {
  state_.data().reached = t;
  if (options_.drive) options_.drive(t, state_.y(), state_.equations().inputs().first(state_.info().inputs.size()));
  return evaluate_again(t);
}

bool AcceptedState::evaluate_again(double t) {
  follow_angles(t, state_.y().data());
  return crossing_.interpolated(t) || look(t, state_.rate_is_finite(t));
}

bool AcceptedState::look(double t, bool finite) {
  if (finite && options_.stop_at_singular && crossing_.leads_across(t, state_.y(), true))
    return state_.stop(singular_position(state_.info(), crossing_.row_about_to_be_lost(), t));
  if (options_.stop_at_singular) finite = state_.rate_is_finite(t);
  const bool apart = finite && constraints_.certification().rows_apart();
  if (const double distance = constraints_.certification().smallest_ratio(); distance < least_ratio_) {
    least_ratio_ = distance;
    state_.data().nearest = t;
  }
  if (finite)
    if (std::optional<Diagnostic> why = constraints_.vanished_gradient(t, state_.y()))
      return state_.stop(std::move(*why));
  if (apart)
    crossing_.away();
  else if (crossing_.looks_near(t, integration_.pace()) || crossing_.failed())
    return !crossing_.failed();
  const bool poorly = crossing_.rows_chosen_poorly() && other_rows_.over();
  if ((poorly || (finite && constraints_.certification().rows_near())) && !rows_chosen_again(t)) return false;
  if (crossing_.left_start()) {
    constraints_.certification().decide_again(t, state_.y().data());
    if (state_.layout().quasi) state_.equations().quasi().choose_again();
    finite = state_.rate_is_finite(t);
  }
  if (!finite) return state_.undefined(t);
  // Particles cannot lose their inertia by moving, but a kinetic energy written by hand can.
  if (state_.info().inertia_by_hand && !state_.equations().own_inertia(t, state_.y().data()) && !has_inertia(t))
    return false;
  if (!apart && !certified(t)) return false;
  if (state_.layout().quasi) return speeds_renewed(t);
  if (!constraints_.certification().regularity().apart())
    constraints_.singular_limit().refine(t, state_.y().data(), state_.dy().data());
  return true;
}

// Chooses other certified rows, because the present ones have come near to each other.
bool AcceptedState::rows_chosen_again(double t) {
  if (!constraints_.certification().choose_again(t, state_.y().data())) {
    other_rows_.refused();
    return state_.evaluate_rate(t);
  }
  other_rows_.succeeded();
  rows_stand_for_others(t);
  return state_.evaluate_rate(t);
}

void AcceptedState::rows_stand_for_others(double t) {
  integration_.method().forget_history();
  crossing_.rows_chosen_again(t);
  if (state_.layout().quasi) state_.equations().quasi().choose_again();
}

// Replaces independent speeds that have become poor. This happens between steps; the state means the same before and
// after.
bool AcceptedState::speeds_renewed(double t) {
  IntegratedState& integrated = state_.integrated();
  QuasiEquations& quasi = state_.equations().quasi();
  if (state_.data().steps == 0) state_.data().first_choice = quasi.choice();
  if (quasi.renew(t, integrated.y().data(), integrated.dy().data())) ++state_.data().speed_renewals;
  if (!integrated.in_quasi_velocities()) return true;
  if (integrated.outdated()) {
    integration_.method().forget_history();
    if (!integrated.take_quasi_velocities(t)) return state_.undefined(t, integrated.y().data());
    if (!state_.evaluate_rate(t)) return false;
  }
  integrated.take_rate();
  return true;
}

bool AcceptedState::has_inertia(double t) {
  std::optional<Diagnostic> missing =
      missing_inertia(state_.equations(), state_.info(), t, state_.y().data(), t != options_.begin);
  return !missing || state_.stop(std::move(*missing));
}

// Checks that redundant rows still agree with the others, by their defects in every step.
bool AcceptedState::redundant_rows_agree(double t) {
  const Equations& equations = state_.equations();
  const std::vector<double>& dy = state_.dy();
  bool any = false;
  for (double kept : equations.mask) any |= kept == 0;
  if (!any) return true;
  state_.equations().row_defects(t, state_.y().data(), dy.data(), defects_);
  // Accelerations are relative to the present ones or to the model's speed squared over its size, mass-weighted.
  const ModelSize& model = constraints_.projector().size();
  double size = model.speed * model.speed / model.position;
  for (std::uint32_t j = 0; j < state_.layout().n_speeds; ++j)
    size = std::max(size, model.root_inertia[j] * std::fabs(dy[state_.layout().speeds_at() + j]));
  for (std::size_t k = 0; k < defects_.size(); ++k)
    if (equations.mask[k] == 0 && std::fabs(defects_[k]) > kDefect * size * row_norm(k)) return false;
  return constraints_.stabiliser().corrects() || redundant_rows_stay(t);
}

// Returns |G_k|. A row that is zero now would be relative to its terms, which are not known here; it has size 1.
double AcceptedState::row_norm(std::size_t k) const {
  const double square = state_.equations().pivot_scale()[k];
  return square > 0 ? std::sqrt(square) : 1;
}

bool AcceptedState::redundant_rows_stay(double t) {
  Equations& equations = state_.equations();
  const std::vector<double>& y = state_.y();
  equations.residuals(t, y.data());
  const auto extent = constraints_.projector().extents(true, y.data()),
             speed = constraints_.projector().extents(false, y.data());
  for (std::size_t k = 0; k < state_.info().rows.size(); ++k) {
    const double allowed = kRedundantDrift * std::sqrt(equations.pivot_scale()[k]);
    const double e = std::fabs(equations.position_residual()[k]), rate = std::fabs(equations.velocity_residual()[k]);
    if (equations.mask[k] == 0 && (e > allowed * extent[k] || rate > allowed * speed[k])) return false;
  }
  return true;
}

bool AcceptedState::certified(double t) {
  Equations& equations = state_.equations();
  const double* y = state_.y().data();
  mask_ = equations.mask;
  const std::size_t events = constraints_.certification().events().size();
  const std::optional<Verdict> verdict = constraints_.certification().check(t, y, !redundant_rows_agree(t));
  if (!verdict) return true;
  // The rates jump where a row is left out or comes back.
  if (events != constraints_.certification().events().size() || mask_ != equations.mask)
    integration_.method().forget_history();
  if (verdict->failed) return state_.stop(undefined_value(equations, state_.info(), t, y));
  if (verdict->conflict) {
    std::optional<double> before;  // the state before this one, if all steps have one length
    if (!options_.chooses_steps() && state_.data().steps > 0) before = t - options_.step;
    return state_.stop(conflict_diagnostic(equations, state_.info(), verdict->conflicting, t, y, before));
  }
  if (options_.stop_at_singular && events != constraints_.certification().events().size())
    if (const std::optional<std::size_t> row = constraints_.certification().lost_row())
      return state_.stop(singular_position(state_.info(), *row, t));
  if (constraints_.certification().exchanged()) rows_stand_for_others(t);
  // The certification has used the work arrays, so the rates are evaluated again with its mask.
  if (!state_.evaluate_rate(t)) return false;
  if (mask_ == equations.mask || !loads_hold_multipliers()) return true;
  return load_multipliers_unique(t) && state_.evaluate_rate(t);  // the test has left other multipliers
}

bool AcceptedState::loads_hold_multipliers() const {
  return state_.layout().ideal || !state_.info().events.reaction_dependent.empty();
}

// Returns whether a load is the same for all sets of multipliers. `slopes` are zero for rows that are switched off.
bool AcceptedState::load_is_unique(const problem::ReactionDependentForce& load, const Eigen::VectorXd& slopes,
                                   const MultiplierFreedom& freedom, double t) {
  if (unique_sum(freedom, slopes)) return true;
  if (!options_.unique_reactions) {
    add_once(state_.data().shares_taken, load.name);
    return true;
  }
  std::string rows;
  for (const problem::Slope& s : load.slopes)
    if (slopes[s.row] != 0 && !unique_multiplier(freedom, s.row))
      rows += (rows.empty() ? "" : ", ") + quoted_name(state_.info().rows[s.row].name);
  Diagnostic d = diagnostic_of(Kind::load_reactions, t, {printable(load.name)}, kLeaveOut);
  point_at(d, state_.info(), load.name, load.span);
  if (!rows.empty()) d.notes.push_back("by the multipliers of " + rows + ", which other rows repeat");
  return state_.stop(std::move(d));
}

bool AcceptedState::load_multipliers_unique(double t) {
  Equations& equations = state_.equations();
  if (!loads_hold_multipliers() || !contains(equations.mask, 0.0)) return true;
  if (!state_.evaluate_rate(t)) return false;
  const problem::Events& events = state_.info().events;
  if (!events.reaction_dependent.empty()) {  // a shift of multipliers and speeds avoids zero slopes by chance
    Eigen::VectorXd lambda = Eigen::Map<const Eigen::VectorXd>(equations.lambda(), state_.layout().n_rows);
    const double size = std::max(1.0, lambda.cwiseAbs().maxCoeff());
    for (Eigen::Index k = 0; k < lambda.size(); ++k) lambda[k] += size / static_cast<double>(k + 3);
    equations.set_lambda(lambda);
    std::vector<double> rate = state_.dy(), y = state_.y();
    for (std::uint32_t i = state_.layout().speeds_at(); i < state_.layout().states_at(); ++i)
      y[i] += std::max(1.0, std::fabs(y[i])) / static_cast<double>(i + 3);
    equations.outputs(t, y.data(), rate.data());
  }
  std::vector<Eigen::VectorXd> slopes;
  for (const problem::ReactionDependentForce& load : events.reaction_dependent) {
    Eigen::VectorXd& made = slopes.emplace_back(Eigen::VectorXd::Zero(state_.layout().n_rows));
    for (const problem::Slope& s : load.slopes) made[s.row] = equations.output_values()[events.first_value + s.value];
    for (const problem::SwitchedRow& s : events.switched_rows)
      if (!state_.discrete().is_on(s.held)) made[s.row] = 0;
    made = made.unaryExpr([](double x) { return std::isfinite(x) ? x : 0; });
  }
  MultiplierFreedom freedom;
  if (!events.reaction_dependent.empty() && !state_.evaluate_rate(t)) return false;
  if (!smallest_multipliers(equations, state_.info(), t, state_.y().data(), &freedom)) return true;
  for (std::size_t k = 0; k < slopes.size(); ++k)
    if (!load_is_unique(events.reaction_dependent[k], slopes[k], freedom, t)) return false;
  for (std::uint32_t row : state_.layout().ideal ? state_.info().ideal_rows : std::vector<std::uint32_t>()) {
    if (unique_multiplier(freedom, row)) continue;
    return state_.stop(about_row(state_.info(), row, Kind::ideal_not_unique, t,
                                 {quoted_name(state_.info().rows[row].name)}, kLeaveOut));
  }
  return true;
}

}  // namespace mbc::runtime
