// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/stiff_companion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mbc::runtime {

StiffCompanion::StiffCompanion(const PartialsCode& code, Equations& equations)
    : layout_(equations.layout()),
      jacobian_(code, equations),
      load_(jacobian_.size(), 1),
      right_(jacobian_.size(), 1),
      first_(jacobian_.size(), 1),
      second_(jacobian_.size(), 1) {}

bool StiffCompanion::carry(const Step& step, std::vector<double>& error) {
  const double of_stage = 1 - 1 / std::numbers::sqrt2;
  if (!jacobian_.evaluate(step.t, step.y.data())) return false;
  const auto column = [this](const std::vector<double>& list) {
    return Eigen::Map<const Eigen::VectorXd>(list.data(), right_.rows());
  };
  load_ = column(step.changed);
  load_.noalias() -= jacobian_.matrix() * column(step.moved);
  load_ *= step.late;
  matrix_ = -of_stage * step.h * jacobian_.matrix();
  matrix_.diagonal().array() += 1;
  factors_.compute(matrix_);
  right_ = column(error) + of_stage * load_;
  factors_.solve(right_, first_);
  right_ += (1 - of_stage) / of_stage * (first_ - column(error));
  factors_.solve(right_, second_);
  if (!second_.allFinite()) return false;
  std::copy_n(second_.data(), second_.rows(), error.begin());
  return true;
}

void StiffCompanion::resist(const problem::Problem& info, double time, std::vector<double>& terms) const {
  const Eigen::MatrixXd& by = jacobian_.matrix();
  for (std::uint32_t i = layout_.speeds_at(); i < jacobian_.size(); ++i) {
    double held = time * std::fabs(by(i, i));
    const std::uint32_t q =
        i < layout_.states_at() ? info.coordinate_of_speed[i - layout_.speeds_at()] : problem::Problem::kNoCoordinate;
    if (q != problem::Problem::kNoCoordinate) held += time * time * std::fabs(by(i, q));
    if (std::isfinite(held)) terms[i] /= 1 + held;
  }
}

}  // namespace mbc::runtime
