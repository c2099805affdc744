// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/loaded_share.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "runtime/constraints/reactions.h"
#include "runtime/contact/instant_rows.h"
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

// The contact problem of all rows that hold at one state. Its last rows are the loads that depend on multipliers.
class LoadedShare {
 public:
  LoadedShare(Equations& equations, const problem::Problem& info, double t, const double* y)
      : equations_(equations),
        info_(info),
        rows_(equations, info),
        t_(t),
        y_(y, y + equations.layout().n_y()),
        dy_(y_.size()),
        lambda_(Eigen::Map<const Vector>(equations.lambda(), equations.layout().n_rows)) {
    for (const problem::Friction& f : info.events.frictions)
      if (discrete().sticks(f)) resting_.push_back(&f);
  }

  // Returns whether a friction at rest has more than its limit, by the outputs at hand.
  [[nodiscard]] bool is_beyond() {
    return std::any_of(resting_.begin(), resting_.end(), [&](const problem::Friction* f) {
      return lambda_.segment(f->row, f->count).norm() > (1 + kWithin) * values()[f->still];
    });
  }

  // Sets the sizes of the loads and returns the multipliers. Nothing: with every share a friction slips or a contact
  // opens, or none is found; the sizes are as they were.
  Vector solve() {
    const std::vector<double> inputs(equations_.inputs().begin(), equations_.inputs().end());
    for (const ReactionDependentForce& load : reaction_dependent_of(info_.events))
      if (ReactionDependentForces::acts(load, inputs)) loads_.push_back(load);
    Vector start(lambda_.size() + static_cast<Eigen::Index>(loads_.size()));
    start.head(lambda_.size()) = lambda_;
    for (std::size_t k = 0; k < loads_.size(); ++k)
      start[lambda_.size() + static_cast<Eigen::Index>(k)] = std::exchange(size_of(loads_[k]), 0);
    Vector found;
    if (rows_.assemble(t_, y_)) found = solve_from(start);
    for (std::size_t k = 0; k < loads_.size(); ++k)
      size_of(loads_[k]) =
          found.size() > 0 ? found[lambda_.size() + static_cast<Eigen::Index>(k)] : inputs[loads_[k].input];
    if (found.size() > 0) found.conservativeResize(lambda_.size());
    return found;
  }

 private:
  [[nodiscard]] problem::DiscreteState discrete() const { return equations_.discrete_state(info_.events); }
  [[nodiscard]] const double* values() const { return equations_.output_values() + info_.events.first_value; }
  [[nodiscard]] double& size_of(const ReactionDependentForce& load) { return equations_.inputs()[load.input]; }

  Vector solve_from(const Vector& start) {
    const Vector free = rows_.free_acceleration();
    Vector wanted = rows_.assembled().b;
    for (std::uint32_t row = 0; row < wanted.size(); ++row) wanted[row] -= rows_.times(row, free);
    ConeProblem problem = rows_.problem(wanted, rows_.size(free, wanted));
    for (const problem::Unilateral& u : info_.events.unilaterals)
      if (discrete().is_active(u)) problem.unilateral.push_back(u.row);
    rows_.reconcile(problem);
    for (const problem::Friction* f : resting_) {
      problem.frictions.push_back({f->row, f->count});
      problem.limit_rows.push_back(f->limit_rows);
    }
    add_loads(free, problem);
    problem.limits = [this](const Vector& multipliers, std::vector<double>& out) { limits(multipliers, out); };
    ConeSolution made = solve_cones(problem, start);
    if (!made.settled) made = solve_cones(problem, Vector());
    return made.settled && all_rests(problem, made) ? made.multipliers : Vector();
  }

  // Each is a row behind those of the model: its effect on the accelerations for a size of 1.
  void add_loads(const Vector& free, ConeProblem& problem) {
    Assembled one;
    for (const ReactionDependentForce& load : loads_) {
      size_of(load) = 1;
      equations_.assemble(t_, y_.data(), one, false);
      size_of(load) = 0;
      const Vector force = one.scaling.to_scaled(one.free_acceleration()) - free;
      problem.given.push_back(static_cast<std::uint32_t>(problem.rows.size()));
      for (Eigen::Index j = 0; j < force.size(); ++j)
        if (force[j] != 0) problem.rows.add(static_cast<std::uint32_t>(j), force[j]);
      problem.rows.close();
      problem.wanted.push_back(0);
      std::vector<std::uint32_t>& rows = problem.limit_rows.emplace_back();
      for (const problem::Slope& s : load.slopes) rows.push_back(s.row);
    }
  }

  void limits(const Vector& multipliers, std::vector<double>& out) {
    equations_.set_lambda(multipliers.head(lambda_.size()));
    equations_.outputs(t_, y_.data(), dy_.data());
    for (std::size_t k = 0; k < resting_.size(); ++k) out[k] = values()[resting_[k]->still];
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
  const problem::Problem& info_;
  InstantRows rows_;
  const double t_;
  const std::vector<double> y_;
  std::vector<double> dy_;
  const Vector lambda_;
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
      if (!has_dependent_rows(equations) || !LoadedShare(equations, info, t, y).is_beyond()) return std::nullopt;
      MultiplierFreedom freedom;
      if (!smallest_multipliers(equations, info, t, y, &freedom) || !loads_see_shares(equations, info, freedom))
        return std::nullopt;
      return LoadedShare(equations, info, t, y).solve();
    };
  equations.share_by(std::move(shared));
}

}  // namespace mbc::runtime
