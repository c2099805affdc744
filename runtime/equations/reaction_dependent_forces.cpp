// SPDX-License-Identifier: Apache-2.0
#include "runtime/equations/reaction_dependent_forces.h"

#include <cmath>

#include "runtime/rows/decompositions.h"
#include "runtime/rows/fixed_point.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr int kMostLoadLooks = 3;  // with the loads that were found

}  // namespace

std::vector<ReactionDependentForce> reaction_dependent_of(const problem::Events& events) {
  const auto among_outputs = [&events](std::vector<problem::Slope> slopes) {
    for (problem::Slope& s : slopes) s.value += events.first_value;
    return slopes;
  };
  std::vector<ReactionDependentForce> out;
  for (const problem::Friction& f : events.frictions) {
    if (!f.size) continue;
    ReactionDependentForce load{
        events.discrete.input_of(*f.size), events.first_value + f.limit, {}, among_outputs(f.limit_slopes)};
    for (const std::uint32_t d : f.direction) load.acts.push_back(events.discrete.input_of(d));
    out.push_back(std::move(load));
  }
  for (const problem::ReactionDependentForce& l : events.reaction_dependent)
    out.push_back({events.discrete.input_of(l.held), events.first_value + l.value, {}, among_outputs(l.slopes)});
  return out;
}

const double* ReactionDependentForces::evaluate(std::span<double> inputs, const Vector& x,
                                                const Evaluation& evaluation) const {
  for (std::size_t k = 0; k < acting_.size(); ++k) inputs[loads_[acting_[k]].input] = x[static_cast<Eigen::Index>(k)];
  return evaluation.accelerations();
}

void ReactionDependentForces::read(const double* outputs, Vector& g) const {
  for (std::size_t k = 0; k < acting_.size(); ++k) g[static_cast<Eigen::Index>(k)] = outputs[loads_[acting_[k]].output];
}

// Computes dg/dlambda W. A derivative that is not finite, such as that of norm at zero, counts as zero.
void ReactionDependentForces::read_slopes(const double* outputs, Eigen::MatrixXd& slope) const {
  slope.setZero();
  for (std::size_t k = 0; k < acting_.size(); ++k)
    for (const problem::Slope& s : loads_[acting_[k]].slopes)
      if (const double by_row = outputs[s.value]; std::isfinite(by_row))
        slope.row(static_cast<Eigen::Index>(k)) += by_row * per_unit_.row(s.row);
}

// Returns the largest rounding error of the required load sizes at the multipliers of the last evaluation.
double ReactionDependentForces::rounding_of(std::span<const double> by_row, const Evaluation& evaluation) const {
  const auto n = static_cast<Eigen::Index>(acting_.size());
  const Vector lambda = Eigen::Map<const Vector>(evaluation.lambda.data(), static_cast<Eigen::Index>(by_row.size()));
  Vector here(n), there(n), sum = Vector::Zero(n);
  if (by_row.empty()) return 0;
  read(evaluation.outputs(lambda), here);
  for (std::size_t row = 0; row < by_row.size(); ++row) {
    if (by_row[row] == 0) continue;
    Vector moved = lambda;
    moved[static_cast<Eigen::Index>(row)] += by_row[row];
    read(evaluation.outputs(moved), there);
    sum += (there - here).cwiseAbs();
  }
  return sum.allFinite() ? sum.maxCoeff() : 0;
}

bool ReactionDependentForces::solve(std::span<double> inputs, const Evaluation& evaluation,
                                    std::span<const double> rounding) {
  acting_.clear();
  bool differentiated = false;
  for (std::uint32_t k = 0; k < loads_.size(); ++k) {
    if (!acts(loads_[k], inputs)) continue;
    acting_.push_back(k);
    differentiated = differentiated || loads_[k].acts.empty();
  }
  if (differentiated) return solve_differentiated(inputs, evaluation, rounding);
  bool defined = true;
  const auto map = [&](const Vector& x, Vector& g) {
    const double* outputs = evaluate(inputs, x, evaluation);
    defined = outputs != nullptr;
    if (defined) read(outputs, g);
    return defined;
  };
  const bool found =
      fixed_point(static_cast<Eigen::Index>(acting_.size()), map, rounding_of(rounding, evaluation)).found;
  if (!found && defined) unsolved_ = acting_[0];
  return found;
}

