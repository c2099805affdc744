// SPDX-License-Identifier: Apache-2.0
// The work at every accepted state of a run: evaluate it, check the rows and certify them if necessary, renew
// independent speeds, and take the limit at singular positions.
#pragma once
#include <vector>

#include "runtime/constraints/reactions.h"
#include "runtime/equations/backoff.h"
#include "runtime/equations/joint_angles.h"
#include "runtime/record/options.h"
#include "runtime/record/run_state.h"
#include "runtime/singular/crossing.h"
#include "runtime/state/constraint_handling.h"
#include "runtime/state/integration.h"

namespace mbc::runtime {

class AcceptedState {
 public:
  AcceptedState(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                Integration& integration, Crossing& crossing)
      : options_(options),
        state_(state),
        constraints_(constraints),
        integration_(integration),
        crossing_(crossing),
        angles_(state.equations(), state.info().events) {}

  // Does all of it at time t and leaves the rate in state_.integrated(). Returns false if the run ends here.
  bool evaluate(double t);
  // Does the same for a state that was accepted before; `drive` is not called again.
  bool evaluate_again(double t);
  // Follows the angles of joints to an accepted state, or to one between two.
  void follow_angles(double t, const double* y) { angles_.follow(t, y); }
  // Does the same for a rate that is known or not finite: decides about the rows. Returns false if the run ends here.
  bool look(double t, bool finite);

  void transfer(Archive& archive) { archive(other_rows_, angles_); }
  // Saves or reads what the summary of the whole run reports.
  void transfer_tallies(Archive& archive) { archive(least_ratio_); }

  // Returns whether M with the added rows is positive definite. Otherwise the run ends.
  bool has_inertia(double t);
  // Checks loads that use multipliers; otherwise the run ends. Prescribed forces may use the multipliers of the motion
  // without these forces only if they are unique. Other loads may use them if all sets of multipliers give the same
  // load. The multipliers of the last evaluation are lost.
  bool load_multipliers_unique(double t);

 private:
  [[nodiscard]] bool loads_hold_multipliers() const;
  bool load_is_unique(const problem::ReactionDependentForce& load, const Eigen::VectorXd& slopes,
                      const MultiplierFreedom& freedom, double t);
  bool certified(double t);
  bool speeds_renewed(double t);
  bool rows_chosen_again(double t);
  void rows_stand_for_others(double t);
  bool redundant_rows_agree(double t);
  bool redundant_rows_stay(double t);
  [[nodiscard]] double row_norm(std::size_t k) const;

  const SimulateOptions& options_;
  RunState& state_;
  ConstraintHandling& constraints_;
  Integration& integration_;
  Crossing& crossing_;
  JointAngles angles_;
  std::vector<double> defects_, mask_;
  Backoff other_rows_;
  double least_ratio_ = 1;  // smallest ratio of a pivot so far
};

}  // namespace mbc::runtime
