// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/stiff_companion.h"

#include <algorithm>
#include <numbers>

namespace mbc::runtime {

StiffCompanion::StiffCompanion(const PartialsCode& code, Equations& equations)
    : jacobian_(code, equations),
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

}  // namespace mbc::runtime
