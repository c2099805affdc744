// SPDX-License-Identifier: Apache-2.0
// x = g(x) for a map that is affine or nearly so, without its derivatives: forces that depend on the multipliers they
// change, x their sizes.
//
// Method: C. G. Broyden, A class of methods for solving nonlinear simultaneous equations, Math. Comp. 19 (1965)
// 577-593, from the Jacobian of a map that does not depend on x. An affine map of n numbers is solved in 2 n steps; of
// one number it is the secant method, exact in the second one.
#pragma once
#include <Eigen/Core>
#include <functional>

namespace mbc::runtime {

struct FixedPoint {
  bool found = false;
  Eigen::VectorXd x;
};

// From x = 0. `map`: false where it is not defined; it is called last at the x that is returned. Of one number a point
// counts only where the map grows by less than its argument: elsewhere there is none, or another one.
// `rounding`: what the map may be off by, besides parts of its size.
FixedPoint fixed_point(Eigen::Index n, const std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& g)>& map,
                       double rounding = 0);

// The same by Newton's method, with the derivatives dg_i/dx_j of the map.
using DifferentiatedMap = std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& g, Eigen::MatrixXd& slope)>;
FixedPoint newton_point(Eigen::Index n, const DifferentiatedMap& map, double rounding = 0);

}  // namespace mbc::runtime
