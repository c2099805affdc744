// SPDX-License-Identifier: Apache-2.0
// The point nearest to the origin on one side of many planes: min |w|^2 subject to B w >= d.
//
// In mass-weighted speeds this is the impact of frictionless contacts (w: the jump, Moreau 1983) and, for
// accelerations, Gauss's principle of least constraint with inequalities. w = B^T p with pressures p >= 0, p (B w - d)
// = 0. The solution w is unique wherever there is one; the planes that are named as pressing are linearly independent,
// however many others pass through the same point.
//
// Method: D. Goldfarb, A. Idnani, A numerically stable dual method for solving strictly convex quadratic programs,
// Mathematical Programming 27 (1983) 1-33, with a unit matrix as the quadratic form. The factors of the planes that
// press are kept up to date as planes come and go; at the end what they have left of rounding is taken from the point,
// or, where that leads nowhere, they are made anew.
#pragma once
#include <Eigen/Core>
#include <vector>

namespace mbc::runtime {

struct LeastDistance {
  enum class Outcome { found, impossible, gave_up } outcome{};
  Eigen::VectorXd w;          // n
  Eigen::VectorXd pressure;   // m, zero where a plane does not press
  std::vector<int> pressing;  // ascending
  int worst = -1;             // the plane that cannot be met, where there is no such point
};

// B: m x n; d, tolerance: m. A plane counts as met where B w >= d - tolerance. `found`: all are. `first`: planes that
// are likely to press, which is where it begins.
LeastDistance least_distance(const Eigen::MatrixXd& B, const Eigen::VectorXd& d, const Eigen::VectorXd& tolerance,
                             const std::vector<int>& first = {});

}  // namespace mbc::runtime
