// SPDX-License-Identifier: Apache-2.0
// Constraints that jump: what brings the state back onto them after a step is more than its velocities, or its
// accelerations, can have done in the step (`p.x == if t < 1 then 0 else 1`, `max(0, -p.y) == 0` under a falling
// particle). The projection would move the state there without a word, and the energy with it. Where the row itself is
// not continuous on the straight way through the step, it jumps however far the step may have led.
//
// States are y = [q; u; s], n_y entries; times in s.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "kernel/limits.h"
#include "kernel/problem/problem.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

class Jumps {
 public:
  // All outlive the object.
  Jumps(Equations& equations, const problem::Problem& info, const ConstraintProjector& projector)
      : equations_(equations),
        info_(info),
        projector_(projector),
        reach_(equations.layout().n_rows),
        of_rates_(reach_),
        slack_(equations.layout().n_rows),
        between_(equations.layout().n_rows),
        rate_(equations.layout().n_y()) {}

  // What the error control of a method lets pass in a step is no jump: relative to the size of the model, and of each
  // entry of the state.
  void allow(double relative, double absolute) {
    relative_ = relative;
    absolute_ = absolute;
  }

  // A state on the constraints with its rate, and what a step made of it.
  struct Step {
    double t = 0, t_new = 0;
    const std::vector<double>&y, &dy;    // before the step
    const std::vector<double>& made;     // by the method
    const std::vector<double>& settled;  // after the correction
  };
  // Rows whose residuals have jumped from y to what was made: the first of them, as a failure. The work arrays hold
  // other values afterwards.
  std::optional<Diagnostic> look(const Step& step);
  // Those that are not continuous where one of their operations switches.
  std::optional<Diagnostic> interrupted(const Step& step);
  // The equations that are others at the state y once `change` has changed what branches of the rows are held. Rows
  // that only push, and frictions, let go instead.
  std::optional<Diagnostic> changed(double t, const std::vector<double>& y, const std::function<void()>& change);

  // Largest scaled residual (|e|/|G|, mass-weighted, relative to the size of the model) of what a method makes of a
  // state below which nothing is looked at.
  static constexpr double kSeen = kernel::kQuadraticResidual;

 private:
  void to_switch(const Step& step, double& before, double& after);
  void at_part(const Step& step, double part, std::vector<double>& state) const;
  void add_reach(double t, const double* y, const double* rates, bool accelerations);
  void take_change(bool position, double t, const double* y, double t_after, const double* after);
  std::optional<Diagnostic> jumped(const Step& step, bool position, bool at_once);

  Equations& equations_;
  const problem::Problem& info_;
  const ConstraintProjector& projector_;
  std::vector<double> reach_;     // by row: how far the rate of the row, without regard to signs, leads in the step
  std::vector<double> of_rates_;  // the same of its rate
  std::vector<double> slack_;     // by row: what `absolute_` of each entry comes to
  double relative_ = 0, absolute_ = 0;
  std::vector<double> between_, rate_;
  std::vector<double> here_, there_;  // states on the straight way through the step
};

}  // namespace mbc::runtime
