// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/loaded_share.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "runtime/constraints/reactions.h"
#include "runtime/contact/instant_rows.h"
#include "runtime/contact/multipliers_at.h"
#include "runtime/rows/cone/problem.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

bool has_dependent_rows(Equations& equations) {
  for (std::size_t k = 0; k < equations.mask.size(); ++k)
    if (equations.mask[k] == 0 && equations.pivot_scale()[k] > 0) return true;
  return false;
}

// Returns whether a force of this state depends on multipliers that are not unique.
bool loads_see_shares(Equations& equations, const problem::Problem& info, const MultiplierFreedom& freedom) {
  const auto is_shared = [&freedom](std::uint32_t row) { return !unique_multiplier(freedom, row); };
  const problem::DiscreteState discrete = equations.discrete_state(info.events);
  return std::any_of(info.events.frictions.begin(), info.events.frictions.end(),
                     [&](const problem::Friction& f) {
                       return discrete.slides(f) && std::any_of(f.limit_rows.begin(), f.limit_rows.end(), is_shared);
                     }) ||
         std::any_of(info.events.reaction_dependent.begin(), info.events.reaction_dependent.end(),
                     [&](const problem::ReactionDependentForce& l) {
                       return std::any_of(l.slopes.begin(), l.slopes.end(),
                                          [&](const problem::Slope& s) { return is_shared(s.row); });
                     });
}

// Returns whether a friction at rest has more than its limit, by the outputs and multipliers at hand.
bool exceeds_limits(Equations& equations, const problem::Problem& info) {
  const problem::DiscreteState discrete = equations.discrete_state(info.events);
  const double* values = equations.output_values() + info.events.first_value;
  return std::any_of(info.events.frictions.begin(), info.events.frictions.end(), [&](const problem::Friction& f) {
    return discrete.sticks(f) &&
           Eigen::Map<const Vector>(equations.lambda() + f.row, f.count).norm() > (1 + kWithin) * values[f.still];
  });
}

// The contact problem of all rows that hold at one state. Its last rows are the loads that depend on multipliers.
class LoadedShare {
 public:
  LoadedShare(Equations& equations, const problem::Problem& info, double t, const double* y)
      : equations_(equations), rows_(equations, info), at_(equations, info, t, y) {
    for (const problem::Friction& f : info.events.frictions)
      if (at_.discrete().sticks(f)) resting_.push_back(&f);
    for (ReactionDependentForce& load : reaction_dependent_of(info.events))
      if (ReactionDependentForces::acts(load, equations.inputs())) loads_.push_back(std::move(load));
  }

  // Sets the sizes of the loads and returns the multipliers. The result is empty, and the sizes are as they were, if
  // with every share a friction slips or a contact opens, or none is found.
  Vector solve() {
    const Eigen::Index n = at_.lambda().size(), n_loads = static_cast<Eigen::Index>(loads_.size());
    Vector start(n + n_loads);
    start.head(n) = at_.lambda();
    for (Eigen::Index k = 0; k < n_loads; ++k) start[n + k] = std::exchange(size_of(k), 0);
    Vector found;
    if (rows_.assemble(at_.time(), at_.state())) found = solve_from(start);
    const Vector& sizes = found.size() > 0 ? found : start;
    for (Eigen::Index k = 0; k < n_loads; ++k) size_of(k) = sizes[n + k];
    if (found.size() > 0) found.conservativeResize(n);
    return found;
  }

 private:
  [[nodiscard]] double& size_of(Eigen::Index load) {
    return equations_.inputs()[loads_[static_cast<std::size_t>(load)].input];
  }

  Vector solve_from(const Vector& start) {
    const Vector free = rows_.free_acceleration();
    Vector wanted = rows_.assembled().b;
    for (std::uint32_t row = 0; row < wanted.size(); ++row) wanted[row] -= rows_.times(row, free);
    ConeProblem problem = rows_.problem(wanted, rows_.size(free, wanted));
    for (const problem::Unilateral& u : at_.info().events.unilaterals)
      if (at_.discrete().is_active(u)) problem.unilateral.push_back(u.row);
    rows_.reconcile(problem);
    for (const problem::Friction* f : resting_) {
      problem.frictions.push_back({f->row, f->count});
      problem.limit_rows.push_back(f->limit_rows);
    }
    for (std::size_t k = 0; k < loads_.size(); ++k)
      rows_.add_load(at_.time(), at_.state(), size_of(static_cast<Eigen::Index>(k)), loads_[k].slopes, problem);
    problem.limits = [this](const Vector& multipliers, std::vector<double>& out) { limits(multipliers, out); };
    ConeSolution made = solve_cones(problem, start);
    if (!made.settled) made = solve_cones(problem, Vector());
    return made.settled && all_rests(problem, made) ? made.multipliers : Vector();
  }

  void limits(const Vector& multipliers, std::vector<double>& out) {
    at_.take(multipliers.head(at_.lambda().size()));
    for (std::size_t k = 0; k < resting_.size(); ++k) out[k] = at_.values()[resting_[k]->still];
    for (std::size_t k = 0; k < loads_.size(); ++k)
      out[resting_.size() + k] = equations_.output_values()[loads_[k].output];
  }

  [[nodiscard]] bool all_rests(const ConeProblem& problem, const ConeSolution& made) const {
    const auto rests = [&](std::uint32_t row) {
      const double moves = problem.rows.times(row, made.jump.data()) - problem.wanted[row];
      return std::fabs(moves) <= kNoSlip * (rows_.norm(row) * problem.size + std::fabs(problem.wanted[row]));
    };
    return std::all_of(problem.unilateral.begin(), problem.unilateral.end(), rests) &&
           std::all_of(problem.frictions.begin(), problem.frictions.end(),
                       [&](const auto& f) { return rests(f.row) && rests(f.row + f.count - 1); });
  }

  Equations& equations_;
  InstantRows rows_;
  MultipliersAt at_;
  std::vector<const problem::Friction*> resting_;
  std::vector<ReactionDependentForce> loads_;
};

}  // namespace

void use_shared_multipliers(Equations& equations, const problem::Problem& info) {
  Equations::SharedMultipliers shared;
  if (!equations.beyond_dense())
    shared.smallest = [&equations, &info](double t, const double* y) {
      if (has_dependent_rows(equations)) smallest_multipliers(equations, info, t, y);
    };
  if (!equations.beyond_dense() && !info.events.frictions.empty())
    shared.with_loads = [&equations, &info](double t, const double* y) -> std::optional<Vector> {
      if (!has_dependent_rows(equations) || !exceeds_limits(equations, info)) return std::nullopt;
      MultiplierFreedom freedom;
      if (!smallest_multipliers(equations, info, t, y, &freedom) || !loads_see_shares(equations, info, freedom))
        return std::nullopt;
      return LoadedShare(equations, info, t, y).solve();
    };
  equations.share_by(std::move(shared));
}

}  // namespace mbc::runtime
