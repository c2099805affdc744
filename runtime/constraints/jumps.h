// SPDX-License-Identifier: Apache-2.0
// Finds constraints that jump: the correction after a step is larger than velocities, or accelerations, can have caused
// in the step (`p.x == if t < 1 then 0 else 1`, `max(0, -p.y) == 0` under a falling particle). The projection would
// move the state there without notice and change its energy. A row that is not continuous on the straight way through
// the step jumps, however far the step leads.
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
  // References must outlive the object.
  Jumps(Equations& equations, const problem::Problem& info, const ConstraintProjector& projector)
      : equations_(equations),
        info_(info),
        projector_(projector),
        reach_(equations.layout().n_rows),
        of_rates_(reach_),
        slack_(equations.layout().n_rows),
        between_(equations.layout().n_rows),
        rate_(equations.layout().n_y()) {}

  // Sets the changes that the error control of a method allows in a step and that are no jumps: relative to the size of
  // the model, and of each entry of the state.
  void allow(double relative, double absolute) {
    relative_ = relative;
    absolute_ = absolute;
  }

  // A state on the constraints with its rate, and the result of a step from it.
  struct Step {
    double t = 0, t_new = 0;
    const std::vector<double>&y, &dy;    // before the step
    const std::vector<double>& made;     // by the method
    const std::vector<double>& settled;  // after the correction
  };
  // Returns a failure for the first row whose residual has jumped from y to `made`. The work arrays hold other values
  // afterwards.
  std::optional<Diagnostic> look(const Step& step);
  // Returns a failure for the first row that is not continuous where one of its operations switches.
  std::optional<Diagnostic> interrupted(const Step& step);
  // Returns a failure for the first equation that changes at the state y when `change` changes the modes of its
  // functions. Unilateral constraints and frictions are released instead.
  std::optional<Diagnostic> changed(double t, const std::vector<double>& y, const std::function<void()>& change);

  // Largest scaled residual (|e|/|G|, mass-weighted, relative to the size of the model) after a step that is not
  // checked for jumps.
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
  std::vector<double> reach_;     // by row: bound of its rate in the step, without regard to signs
  std::vector<double> of_rates_;  // the same for the rate of the row
  std::vector<double> slack_;     // by row: the change that `absolute_` of each entry causes
  double relative_ = 0, absolute_ = 0;
  std::vector<double> between_, rate_;
  std::vector<double> here_, there_;  // states on the straight way through the step
};

}  // namespace mbc::runtime
