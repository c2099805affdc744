// SPDX-License-Identifier: Apache-2.0
// What the chosen stabilisation does with the state at the end of a step, and the diagnostic when it fails. `project`
// and `partition` bring the state back onto the constraints; `baumgarte` (J. Baumgarte, Comput. Methods Appl. Mech.
// Eng. 1 (1972) 1-16) has done its part in the equations and is only watched. States are y = [q; u; s], times in s.
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
    std::vector<int> conflicting;  // rows that contradict each other: why no state was found
    [[nodiscard]] bool failed() const { return diagnostic || !conflicting.empty(); }
    double moved = 0;   // mass-weighted size of the correction of the positions
    double before = 0;  // largest scaled residual before the correction, relative to the size of the model
  };

  // tolerance: of project and partition, the largest |e|/|G|, mass-weighted.
  Stabiliser(Equations& equations, const problem::Problem& info, ConstraintProjector& projector, Stabilisation choice,
             double tolerance);

  // Whether states are moved.
  [[nodiscard]] bool corrects() const { return corrects_; }
  // Whether states are moved or looked at.
  [[nodiscard]] bool acts() const { return acts_; }
  [[nodiscard]] bool watches() const { return acts_ && !corrects_; }
  // Corrects y in place. near: rows were nearly dependent lately.
  Outcome after_step(double t, double* y, bool near);
  // The same of a step that is tried: the choice of dependent coordinates stays as it is.
  Outcome after_trial(double t, double* y, bool near);
  // That choice, for steps that are made again from the same state.
  void keep() {
    if (partitioning_) partitioning_->keep();
  }
  void restore() {
    if (partitioning_) partitioning_->restore();
  }
  // A state between steps, for the record: the smallest correction under `project` and `partition` alike.
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
