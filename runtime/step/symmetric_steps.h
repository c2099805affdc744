// SPDX-License-Identifier: Apache-2.0
// Steps of Gauss's methods (runtime/integrators/gauss.h) for long runs of conservative models, symmetrically projected
// onto the constraints (Hairer, Lubich and Wanner, "Geometric Numerical Integration", 2nd ed., V.4.1):
//
//   z = y_n + D(y_n) mu,   z+ = step of z,   y_(n+1) = z+ + D(y_(n+1)) mu,   y_(n+1) on the constraints
//
// D(y) mu = [W M^-1 A^T mu_q; M^-1 A^T mu_u], the smallest displacements by mass. The step backwards from y_(n+1) leads
// to y_n again, so the energy has no trend. A projection of y_(n+1) alone would give it one. The state is a sum of two
// doubles from step to step.
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "runtime/equations/equations.h"
#include "runtime/integrators/gauss.h"
#include "runtime/record/options.h"
#include "runtime/record/run_state.h"
#include "runtime/state/constraint_handling.h"

namespace mbc::runtime {

class Stepping;

class SymmetricSteps {
 public:
  enum class Outcome : std::uint8_t { done, undefined, no_solution, off };

  // References must outlive the object.
  SymmetricSteps(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints, Gauss& method,
                 Stepping& stepping);
  // Moves the state of the run to the end of a step of size h from t. The state does not change if there is no
  // solution.
  Outcome step(double t, double h);
  // Returns the mass-weighted size of the corrections of the positions in the last step.
  [[nodiscard]] double moved() const { return moved_; }

  void transfer(Archive& archive) {
    archive.fixed(low_, left_);
    archive(rows_, of_position_, of_speeds_);
    archive.expect(rows_.size() == of_position_.size() && rows_.size() == of_speeds_.size());
    for (std::size_t k = 0; k < rows_.size(); ++k)
      archive.expect(rows_[k] < state_.layout().n_rows && (k == 0 || rows_[k] > rows_[k - 1]));
    if (archive.reading()) there_.known = false;
  }

 private:
  // The matrix of D at a state, and the factor for mu.
  struct Directions {
    bool known = false;
    Eigen::MatrixXd rows, columns, factor;  // G = A L^-T, M^-1 A^T, and L L^T = G G^T
  };
  void take_rows();
  bool directions(double t, const double* y, Directions& out);
  void displacement(double t, const double* y, const Directions& d, std::vector<double>& out);
  bool residuals(double t, const double* y, const Directions& d, double& worst);
  Outcome project(double t, double h);
  void correct(double h);
  Outcome found(std::int32_t failed) const;
  void settle();

  const SimulateOptions& options_;
  RunState& state_;
  ConstraintHandling& constraints_;
  Gauss& method_;
  Stepping& stepping_;
  std::vector<double> low_, left_;               // the state is left_ + low_ unless it was changed since
  std::vector<std::uint32_t> rows_;              // the certified rows
  std::vector<double> of_position_, of_speeds_;  // mu of the last step, with which the next one begins
  Directions here_, there_;
  Assembled assembled_;
  Eigen::VectorXd position_, speeds_;  // residuals
  std::vector<double> shift_, end_shift_, change_, end_, moving_, rate_;
  double moved_ = 0;
};

}  // namespace mbc::runtime
