// SPDX-License-Identifier: Apache-2.0
// Stabiliser applies the chosen stabilisation to the state at the end of a step and builds the diagnostic of a failure.
// `project` and `partition` move the state back onto the constraints. `baumgarte` (J. Baumgarte, Comput. Methods Appl.
// Mech. Eng. 1 (1972) 1-16) acts inside the equations, and the class only monitors its result. States are y = [q; u;
// s], and times are in s.
#pragma once
#include <optional>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/settings.h"
#include "runtime/constraints/coordinate_partitioning.h"

namespace mbc::runtime {

class Stabiliser {
 public:
  struct Outcome {
    std::optional<Diagnostic> diagnostic;
    std::vector<int> conflicting;  // contradicting rows, if they are the reason for a failure
    [[nodiscard]] bool failed() const { return diagnostic || !conflicting.empty(); }
    double moved = 0;   // mass-weighted size of the correction of the positions
    double before = 0;  // largest scaled residual before the correction, relative to the size of the model
  };

  // `tolerance` bounds the largest mass-weighted |e|/|G| for project and partition.
  Stabiliser(Equations& equations, const problem::Problem& info, ConstraintProjector& projector, Stabilisation choice,
             double tolerance);

  // Returns whether states are moved.
  [[nodiscard]] bool corrects() const { return corrects_; }
  // Returns whether states are moved or monitored.
  [[nodiscard]] bool acts() const { return acts_; }
  [[nodiscard]] bool watches() const { return acts_ && !corrects_; }
  // Corrects y in place. `near` means that rows were nearly dependent recently.
  Outcome after_step(double t, double* y, bool near);
  // Does the same for a trial step. The choice of dependent coordinates does not change.
  Outcome after_trial(double t, double* y, bool near);
  // These functions save and restore this choice for steps that are repeated from the same state.
  void keep() {
    if (partitioning_) partitioning_->keep();
  }
  void restore() {
    if (partitioning_) partitioning_->restore();
  }
  // Corrects a state between steps for the record. Both `project` and `partition` use the smallest correction.
  Outcome between_steps(double t, double* y, bool near);

  [[nodiscard]] std::uint64_t renewals() const { return partitioning_ ? partitioning_->renewals() : 0; }
  void transfer(Archive& archive) {
    if (partitioning_) archive(*partitioning_);
  }

 private:
  Outcome judge(double t, const CorrectionReport& made, bool near) const;
  Outcome watch(double t, const double* y);

  Equations& equations_;
  const problem::Problem& info_;
  ConstraintProjector& projector_;
  Stabilisation choice_;
  double tolerance_;
  bool corrects_, acts_;
  std::optional<CoordinatePartitioning> partitioning_;
};

}  // namespace mbc::runtime
