// SPDX-License-Identifier: Apache-2.0
// The parts that hold a run on its constraints: the choice of the rows, the treatment of drift, and the replacements
// for the equations where rows lose rank.
#pragma once
#include <optional>
#include <vector>

#include "runtime/constraints/constraint_projector.h"
#include "runtime/constraints/stabilisation.h"
#include "runtime/record/options.h"
#include "runtime/singular/certification.h"
#include "runtime/singular/generic_rank.h"
#include "runtime/singular/singular_limit.h"
#include "runtime/singular/vanishing_rows.h"

namespace mbc::runtime {

class ConstraintHandling {
 public:
  // References must outlive the object.
  ConstraintHandling(Equations& equations, const problem::Problem& problem, const SimulateOptions& options)
      : projector_(equations, problem),
        certification_(equations, problem, projector_, options.rank_tolerance),
        singular_limit_(equations, projector_),
        generic_rank_(equations, problem, projector_),
        vanishing_rows_(equations, problem),
        stabiliser_(equations, problem, projector_, options.stabilisation, options.tolerance) {}
  ConstraintHandling(const ConstraintHandling&) = delete;  // the parts refer to each other
  ConstraintHandling& operator=(const ConstraintHandling&) = delete;

  [[nodiscard]] ConstraintProjector& projector() { return projector_; }
  [[nodiscard]] const ConstraintProjector& projector() const { return projector_; }
  [[nodiscard]] Certification& certification() { return certification_; }
  [[nodiscard]] const Certification& certification() const { return certification_; }
  [[nodiscard]] SingularLimit& singular_limit() { return singular_limit_; }
  [[nodiscard]] GenericRank& generic_rank() { return generic_rank_; }
  [[nodiscard]] VanishingRows& vanishing_rows() { return vanishing_rows_; }
  [[nodiscard]] Stabiliser& stabiliser() { return stabiliser_; }
  [[nodiscard]] const Stabiliser& stabiliser() const { return stabiliser_; }
  [[nodiscard]] bool near_singular() const { return certification_.near_singular(); }

  // Stabilise the state y at the end of a step, of a trial step, and between two steps.
  Stabiliser::Outcome after_step(double t, double* y) { return stabiliser_.after_step(t, y, near_singular()); }
  Stabiliser::Outcome after_trial(double t, double* y) { return stabiliser_.after_trial(t, y, near_singular()); }
  Stabiliser::Outcome between_steps(double t, double* y) { return stabiliser_.between_steps(t, y, near_singular()); }
  // Returns why the run ends if a gradient has vanished since the last state. The state has just been evaluated.
  std::optional<Diagnostic> vanished_gradient(double t, const std::vector<double>& y) {
    return vanishing_rows_.asks(t, y.data()) ? vanishing_rows_.passed(t, y.data()) : std::nullopt;
  }

 private:
  ConstraintProjector projector_;
  Certification certification_;
  SingularLimit singular_limit_;
  GenericRank generic_rank_;
  VanishingRows vanishing_rows_;
  Stabiliser stabiliser_;
};

}  // namespace mbc::runtime
