// SPDX-License-Identifier: Apache-2.0
// Contacts of one step of fixed size: impulses p of rows B that only push and of frictions, and the jump w = B^T p of
// the speeds in the scale of the masses (B: what the equations of the model leave of the rows), such that
//   0 <= p_i,  B_i w >= d_i, one of the two being equal, row by row
//   |p_f| <= L_f  and  B_f w = d_f,  or  p_f = -L_f d,  d the direction of B_f w - d_f
// The limits L are functions of all impulses. Rows are gone through one after the other, each with the others held
// (M. Jean, Computer Methods in Applied Mechanics and Engineering 177 (1999) 235-257); the limits are evaluated
// anew for each sweep. With limits that are given it is a convex problem, and the sweeps always get there.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

namespace mbc::runtime {

struct ConeProblem {
  struct Friction {
    std::uint32_t row = 0, count = 1;
  };
  struct Limit {
    double sliding = 0, still = 0;
  };
  Eigen::MatrixXd rows;                // by row of the model; those of equations are not looked at
  Eigen::VectorXd wanted;              // d
  std::vector<std::uint32_t> pushing;  // rows
  std::vector<Friction> frictions;
  // One for each friction, with these impulses.
  std::function<void(const Eigen::VectorXd& impulses, std::vector<Limit>& limits)> limits;
  double size = 0;  // of the speeds, in the scale of the masses: what rounding is measured by
};

struct ConeSolution {
  bool settled = false;
  Eigen::VectorXd jump, impulses;  // impulses: by row of the model
  int sweeps = 0;
};

ConeSolution sweep_cones(const ConeProblem& problem);

}  // namespace mbc::runtime