bool ReactionDependentForces::solve_differentiated(std::span<double> inputs, const Evaluation& evaluation,
                                                   std::span<const double> by_row) {
  const auto n = static_cast<Eigen::Index>(acting_.size());
  const Eigen::Map<const Vector> multipliers(evaluation.lambda.data(),
                                             static_cast<Eigen::Index>(evaluation.lambda.size()));
  const double rounding = rounding_of(by_row, evaluation);
  Vector x = Vector::Zero(n), g(n);
  const double* outputs = evaluate(inputs, x, evaluation);
  if (outputs == nullptr) return false;
  read(outputs, g);
  const Vector none = multipliers;
  const double largest = g.allFinite() ? g.cwiseAbs().maxCoeff() : 0;
  per_unit_.resize(none.size(), n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const double step = !(largest > 0) ? 1 : std::fabs(g[k]) > kLeastLoad * largest ? std::fabs(g[k]) : largest;
    x[k] = step;
    if (evaluate(inputs, x, evaluation) == nullptr) return false;
    per_unit_.col(k) = (multipliers - none) / step;
    x[k] = 0;
  }
  Vector lambda_0 = none;
  for (int look = 0; look < kMostLoadLooks; ++look) {
    const auto map = [&](const Vector& at, Vector& value, Eigen::MatrixXd& slope) {
      const double* made = evaluation.outputs(lambda_0 + per_unit_ * at);
      read(made, value);
      read_slopes(made, slope);
      not_finite_ = !value.allFinite();
      return true;
    };
    const FixedPoint found = newton_point(n, map, rounding);
    const bool only = found.found && is_only_one(lambda_0 + per_unit_ * found.x, found.x, evaluation);
    if (!only) break;
    outputs = evaluate(inputs, found.x, evaluation);
    if (outputs == nullptr) return false;
    read(outputs, g);
    const double size = std::max(found.x.cwiseAbs().maxCoeff(), g.cwiseAbs().maxCoeff());
    if ((g - found.x).cwiseAbs().maxCoeff() <= kLoadRounding * size + rounding) return true;
    // The next pass starts from the multipliers of the last evaluation and removes what rounding has left.
    lambda_0 = multipliers - per_unit_ * found.x;
  }
  unsolved_ = *std::find_if(acting_.begin(), acting_.end(), [this](std::uint32_t k) { return loads_[k].acts.empty(); });
  return false;
}

bool ReactionDependentForces::is_only_one(const Vector& lambda, const Vector& x, const Evaluation& evaluation) const {
  const auto n = static_cast<Eigen::Index>(acting_.size());
  const double force = x.cwiseAbs().maxCoeff(), push = lambda.size() > 0 ? lambda.cwiseAbs().maxCoeff() : 0;
  const double felt = per_unit_.size() > 0 ? per_unit_.cwiseAbs().maxCoeff() : 0;
  Eigen::MatrixXd slope(n, n), at_hand(n, n);
  read_slopes(evaluation.outputs(lambda), at_hand);
  const double here_by = determinant(Eigen::MatrixXd::Identity(n, n) - at_hand);
  bool affine = std::fabs(here_by) > kSingularLaw, positive = here_by > 0;
  for (Eigen::Index k = 0; k < n; ++k) {
    const double here = per_unit_.rows() > 0 ? per_unit_.col(k).cwiseAbs().maxCoeff() : 0;
    const bool always = loads_[acting_[static_cast<std::size_t>(k)]].acts.empty();
    affine = affine && always;
    if (!always || !(here > kFeltForce * felt)) continue;
    const double far = kFarAway * std::max(force, push / here);
    for (const double side : {far, -far}) {
      read_slopes(evaluation.outputs(lambda + side * per_unit_.col(k)), slope);
      affine = affine && slope == at_hand;
      positive = positive && (!(far > 0) || determinant(Eigen::MatrixXd::Identity(n, n) - slope) > 0);
    }
  }
  return positive || affine;  // Affine laws that are regular have one solution, whatever the sign.
}

}  // namespace mbc::runtime
