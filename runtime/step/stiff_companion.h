// SPDX-License-Identifier: Apache-2.0
// StiffCompanion carries a small error along a stiff motion by the linearised equations e' = J e, with the Jacobian J
// of the rates at one state. It makes one step of the L-stable method of order 2 with two equal stages, SDIRK2 (R.
// Alexander, "Diagonally implicit Runge-Kutta methods for stiff O.D.E.'s", SIAM J. Numer. Anal. 14 (1977) 1006-1021):
//
//   (1 - g h J) e_1 = e + g w      (1 - g h J) e_2 = e + (1 - g)/g (e_1 - e) + g w      g = 1 - 1/sqrt(2)
//
// e_2 is the error at the end, and w/h a constant load. Decay that is far faster than h leaves nothing of e.
#pragma once
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/equations/rate_jacobian.h"

namespace mbc::runtime {

class StiffCompanion {
 public:
  // Both arguments outlive the object. The state is [q; u; s].
  StiffCompanion(const PartialsCode& code, Equations& equations);

  // A step of size h, with the Jacobian at (t, y). In it the state moves by `moved` and its rate by `changed`, so that
  // changed - J moved is what the time alone has changed. `error` belongs to a time that is later by `late`.
  struct Step {
    double t = 0;
    const std::vector<double>& y;
    double h = 0, late = 0;
    const std::vector<double>&moved, &changed;
  };
  // Carries `error`, which has as many entries as a state. Returns false if the result is not finite.
  bool carry(const Step& step, std::vector<double>& error);
  // Reduces terms of the rates to what acts in a time against the decay and the stiffness of their own entries, at the
  // last state that errors were carried over: x' = T - k x moves x by T/k at most.
  void resist(const problem::Problem& info, double time, std::vector<double>& terms) const;

 private:
  const kernel::SystemLayout& layout_;
  RateJacobian jacobian_;
  LuFactors factors_;
  Eigen::MatrixXd matrix_, load_, right_, first_, second_;  // all but the first have one column
};

}  // namespace mbc::runtime
