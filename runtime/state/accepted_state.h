// SPDX-License-Identifier: Apache-2.0
// What is done at every accepted state of a run: evaluate, look at the rows and certify them where they ask for it,
// renew independent speeds, take the limit at singular positions.
#pragma once
#include <vector>

#include "runtime/constraints/reactions.h"
#include "runtime/equations/backoff.h"
#include "runtime/record/options.h"
#include "runtime/singular/crossing.h"
#include "runtime/state/constraint_handling.h"
#include "runtime/state/integration.h"
#include "runtime/state/run_state.h"

namespace mbc::runtime {

class AcceptedState {
 public:
  AcceptedState(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                Integration& integration, Crossing& crossing)
      : options_(options), state_(state), constraints_(constraints), integration_(integration), crossing_(crossing) {}

  // All of it at time t: the rate is left in state_.integrated(). False when the run ends here.
  bool evaluate(double t);
  // The same where the state was accepted before: `drive` has been asked.
  bool evaluate_again(double t);
  // The same for a rate that is known, or found not to be finite: what is decided about the rows. False when the run
  // ends here.
  bool look(double t, bool finite);

  void transfer(Archive& archive) { archive(other_rows_); }
  // What is told of the whole run.
  void transfer_tallies(Archive& archive) { archive(least_ratio_); }

  // M, with the rows added to it, is positive definite; else the run ends.
  bool has_inertia(double t);
  // Prescribed forces may use the multipliers without them only where there is one such set, other loads the
  // multipliers where what they make of them is the same for all sets; else the run ends. Multipliers of the last
  // evaluation are lost.
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
  std::vector<double> defects_, mask_;
  Backoff other_rows_;
  double least_ratio_ = 1;  // of a pivot so far
};

}  // namespace mbc::runtime
