// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/joint_rest.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "runtime/contact/instant_rows.h"
#include "runtime/rows/cone/problem.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kLargestScale = 1e3;  // of the limits: a larger one is not looked for

// The frictions at rest of one state with their rows, and the forces that hold them.
class RestingShare {
 public:
  RestingShare(Equations& equations, const problem::Problem& info, double t, const double* y)
      : equations_(equations),
        info_(info),
        rows_(equations, info),
        t_(t),
        y_(y, y + equations.layout().n_y()),
        dy_(y_.size()),
        lambda_(Eigen::Map<const Vector>(equations.lambda(), equations.layout().n_rows)) {}

  // Finds the frictions that these multipliers take to their limits. Returns whether there are any.
  bool find(std::vector<std::uint32_t>& at_limit, bool& beyond) {
    const problem::DiscreteState discrete = equations_.discrete_state(info_.events);
    beyond = false;
    equations_.outputs(t_, y_.data(), dy_.data());
    for (std::uint32_t k = 0; k < info_.events.frictions.size(); ++k) {
      const problem::Friction& f = info_.events.frictions[k];
      if (!discrete.sticks(f)) continue;
      resting_.push_back(k);
      const double force = lambda_.segment(f.row, f.count).norm(), limit = values()[f.still];
      if (force >= (1 - kWithin) * limit && force > 0) at_limit.push_back(k);
      beyond = beyond || force > (1 + kWithin) * limit;
    }
    return !at_limit.empty();
  }

  // Prepares the problem: which multipliers give the forces of the present ones?
  bool prepare() {
    if (!rows_.assemble(t_, y_)) return false;
    Vector forces = Vector::Zero(rows_.assembled().scaling.size()), wanted = Vector::Zero(lambda_.size());
    for (std::uint32_t row = 0; row < lambda_.size(); ++row)
      if (lambda_[row] != 0) forces += lambda_[row] * rows_.dense(row);
    for (std::uint32_t row = 0; row < lambda_.size(); ++row) wanted[row] = rows_.times(row, forces);
    problem_ = rows_.problem(wanted, rows_.size(forces, wanted));
    const problem::DiscreteState discrete = equations_.discrete_state(info_.events);
    for (const problem::Unilateral& u : info_.events.unilaterals)
      if (discrete.is_active(u)) problem_.unilateral.push_back(u.row);
    for (const std::uint32_t k : resting_) {
      const problem::Friction& f = info_.events.frictions[k];
      problem_.frictions.push_back({f.row, f.count});
      problem_.limit_rows.push_back(f.limit_rows);
    }
    made_.multipliers = lambda_;
    problem_.limits = [this](const Vector& multipliers, std::vector<double>& out) {
      equations_.set_lambda(multipliers);
      equations_.outputs(t_, y_.data(), dy_.data());
      for (std::size_t k = 0; k < resting_.size(); ++k)
        out[k] = scale_ * values()[info_.events.frictions[resting_[k]].still];
    };
    return problem_.size > 0;
  }

  // Returns how fast frictions slip with the limits times this factor, of the accelerations; 0: all rest. Nothing where
  // no forces are found, which is no slip.
  std::optional<double> slips(double scale) {
    scale_ = scale;
    made_ = solve_cones(problem_, made_.multipliers);
    if (!made_.settled) made_ = solve_cones(problem_, Vector());
    if (!made_.settled) return std::nullopt;
    double most = 0;
    const auto look = [&](std::uint32_t row) {
      if (rows_.norm(row) > 0)
        most = std::max(most, std::fabs(rows_.times(row, made_.jump) - problem_.wanted[row]) / rows_.norm(row));
    };
    for (const ConeProblem::Friction& f : problem_.frictions)
      for (std::uint32_t i = 0; i < f.count; ++i) look(f.row + i);
    for (const std::uint32_t row : problem_.unilateral) look(row);
    most /= problem_.size;
    return most > kNoSlip ? most : 0;
  }

  // Returns the least factor of the limits with which all rest, at least 1 - kClearlyWithin. The slip falls with the
  // factor, about linearly and never faster than before, so that secants reach its zero from below. A factor with which
  // no forces are found counts as too small, and is no point of a secant.
  double least_scale() {
    double below = 1 - kClearlyWithin, before = 0;
    std::optional<double> slip = slips(below), slip_before;
    if (slip == 0) return below;
    double above = kLargestScale;
    for (double at = 1; above - below > kMarginRounding && below < kLargestScale / 2;) {
      const std::optional<double> here = slips(at);
      if (here == 0)
        above = at;
      else
        before = std::exchange(below, at), slip_before = std::exchange(slip, here);
      const bool falls = slip && slip_before && *slip_before > *slip;
      const double ahead = falls ? below + *slip * (below - before) / (*slip_before - *slip) : 2 * below;
      if (falls && above - ahead <= kMarginRounding) break;
      at = ahead > below + kMarginRounding && ahead < above ? ahead : 0.5 * (below + above);
    }
    return above;
  }

  // Takes the multipliers of the last solution, or those from before.
  void take(bool of_solution) { equations_.set_lambda(of_solution ? made_.multipliers : lambda_); }

 private:
  [[nodiscard]] const double* values() const { return equations_.output_values() + info_.events.first_value; }

  Equations& equations_;
  const problem::Problem& info_;
  InstantRows rows_;
  const double t_;
  const std::vector<double> y_;
  std::vector<double> dy_;
  std::vector<std::uint32_t> resting_;
  const Vector lambda_;
  ConeProblem problem_;
  ConeSolution made_;
  double scale_ = 1;
};

void keep_within_limits(Equations& equations, const problem::Problem& info, double t, const double* y) {
  if (info.events.frictions.empty()) return;
  RestingShare share(equations, info, t, y);
  std::vector<std::uint32_t> at_limit;
  bool beyond = false;
  if (share.find(at_limit, beyond) && beyond && share.prepare()) share.take(share.slips(1) == 0);
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

}  // namespace

bool shared_multipliers(Equations& equations, const problem::Problem& info, double t, const double* y,
                        MultiplierFreedom* freedom) {
  if (!smallest_multipliers(equations, info, t, y, freedom)) return false;
  keep_within_limits(equations, info, t, y);
  return true;
}

void use_shared_multipliers(Equations& equations, const problem::Problem& info) {
  equations.share = nullptr;
  if (equations.beyond_dense()) return;
  equations.share = [&equations, &info](double t, const double* y) {
    for (std::size_t k = 0; k < equations.mask.size(); ++k)
      if (equations.mask[k] == 0 && equations.pivot_scale()[k] > 0) {
        MultiplierFreedom freedom;
        if (smallest_multipliers(equations, info, t, y, &freedom) && loads_see_shares(equations, info, freedom))
          keep_within_limits(equations, info, t, y);
        return;
      }
  };
}

JointRest margin_of_rest(Equations& equations, const problem::Problem& info, double t, const double* y) {
  JointRest out;
  RestingShare share(equations, info, t, y);
  bool beyond = false;
  if (!share.find(out.at_limit, beyond) || !share.prepare()) return out;
  out.margin = 1 - share.least_scale();
  share.take(out.margin >= 0 && share.slips(1) == 0);
  return out;
}

}  // namespace mbc::runtime
