// SPDX-License-Identifier: Apache-2.0
// Accelerations where rows of velocity level lose their rank for an instant: a knife edge at the height where its rows
// meet. Positions where rows of position level do are crossed (crossing.h).
//
// At such a state, and only there, a row is a combination of the others. The generalised inverse drops it and lets
// applied forces act freely in the direction it held. Beside the state the same direction is known only to round-off
// divided by a power of the distance. Neither is the motion: that passes smoothly, and its acceleration is the limit
// along the motion. So where the elimination shows such a state, the part of u' in the weak direction is replaced by a
// mean of its values at states a little before and after, brought back onto the constraints. Odd singular terms cancel
// in the mean, and two distances give the limit to fourth order (Richardson extrapolation of the central mean):
//
//   u'_w = P_w (4 (f(+e) + f(-e)) - (f(+2e) + f(-2e))) / 6,   e: offset_from_singularity.h
//
// In all other directions u' stays what the equations gave. Where rows depend on each other on one side as well, there
// is no limit to be taken, and all values stay as they are.
#pragma once
#include <array>
#include <vector>

#include "base/archive.h"
#include "runtime/constraints/constraint_projector.h"

namespace mbc::runtime {

class SingularLimit {
 public:
  SingularLimit(Equations& equations, ConstraintProjector& projector);

  // Equations::rhs, and then the above; y, dy: n_y entries, t in s.
  std::int32_t rhs(double t, const double* y, double* dy) {
    const std::int32_t failed = equations_.rhs(t, y, dy);
    if (failed == 0) refine(t, y, dy);
    return failed;
  }
  // Rows are nearly dependent for good: what is near there is no singular position.
  void leave() { left_ = true; }
  // The same where Equations::rhs has just been called.
  void refine(double t, const double* y, double* dy);
  void transfer(Archive& archive) {
    archive(left_, rest_);
    archive.expect(rest_ >= 0);
  }

 private:
  struct Side {
    std::vector<double> y, dy;
    Eigen::MatrixXd weak;  // mass-scaled basis of the directions lost at the singular position
    MassScaling scaling;
  };
  [[nodiscard]] bool is_lost(std::uint32_t row) const;
  bool find_lost();
  bool limit(double t, const double* y, double* dy);
  bool evaluate(Side& side, double t, const double* y, const double* rate, double e);

  Equations& equations_;
  ConstraintProjector& projector_;
  std::array<Side, 4> sides_;
  std::vector<double> plain_, scratch_;
  std::vector<std::uint32_t> lost_;  // rows at the state at hand
  bool left_ = false;
  int rest_ = 0;  // calls to wait after an attempt that found no limit
};

}  // namespace mbc::runtime
