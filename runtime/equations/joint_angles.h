// SPDX-License-Identifier: Apache-2.0
// The turns of the angles of joints that rows hold (compiler/sema/joint_angles.h). An angle is known up to whole turns
// by the pose; it is the one next to a discrete variable. That variable is moved to the nearest half turn when the
// angle is more than a quarter turn away, so that the angle does not jump in a step of less than a quarter turn. A
// longer step is followed by the rates at its ends.
#pragma once
#include <vector>

#include "base/archive.h"
#include "kernel/problem/events.h"
#include "kernel/straight_line.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

class JointAngles {
 public:
  // Both arguments must outlive the object.
  JointAngles(Equations& equations, const problem::Events& events);

  // Moves the discrete variables along to a state of the motion. Times do not decrease.
  void follow(double t, const double* y);
  void transfer(Archive& archive);

 private:
  [[nodiscard]] double turned(std::size_t angle, double by_pose, double rate, double dt) const;

  Equations& equations_;
  const problem::Events& events_;
  kernel::StraightLine line_;  // the angles, each with its rate
  std::vector<double> values_;
  double t_ = 0;
  std::vector<double> angles_, rates_;  // at t_; empty before the first state
};

}  // namespace mbc::runtime
