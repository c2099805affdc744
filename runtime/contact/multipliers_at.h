// SPDX-License-Identifier: Apache-2.0
// MultipliersAt evaluates one state with other multipliers: the values of events, as limits and sizes of loads.
#pragma once
#include <Eigen/Core>
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

class MultipliersAt {
 public:
  // The multipliers are those that the last evaluation of this state has left. Both outlive the object.
  MultipliersAt(Equations& equations, const problem::Problem& info, double t, const double* y)
      : equations_(equations),
        info_(info),
        t_(t),
        y_(y, y + equations.layout().n_y()),
        dy_(y_.size()),
        lambda_(Eigen::Map<const Eigen::VectorXd>(equations.lambda(), equations.layout().n_rows)) {}

  // Evaluates the outputs with these multipliers.
  void take(const Eigen::VectorXd& multipliers) {
    equations_.set_lambda(multipliers);
    equations_.outputs(t_, y_.data(), dy_.data());
  }
  [[nodiscard]] const double* values() const { return equations_.output_values() + info_.events.first_value; }

  [[nodiscard]] double time() const { return t_; }
  [[nodiscard]] const std::vector<double>& state() const { return y_; }
  [[nodiscard]] const Eigen::VectorXd& lambda() const { return lambda_; }
  [[nodiscard]] const problem::Problem& info() const { return info_; }
  [[nodiscard]] problem::DiscreteState discrete() const { return equations_.discrete_state(info_.events); }

 private:
  Equations& equations_;
  const problem::Problem& info_;
  const double t_;
  const std::vector<double> y_;
  std::vector<double> dy_;
  const Eigen::VectorXd lambda_;
};

}  // namespace mbc::runtime
